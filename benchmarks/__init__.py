"""What we claim about speed, as commands anyone can run: `python -m benchmarks [--quick]`."""
