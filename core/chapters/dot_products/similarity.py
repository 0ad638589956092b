"""Attention with other scores than q·k: the same queries, keys and values, five rules to compare.

Letters as in `core.attention.program`. One head, no mask: what differs is how a query meets a key.
"""

from collections.abc import Mapping

import numpy as np

from core.attention import cell_descriptions as describe
from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.phases import EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.errors import input_error
from core.hash_random import Draw
from core.operations.norms import normalise_rows
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import additive_score, divide_by_root, uniform_score
from core.operations.softmax import softmax
from core.program.described import meaning
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import told_label
from core.program.numbers.rounding import cell_text, typeset
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Meaning, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

D_MODEL, D_K, D_V = 4, 4, 2
"""Small enough to follow; values of two features are points of a plane that can be turned."""

TEXTS = core_texts("dot_products")
RULES: Mapping[str, str] = {
    rule: TEXTS(rule) for rule in ("dot", "scaled", "cosine", "additive", "uniform")
}
"""Each rule, and how it scores a query and a key."""


def similarity_program(rule: str = "dot") -> Program:
    """Return softmax(scores) V with scores by one of five rules; no mask, one head.

    dot: QKᵀ (Luong et al. 2015, section 3.1). scaled: QKᵀ/√d_k (Vaswani et al. 2017, eq. 1).
    cosine: the dot product of rows made one long, in [−1, 1]. additive: v_aᵀ tanh(q + k)
    (Bahdanau et al. 2015, appendix A.1.2). uniform: 0, so that each query reads the mean of the
    values. Weights: [0, 1], rows sum to 1. Raises `InputError` for another rule.
    """
    if rule not in RULES:
        raise input_error(TEXTS, "no_rule", rule=repr(rule), rules=", ".join(RULES))
    inputs = [
        Input("X", "i m", describe.X),
        Input("W_Q", "h m k", describe.weight("query"), role="query"),
        Input("W_K", "h m k", describe.weight("key"), role="key"),
        Input("W_V", "h m v", describe.weight("value"), role="value"),
    ]
    if rule == "additive":
        says = meaning(TEXTS, "additive_weight", "h k o", feature="k")
        inputs.append(Input("v_a", "h k o", says))
    scoring = _scoring(rule)
    steps = [
        Step("Q", matmul("i m, h m k -> h i k"), ("X", "W_Q"), describe.query, "query"),
        Step("K", matmul("i m, h m k -> h i k"), ("X", "W_K"), describe.key, "key"),
        Step("V", matmul("i m, h m v -> h i v"), ("X", "W_V"), describe.value, "value"),
        *scoring,
        Step("weights", softmax(), (scoring[-1].name,), describe.attention_weight, "weights"),
        Step("context", matmul("h i j, h j v -> h i v"), ("weights", "V"), describe.context),
    ]
    return Program(tuple(inputs), tuple(steps), _phases(rule, scoring), {"h": 1}, AXES)


RULE = Toggle("dot_rule", TEXTS("score_by"), {rule: rule for rule in RULES}, "dot")


def similarity_family(text: str, degrees: int = 0) -> Family:
    """Return a sentence under each rule, its values turned. Building raises `InputError`."""

    def build(options: Options) -> Built:
        rule = options[RULE.key]
        return Built(similarity_program(rule), turned(similarity_inputs(text, rule), degrees))

    return Family((RULE,), build)


def similarity_inputs(text: str, rule: str = "dot", *, seed: int = 0) -> Inputs:
    """The toy inputs of a sentence; for the additive rule v_a too, in tenths from −2 to 2."""
    toy = toy_inputs(text, heads=1, d_model=D_MODEL, d_k=D_K, d_v=D_V, seed=seed)
    arrays = {name: toy[name] for name in ("X", "W_Q", "W_K", "W_V")}
    if rule == "additive":
        tenths = Draw(f"v_a:{seed}").wholes(-20, 20, D_K)
        arrays["v_a"] = np.array(tenths, dtype=np.float64).reshape(1, D_K, 1) / 10
    return Inputs(arrays, toy.tokens)


def turned(inputs: Inputs, degrees: int) -> Inputs:
    """Return the same inputs, the first two features of every value turned by an angle: W_V R."""
    angle = np.radians(degrees)
    cosine, sine = np.cos(angle), np.sin(angle)
    W_V = np.array(inputs["W_V"])
    W_V[..., :2] = W_V[..., :2] @ np.array([[cosine, sine], [-sine, cosine]])
    # The 12th decimal: cos 90° is 6e-17 in floats.
    return Inputs({**inputs, "W_V": np.round(W_V, 12)}, inputs.tokens)


