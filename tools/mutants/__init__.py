"""Mistakes on purpose: a sample of small changes, and which of them the tests notice."""
