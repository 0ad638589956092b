"""Every sentence of 'attention as a graph', at the ends of its controls."""

import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.masks import KINDS
from core.attention.tokens import tokenise
from core.chapters.attention_graph.crossing import cross
from core.program.labels import token_labels
from core.program.trace import Trace
from tests.quotes import proves
from tests.ui.claims import (
    ALWAYS,
    RANDOM_WEIGHTS,
    Inventory,
    Values,
    chosen_sizes,
    drawn_with,
    named,
    number,
    printed,
)
from tests.ui.support import stages

Match = re.Match[str]
EIGHT = "a b c d e f g h"


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.graph_text)


def mask(page: AppTest) -> np.ndarray:
    """Who may read whom, by the rule or as it is drawn."""
    state, T = page.session_state, len(tokens(page))
    if state.graph_mask != "draw":
        return KINDS[state.graph_mask].rule(*chosen_sizes(state, "graph_size")).mask(T, T)
    causal = [["01"[j <= i] for j in range(T)] for i in range(T)]
    side = int(len(state.graph_drawn) ** 0.5)
    for i, j in np.ndindex(side, side):
        if i < T and j < T:
            causal[i][j] = state.graph_drawn[i * side + j]
    return np.array(causal) == "1"


def whole(page: AppTest) -> Trace:
    """The matrix form by the walkthrough's own program."""
    return attention_program(heads=1, mask="custom").run(
        toy_inputs(page.session_state.graph_text, heads=1, d_model=4, mask=mask(page))
    )


def at(page: AppTest) -> int:
    chosen = page.session_state.graph_node
    return (len(tokens(page)) if chosen == "last" else int(chosen)) - 1


def labels(page: AppTest) -> list[str]:
    return token_labels(tokens(page))


def counted(said: Values, page: AppTest) -> None:
    """How many edges there are, and how many of at least the threshold."""
    assert (said["edges"], said["possible"]) == (int(mask(page).sum()), mask(page).size)
    threshold = page.session_state.graph_threshold
    assert said["threshold"] == (f"{threshold:.2f}" if threshold else "")
    weights = whole(page)["weights"][0]
    told = [float(text) for text in np.array(stages(page)[0].texts("weights"))[mask(page)]]
    assert said["strong"] == sum(weight >= threshold for weight in told)
    assert abs(said["strong"] - int((weights[mask(page)] >= threshold).sum())) <= sum(
        weight == threshold for weight in told
    )


@proves("""
    [reads] {token} reads {reads}. [else] No edge leads to {token}: it reads nothing, and its row of
    weights is 0
""")
def reads(said: Values, page: AppTest) -> None:
    assert named(said["token"]) == [labels(page)[at(page)]]
    read = np.flatnonzero(mask(page)[at(page)])
    assert named(said["reads"]) == [labels(page)[j] for j in read]
    if not said["reads"]:
        assert not whole(page)["weights"][0, at(page)].any()


def messages(said: Values, page: AppTest) -> None:
    assert named(said["token"]) == [labels(page)[at(page)]]
    numbers = re.findall(r"\[([^]]+)\]\(#stage-y_i\.0\.0\.\d\)", said["numbers"])
    for text, value in zip(numbers, whole(page)["context"][0, at(page)], strict=True):
        printed(text.replace("\\", ""), float(value))


@proves("""
    one product, weights times V, computes all nodes at once | [gap] The row of {token} in the
    matrix form differs by at most {gap} (rounding). [else] The row of {token} in the matrix form is
    the same, bit for bit
""")
def same(said: Values, page: AppTest) -> None:
    assert named(said["token"]) == [labels(page)[at(page)]]
    run, added = whole(page), np.zeros(4)
    for weight, value in zip(run["weights"][0, at(page)], run["V"][0], strict=True):
        added = added + weight * value
    gap = float(np.abs(added - run["context"][0, at(page)]).max())
    assert bool(said["gap"]) == (gap > 0)
    assert gap < 1e-12
    if said["gap"]:
        assert number(said["gap"].replace("e−", "e-")) == pytest.approx(gap, rel=0.06)
    assert all(number(text) == 0 for text in np.ravel(stages(page)[0].texts("difference")))


