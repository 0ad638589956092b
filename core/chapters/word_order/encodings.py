"""The same tokens under several encodings of position: causal attention of two heads.

sinusoidal: sines and cosines of position times frequency are added to X (Vaswani et al. 2017,
section 3.5; the paper takes sine and cosine in turn, here all sines come before all cosines).
learned: a table with a row for each position is added. RoPE: pairs of features of Q and K are
turned by position times frequency (Su et al. 2021). ALiBi: slope times distance is subtracted from
the scaled scores (Press et al. 2022). Positions count from 0.

For the scores by distance one token stands at every position: the chapter's own program runs on
rows of X that are all the same, so the scores show only what an encoding adds.
"""

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from core.attention import cell_descriptions as describe
from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.masks import Rule
from core.attention.phases import CAUSAL_RULE, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.tokens import few_enough, tokenise
from core.chapters.word_order import encoding_parts as parts
from core.chapters.word_order.encoding_parts import (
    D_MODEL,
    HEADS,
    encoding_inputs,
    feature_of_token,
    of_pair,
    weight_of,
)
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root
from core.operations.softmax import softmax
from core.program.axes import Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.numbers.rounding import NOISE_DECIMALS
from core.program.program import Program
from core.program.reading import weight_percent
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
_WORDS = {kind: TEXTS(kind) for kind in ("none", "sinusoidal", "learned")}
_SHOWN = {"none": "scores", "sinusoidal": "PE", "learned": "X_pos", "rope": "Q_rot"}
ENCODING = Toggle(
    "order_encoding",
    TEXTS("encoding"),
    {**_WORDS, "rope": "RoPE", "alibi": "ALiBi"},
    "sinusoidal",
    shows={**_SHOWN, "alibi": "biased"},
)
ADDED_LIKE = (
    "PE|PE_dot|X_pos|places|frequency|angles|sines|cosines|quarter|[QK]_(right|rot)|slope|distance"
    "|penalty|biased"
)
"""The names of the arrays that some encodings add, as a regular expression."""
PLACES = 24
Scores = Mapping[int, tuple[float, ...]]
"""For each distance from a key to a later query, or to the same place, its different scores."""


@lru_cache(maxsize=8)
def encoding_program(kind: str) -> Program:
    """Return causal attention with one of the position encodings."""
    none = parts.EncodingPart()
    added = {"sinusoidal": parts.sinusoids(), "learned": parts.position_table()}.get(kind, none)
    turned = parts.rotation() if kind == "rope" else none
    biased = parts.distance_bias() if kind == "alibi" else none
    source = "X_pos" if added.steps else "X"
    query, key = ("Q_rot", "K_rot") if turned.steps else ("Q", "K")
    last = "biased" if biased.steps else "scaled"
    rule = Rule("causal")
    inputs = (
        Input("X", "i m", describe.X),
        *added.inputs,
        Input("W_Q", "h m k", weight_of("query"), role="query"),
        Input("W_K", "h m k", weight_of("key"), role="key"),
        Input("W_V", "h m v", weight_of("value"), role="value"),
        *turned.inputs,
        *biased.inputs,
    )
    dot, mix = matmul_transposed("h i k, h j k -> h i j"), matmul("h i j, h j v -> h i v")
    steps = (
        *added.steps,
        _projected("Q", "i", "k", source, "query"),
        _projected("K", "j", "k", source, "key"),
        _projected("V", "j", "v", source, "value"),
        *turned.steps,
        Step("scores", dot, (query, key), of_pair("score")),
        Step("scaled", divide_by_root(), ("scores", "K"), of_pair("scaled")),
        *biased.steps,
        Step("mask", visible(rule), (last,), describe.mask(rule)),
        Step("masked", mask_fill(), (last, "mask"), of_pair("masked")),
        Step("weights", softmax(), ("masked",), of_pair("weight"), "weights"),
        Step("context", mix, ("weights", "V"), feature_of_token("context", "i")),
    )
    before = (EMBED, *added.phases, PROJECT, *turned.phases, SCORE, SCALE, *biased.phases)
    axes = {**AXES, "p": Axis("frequency"), **parts.TURNED_AXIS}
    phases = (*before, CAUSAL_RULE, SOFTMAX, WEIGH)
    return Program(inputs, steps, phases, {"h": HEADS, "o": 1}, axes)


def _projected(name: str, token: str, feature: str, source: str, role: str) -> Step:
    """The step that makes Q, K or V out of X."""
    product = matmul(f"{token} m, h m {feature} -> h {token} {feature}")
    return Step(name, product, (source, f"W_{name}"), feature_of_token(role, token), role)


def farthest_weights(trace: Trace) -> list[str]:
    """Return for each head the weight that the last token gives the first one, in percent."""
    return [weight_percent(weight) for weight in trace["weights"][:, -1, 0]]


def encoding_family(text: str) -> Family:
    """Return the runs of a sentence, one for each encoding. Raises `InputError`."""
    tokens = tokenise(few_enough(text))
    toy = toy_inputs(text, heads=HEADS, d_model=D_MODEL)
    given = {name: toy[name] for name in ("X", "W_Q", "W_K", "W_V")}

    def build(options: Options) -> Built:
        kind = options[ENCODING.key]
        more = encoding_inputs(kind, len(tokens))
        return Built(encoding_program(kind), Inputs({**given, **more}, toy.tokens))

    return Family((ENCODING,), build, "order_told_", encoding_family)


@lru_cache(maxsize=64)
def scores_by_distance(kind: str, token: str, head: int) -> Scores:
    """The scores before the mask of a head, counted from 0; alike up to float noise is the same."""
    toy = toy_inputs(token, heads=HEADS, d_model=D_MODEL)
    given = {name: toy[name] for name in ("W_Q", "W_K", "W_V")}
    given |= {"X": np.repeat(toy["X"], PLACES, axis=0), **encoding_inputs(kind, PLACES)}
    trace = encoding_program(kind).run(Inputs(given, (token,) * PLACES))
    scores = trace["biased" if "biased" in trace else "scaled"][head]
    found = defaultdict(set)
    for i, j in np.ndindex(scores.shape):
        if j <= i:
            found[i - j].add(round(float(scores[i, j]), NOISE_DECIMALS))
    return {distance: tuple(sorted(several)) for distance, several in sorted(found.items())}


def spread(scores: Scores) -> float:
    """Return by how much scores of one distance differ at most."""
    return max(several[-1] - several[0] for several in scores.values())


def is_flat(scores: Scores) -> bool:
    """Return whether there is only one score, whatever the distance."""
    return len({score for several in scores.values() for score in several}) == 1
