"""The rooms of a class in their file: who has a place, what was asked, answered and given."""
