"""A head of a real model, whose queries and keys are rotated by position or left as they are.

The captured Q and K are rotated. Turned back by the same angles, they are what the model's
projections made. From these the run starts; its rotation gives the captured rows again.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.given.given_program import vectors_program
from core.attention.masks import Rule
from core.chapters.word_order.encoding_parts import TURNED_AXIS, of_pair, rotation, rotation_inputs
from core.chapters.word_order.encodings import ENCODING
from core.models.captures import Capture, vectors_of
from core.models.head_scores import HEAD_SCORES
from core.models.model_facts import ROTATION_BASES
from core.operations.rotary import rotate
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.texts import core_texts

TEXTS = core_texts("word_order")
REAL_HEAD = "smollm2-previous-token"
PLAIN = vectors_program(1, 1, Rule("causal"))
ROTATION = Toggle(
    "order_real_encoding",
    TEXTS("real_encoding"),
    {name: ENCODING.options[name] for name in ("rope", "none")},
    "rope",
)


def unrotated(rows: Float[np.ndarray, "H T d_k"], base: int) -> Float[np.ndarray, "H T d_k"]:
    """Return rows turned back: pair p of row i by the angle −i · base^(−2p/d_k)."""
    _, T, d_k = rows.shape
    given = rotation_inputs(T, d_k, base)
    angles = -given["places"] @ given["frequency"]
    right = rows @ given["quarter"]
    made: np.ndarray = rotate().forward(rows, np.cos(angles), right, np.sin(angles))
    return made


@cache
def rotated_program() -> Program:
    """Return causal attention of one head from given Q, K and V, the first two rotated."""
    turned = rotation()
    score = replace(PLAIN.step["scores"], operands=("Q_rot", "K_rot"), meaning=of_pair("score"))
    vectors, *after = PLAIN.phases
    return replace(
        PLAIN.replaced("scores", *turned.steps, score),
        inputs=(*PLAIN.inputs, *turned.inputs),
        phases=(vectors, *turned.phases, *after),
        sizes={**PLAIN.sizes, "o": 1},
        axes={**PLAIN.axes, **TURNED_AXIS},
    )


@cache
def rotation_family(capture: Capture) -> Family:
    """Return the runs of a captured head with the rotation of its model and without."""
    vectors, base = vectors_of(capture), ROTATION_BASES[capture.run.model]
    back = {name: unrotated(vectors[name], base) for name in ("Q", "K")}
    T, d_k = capture.Q.shape
    turns = rotation_inputs(T, d_k, base)
    plain = Inputs({**vectors, **back}, vectors.tokens)
    rotated = Inputs({**plain, **turns}, vectors.tokens)

    def build(options: Options) -> Built:
        if options[ROTATION.key] == "none":
            return Built(PLAIN, plain)
        return Built(rotated_program(), rotated)

    return Family((ROTATION,), build)


@dataclass(frozen=True)
class RotationScores:
    """What the rows of a head read, rotated and not: means from 0 to 1, as in `head_scores`."""

    previous_rotated: float
    previous_unrotated: float
    first_unrotated: float


def rotation_scores(family: Family) -> RotationScores:
    """Return the scores of the previous and of the first token, from the runs of a family."""
    traces = (family.run(**{ROTATION.key: name}) for name in ("rope", "none"))
    turned, plain = ((trace["weights"][0], trace.tokens) for trace in traces)
    previous, first = HEAD_SCORES["previous_token"], HEAD_SCORES["first_token"]
    return RotationScores(previous(*turned), previous(*plain), first(*plain))
