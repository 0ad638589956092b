"""Norms of queries and keys in the attention program: an RMSNorm in each head, before the scores.

As in Qwen 3 (Yang et al. 2025, section 2). All query heads of a layer have the same gains, and all
key heads have others.
"""

from dataclasses import replace

from core.attention.layers.row_norms import rms_steps, written_epsilon
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("head_norms")


def with_head_norms(program: Program, epsilon: float) -> Program:
    """Return the attention program with Q and K normed: the gains `g_Q` and `g_K` (d_k) are inputs.

    The normed are `Q_norm` and `K_norm`. Rotate a program afterwards, as the models do.
    """
    queries = _norm("Q", "h i k", "query", epsilon)
    keys = _norm("K", "g j k", "key", epsilon)
    scores = replace(program.step["scores"], operands=("Q_norm", "K_norm"))
    inputs = (
        Input("g_Q", "k", meaning(TEXTS, "query_gain", "k", feature="k"), role="query"),
        Input("g_K", "k", meaning(TEXTS, "key_gain", "k", feature="k"), role="key"),
    )
    normed = program.replaced("scores", *queries, *keys, scores)
    stops = _phase("Q", "query", "queries", epsilon), _phase("K", "key", "keys", epsilon)
    return replace(
        normed,
        inputs=(*normed.inputs, *inputs),
        phases=tuple(
            made for one in normed.phases for made in (one, *(stops if "K" in one.names else ()))
        ),
        sizes={**normed.sizes, "o": 1},
    )


def _norm(name: str, axes: str, role: str, epsilon: float) -> list[Step]:
    *first, last = rms_steps(
        name, name, f"{name}_norm", epsilon, axes, lambda id, axes: _of_role(id, axes, role)
    )
    return [*first, replace(last, role=role)]


def _of_role(id: str, axes: str, role: str) -> Meaning:
    letter = axes.split()[1]

    def words(trace: Trace, cell: Cell) -> str:
        values = {"role": role, "token": told_label(trace, letter, cell[1]), "feature": cell[2] + 1}
        return TEXTS(id, **{name: values[name] for name in TEXTS.placeholders(id)})

    return words


def _phase(name: str, role: str, rows: str, epsilon: float) -> Phase:
    """The norm of the queries or of the keys as one stop that opens."""
    values = {"role": role, "rows": rows, "epsilon": written_epsilon(epsilon)}
    inner = (
        phase(TEXTS, "size", (f"mean_square_{name}", f"normed_{name}"), values),
        phase(TEXTS, "gain", (f"{name}_norm",), values, defines=True),
    )
    return phase(TEXTS, "norm", (f"{name}_norm",), values, defines=True, phases=inner)
