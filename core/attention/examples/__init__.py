"""Worked examples: the one that opens the product, words of two meanings, presets."""
