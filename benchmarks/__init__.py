"""What we claim about speed, as commands anyone can run: `python -m benchmarks [--quick]`."""

from pathlib import Path

APPS = Path(__file__).parent / "apps"
"""Scripts that Streamlit runs to be measured."""
