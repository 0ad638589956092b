"""The same tokens under several encodings of position: causal attention of two heads.

sinusoidal: sines and cosines of position times frequency are added to X (Vaswani et al. 2017,
section 3.5; the paper takes sine and cosine in turn, here all sines come before all cosines).
learned: a table with a row for each position is added. RoPE: pairs of features of Q and K are
turned by position times frequency (Su et al. 2021). ALiBi: slope times distance is subtracted from
the scaled scores (Press et al. 2022). Positions count from 0.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.attention import cell_descriptions as describe
from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.masks import Rule
from core.attention.phases import CAUSAL_RULE, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.tokens import few_enough, tokenise
from core.hash_random import Draw
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed, times_each
from core.operations.rotary import cosine, rotate, sine
from core.operations.scaling import divide_by_root
from core.operations.shapes import append_columns
from core.operations.softmax import softmax
from core.operations.sums import add, subtract
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
HEADS, D_MODEL, D_K = 2, 8, 4
BASE = 10_000
TABLE_SEED = 0
ENCODING = Toggle(
    "order_encoding", TEXTS("encoding"),
    {"none": TEXTS("none"), "sinusoidal": TEXTS("sinusoidal"), "learned": TEXTS("learned"),
     "rope": "RoPE", "alibi": "ALiBi"},
    "sinusoidal",
    shows={"none": "scores", "sinusoidal": "PE", "learned": "X_pos", "rope": "Q_rot",
           "alibi": "biased"},
)  # fmt: skip


APART = 0.2
"""Of an arrow that turns, in radians, the points by which its way is drawn."""


def frequencies(features: int) -> np.ndarray:
    """One for each pair of features: 10000^(−2p/d), in radians a position."""
    made: np.ndarray = BASE ** (-np.arange(0, features, 2) / features)
    return np.round(made, 12)


def slope_powers(heads: int) -> list[int]:
    """The powers of 2 that ALiBi's slopes are, for a power of two of heads: −8h/H, h from 1."""
    return [-8 * head // heads for head in range(1, heads + 1)]


def slopes(heads: int) -> np.ndarray:
    """ALiBi's slopes, one for each head."""
    made: np.ndarray = 2.0 ** np.array(slope_powers(heads))
    return made


@dataclass(frozen=True)
class EncodingPart:
    """What an encoding adds to attention at one place of it."""

    inputs: tuple[Input, ...] = ()
    steps: tuple[Step, ...] = ()
    phases: tuple[Phase, ...] = ()


@lru_cache(maxsize=8)
def encoding_program(kind: str) -> Program:
    """Return causal attention with one of the position encodings."""
    added = {"sinusoidal": _sinusoids, "learned": _table}.get(kind, EncodingPart)()
    turned = _rotation() if kind == "rope" else EncodingPart()
    biased = _bias() if kind == "alibi" else EncodingPart()
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
    steps = (
        *added.steps,
        Step("Q", matmul("i m, h m k -> h i k"), (source, "W_Q"),
             _feature("query", "i"), "query"),
        Step("K", matmul("j m, h m k -> h j k"), (source, "W_K"),
             _feature("key", "j"), "key"),
        Step("V", matmul("j m, h m v -> h j v"), (source, "W_V"),
             _feature("value", "j"), "value"),
        *turned.steps,
        Step("scores", matmul_transposed("h i k, h j k -> h i j"), (query, key),
             _pair("score")),
        Step("scaled", divide_by_root(), ("scores", "K"),
             _pair("scaled")),
        *biased.steps,
        Step("mask", visible(rule), (last,), describe.mask(rule)),
        Step("masked", mask_fill(), (last, "mask"),
             _pair("masked")),
        Step("weights", softmax(), ("masked",), _pair("weight"), "weights"),
        Step("context", matmul("h i j, h j v -> h i v"), ("weights", "V"),
             _feature("context", "i")),
    )  # fmt: skip
    phases = (
        EMBED, *added.phases, PROJECT, *turned.phases, SCORE, SCALE, *biased.phases, CAUSAL_RULE,
        SOFTMAX, WEIGH,
    )  # fmt: skip
    return Program(
        inputs, steps, phases, {"h": HEADS, "o": 1},
        {**AXES, "p": Axis("frequency"), "l": Axis(TEXTS("turned_feature"), word="feature")},
    )  # fmt: skip


def _sinusoids() -> EncodingPart:
    """Return sines and cosines of position times frequency, and their rows added to X."""
    return EncodingPart(
        (
            Input("places", "i o", meaning(TEXTS, "position", "i o", token="i")),
            Input("frequency", "o p", meaning(TEXTS, "frequency")),
        ),
        (
            Step("angles", matmul("i o, o p -> i p"), ("places", "frequency"), _angle("angle")),
            Step("sines", sine(), ("angles",), _angle("sine")),
            Step("cosines", cosine(), ("angles",), _angle("cosine")),
            Step("PE", append_columns("i m+0, i m-{first} -> i m"), ("sines", "cosines"),
                 _row("encoded")),
            Step("PE_dot", matmul_transposed("i m, j m -> i j"), ("PE", "PE"), _near),
            _ADDING,
        ),
        (_ANGLES, _WAVES, _PE, _MAP, _ADDED),
    )  # fmt: skip


def _table() -> EncodingPart:
    """Return a row for each position, added to X."""
    learned = Input("PE", "i m", _row("learned_row"))
    return EncodingPart((learned,), (_ADDING,), (_ADDED,))


def _rotation() -> EncodingPart:
    """Return each pair of features of Q and K turned by position times frequency."""
    return EncodingPart(
        (
            Input("places", "i o", meaning(TEXTS, "position", "i o", token="i")),
            Input("frequency", "o k", meaning(TEXTS, "frequency")),
            Input("quarter", "k l", _quarter),
        ),
        (
            Step("angles", matmul("i o, o k -> i k"), ("places", "frequency"), _angle("angle")),
            Step("cosines", cosine(), ("angles",), _angle("cosine")),
            Step("sines", sine(), ("angles",), _angle("sine")),
            Step("Q_right", matmul("h i k, k l -> h i l"), ("Q", "quarter"),
                 _feature("right_query", "i"), "query"),
            Step("K_right", matmul("h j k, k l -> h j l"), ("K", "quarter"),
                 _feature("right_key", "j"), "key"),
            Step("Q_rot", rotate(), ("Q", "cosines", "Q_right", "sines"),
                 _feature("turned_query", "i"), "query"),
            Step("K_rot", rotate(), ("K", "cosines", "K_right", "sines"),
                 _feature("turned_key", "j"), "key"),
        ),
        (_ANGLES, _TURNS, _RIGHT, _QUERIES, _KEYS),
    )  # fmt: skip


def _bias() -> EncodingPart:
    """Return slope times distance, subtracted from each scaled score."""
    return EncodingPart(
        (
            Input("slope", "h o p", _slope),
            Input("distance", "i j", meaning(TEXTS, "distance", "i j", query="i", key="j")),
        ),
        (
            Step("penalty", times_each(), ("slope", "distance"), _pair("penalty")),
            Step("biased", subtract("h i j, h i j -> h i j"), ("scaled", "penalty"),
                 _pair("biased")),
        ),
        (_PENALTY,),
    )  # fmt: skip


LIKE = (
    "PE|PE_dot|X_pos|places|frequency|angles|sines|cosines|quarter|[QK]_(right|rot)|slope|distance"
    "|penalty|biased"
)
"""How the arrays that some encodings add are called, as a regular expression."""


def farthest_weights(trace: Trace) -> list[str]:
    """Return for each head the weight that the last token gives the first one, in percent."""
    return [cell_text(100 * float(weight)) for weight in trace["weights"][:, -1, 0]]


Way = list[tuple[float, float]]
"""Points from which to which an arrow's head goes."""


def ways_of(trace: Trace, array: str, head: int = 0) -> list[list[Way]]:
    """For each token and pair of features the way of its arrow's head while RoPE turns it.

    From the entries of `array` (Q or K) in one head to those of its turned array, points at most
    `APART` radians apart.
    """
    T = len(trace.tokens)
    before, after = (trace[name][head].reshape(T, -1, 2) for name in (array, f"{array}_rot"))
    angles = trace["angles"][:, ::2]

    def way(at: int, pair: int) -> Way:
        angle, (x, y) = angles[at, pair], before[at, pair]
        turns = np.linspace(0, angle, 1 + math.ceil(abs(angle) / APART))[1:-1]
        between = complex(x, y) * np.exp(1j * turns)
        ends = (tuple(map(float, end)) for end in (before[at, pair], after[at, pair]))
        first, last = ends
        return [first, *zip(between.real.tolist(), between.imag.tolist(), strict=True), last]

    return [[way(at, pair) for pair in range(before.shape[1])] for at in range(T)]


def encoding_family(text: str) -> Family:
    """A sentence under each encoding. Raises `InputError`."""
    tokens = tokenise(few_enough(text))
    toy = toy_inputs(text, heads=HEADS, d_model=D_MODEL)
    given = {name: toy[name] for name in ("X", "W_Q", "W_K", "W_V")}

    def build(options: Options) -> Built:
        kind = options[ENCODING.key]
        more = encoding_inputs(kind, len(tokens))
        return Built(encoding_program(kind), Inputs({**given, **more}, toy.tokens))

    return Family((ENCODING,), build)


def encoding_inputs(kind: str, T: int) -> dict[str, np.ndarray]:
    """Return the further inputs of an encoding: positions, frequencies, a table, slopes."""
    position = np.arange(float(T))[:, None]
    if kind == "sinusoidal":
        return {"places": position, "frequency": frequencies(D_MODEL)[None]}
    if kind == "learned":
        drawn = Draw(f"learned:{TABLE_SEED}").around_zero(10, T * D_MODEL) / 10
        return {"PE": drawn.reshape(T, D_MODEL)}
    if kind == "rope":
        right = np.kron(np.eye(D_K // 2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
        each = frequencies(D_K).repeat(2)[None]
        return {"places": position, "frequency": each, "quarter": right}
    if kind == "alibi":
        return {"slope": slopes(HEADS)[:, None, None], "distance": position - position.T}
    return {}


_ANGLES = phase(TEXTS, "angles", ("angles",), defines=True)
_WAVES = phase(TEXTS, "waves", ("sines", "cosines"), defines=True)
_PE = phase(TEXTS, "rows", ("PE",), defines=True)
_MAP = phase(TEXTS, "map", ("PE_dot",), defines=True)
_ADDED = phase(TEXTS, "added", ("X_pos",), defines=True)
_TURNS = phase(TEXTS, "turns", ("cosines", "sines"), defines=True)
_RIGHT = phase(TEXTS, "right", ("Q_right", "K_right"), defines=True)
_QUERIES = phase(TEXTS, "queries", ("Q_rot",), defines=True)
_KEYS = phase(TEXTS, "keys", ("K_rot",), defines=True)
_PENALTY = phase(TEXTS, "penalty", ("penalty", "biased"), defines=True)


def weight_of(role: str, layer: int = 0) -> Meaning:
    """Return what an entry of a weight matrix means, in a layer if there are several."""
    id = {"query": "query_weights", "key": "key_weights", "value": "value_weights"}[role]
    return lambda trace, cell: TEXTS(id, feature=cell[1] + 1, made=cell[2] + 1, layer=layer)


def _feature(id: str, letter: str) -> Meaning:
    return lambda trace, cell: TEXTS(
        id, feature=cell[2] + 1, token=told_label(trace, letter, cell[1])
    )


def _row(id: str) -> Meaning:
    return meaning(TEXTS, id, "i m", feature="m", token="i")


def _pair(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i j", query="i", key="j")


_ADDING = Step("X_pos", add("i m, i m -> i m"), ("X", "PE"), _row("positioned"))


def _angle(id: str) -> Meaning:
    return lambda trace, cell: TEXTS(id, token=told_label(trace, "i", cell[0]), number=cell[1] + 1)


def _near(trace: Trace, cell: Cell) -> str:
    return TEXTS("near", apart=abs(cell[0] - cell[1]))


def _quarter(trace: Trace, cell: Cell) -> str:
    value = float(trace["quarter"][cell])
    entry = int(value) if value in (-1, 0, 1) else None
    return TEXTS("quarter", feature=cell[0] + 1, made=cell[1] + 1, entry=entry)


def _slope(trace: Trace, cell: Cell) -> str:
    return TEXTS("slope", head=cell[0] + 1)
