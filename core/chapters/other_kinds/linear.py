"""Linear attention: features φ of queries and keys in place of e^(q·k), so that brackets may move.

    Σ_{j≤i} (φ(q_i)·φ(k_j)) v_j: all pairs       φ(q_i) · Σ_{j≤i} φ(k_j)ᵀ v_j: d_k × d_v numbers

each row divided by its sum of φ(q)·φ(k) over the visible keys (Katharopoulos et al. 2020,
eqs. 4 to 9, and 18 to 20 for the causal state). One head, causal: because the mask is between
φ(Q)φ(K)ᵀ and V, the brackets move in each row separately, and not in the product of the matrices.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from jaxtyping import Float

from core.attention import cell_descriptions as describe
from core.attention.axes import AXES
from core.attention.layers.layer import projection_weight
from core.attention.masks import Rule
from core.attention.phases import EMBED, PROJECT
from core.attention.tokens import few_enough
from core.chapters.other_kinds.sentence import MATRICES, one_head_program, sentence_inputs
from core.operations.activations import elu_plus_one
from core.operations.masking import keep_visible, visible
from core.operations.merging import over_sum, share_rows, signed_shares, total
from core.operations.products import dot_rows, matmul, matmul_transposed, outer_rows, read_state
from core.operations.sums import running_sum
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
PAIRS, STATE = "pairs", "state"
_FORMS = {PAIRS: "Σ (φ(q)·φ(k)) v", STATE: "φ(q) · Σ φ(k)ᵀv"}
_SHOWN = {PAIRS: "weights", STATE: "state"}
BRACKETS = Toggle("kinds_brackets", TEXTS("brackets"), _FORMS, STATE, shows=_SHOWN)
ELU, NONE = "elu", "none"
_PHI = {ELU: "ELU + 1", NONE: TEXTS("no_phi")}
FEATURES = Toggle("kinds_features", "φ", _PHI, ELU, shows=dict.fromkeys(_PHI, "context"))
SENTENCE, HAND = "sentence", "hand"
_GIVEN = {SENTENCE: TEXTS("your_sentence"), HAND: TEXTS("three_keys")}
NUMBERS = Toggle("kinds_numbers", TEXTS("numbers"), _GIVEN, SENTENCE, resizes=True)
TOKENS = ("one", "two", "three")
QUERY = np.array([1.0, 1.0])
KEYS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
VALUES = np.array([[1.0], [2.0], [3.0]])
"""Three keys of two features, small enough for a head: every query is (1, 1)."""
LONGER = 10
LIKE = "Q_phi|K_phi|pairs|kept|totals|weights|outer|state|key_sum|sums"
"""The names of the arrays that only some brackets have, as a regular expression."""


@lru_cache(maxsize=8)
def linear_program(brackets: str, features: str) -> Program:
    """Causal linear attention with these brackets and features. Weights: [0, 1]."""
    positive = features == ELU
    bent = (_FEATURES,) if positive else ()
    query, key = ("Q_phi", "K_phi") if positive else ("Q", "K")
    phi = (
        Step("Q_phi", elu_plus_one(), ("Q",), _feature("positive_query", "h i k"), "query"),
        Step("K_phi", elu_plus_one(), ("K",), _feature("positive_key", "h j k"), "key"),
    )
    steps = (
        Step("Q", matmul("i m, h m k -> h i k"), ("X", "W_Q"), _feature("query", "h i k"), "query"),
        Step("K", matmul("j m, h m k -> h j k"), ("X", "W_K"), _feature("key", "h j k"), "key"),
        Step("V", matmul("j m, h m v -> h j v"), ("X", "W_V"), _feature("value", "h j v"), "value"),
        *(phi if positive else ()),
        *(_pairs(query, key) if brackets == PAIRS else _state(query, key)),
    )
    inputs = (
        Input("X", "i m", describe.X),
        Input("W_Q", "h m k", projection_weight("query"), role="query"),
        Input("W_K", "h m k", projection_weight("key"), role="key"),
        Input("W_V", "h m v", projection_weight("value"), role="value"),
    )
    of_pairs = (*_PAIRS, _WEIGHTS if positive else _SIGNED, _MIX)
    phases = (EMBED, PROJECT, *bent, *(of_pairs if brackets == PAIRS else _STATE))
    axes = {"p": Axis(TEXTS("state_entry"), word="entry"), "o": Axis("sum", word="sum")}
    return Program(inputs, steps, phases, {"h": 1, "o": 1}, {**AXES, **axes})


def _pairs(query: str, key: str) -> tuple[Step, ...]:
    divided = share_rows if query == "Q_phi" else signed_shares
    return (
        Step("pairs", matmul_transposed("h i k, h j k -> h i j"), (query, key),
             _pair("pair")),
        Step("mask", visible(Rule("causal")), ("pairs",), describe.mask(Rule("causal"))),
        Step("kept", keep_visible(), ("pairs", "mask"), _pair("kept")),
        Step("totals", total("h i j -> h i o"), ("kept",), _TOTAL),
        Step("weights", divided("h i j, h i 0 -> h i j"), ("kept", "totals"),
             _pair("weight"), "weights"),
        Step("context", matmul("h i j, h j v -> h i v"), ("weights", "V"),
             _feature("context", "h i v")),
    )  # fmt: skip


def _state(query: str, key: str) -> tuple[Step, ...]:
    read = _feature("context", "h i v")
    return (
        Step("outer", outer_rows(), (key, "V"), _entry("outer", "j"), axes="h j p"),
        Step("state", running_sum("h j<=i p -> h i p"), ("outer",), _entry("state", "i")),
        Step("key_sum", running_sum("h j<=i k -> h i k"), (key,), _feature("key_sum", "h i k")),
        Step("sums", read_state(), (query, "state"), _feature("sums", "h i v"), axes="h i v"),
        Step("totals", dot_rows(), (query, "key_sum"), _TOTAL, axes="h i o"),
        Step("context", over_sum("h i v, h i 0 -> h i v"), ("sums", "totals"), read),
    )


def linear_family(text: str) -> Family:
    """A sentence, or three keys, with either brackets and either features. Raises `InputError`."""
    few_enough(text)

    def build(options: Options) -> Built:
        program = linear_program(options[BRACKETS.key], options[FEATURES.key])
        return Built(program, linear_inputs(text, options))

    return Family((BRACKETS, FEATURES, NUMBERS, MATRICES), build, "kinds_", linear_family)


def linear_inputs(text: str, options: Options) -> Inputs:
    """The sentence's inputs, or the three keys. Raises `InputError`."""
    if options[NUMBERS.key] == HAND:
        return three_keys()
    return sentence_inputs(text, options[MATRICES.key])


