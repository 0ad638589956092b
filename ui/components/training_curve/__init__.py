"""A training: its loss curve, a slider, and the weights of all heads at the chosen step."""
