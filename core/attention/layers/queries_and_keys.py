"""What models do with queries and keys before they are compared: rotary positions, and norms.

Rotation (Su et al. 2021, equation 34): pair p of features turns by position × base^(−2p/d_k). Here
each feature has its own frequency, which is negative for the first feature of a pair. Norms, as in
Qwen 3 (Yang et al. 2025, section 2): an RMSNorm in each head. All query heads of a layer have the
same gains, and all key heads have others.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.attention.layers.row_norms import rms_steps, written_epsilon
from core.operations.products import matmul
from core.operations.rotary import cosine, rotate_pairs, sine
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS, NORMS = core_texts("rotation"), core_texts("head_norms")

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
    steps = [
        Step("angles", matmul("i o, o k -> i k"), ("places", "frequency"), angle),
        Step("cosines", cosine(), ("angles",), of_cosine),
        Step("sines", sine(), ("angles",), of_sine),
        Step("Q_rot", turn, (queries, "cosines", "sines"), _turned("query", "i", halves), "query"),
        Step("K_rot", turn, (keys, "cosines", "sines"), _turned("key", "j", halves), "key"),
    ]
    inputs = [
        Input("places", "i o", meaning(TEXTS, "place", "i o", token="i")),
        Input("frequency", "o k", _frequency(halves)),
    ]
    return _before_scores(program, inputs, steps, [_ANGLES, _TURNED], ("Q_rot", "K_rot"))


def with_head_norms(program: Program, epsilon: float) -> Program:
    """Return the attention program with Q and K normed: the gains `g_Q` and `g_K` (d_k) are inputs.

    The normed are `Q_norm` and `K_norm`. Rotate a program afterwards, as the models do.
    """
    inputs, steps, stops = list[Input](), list[Step](), list[Phase]()
    for name, axes, role, rows, id in (
        ("Q", "h i k", "query", "queries", "query_gain"),
        ("K", "g j k", "key", "keys", "key_gain"),
    ):
        inputs.append(Input(f"g_{name}", "k", meaning(NORMS, id, "k", feature="k"), role=role))
        steps += _norm(name, axes, role, epsilon)
        stops.append(_norm_phase(name, role, rows, epsilon))
    return _before_scores(program, inputs, steps, stops, ("Q_norm", "K_norm"))


def _before_scores(
    program: Program,
    inputs: Sequence[Input],
    steps: Sequence[Step],
    stops: Sequence[Phase],
    compared: tuple[str, str],
) -> Program:
    """A program with steps before its scores, which are then of the two that are `compared`.

    The stops come after the one that makes the keys that were compared until now.
    """
    scores = program.step["scores"]
    keys = scores.operands[1]
    changed = program.replaced("scores", *steps, replace(scores, operands=compared))
    sizes = {**changed.sizes, "o": 1}
    return replace(changed, inputs=(*changed.inputs, *inputs), sizes=sizes).with_phases(
        keys, after=stops
    )


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


def _norm(name: str, axes: str, role: str, epsilon: float) -> list[Step]:
    letter = axes.split()[1]

    def of_role(id: str, axes: str) -> Meaning:
        def words(trace: Trace, cell: Cell) -> str:
            label = told_label(trace, letter, cell[1])
            return NORMS.filled(id, {"role": role, "token": label, "feature": cell[2] + 1})

        return words

    *first, last = rms_steps(name, name, f"{name}_norm", epsilon, axes, of_role)
    return [*first, replace(last, role=role)]


def _norm_phase(name: str, role: str, rows: str, epsilon: float) -> Phase:
    """The norm of the queries or of the keys as one stop that opens."""
    values = {"role": role, "rows": rows, "epsilon": written_epsilon(epsilon)}
    inner = (
        phase(NORMS, "size", (f"mean_square_{name}", f"normed_{name}"), values),
        phase(NORMS, "gain", (f"{name}_norm",), values, defines=True),
    )
    return phase(NORMS, "norm", (f"{name}_norm",), values, defines=True, phases=inner)
