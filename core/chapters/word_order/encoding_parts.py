"""What each encoding adds to the program of attention: its inputs, its steps and its phases.

It is given positions, frequencies, a table or slopes besides the sentence. And positions counted in
binary next to those waves: what sinusoids have in common with bits.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from core.hash_random import Draw
from core.operations.products import matmul, matmul_transposed, times_each
from core.operations.rotary import cosine, rotate, sine
from core.operations.shapes import append_columns
from core.operations.sums import add, subtract
from core.program.axes import Axis
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
TURNED_AXIS = {"l": Axis(TEXTS("turned_feature"), word="feature")}
"""The axis of pairs that are turned by a right angle, in the rotation."""


def weight_of(role: str, layer: int = 0) -> Meaning:
    """Return what an entry of a weight matrix means, in a layer if there are several."""
    id = {"query": "query_weights", "key": "key_weights", "value": "value_weights"}[role]
    return lambda trace, cell: TEXTS(id, feature=cell[1] + 1, made=cell[2] + 1, layer=layer)


def feature_of_token(id: str, letter: str) -> Meaning:
    return lambda trace, cell: TEXTS(
        id, feature=cell[2] + 1, token=told_label(trace, letter, cell[1])
    )


def _row_of_token(id: str) -> Meaning:
    return meaning(TEXTS, id, "i m", feature="m", token="i")


def of_pair(id: str) -> Meaning:
    return meaning(TEXTS, id, "h i j", query="i", key="j")


def _angle_of_token(id: str) -> Meaning:
    return lambda trace, cell: TEXTS(id, token=told_label(trace, "i", cell[0]), number=cell[1] + 1)


def _nearness(trace: Trace, cell: Cell) -> str:
    return TEXTS("near", apart=abs(cell[0] - cell[1]))


def _quarter_turn(trace: Trace, cell: Cell) -> str:
    value = float(trace["quarter"][cell])
    entry = int(value) if value in (-1, 0, 1) else None
    return TEXTS("quarter", feature=cell[0] + 1, made=cell[1] + 1, entry=entry)


@dataclass(frozen=True)
class EncodingPart:
    """What an encoding adds to attention at one place of it."""

    inputs: tuple[Input, ...] = ()
    steps: tuple[Step, ...] = ()
    phases: tuple[Phase, ...] = ()


_ADDING = Step("X_pos", add("i m, i m -> i m"), ("X", "PE"), _row_of_token("positioned"))
_ADDED = phase(TEXTS, "added", ("X_pos",), defines=True)
_ANGLES = phase(TEXTS, "angles", ("angles",), defines=True)
_PLACES = Input("places", "i o", meaning(TEXTS, "position", "i o", token="i"))
_COSINES = Step("cosines", cosine(), ("angles",), _angle_of_token("cosine"))
_SINES = Step("sines", sine(), ("angles",), _angle_of_token("sine"))


def sinusoids() -> EncodingPart:
    """Return sines and cosines of position times frequency, and their rows added to X."""
    frequency = Input("frequency", "o p", meaning(TEXTS, "frequency"))
    joined = append_columns("i m+0, i m-{first} -> i m")
    return EncodingPart(
        (_PLACES, frequency),
        (
            _angles("i o, o p -> i p"),
            _SINES,
            _COSINES,
            Step("PE", joined, ("sines", "cosines"), _row_of_token("encoded")),
            Step("PE_dot", matmul_transposed("i m, j m -> i j"), ("PE", "PE"), _nearness),
            _ADDING,
        ),
        (
            _ANGLES,
            phase(TEXTS, "waves", ("sines", "cosines"), defines=True),
            phase(TEXTS, "rows", ("PE",), defines=True),
            phase(TEXTS, "map", ("PE_dot",), defines=True),
            _ADDED,
        ),
    )


def position_table() -> EncodingPart:
    """Return a row for each position, added to X."""
    learned = Input("PE", "i m", _row_of_token("learned_row"))
    return EncodingPart((learned,), (_ADDING,), (_ADDED,))


def rotation() -> EncodingPart:
    """Return each pair of features of Q and K turned by position times frequency."""
    frequency = Input("frequency", "o k", meaning(TEXTS, "frequency"))
    query_right = feature_of_token("right_query", "i")
    key_right = feature_of_token("right_key", "j")
    query_turned = feature_of_token("turned_query", "i")
    key_turned = feature_of_token("turned_key", "j")
    of_query, of_key = ("Q", "cosines", "Q_right", "sines"), ("K", "cosines", "K_right", "sines")
    return EncodingPart(
        (_PLACES, frequency, Input("quarter", "k l", _quarter_turn)),
        (
            _angles("i o, o k -> i k"),
            _COSINES,
            _SINES,
            Step("Q_right", matmul("h i k, k l -> h i l"), ("Q", "quarter"), query_right, "query"),
            Step("K_right", matmul("h j k, k l -> h j l"), ("K", "quarter"), key_right, "key"),
            Step("Q_rot", rotate(), of_query, query_turned, "query"),
            Step("K_rot", rotate(), of_key, key_turned, "key"),
        ),
        (
            _ANGLES,
            phase(TEXTS, "turns", ("cosines", "sines"), defines=True),
            phase(TEXTS, "right", ("Q_right", "K_right"), defines=True),
            phase(TEXTS, "queries", ("Q_rot",), defines=True),
            phase(TEXTS, "keys", ("K_rot",), defines=True),
        ),
    )


def distance_bias() -> EncodingPart:
    """Return slope times distance, subtracted from each scaled score."""
    apart = subtract("h i j, h i j -> h i j")
    distance = Input("distance", "i j", meaning(TEXTS, "distance", "i j", query="i", key="j"))
    return EncodingPart(
        (Input("slope", "h o p", lambda _, cell: TEXTS("slope", head=cell[0] + 1)), distance),
        (
            Step("penalty", times_each(), ("slope", "distance"), of_pair("penalty")),
            Step("biased", apart, ("scaled", "penalty"), of_pair("biased")),
        ),
        (phase(TEXTS, "penalty", ("penalty", "biased"), defines=True),),
    )


def _angles(pattern: str) -> Step:
    text = _angle_of_token("angle")
    return Step("angles", matmul(pattern), ("places", "frequency"), text)


HEADS, D_MODEL, D_K = 2, 8, 4
BASE = 10_000
TABLE_SEED = 0
PLACES = 64
WIDTH = 32
"""d_model of the waves in the picture: wide enough for many waves between fast and slow."""


def frequencies(features: int, base: int = BASE) -> np.ndarray:
    """Return one frequency for each pair of features: base^(−2p/d), in radians a position."""
    made: np.ndarray = base ** (-np.arange(0, features, 2) / features)
    return np.round(made, 12)


def slope_powers(heads: int) -> list[int]:
    """Return the exponents of ALiBi's slopes, which are powers of 2: −8h/H for h from 1 to H.

    H is a power of two.
    """
    return [-8 * head // heads for head in range(1, heads + 1)]


def slopes(heads: int) -> np.ndarray:
    """Return ALiBi's slopes, one for each head."""
    made: np.ndarray = 2.0 ** np.array(slope_powers(heads))
    return made


