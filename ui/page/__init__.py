"""What stands around every page: its frame, header, folds, questions, code."""
