"""Pictures that a person can use, each a component of its own."""
