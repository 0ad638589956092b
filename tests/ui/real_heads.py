"""Captured heads for claims of pages, read from their files: nothing of it is the core's."""

import json
import re
from pathlib import Path

import numpy as np
from safetensors import safe_open
from streamlit.testing.v1 import AppTest

import core.models.captures
from tests.ui.plain_attention import softmax

DATA = Path(core.models.captures.__file__).parent / "data"
NAMES_A_HEAD = (
    r"(\S+ \(Q4_1\)), layer (\d+), head (\d+) :gray\[\(index (\d+), (\d+)\)\], on “(.*)” "
    r"\[More on this head\]\(real-heads\?real_capture=(\S+)\)$"
)
"""The line that names a head."""


def arrays_of(run: str, name: str) -> dict[str, np.ndarray]:
    """The arrays of a captured head."""
    with safe_open(DATA / f"{run}.safetensors", framework="numpy") as file:
        keys = [key for key in file.keys() if key.startswith(f"{name}.")]  # noqa: SIM118
        return {key.removeprefix(f"{name}."): file.get_tensor(key).astype(float) for key in keys}


def maps_of(run: str) -> np.ndarray:
    """The weights of all layers and heads of a run, in whole steps of 1/255."""
    with safe_open(DATA / f"{run}.safetensors", framework="numpy") as file:
        maps: np.ndarray = file.get_tensor("maps").astype(float)
    return maps / 255


def causal_weights(Q: np.ndarray, K: np.ndarray, divisor: float) -> np.ndarray:
    """The weights of a causal head, its scores divided by a number."""
    return softmax(np.where(np.tri(len(Q), dtype=bool), Q @ K.T / divisor, -np.inf))


def names_a_head(match: re.Match[str], page: AppTest) -> None:
    """Layer and head count from 1, the library's index from 0; a file has this head."""
    model, *numbers, prompt, name = match.groups()
    layer, head, *index = map(int, numbers)
    assert [layer - 1, head - 1] == index
    captured = []
    for path in DATA.glob("*.safetensors"):
        with safe_open(path, framework="numpy") as file:
            said = file.metadata()
        text = " ".join(said["prompt"].split())
        captured += [
            (said["model"], text, one["layer"], one["head"], one["name"])
            for one in json.loads(said["heads"])
        ]
    assert (model, prompt, *index, name) in captured
