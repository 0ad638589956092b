"""The page of a student."""
