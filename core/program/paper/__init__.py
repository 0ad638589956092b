"""A run as it is worked out on paper: rounded at each step, with what a sheet leaves out."""
