"""Links from before the product opened with an example: they show what they showed then.

The numbers are computed here from the core's program with what each link says.
"""

from functools import partial
from string import Template
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from core.attention import inputs, program, setups
from core.attention.examples import presets
from core.attention.given import starting_points as starts
from core.attention.masks import KINDS, OFFERED, OFFERED_SIZES
from core.program.trace import Trace
from tests.data import data_of
from tests.sampling import some
from tests.ui import support
from tests.ui.agreement import printed
from tests.ui.support import stage
from ui.chapters.walkthrough.keys import WALKTHROUGH, packed_edits, unpack

opened = partial(support.opened, "walkthrough")
X3 = np.round(np.sin(np.arange(24.0)).reshape(3, 8), 1)
M_X, M_WQ = packed_edits({"X": X3}), packed_edits({"W_Q": np.ones((2, 8, 4))})
M_SCORES, M_MASK = packed_edits({"scores": np.eye(6)[None]}), packed_edits({"mask": np.eye(2)})

LINKS = {
    Template(link).substitute(globals()): cell
    for cell, links in data_of(__file__).items()
    for link in links
}
LINKS |= {
    f"mask={name}&{size.key}=4": "scores.0.2.1" for name in OFFERED for size in KINDS[name].sizes
}


def run_of(said: dict[str, str]) -> Trace:
    """The run that a link describes, by the core's program alone."""
    own: dict[str, Any] = {"heads": 2, "kv_heads": None, "mask": "causal", "scale": True}
    example = presets.preset(said["preset"]) if "preset" in said else None
    settings = own | (dict(example.settings) if example else {})
    settings |= {
        key: int(said[key]) for key in ("heads", "kv_heads", *OFFERED_SIZES) if key in said
    }
    settings["mask"] = said.get("mask", settings["mask"])
    if "scale" in said:
        scales: dict[str, Any] = {"on": True, "off": False}
        settings["scale"] = (
            scales.get(said["scale"]) if said["scale"] in scales else float(said["scale"])
        )
    edits = unpack(said.get("m", ""))
    pinned = {name: array for name, array in edits.items() if name in starts.PINNABLE}
    if example:
        arrays, tokens = dict(example.arrays), example.tokens
        pinned = {**example.pinned, **pinned}
    else:
        text = said.get("text", "The cat sat on the mat")
        if "X" in edits:
            text = " ".join(str(n + 1) for n in range(len(edits["X"])))
        made = inputs.toy_inputs(
            text, heads=settings["heads"], kv_heads=settings["kv_heads"],
            d_model=int(said.get("d_model", 8)), seed=int(said.get("seed", 0)),
        )  # fmt: skip
        arrays, tokens = dict(made), made.tokens
    arrays |= {name: array for name, array in edits.items() if name not in pinned}
    if settings["mask"] == "custom":
        arrays.setdefault("mask", np.tri(len(tokens), dtype=bool))
        arrays["mask"] = np.array(arrays["mask"], dtype=bool)
    else:
        arrays.pop("mask", None)
    return program.attention_program(**settings).run(arrays, pinned=pinned)


def test_they_are_many_and_use_every_key() -> None:
    assert len(LINKS) >= 50
    keys = {key for link in LINKS for key, _ in parse_qsl(link)}
    assert keys >= set(WALKTHROUGH) - set(setups.OWN_KEYS)  # newer than the links


@pytest.mark.parametrize("link", some(list(LINKS), 4))
def test_an_old_link_shows_what_it_showed(link: str) -> None:
    said = dict(parse_qsl(link))
    page = opened(**said)
    shown, expected = stage(page), run_of(said)
    now: Trace = page.session_state["good"].trace
    assert set(now) == set(expected)
    for name in expected:
        np.testing.assert_array_equal(now[name], expected[name], err_msg=name)
    name, *at = LINKS[link].split(".")
    step = said.get("step", "scores")
    assert (shown.step, shown.selected) == (step, LINKS[link])
    matrix = expected[step]
    if matrix.ndim == 3:
        head = int(at[0]) if expected[name].ndim == 3 else 0
        matrix = matrix[head * len(matrix) // expected.sizes["h"]]
    for text, value in zip(shown.texts(step).ravel(), matrix.ravel(), strict=True):
        printed(text, float(value))
