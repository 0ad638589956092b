"""What can change and still be attention."""
