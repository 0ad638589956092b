"""A run as plain data, as the browser is told it: its numbers, other runs, differences, tables."""