def three_keys() -> Inputs:
    """Return rows of X that hold query, key and value side by side, and maps that take each out."""
    parts = {"W_Q": np.tile(QUERY, (3, 1)), "W_K": KEYS, "W_V": VALUES}
    X = np.hstack(list(parts.values()))
    ends = np.cumsum([part.shape[1] for part in parts.values()])[:-1]
    maps = dict(zip(parts, np.split(np.eye(X.shape[1]), ends, axis=1), strict=True))
    return Inputs({"X": X, **{name: one[None] for name, one in maps.items()}}, TOKENS)


def linear_weights(inputs: Inputs, features: str) -> np.ndarray:
    """What each token reads from each: rows of linear attention's weights."""
    weights: np.ndarray = linear_program(PAIRS, features).run(inputs)["weights"][0]
    return weights


def softmax_weights(inputs: Inputs, longer: int = 1) -> np.ndarray:
    """Softmax weights of the same keys and queries, or of queries this many times as long."""
    given = {**inputs, "W_Q": longer * np.asarray(inputs["W_Q"])}
    weights: np.ndarray = one_head_program().run(given)["weights"][0]
    return weights


@dataclass(frozen=True)
class Read:
    """What the last token reads, of values of one feature: a sum of products over a total."""

    met: float
    total: float
    context: float

    @property
    def quotient(self) -> Fraction:
        """The sum over the total; exact if both are whole numbers."""
        return Fraction(self.met) / Fraction(self.total)


