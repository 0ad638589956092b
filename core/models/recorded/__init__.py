"""What was recorded of a person's own model: capturing it, its file, its arrays."""
