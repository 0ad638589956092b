"""The vocabulary of programs, a family a file."""