def either_way(features: str) -> dict[str, Read]:
    """What the last of the three keys reads with each of the brackets, by their names."""
    pairs, state = (linear_program(way, features).run(three_keys()) for way in (PAIRS, STATE))
    met = {PAIRS: (pairs["kept"] @ pairs["V"], pairs), STATE: (state["sums"], state)}
    read = {way: (top, run["totals"], run["context"]) for way, (top, run) in met.items()}
    return {way: Read(*(float(one[0, -1, 0]) for one in arrays)) for way, arrays in read.items()}


@dataclass(frozen=True)
class Beside:
    """What each token reads from each, by softmax and by linear attention."""

    softmax: Float[np.ndarray, "T T"]
    linear: Float[np.ndarray, "T T"]
    longer: float
    """The last token's largest softmax weight with a query `LONGER` times as long."""
    limit: float
    """The largest weight that linear attention can give a key if features are positive."""

    @property
    def largest(self) -> float:
        """The last token's largest softmax weight."""
        return float(self.softmax[-1].max())

    @property
    def below(self) -> int:
        """How many numbers of linear attention are below 0."""
        return int((self.linear < 0).sum())

    @property
    def empty(self) -> int:
        """How many rows of linear attention are zeros, because their sum is 0."""
        return int((~self.linear.any(axis=1)).sum())


def beside(inputs: Inputs, features: str) -> Beside:
    """Both on the same queries and keys."""
    keys = linear_program(STATE, ELU).run(inputs)["K"][0]
    return Beside(
        softmax_weights(inputs),
        linear_weights(inputs, features),
        float(softmax_weights(inputs, LONGER)[-1].max()),
        limit_of_shares(elu_plus_one().forward(keys)),
    )


def limit_of_shares(keys: Float[np.ndarray, "T d_k"]) -> float:
    """The largest share that one of several positive keys has of one feature.

    A weight is a mean of its key's shares of the features, weighted by the query: no more than the
    largest of them. 0 for keys of zeros.
    """
    sums = keys.sum(axis=0)
    return float(np.divide(keys, sums, out=np.zeros_like(keys), where=sums > 0).max())


def costs(trace: Trace) -> tuple[int, int]:
    """How many numbers are kept between Q, K, V and the result: all pairs, and one state."""
    T, d_k, d_v = len(trace.tokens), trace.sizes["k"], trace.sizes["v"]
    return T * T, d_k * d_v + d_k


def _feature(id: str, axes: str) -> Meaning:
    _, token, feature = axes.split()
    return meaning(TEXTS, id, axes, token=token, feature=feature)


def _pair(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i j", query="i", key="j")


def _entry(id: str, letter: str) -> Meaning:
    """Of an entry of a state, which belongs to a feature of the keys and one of the values."""

    def words(trace: Trace, cell: Cell) -> str:
        key, value = divmod(cell[2], trace.sizes["v"])
        token = told_label(trace, letter, cell[1])
        return TEXTS(id, token=token, key_feature=key + 1, value_feature=value + 1)

    return words


_TOTAL = meaning(TEXTS, "total", "h i o", token="i")
_FEATURES = phase(TEXTS, "positive", ("Q_phi", "K_phi"), defines=True)
_PAIRS = (phase(TEXTS, "pairs", ("pairs",), defines=True), phase(TEXTS, "hide", ("mask", "kept")))
_WEIGHTS = phase(TEXTS, "weights", ("totals", "weights"))
_SIGNED = phase(TEXTS, "signed", ("totals", "weights"))
_MIX = phase(TEXTS, "mix_pairs", ("context",))
_STATE = (
    phase(TEXTS, "outer", ("outer",), defines=True),
    phase(TEXTS, "state", ("state", "key_sum"), defines=True),
    phase(TEXTS, "read", ("sums",), defines=True),
    phase(TEXTS, "divide", ("totals", "context")),
)
