"""The question engine, and the questions that several chapters ask."""
