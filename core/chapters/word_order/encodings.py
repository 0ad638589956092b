"""The same tokens under several encodings of position: causal attention of two heads.

sinusoidal: sines and cosines of position times frequency are added to X (Vaswani et al. 2017,
section 3.5; the paper takes sine and cosine in turn, here all sines stand before all cosines).
learned: a table with a row for each position is added. RoPE: pairs of features of Q and K are
turned by position times frequency (Su et al. 2021). ALiBi: slope times distance is taken off the
scaled scores (Press et al. 2022). Positions count from 0.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.attention import words as words
from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.masks import Rule
from core.attention.meanings import feature, pair, row, weight
from core.attention.phases import CAUSAL, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.tokens import few_enough, tokenise
from core.draws import Draw
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed, times_each
from core.operations.scaling import divide_by_root
from core.operations.shapes import append_columns
from core.operations.softmax import softmax
from core.operations.sums import add, subtract
from core.operations.turning import cosine, rotate, sine
from core.program.axes import Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.rounding import cell_text
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace

HEADS, D_MODEL, D_K = 2, 8, 4
BASE = 10_000
TABLE_SEED = 0
ENCODING = Toggle(
    "order_encoding", "Encoding",
    {"none": "none", "sinusoidal": "sinusoidal", "learned": "learned", "rope": "RoPE",
     "alibi": "ALiBi"},
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
class Part:
    """What an encoding adds to attention at one place of it."""

    inputs: tuple[Input, ...] = ()
    steps: tuple[Step, ...] = ()
    phases: tuple[Phase, ...] = ()


@lru_cache(maxsize=8)
def encoding_program(kind: str) -> Program:
    """Causal attention with places told in one of these ways."""
    added = {"sinusoidal": _sinusoids, "learned": _table}.get(kind, Part)()
    turned = _rotation() if kind == "rope" else Part()
    biased = _bias() if kind == "alibi" else Part()
    source = "X_pos" if added.steps else "X"
    query, key = ("Q_rot", "K_rot") if turned.steps else ("Q", "K")
    last = "biased" if biased.steps else "scaled"
    rule = Rule("causal")
    inputs = (
        Input("X", "i m", words.X),
        *added.inputs,
        Input("W_Q", "h m k", weight("query"), role="query"),
        Input("W_K", "h m k", weight("key"), role="key"),
        Input("W_V", "h m v", weight("value"), role="value"),
        *turned.inputs,
        *biased.inputs,
    )
    steps = (
        *added.steps,
        Step("Q", matmul("i m, h m k -> h i k"), (source, "W_Q"),
             feature("i", "the query of {}"), "query"),
        Step("K", matmul("j m, h m k -> h j k"), (source, "W_K"),
             feature("j", "the key of {}"), "key"),
        Step("V", matmul("j m, h m v -> h j v"), (source, "W_V"),
             feature("j", "the value of {}"), "value"),
        *turned.steps,
        Step("scores", matmul_transposed("h i k, h j k -> h i j"), (query, key),
             pair("i", "j", "The dot product of the query of {} and the key of {}.")),
        Step("scaled", divide_by_root(), ("scores", "K"),
             pair("i", "j", "The score of {} and {}, divided by √d_k.")),
        *biased.steps,
        Step("mask", visible(rule), (last,), words.mask(rule)),
        Step("masked", mask_fill(), (last, "mask"),
             pair("i", "j", "The score of {} and {}, or −∞ where it is hidden.")),
        Step("weights", softmax(), ("masked",), pair("i", "j", "The share that {} reads of {}."),
             "weights"),
        Step("context", matmul("h i j, h j v -> h i v"), ("weights", "V"),
             feature("i", "what {} reads")),
    )  # fmt: skip
    phases = (
        EMBED, *added.phases, PROJECT, *turned.phases, SCORE, SCALE, *biased.phases, CAUSAL,
        SOFTMAX, WEIGH,
    )  # fmt: skip
    return Program(
        inputs, steps, phases, {"h": HEADS, "o": 1},
        {**AXES, "p": Axis("frequency"), "l": Axis("turned feature", word="feature")},
        makes="the context",
    )  # fmt: skip


def _sinusoids() -> Part:
    """Sines and cosines of place times frequency, and their rows added to X."""
    return Part(
        (Input("places", "i o", _position), Input("frequency", "o p", _frequency)),
        (
            Step("angles", matmul("i o, o p -> i p"), ("places", "frequency"), _angle),
            Step("sines", sine(), ("angles",), _of_angle("sine")),
            Step("cosines", cosine(), ("angles",), _of_angle("cosine")),
            Step("PE", append_columns("i m+0, i m-{first} -> i m"), ("sines", "cosines"),
                 row("i", "the encoding of the place of {}")),
            Step("PE_dot", matmul_transposed("i m, j m -> i j"), ("PE", "PE"), _near),
            _ADDING,
        ),
        (_ANGLES, _WAVES, _PE, _MAP, _ADDED),
    )  # fmt: skip


def _table() -> Part:
    """A row for each place, added to X."""
    learned = Input("PE", "i m", row("i", "the learned row for the place of {}"))
    return Part((learned,), (_ADDING,), (_ADDED,))


def _rotation() -> Part:
    """Each pair of features of Q and K turned by place times frequency."""
    by_right_angle = "each pair turned by a right angle"
    return Part(
        (
            Input("places", "i o", _position), Input("frequency", "o k", _frequency),
            Input("quarter", "k l", _quarter),
        ),
        (
            Step("angles", matmul("i o, o k -> i k"), ("places", "frequency"), _angle),
            Step("cosines", cosine(), ("angles",), _of_angle("cosine")),
            Step("sines", sine(), ("angles",), _of_angle("sine")),
            Step("Q_right", matmul("h i k, k l -> h i l"), ("Q", "quarter"),
                 feature("i", f"the query of {{}}, {by_right_angle}"), "query"),
            Step("K_right", matmul("h j k, k l -> h j l"), ("K", "quarter"),
                 feature("j", f"the key of {{}}, {by_right_angle}"), "key"),
            Step("Q_rot", rotate(), ("Q", "cosines", "Q_right", "sines"),
                 feature("i", "the turned query of {}"), "query"),
            Step("K_rot", rotate(), ("K", "cosines", "K_right", "sines"),
                 feature("j", "the turned key of {}"), "key"),
        ),
        (_ANGLES, _TURNS, _RIGHT, _QUERIES, _KEYS),
    )  # fmt: skip


def _bias() -> Part:
    """Slope times distance, taken off each scaled score."""
    return Part(
        (Input("slope", "h o p", _slope), Input("distance", "i j", _distance)),
        (
            Step("penalty", times_each(), ("slope", "distance"),
                 pair("i", "j", "What the distance from {} back to {} costs in this head.")),
            Step("biased", subtract("h i j, h i j -> h i j"), ("scaled", "penalty"),
                 pair("i", "j", "The scaled score of {} and {}, minus what the distance costs.")),
        ),
        (_PENALTY,),
    )  # fmt: skip


LIKE = (
    "PE|PE_dot|X_pos|places|frequency|angles|sines|cosines|quarter|[QK]_(right|rot)|slope|distance"
    "|penalty|biased"
)
"""How the arrays that some encodings add are called, as a regular expression."""


def farthest_shares(trace: Trace) -> list[str]:
    """For each head, which share of what the last token reads comes from the first, in percent."""
    return [cell_text(100 * float(share)) for share in trace["weights"][:, -1, 0]]


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
    """What an encoding takes beside the tokens and the maps."""
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


_ANGLES = Phase(
    "Angles", ("angles",), "Position times frequency.", defines=True,
    words="Each position, counted from 0, times each frequency: an angle in radians. A high "
    "frequency turns fast from position to position, a low one slowly.",
)  # fmt: skip
_WAVES = Phase(
    "Sines and cosines", ("sines", "cosines"), "Of every angle.", defines=True,
    words="Every angle gives a sine and a cosine, from −1 to 1.",
)  # fmt: skip
_PE = Phase(
    "Encoding", ("PE",), "Sines and cosines side by side.", defines=True,
    words="A row for each position. The paper's formula takes sine and cosine in turn; here all "
    "sines stand first. That is another order of the features and changes no dot product of two "
    "rows.",
)  # fmt: skip
_MAP = Phase(
    "Distance map", ("PE_dot",), "Each position meets each.", defines=True,
    words="Dot products of the rows of PE. Each adds up the cosines of distance times "
    "frequency, so it depends on the distance alone: along each diagonal all entries are equal (a "
    "Toeplitz matrix).",
)  # fmt: skip
_ADDED = Phase(
    "Add positions", ("X_pos",), "The row of the position is added.", defines=True,
    words="Each token's embedding plus the row of its position. From here on equal tokens at "
    "different positions have different rows, if their positions' rows differ.",
)  # fmt: skip
_TURNS = Phase(
    "Cosines and sines", ("cosines", "sines"), "Of every angle.", defines=True,
    words="The two features of a pair share one angle, so each cosine and sine stands twice.",
)  # fmt: skip
_RIGHT = Phase(
    "By a right angle", ("Q_right", "K_right"), "(a, b) becomes (−b, a).", defines=True,
    words="Features 1 and 2 are a pair, 3 and 4 the next. Each pair (a, b) turned by a right angle "
    "is (−b, a). With a pair and its right-angled copy any turn can be written.",
)  # fmt: skip
_QUERIES = Phase(
    "Turn the queries", ("Q_rot",), "Each pair by its angle.", defines=True,
    words="A pair times the cosine, plus its right-angled copy times the sine, is the pair turned "
    "by the angle. No length changes. A dot product of two turned pairs depends on the difference "
    "of their angles, and so on the distance.",
)  # fmt: skip
_ADDING = Step(
    "X_pos", add("i m, i m -> i m"), ("X", "PE"),
    row("i", "{}: its embedding plus the row of its place"),
)  # fmt: skip
_KEYS = Phase(
    "Turn the keys", ("K_rot",), "Each pair by its angle.", defines=True,
    words="Keys are turned as queries are, each by the angle of its own place. Where a query and a "
    "key stand at the same place, both are turned alike, and their dot product is what it was.",
)  # fmt: skip
_PENALTY = Phase(
    "Take off the distance", ("penalty", "biased"), "Slope times distance.", defines=True,
    words="The distance from the query back to the key, times the slope of the head, is taken off "
    "the scaled score. What lies after the query is hidden by the mask in any case.",
)  # fmt: skip


def _position(trace: Trace, cell: Cell) -> str:
    return f"The position of {told_label(trace, 'i', cell[0])}, counted from 0."


def _frequency(trace: Trace, cell: Cell) -> str:
    return "By how much the angle grows from one position to the next, in radians."


def _angle(trace: Trace, cell: Cell) -> str:
    return f"The position of {told_label(trace, 'i', cell[0])} times frequency {cell[1] + 1}."


def _of_angle(what: str) -> Meaning:
    def meaning(trace: Trace, cell: Cell) -> str:
        return f"The {what} of angle {cell[1] + 1} of {told_label(trace, 'i', cell[0])}."

    return meaning


def _near(trace: Trace, cell: Cell) -> str:
    return f"The dot product of two rows of PE, {abs(cell[0] - cell[1])} apart."


def _quarter(trace: Trace, cell: Cell) -> str:
    taken = {1: "as it is", -1: "with the other sign", 0: "not at all"}
    how = taken.get(int(trace["quarter"][cell]), "in part")
    return f"Feature {cell[0] + 1} comes to feature {cell[1] + 1} {how}."


def _slope(trace: Trace, cell: Cell) -> str:
    return f"What one position of distance costs in head {cell[0] + 1}."


def _distance(trace: Trace, cell: Cell) -> str:
    query, key = told_label(trace, "i", cell[0]), told_label(trace, "j", cell[1])
    return f"How many positions lie from {key} to {query}; below 0 where the key comes later."
