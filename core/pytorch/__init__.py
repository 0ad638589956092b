"""PyTorch, the judge: everything that imports it, and runs written in it."""
