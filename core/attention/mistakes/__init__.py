"""What people do wrong with attention: in a program, by hand, in code."""
