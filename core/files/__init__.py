"""Matrices in and out: text, .csv, .json, .npy, .npz, .safetensors, .pt."""
