"""Weights of trained heads as small maps: cards to choose a head from, and a grid of all heads."""
