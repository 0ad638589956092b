"""Rotary positions in the attention program: queries and keys turned before they are compared.

Su et al. 2021, equation 34: pair p of features turns by position × base^(−2p/d_k). Here each
feature has its own frequency, which is negative for the first feature of a pair.
"""

from dataclasses import replace

from core.operations.products import matmul
from core.operations.rotary import cosine, rotate_pairs, sine
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("rotation")

_ANGLES = phase(TEXTS, "angles", ("angles", "cosines", "sines"), defines=True)
_TURNED = phase(TEXTS, "turned", ("Q_rot", "K_rot"), defines=True)


def with_rotation(program: Program, halves: bool) -> Program:
    """Return the attention program with RoPE: `places` (T, 1) and `frequency` (1, d_k) are inputs.

    With `halves`, features k and k + d_k/2 are a pair, as in Hugging Face's Llama; otherwise
    neighbours are, as in the paper.
    """
    turn = rotate_pairs(halves)
    queries, keys = program.step["scores"].operands
    angle, of_cosine, of_sine = map(_of_token, ("angle", "cosine", "sine"))
    added = (
        Step("angles", matmul("i o, o k -> i k"), ("places", "frequency"), angle),
        Step("cosines", cosine(), ("angles",), of_cosine),
        Step("sines", sine(), ("angles",), of_sine),
        Step("Q_rot", turn, (queries, "cosines", "sines"), _turned("query", "i", halves), "query"),
        Step("K_rot", turn, (keys, "cosines", "sines"), _turned("key", "j", halves), "key"),
    )
    inputs = (
        Input("places", "i o", meaning(TEXTS, "place", "i o", token="i")),
        Input("frequency", "o k", _frequency(halves)),
    )
    scores = replace(program.step["scores"], operands=("Q_rot", "K_rot"))
    turned = program.replaced("scores", *added, scores)
    return replace(
        turned,
        inputs=(*turned.inputs, *inputs),
        phases=tuple(made for one in turned.phases for made in _followed(one, keys)),
        sizes={**turned.sizes, "o": 1},
    )


def _followed(one: Phase, keys: str) -> tuple[Phase, ...]:
    """A phase; after the one that makes the queries and keys also those that turn them."""
    return (one, _ANGLES, _TURNED) if keys in one.names else (one,)


def _of_token(id: str) -> Meaning:
    return lambda trace, cell: TEXTS(id, token=told_label(trace, "i", cell[0]), feature=cell[1] + 1)


def _turned(role: str, letter: str, halves: bool) -> Meaning:
    def words(trace: Trace, cell: Cell) -> str:
        *_, token, k = cell
        partner = 1 + _partner(k, trace.sizes["k"], halves)
        label = told_label(trace, letter, token)
        return TEXTS("turned", role=role, token=label, feature=k + 1, partner=partner)

    return words


def _frequency(halves: bool) -> Meaning:
    def words(trace: Trace, cell: Cell) -> str:
        k = cell[1]
        partner = _partner(k, trace.sizes["k"], halves)
        return TEXTS("frequency", feature=k + 1, partner=partner + 1, first=k < partner)

    return words


def _partner(k: int, width: int, halves: bool) -> int:
    """Which feature is in a pair with feature k, both counted from 0."""
    return (k + width // 2) % width if halves else k ^ 1