def reading(said: Values, page: AppTest) -> None:
    """Rows add up to 1, or see nothing; an edge less, the others grow by one factor."""
    run, visible = whole(page), mask(page)
    scaled, weights = run["scaled"][0], run["weights"][0]
    np.testing.assert_allclose(weights.sum(1), visible.any(1), atol=1e-12)
    for i, j in np.argwhere(visible):
        left = visible[i].copy()
        left[j] = False
        if left.any():
            powers = np.where(left, np.exp(scaled[i]), 0)
            grown = (powers / powers.sum())[left] / weights[i][left]
            np.testing.assert_allclose(grown, 1 / (1 - weights[i, j]), rtol=1e-9)


def shape_of(page: AppTest) -> tuple[int, int]:
    asking = tokenise(page.session_state.graph_asking)
    side = page.session_state.graph_side
    queries, keys = {"encoder": (tokens(page),) * 2, "decoder": (asking,) * 2}.get(
        side, (asking, tokens(page))
    )
    return len(queries), len(keys)


def matrix_size(said: Values, page: AppTest) -> None:
    assert (said["queries"], said["keys"]) == shape_of(page)
    assert stages(page)[1].texts("weights").shape == shape_of(page)


@proves("""
    Notice. [side == "encoder"] In the encoder every token reads every token of its own sentence,
    later ones too: this is self-attention, and nothing is hidden. [side == "decoder"] In the
    decoder a token reads itself and earlier tokens: this is self-attention under the causal mask,
    because later tokens are not written yet. [else] Queries come from the decoder, keys and values
    from the encoder. No edge stays within one sentence: such a graph is called bipartite
""")
def who_reads(said: Values, page: AppTest) -> None:
    """Each choice has just the edges that it should have, and its own rows."""
    name = said["side"]
    assert name == page.session_state.graph_side
    shown = stages(page)[1]
    seen = np.ones(shape_of(page), dtype=bool)
    if name == "decoder":
        seen = np.tril(seen)
    assert (np.array(shown.texts("mask")) == np.where(seen, "1", "0")).all()
    same = np.array_equal(shown.texts("X_q"), shown.texts("X_kv"))
    asking = tokenise(page.session_state.graph_asking)
    assert same == (name != "cross" or asking == tokens(page))


@proves("""
    [same] Both sentences are the same here, so this equals self-attention without a mask. [else]
    With the same sentence on both sides this would be self-attention without a mask
""")
def same_sentence(said: Values, page: AppTest) -> None:
    """With one sentence on both sides it is self-attention, whether it is so now or not."""
    text, state = page.session_state.graph_text, page.session_state
    assert state.graph_side == "cross"
    assert said["same"] == (tokenise(state.graph_asking) == tokens(page))
    alone = attention_program(heads=1, mask="none").run(toy_inputs(text, heads=1, d_model=4))
    np.testing.assert_array_equal(cross(text, text)["context"], alone["context"])
    if said["same"]:
        shown = stages(page)[1].texts("context")
        for number_said, value in zip(shown.ravel(), alone["context"].ravel(), strict=True):
            printed(number_said, float(value))


def cross_more(said: Values, page: AppTest) -> None:
    """All three graphs are drawn with the same matrices, of the embeddings."""
    toy = toy_inputs(page.session_state.graph_asking, heads=1, d_model=4)
    shown = stages(page)[1]
    for name in ("W_Q", "W_K", "W_V"):
        for text, value in zip(shown.texts(name).ravel(), toy[name].ravel(), strict=True):
            printed(text, float(value))
    own = toy_inputs(page.session_state.graph_text, heads=1, d_model=4)
    given = own if page.session_state.graph_side == "encoder" else toy
    for text, value in zip(shown.texts("X_q").ravel(), given["X"].ravel(), strict=True):
        printed(text, float(value))


