"""Small models that are trained here: what they learn, and the trainings that ship."""
