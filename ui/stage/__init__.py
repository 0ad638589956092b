"""The stage on a page, and what chapters put on it."""