def never(said: Values, page: AppTest) -> None:
    reached = set().union(*(walked(page, layers) for layers in range(1, 12)))
    missed = [label for at, label in enumerate(labels(page)) if at not in reached]
    assert named(said["never"]) == missed
    assert missed
    assert named(said["last"]) == labels(page)[-1:]


def reach(said: Values, page: AppTest) -> None:
    layers = int(page.session_state.graph_layers)
    found = len(walked(page, layers)), len(tokens(page))
    assert (said["layers"], said["reached"], said["tokens"]) == (layers, *found)
    assert named(said["last"]) == labels(page)[-1:]


def walked(page: AppTest, layers: int) -> set[int]:
    """Breadth first from the last token against the edges."""
    T, visible = len(tokens(page)), edges_through(page)
    seen = {T - 1}
    for _ in range(layers):
        seen = {j for i in seen for j in range(T) if visible[i, j]}
    return seen


def field(match: Match, page: AppTest) -> None:
    seen = walked(page, int(match[1]))
    assert match[2].split(", ") == [labels(page)[j] for j in sorted(seen)]
    assert int(match[1]) <= int(page.session_state.graph_layers)


@proves("""
    A window of {size} reaches {layers} × ({size} − 1) = {wanted} back [far < wanted] , but {last}
    has only {far} before it
""")
def window(said: Values, page: AppTest) -> None:
    state, T = page.session_state, len(tokens(page))
    size, layers = said["size"], said["layers"]
    assert state.graph_reach_mask == "window"
    assert (size, layers) == (state.graph_reach_size, int(state.graph_layers))
    assert said["wanted"] == layers * (size - 1)
    assert said["far"] == T - 1 - min(walked(page, layers))
    assert said["far"] in (said["wanted"], T - 1)
    assert named(said["last"]) == labels(page)[-1:]


def edges_through(page: AppTest) -> np.ndarray:
    """Who may read whom in each layer."""
    state, T = page.session_state, len(tokens(page))
    rule = KINDS[state.graph_reach_mask].rule(*chosen_sizes(state, "graph_reach_size"))
    return rule.mask(T, T)


def reach_more(said: Values, page: AppTest) -> None:
    """Numbers count paths."""
    edges = edges_through(page).astype(int)
    counted = np.linalg.matrix_power(edges, int(page.session_state.graph_layers))
    name = f"P_{page.session_state.graph_layers}"
    assert (stages(page)[1].texts(name).astype(float) == counted).all()


INVENTORY = Inventory(
    "attention_graph",
    typed={
        "graph_text": ("cat", EIGHT),
        "graph_node": ("1", "last"),
        "graph_drawn": ("", "0" * 36),
        "graph_asking": ("chat", EIGHT),
    },
    claims={
        RANDOM_WEIGHTS: drawn_with,
        r"In a script without spaces between words, each character": ALWAYS,
        r"Other graphs$|\| layers \| tokens \|$": ALWAYS,
        r"\| (\d) \| (.+) \|$": field,
    },
    module=globals(),
    always="lede try translator layers inductive_bias takeaway origin",
    texts={"edges": counted},
    others=[
        {"graph_mask": "window", "graph_size": "2", "graph_node": "3", "graph_threshold": "0.3"},
        {"graph_mask": "draw", "graph_drawn": "0" * 36},
        {"graph_mask": "draw", "graph_drawn": "001000" + "0" * 30, "graph_node": "1"},
        {"graph_mask": "none", "graph_threshold": "0.05"},
        {"graph_asking": "The cat  sat on the mat"},
        *(
            {"graph_part": "reach", "graph_reach_mask": mask, "graph_layers": layers}
            for mask, layers in (
                ("window", "3"), ("causal", "2"), ("blocks", "4"), ("dilated", "3"), ("global", "2")
            )
        ),
        {"graph_part": "reach", "graph_reach_size": "1"},
        {"graph_part": "reach", "graph_reach_size": "2", "graph_layers": "4"},
        {"graph_mask": "dilated", "graph_text": "我爱北京"},
    ],
)  # fmt: skip