def similarity_run(text: str, rule: str = "dot", degrees: int = 0, *, seed: int = 0) -> Trace:
    """Return the run of a sentence under a rule, its values turned. Raises `InputError`."""
    return similarity_program(rule).run(turned(similarity_inputs(text, rule, seed=seed), degrees))


def changed_arrays(trace: Trace, other: Trace) -> list[str]:
    """Return the steps whose arrays differ beyond rounding in two runs of one program."""
    return [name for name in trace.steps if trace.differs(other, name).any()]


def kept_arrays(trace: Trace, other: Trace) -> list[str]:
    """Return the steps whose arrays are the same bit for bit in two runs of one program."""
    return [name for name in trace.steps if np.array_equal(trace[name], other[name])]


def _scoring(rule: str) -> list[Step]:
    """Return the steps from Q and K to the scores that enter softmax."""
    product = matmul_transposed("h i k, h j k -> h i j")
    if rule == "cosine":
        return [
            Step("Q_hat", normalise_rows(), ("Q",), _unit_row("Q", "query"), "query"),
            Step("K_hat", normalise_rows(), ("K",), _unit_row("K", "key"), "key"),
            Step("scores", product, ("Q_hat", "K_hat"), _cosine),
        ]
    if rule == "additive":
        operands = ("Q", "K", "v_a")
        return [Step("scores", additive_score(), operands, _additive)]
    if rule == "uniform":
        return [Step("scores", uniform_score(), ("Q", "K"), _UNIFORM)]
    steps = [Step("scores", product, ("Q", "K"), describe.score)]
    if rule == "scaled":
        steps.append(Step("scaled", divide_by_root(), ("scores", "K"), describe.scaled(True)))
    return steps


def _phases(rule: str, scoring: list[Step]) -> tuple[Phase, ...]:
    about = {
        "Q_hat": Phase(TEXTS("unit_queries"), ("Q_hat",), TEXTS("unit_rows"), defines=True),
        "K_hat": Phase(TEXTS("unit_keys"), ("K_hat",), TEXTS("unit_rows"), defines=True),
        "scores": Phase(SCORE.title, SCORE.names, RULES[rule]),
        "scaled": SCALE,
    }
    return (EMBED, PROJECT, *(about[step.name] for step in scoring), SOFTMAX, WEIGH)


def weights_by_rule(text: str, query: int, *, seed: int = 0) -> Mapping[str, np.ndarray]:
    """Return the weights of one query under each rule: in [0, 1], their sum 1."""
    return {rule: similarity_run(text, rule, seed=seed)["weights"][0, query] for rule in RULES}


def _unit_row(source: str, role: str) -> Meaning:
    """Return what a cell of queries or keys of length 1 means."""
    role = TEXTS(role)

    def words(trace: Trace, cell: Cell) -> str:
        h, i, k = cell
        token = told_label(trace, "i", i)
        length = float(np.linalg.norm(trace[source][h, i]))
        if length == 0:
            return TEXTS("zero_row", role=role, token=token)
        printed = cell_text(length)
        return TEXTS("unit_row", role=role, token=token, feature=k + 1, length=printed)

    return words


def _cosine(trace: Trace, cell: Cell) -> str:
    """Return what a cosine means, with its angle."""
    h, i, j = cell
    value = float(np.clip(trace["scores"][cell], -1, 1))
    degrees = round(float(np.degrees(np.arccos(value))))
    angled = bool(trace["Q_hat"][h, i].any() and trace["K_hat"][h, j].any())
    return TEXTS("cosine_score", degrees=degrees, angled=angled, **_pair(trace, cell))


def _additive(trace: Trace, cell: Cell) -> str:
    """Return what an additive score means, with its bounds."""
    most = typeset(cell_text(float(np.abs(trace["v_a"]).sum())))
    return TEXTS("additive_score", most=most, **_pair(trace, cell))


def _pair(trace: Trace, cell: Cell) -> dict[str, str]:
    """Return the labels of a score's two tokens."""
    _, i, j = cell
    return {"query": told_label(trace, "i", i), "key": told_label(trace, "j", j)}


_UNIFORM = meaning(TEXTS, "uniform_score", "h i j", query="i", key="j")
ARRAYS = tuple(dict.fromkeys(name for rule in RULES for name in similarity_program(rule).names))
"""Every array that one of the programs makes or takes."""
