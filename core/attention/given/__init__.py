"""Attention of what a person has: arrays, masks, names of matrices, sizes of two sides."""
