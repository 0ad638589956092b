"""Worked examples: small inputs whose results can be checked by hand.

Each is a run of the attention program: `attention_program(**preset.settings)` on
`preset.inputs()` with `preset.pinned`. Scores are made by real weights where that is simple, and
pinned where the example is about given scores. Letters in `source` are those of the documents this
project teaches from; no letter: the example is our own.
"""

from collections.abc import Mapping

import numpy as np

from core.attention.examples.river_bank import BY_RECIPE, OWN_BANK, RIVER_BANK, own_example
from core.attention.examples.two_meanings import OWN
from core.attention.examples.worked_example import TEXTS, Preset, PrintedFigures, one_head_example
from core.errors import input_error

__all__ = ["OPENING", "PRESETS", "Preset", "PrintedFigures", "preset"]

OPENING = RIVER_BANK.id
"""The example with which the product opens."""


def preset(name: str, word: str = "", cues: str = "", meanings: str = "") -> Preset:
    """The preset of that id; the rest is for a person's own. Raises `InputError`."""
    if name == OWN:
        own = zip((word, cues, meanings), OWN_BANK, strict=True)
        return own_example(*(given or default for given, default in own))
    if name not in PRESETS:
        raise input_error(TEXTS, "no_preset", given=repr(name), presets=", ".join(PRESETS))
    return PRESETS[name]


_BLOG = one_head_example(
    "P1", "published", "1 2 3",
    X=[[0.54, 0.86, 0.06, 0.82], [0.21, 0.2, 0.62, 0.02], [0.62, 0.18, 0.48, 0.58]],
    W_Q=[[0.0, 0.7, 0.44, 0.22], [0.33, 0.21, 0.48, 0.58],
         [0.43, 0.71, 0.69, 0.91], [0.98, 0.67, 0.45, 0.5]],
    W_K=[[0.07, 0.97, 0.64, 0.39], [0.56, 0.37, 0.28, 0.33],
         [0.24, 0.49, 0.66, 0.51], [0.59, 0.84, 0.62, 0.53]],
    W_V=[[0.27, 0.2, 0.32, 0.84], [0.91, 0.64, 0.59, 0.92],
         [0.02, 0.27, 0.1, 0.27], [0.53, 0.64, 0.99, 0.66]],
    printed=(
        PrintedFigures(TEXTS("values"), "V", (0, 0, 0), "causal",
                (("1.36", "1.20", "1.50", "1.80"), ("0.26", "0.35", "0.27", "0.54"),
                 ("0.65", "0.74", "0.93", "1.20"))),
        PrintedFigures(TEXTS("weights_unmasked"), "weights", (0, 0, 0), "none",
                (("0.66", "0.03", "0.30"), ("0.52", "0.11", "0.37"), ("0.63", "0.04", "0.33"))),
        PrintedFigures(TEXTS("first_unmasked"), "context", (0, 0, 0), "none", (("1.11",),)),
        PrintedFigures(TEXTS("scores_masked"), "masked", (0, 0, 0), "causal",
                (("5.17", "-inf", "-inf"), ("2.78", "1.22", "-inf"), ("4.73", "2.00", "4.07"))),
        PrintedFigures(TEXTS("weights_masked"), "weights", (0, 0, 0), "causal",
                (("1.00", "0.00", "0.00"), ("0.83", "0.17", "0.00"), ("0.63", "0.04", "0.33"))),
        PrintedFigures(TEXTS("first_masked"), "context", (0, 0, 0), "causal", (("1.36",),)),
        PrintedFigures(TEXTS("second_masked"), "context", (0, 1, 0), "causal", (("1.173",),)),
    ),
    source="B",
)  # fmt: skip

_LN_INTEGERS = one_head_example(
    "P2", "fractions", "one two three",
    X=[[6, 0], [0, 6], [12, -6]], W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2),
    scores=np.log([[1.0, 2.0, 3.0]] * 3),
)  # fmt: skip

_RUNNING_MEAN = one_head_example(
    "P3", "running_mean", "a b c d e",
    X=[[4], [2], [6], [0], [8]], W_Q=[[0]], W_K=[[0]], W_V=[[1]], scale=True,
)  # fmt: skip

_WORDS = {"river": [2, 0, 0], "bank": [1, 1, 1]}


def _bank(name: str, subject: str, text: str) -> Preset:
    return one_head_example(
        name, subject, text,
        X=[_WORDS[word] for word in text.split()],
        W_Q=np.eye(3), W_K=np.eye(3), W_V=np.eye(3), scale=True, source="K",
    )  # fmt: skip


_POSITIONS = "L e t ' s"
_SHARP = 20.0
"""The score of the one key that a copying head looks for; every other key has 0."""


def _copying_head(name: str, subject: str, offset: int, mask: str = "causal") -> Preset:
    """Query i asks for position i + offset; X is the position, one-hot, and V holds token ids."""
    return one_head_example(
        name, subject, _POSITIONS,
        X=np.eye(5), W_Q=_SHARP * np.eye(5, k=offset), W_K=np.eye(5),
        W_V=[[24], [43], [58], [5], [57]], mask=mask, source="B, C" if offset else "C",
    )  # fmt: skip


_MASK_ORDER = one_head_example(
    "P6", "mask_order", "first second", X=np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2),
    scores=np.log([[1.0, 3.0], [1.0, 3.0]]),
)  # fmt: skip

_AXIS = one_head_example(
    "P7", "row_axis", "first second", X=np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2),
    scores=np.log([[1.0, 1.0], [3.0, 1.0]]),
)  # fmt: skip

_NOT_EXPLANATION = one_head_example(
    "P9", "no_effect", "loud quiet",
    X=[[0, 0], [10, 0]], W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2),
    scores=np.log([[9.0, 1.0], [9.0, 1.0]]),
)  # fmt: skip

_PADDING = one_head_example(
    "P9b", "no_key", "PAD the cat",
    X=np.eye(3), W_Q=np.zeros((3, 3)), W_K=np.eye(3), W_V=np.eye(3), mask="custom",
    custom=[[0, 0, 0], [0, 1, 0], [0, 1, 1]],
)  # fmt: skip

_ASYMMETRIC = one_head_example(
    "P11b", "asymmetric", "the red ball",
    X=np.eye(3), W_Q=[[0, 0], [0, 0], [4, 0]], W_K=[[0, 0], [1, 0], [0, 0]], W_V=np.eye(3),
)  # fmt: skip

PRESETS: Mapping[str, Preset] = {
    made.id: made
    for made in (
        *BY_RECIPE.values(), _BLOG, _LN_INTEGERS, _RUNNING_MEAN,
        _bank("P4", "earlier_word", "river bank"),
        _bank("P4b", "later_word", "bank river"),
        _copying_head("P5-previous", "copies_previous", -1),
        _copying_head("P5-next", "hidden_next", 1),
        _copying_head("P5-next-unmasked", "copies_next", 1, "none"),
        _copying_head("P5-same", "copies_itself", 0),
        _MASK_ORDER, _AXIS, _NOT_EXPLANATION, _PADDING, _ASYMMETRIC,
    )
}  # fmt: skip
"""Every preset by its id, in the order a list shows them."""
