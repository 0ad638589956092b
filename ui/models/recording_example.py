"""The lines that write a recording, as the page shows them."""

from collections.abc import Callable, Sequence
from typing import Any


def record_attention(model: Callable[[Any], object], x: Any, tokens: Sequence[str]) -> None:
    """Run a PyTorch model and write what its attention computes to a file."""
    from core.models import capture

    with capture("run.safetensors", tokens=tokens):
        model(x)
