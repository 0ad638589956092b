"""Worked examples: small inputs whose results can be checked by hand.

Each is a run of the attention program: `attention_program(**preset.settings)` on
`preset.inputs()` with `preset.pinned`. Scores are made by real weights where that is simple, and
pinned where the example is about given scores. Letters in `source` are those of the documents this
project teaches from; no letter: the example is our own.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from core.attention.river_bank import RIVER_BANK
from core.attention.worked_example import Preset, Printed, one_head
from core.errors import InputError
from core.program.labels import marked

__all__ = ["OPENING", "PRESETS", "Preset", "Printed", "preset"]

OPENING = RIVER_BANK.id
"""The example with which the product opens."""


def preset(name: str) -> Preset:
    """The preset of that id. Raises `InputError`."""
    if name not in PRESETS:
        raise InputError(
            f"There is no preset {name!r}", f"the presets are {', '.join(PRESETS)}",
            "choose one of them",
        )  # fmt: skip
    return PRESETS[name]


def takes_text(name: str) -> bool:
    """Whether the preset of that id takes any sentence. Raises `InputError`."""
    return preset(name).row_of is not None


_BLOG = one_head(
    "P1",
    "A published example, every figure recomputed",
    "A blog prints these figures for its example, and each comes out again. Its inputs were "
    "random and are lost; these are ours, one of many that fit. It does not divide by √d_k, and "
    "its K makes the queries.",
    "1 2 3",
    X=[[0.54, 0.86, 0.06, 0.82], [0.21, 0.2, 0.62, 0.02], [0.62, 0.18, 0.48, 0.58]],
    W_Q=[[0.0, 0.7, 0.44, 0.22], [0.33, 0.21, 0.48, 0.58],
         [0.43, 0.71, 0.69, 0.91], [0.98, 0.67, 0.45, 0.5]],
    W_K=[[0.07, 0.97, 0.64, 0.39], [0.56, 0.37, 0.28, 0.33],
         [0.24, 0.49, 0.66, 0.51], [0.59, 0.84, 0.62, 0.53]],
    W_V=[[0.27, 0.2, 0.32, 0.84], [0.91, 0.64, 0.59, 0.92],
         [0.02, 0.27, 0.1, 0.27], [0.53, 0.64, 0.99, 0.66]],
    printed=(
        Printed("The values", "V", (0, 0, 0), "causal",
                (("1.36", "1.20", "1.50", "1.80"), ("0.26", "0.35", "0.27", "0.54"),
                 ("0.65", "0.74", "0.93", "1.20"))),
        Printed("Weights, nothing masked", "weights", (0, 0, 0), "none",
                (("0.66", "0.03", "0.30"), ("0.52", "0.11", "0.37"), ("0.63", "0.04", "0.33"))),
        Printed("First feature of row 1, nothing masked", "context", (0, 0, 0), "none",
                (("1.11",),)),
        Printed("Scores, the future masked", "masked", (0, 0, 0), "causal",
                (("5.17", "-inf", "-inf"), ("2.78", "1.22", "-inf"), ("4.73", "2.00", "4.07"))),
        Printed("Weights, the future masked", "weights", (0, 0, 0), "causal",
                (("1.00", "0.00", "0.00"), ("0.83", "0.17", "0.00"), ("0.63", "0.04", "0.33"))),
        Printed("First feature of row 1", "context", (0, 0, 0), "causal", (("1.36",),)),
        Printed("First feature of row 2", "context", (0, 1, 0), "causal", (("1.173",),)),
    ),
    source="B",
)  # fmt: skip

_LN_INTEGERS = one_head(
    "P2",
    "Softmax with plain fractions",
    "Each row of scores is ln 1, ln 2, ln 3, so e to the score is 1, 2, 3 and the weights are "
    "those over their sum: {weights.0.2.0}, {weights.0.2.1} and {weights.0.2.2} in the last row.",
    "one two three",
    X=[[6, 0], [0, 6], [12, -6]], W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2),
    scores=np.log([[1.0, 2.0, 3.0]] * 3),
)  # fmt: skip

_RUNNING_MEAN = one_head(
    "P3",
    "Equal scores make a running mean",
    "All scores are 0, so each row takes the same share of all it can see: the output is the mean "
    "of the values so far.",
    "a b c d e",
    X=[[4], [2], [6], [0], [8]], W_Q=[[0]], W_K=[[0]], W_V=[[1]], scale=True,
)  # fmt: skip

_WORDS = {"river": [2, 0, 0], "bank": [1, 1, 1]}


def _bank(name: str, title: str, note: str, text: str) -> Preset:
    return one_head(
        name, title, note, text,
        X=[_WORDS[word] for word in text.split()],
        W_Q=np.eye(3), W_K=np.eye(3), W_V=np.eye(3), scale=True, source="K",
    )  # fmt: skip


_POSITIONS = "L e t ' s"
_SHARP = 20.0
"""The score of the one key that a copying head looks for; every other key has 0."""


def _copying_head(name: str, title: str, note: str, offset: int, mask: str = "causal") -> Preset:
    """Query i asks for position i + offset; X is the position, one-hot, and V holds token ids."""
    return one_head(
        name, title, note, _POSITIONS,
        X=np.eye(5), W_Q=_SHARP * np.eye(5, k=offset), W_K=np.eye(5),
        W_V=[[24], [43], [58], [5], [57]], mask=mask, source="B, C" if offset else "C",
    )  # fmt: skip


_MASK_ORDER = one_head(
    "P6",
    "Why the mask comes before softmax",
    "Each row of scores is 0, ln 3. With the mask before softmax, row 1 is {weights.0.0.0}, "
    "{weights.0.0.1} and each row adds up to 1; masked only after softmax, row 1 would lose the "
    "share of the hidden key, and add up to less.",
    "first second",
    X=np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2),
    scores=np.log([[1.0, 3.0], [1.0, 3.0]]),
)  # fmt: skip

_AXIS = one_head(
    "P7",
    "Why softmax runs along the row",
    "Each query shares out 1 among the keys it sees, so rows add up to 1: {weights.0.0.0}, "
    "{weights.0.0.1} and {weights.0.1.0}, {weights.0.1.1}. Along the columns it would be the "
    "columns that add up to 1, and a later query would change an earlier row.",
    "first second",
    X=np.eye(2), W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2),
    scores=np.log([[1.0, 1.0], [3.0, 1.0]]),
)  # fmt: skip

_NOT_EXPLANATION = one_head(
    "P9",
    "A large weight that moves nothing",
    "Row 2 puts {weights.0.1.0} of its weight on a value of zeros and {weights.0.1.1} on "
    "({V.0.1.0}, {V.0.1.1}): all it reads comes from the smaller weight.",
    "loud quiet",
    X=[[0, 0], [10, 0]], W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2),
    scores=np.log([[9.0, 1.0], [9.0, 1.0]]),
)  # fmt: skip

_PADDING = one_head(
    "P9b",
    "A row that sees no key",
    "The padding is hidden from everyone, and nothing comes before it, so row 1 sees no key at "
    "all: the plain formula gives 0/0 there, here its weights are zeros.",
    "PAD the cat",
    X=np.eye(3), W_Q=np.zeros((3, 3)), W_K=np.eye(3), W_V=np.eye(3), mask="custom",
    custom=[[0, 0, 0], [0, 1, 0], [0, 1, 1]],
)  # fmt: skip

_ASYMMETRIC = one_head(
    "P11b",
    "Why scores are not symmetric",
    f"Only {marked('ball')} asks and only {marked('red')} answers: the score of {marked('ball')} "
    f"with {marked('red')} is {{scores.0.2.1}}, of {marked('red')} with {marked('ball')} "
    "{scores.0.1.2}. QKᵀ is not symmetric.",
    "the red ball",
    X=np.eye(3), W_Q=[[0, 0], [0, 0], [4, 0]], W_K=[[0, 0], [1, 0], [0, 0]], W_V=np.eye(3),
)  # fmt: skip

PRESETS: Mapping[str, Preset] = MappingProxyType({
    made.id: made
    for made in (
        RIVER_BANK,
        _BLOG,
        _LN_INTEGERS,
        _RUNNING_MEAN,
        _bank("P4", "“river bank”: a word before changes a word",
              f"{marked('bank')} reads from {marked('river')}, which comes before it, and moves "
              "towards it.", "river bank"),
        _bank("P4b", "“bank river”: a word after changes nothing",
              f"{marked('bank')} comes first and sees only itself: it leaves as it came.",
              "bank river"),
        _copying_head("P5-previous", "How a head copies the previous token",
                      "Each row reads the token before it: {context.0.0.0}, {context.0.1.0}, "
                      "{context.0.2.0}, {context.0.3.0}, {context.0.4.0}. The first has none "
                      "before it and reads itself.", -1),
        _copying_head("P5-next", "What the mask leaves of the next token",
                      "No row sees what it looks for, and the scores that it sees are equal: "
                      "what is left is the mean of the tokens so far.", 1),
        _copying_head("P5-next-unmasked", "Without a mask, a head copies the next token",
                      "Without a mask each row but the last reads the very token it should "
                      "predict. The last has no next one and reads the mean of all.", 1, "none"),
        _copying_head("P5-same", "How a head reads its own token",
                      "Each row looks for its own position: the values pass unchanged.", 0),
        _MASK_ORDER,
        _AXIS,
        _NOT_EXPLANATION,
        _PADDING,
        _ASYMMETRIC,
    )
})  # fmt: skip
"""Every preset by its id, in the order a list shows them."""