def rotation_inputs(T: int, features: int, base: int = BASE) -> dict[str, np.ndarray]:
    """Return what RoPE is given for T positions: positions, frequencies, and a right angle as the
    matrix that turns each pair (a, b) of neighbouring features to (−b, a).
    """
    right = np.kron(np.eye(features // 2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    each = frequencies(features, base).repeat(2)[None]
    return {"places": np.arange(float(T))[:, None], "frequency": each, "quarter": right}


def encoding_inputs(kind: str, T: int) -> dict[str, np.ndarray]:
    """Return the further inputs of an encoding: positions, frequencies, a table, slopes."""
    position = np.arange(float(T))[:, None]
    if kind == "sinusoidal":
        return {"places": position, "frequency": frequencies(D_MODEL)[None]}
    if kind == "learned":
        drawn = Draw(f"learned:{TABLE_SEED}").around_zero(10, T * D_MODEL) / 10
        return {"PE": drawn.reshape(T, D_MODEL)}
    if kind == "rope":
        return rotation_inputs(T, D_K)
    if kind == "alibi":
        return {"slope": slopes(HEADS)[:, None, None], "distance": position - position.T}
    return {}


def bits(places: int = PLACES) -> Int[np.ndarray, "bits places"]:
    """Return each position in binary; the bit for 1 comes first, like the fastest wave."""
    count = max((places - 1).bit_length(), 1)
    made: np.ndarray = np.arange(places) >> np.arange(count)[:, None] & 1
    return made


def waves(places: int = PLACES, width: int = WIDTH) -> Float[np.ndarray, "waves places"]:
    """Return the sine of position times frequency, a row for each frequency."""
    made: np.ndarray = np.sin(frequencies(width)[:, None] * np.arange(places))
    return made
