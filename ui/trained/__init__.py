"""Small models that are trained here: what pages show of a training."""
