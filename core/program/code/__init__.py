"""A program as code: a script, a function, an exercise with its checks."""
