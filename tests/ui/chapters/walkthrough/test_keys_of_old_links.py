"""Links from before the product opened with an example: they show what they showed then.

The numbers are computed here from the core's program with what each link says.
"""

from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from core.attention import inputs, program, setups
from core.attention.examples import presets
from core.attention.given import starting_points as starts
from core.attention.masks import KINDS, OFFERED, OFFERED_SIZES
from core.program.trace import Trace
from tests.sampling import some
from tests.ui import support
from tests.ui.agreement import printed
from tests.ui.support import stage
from ui.chapters.walkthrough.keys import WALKTHROUGH, packed_edits, unpack

opened = partial(support.opened, "walkthrough")
X3 = np.round(np.sin(np.arange(24.0)).reshape(3, 8), 1)
M_X, M_WQ = packed_edits({"X": X3}), packed_edits({"W_Q": np.ones((2, 8, 4))})
M_SCORES, M_MASK = packed_edits({"scores": np.eye(6)[None]}), packed_edits({"mask": np.eye(2)})

AT = {
    "X.2.0": (
        "step=X", "cell=X.2.0&step=X", "text=red+green+blue&step=X", "d_model=2&heads=1&step=X",
        "present=1&step=X",
    ),
    "Q.0.2.0": ("step=Q", f"m={M_WQ}&step=Q"),
    "K.0.1.0": ("step=K", "kv_heads=1&step=K"),
    "V.0.1.0": ("step=V",),
    "scores.0.2.1": (
        "step=scores", "text=we+sat+by+the+river+bank", "text=The+cat+sat+on+the+mat", "heads=1",
        "heads=4", "heads=4&kv_heads=2", "kv_heads=1", "d_model=4", "seed=1", "mask=none",
        "mask=window", "window=64&mask=window", "mask=prefix", "scale=off", f"m={M_X}",
        f"m={M_SCORES}&heads=1", "present=1", "compare=mask", "compare=before", "cover=weights",
        "cover=scores.2&step=scores", "corner=lower-right", "question=score.75", "elsewhere=1",
        "preset=P1", "preset=P3&mask=none&scale=off", "preset=P5-previous&mask=none", "preset=P9b",
    ),
    "scaled.0.2.1": ("step=scaled", "scale=0.25&step=scaled"),
    "masked.0.2.1": ("step=masked", "mask=prefix&prefix=4&step=masked", "mask=custom&step=masked"),
    "weights.0.2.1": (
        "step=weights", "text=The+cat+sat&step=weights", "d_model=48&step=weights",
        "mask=window&window=1&step=weights", "scale=off&mask=none&step=weights",
        "compare=scale&step=weights", "preset=P1&step=weights",
    ),
    "context.0.2.0": ("step=context",),
    "concat.2.0": ("step=concat",),
    "output.2.0": ("step=output", "seed=999999&step=output", "cover=result&step=output"),
    "W_Q.0.0.0": ("step=W_Q", "cell=W_Q.0.0.0&step=Q"),
    "scores.0.0.1": ("cell=scores.0.0.1",),
    "weights.0.5.3": ("cell=weights.0.5.3&step=weights",),
    "output.0.2": ("cell=output.0.2&step=output&text=red+green",),
    "scores.1.2.1": ("head=2", "head=1&cell=scores.1.2.1"),
    "masked.1.2.1": ("head=2&step=masked",),
    "scores.0.1.0": ("text=one+two", "preset=P4&text=red+green"),
    "weights.0.1.0": (
        "heads=8&text=a+b&step=weights", f"m={M_MASK}&text=a+b&mask=custom&step=weights",
        "preset=P6&step=weights&cell=weights.0.1.0",
    ),
    "weights.0.2.2": ("preset=P2&step=weights&cell=weights.0.2.2",),
    "scores.0.1.1": ("preset=P4&step=scores&cell=scores.0.1.1&cover=scores",),
    "X.5.0": ("preset=river-bank&step=X", "preset=river-bank&step=X&mask=none"),
    "output.5.0": ("preset=river-bank&step=output",),
    "Q.1.5.0": ("preset=river-bank&step=Q&head=2",),
}  # fmt: skip
"""By the cell that each selects, links taken from lessons, documents and tests."""
LINKS = {link: cell for cell, links in AT.items() for link in links}
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
