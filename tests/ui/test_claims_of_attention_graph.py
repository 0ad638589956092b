"""Every sentence of 'attention as a graph', at the ends of its controls."""

import re

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.masks import Rule
from core.attention.tokens import tokenise
from core.program.labels import token_labels
from core.program.trace import Trace
from tests.ui.claims import ALWAYS, Check, Inventory, number, printed
from tests.ui.support import stages

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
EIGHT = "a b c d e f g h"


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.graph_text)


def mask(page: AppTest) -> np.ndarray:
    """Who may read whom, by the rule or as it is drawn."""
    state, T = page.session_state, len(tokens(page))
    if state.graph_mask != "draw":
        return Rule(state.graph_mask, state.graph_size).mask(T, T)
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


def counted(match: Match, page: AppTest) -> None:
    assert [int(n) for n in match.groups()] == [int(mask(page).sum()), mask(page).size]


def strong(match: Match, page: AppTest) -> None:
    weights, threshold = whole(page)["weights"][0], float(match[1])
    assert threshold == page.session_state.graph_threshold > 0
    told = [float(text) for text in np.array(stages(page)[0].texts("weights"))[mask(page)]]
    assert int(match[2]) == sum(weight >= threshold for weight in told)
    assert abs(int(match[2]) - int((weights[mask(page)] >= threshold).sum())) <= sum(
        weight == threshold for weight in told
    )


def reads(match: Match, page: AppTest) -> None:
    assert match[1] == labels(page)[at(page)]
    named = re.split(r", | and ", match[2])
    assert named == [labels(page)[j] for j in np.flatnonzero(mask(page)[at(page)])]


def reads_nothing(match: Match, page: AppTest) -> None:
    assert match[1] == labels(page)[at(page)]
    assert not mask(page)[at(page)].any()


def comes_to(match: Match, page: AppTest) -> None:
    assert match[1] == labels(page)[at(page)]
    count = int(match[2])
    assert count == int(mask(page)[at(page)].sum())
    assert (match[3] == "message") == (count == 1)


def together(match: Match, page: AppTest) -> None:
    said = re.split(r", | and ", match[1])
    for text, value in zip(said, whole(page)["context"][0, at(page)], strict=True):
        printed(text, float(value))


def same(match: Match, page: AppTest) -> None:
    assert match[1] == "is the same, bit for bit" or 0 < number(match[2]) < 1e-12
    assert all(number(text) == 0 for text in np.ravel(stages(page)[0].texts("difference")))


def crossed(match: Match, page: AppTest) -> None:
    asking = tokenise(page.session_state.graph_asking)
    side = page.session_state.graph_side
    queries, keys = {"encoder": (tokens(page),) * 2, "decoder": (asking,) * 2}.get(
        side, (asking, tokens(page))
    )
    assert [int(n) for n in match.groups()] == [len(queries), len(keys)]
    assert stages(page)[1].texts("weights").shape == (len(queries), len(keys))


def side(name: str) -> Check:
    """What is said of one choice: its graph has just the edges that it should have."""

    def check(match: Match, page: AppTest) -> None:
        assert page.session_state.graph_side == name
        shown = stages(page)[1]
        hidden = {"decoder": np.triu(np.ones(shown.texts("weights").shape), 1) > 0}
        seen = ~hidden.get(name, np.zeros(shown.texts("weights").shape, bool))
        assert (np.array(shown.texts("mask")) == np.where(seen, "1", "0")).all()
        same = np.array_equal(shown.texts("X_q"), shown.texts("X_kv"))
        asking = tokenise(page.session_state.graph_asking)
        assert same == (name != "cross" or asking == tokens(page))

    return check


def both_the_same(match: Match, page: AppTest) -> None:
    assert tokenise(page.session_state.graph_asking) == tokens(page)
    assert page.session_state.graph_side == "cross"
    alone = attention_program(heads=1, mask="none").run(
        toy_inputs(page.session_state.graph_text, heads=1, d_model=4)
    )
    shown = stages(page)[1].texts("context")
    for text, value in zip(shown.ravel(), alone["context"].ravel(), strict=True):
        printed(text, float(value))


def never_reached(match: Match, page: AppTest) -> None:
    reached = set().union(*(walked(page, layers) for layers in range(1, 12)))
    named = [label for at, label in enumerate(labels(page)) if at not in reached]
    assert re.split(", | and ", match[1]) == named
    assert match[2] == labels(page)[-1]


def to_the_last(match: Match, page: AppTest) -> None:
    assert match[1] == labels(page)[-1]


def walked(page: AppTest, layers: int) -> set[int]:
    """Breadth first from the last token against the edges."""
    state, T = page.session_state, len(tokens(page))
    visible = Rule(state.graph_reach_mask, state.graph_reach_size).mask(T, T)
    seen = {T - 1}
    for _ in range(layers):
        seen = {j for i in seen for j in range(T) if visible[i, j]}
    return seen


def field(match: Match, page: AppTest) -> None:
    seen = walked(page, int(match[1]))
    assert int(match[2]) == len(seen)
    assert match[3].split(", ") == [labels(page)[j] for j in sorted(seen)]
    assert int(match[1]) <= int(page.session_state.graph_layers)


def window(match: Match, page: AppTest) -> None:
    size, layers, times, again, wanted = (int(n) for n in match.groups()[:5])
    state, T = page.session_state, len(tokens(page))
    assert (size, layers) == (again, times) == (state.graph_reach_size, int(state.graph_layers))
    far = T - 1 - min(walked(page, layers))
    assert wanted == layers * (size - 1)
    assert (match[6] is None) == (far == wanted)
    assert far == int(match[6] or wanted)


INVENTORY = Inventory(
    "attention_graph",
    ends={
        "graph_text": ("cat", EIGHT),
        "graph_mask": (
            "causal", "window", "dilated", "prefix", "blocks", "global", "none", "draw",
        ),
        "graph_node": ("1", "last"),
        "graph_size": ("1", "8"),
        "graph_threshold": ("0.0", "0.5"),
        "graph_drawn": ("", "0" * 36),
        "graph_part": ("cross", "reach"),
        "graph_asking": ("chat", EIGHT),
        "graph_side": ("encoder", "decoder", "cross"),
        "graph_cross_threshold": ("0.0", "0.5"),
        "graph_reach_mask": (
            "causal", "window", "dilated", "prefix", "blocks", "global", "none",
        ),
        "graph_layers": ("2", "3", "4"),
        "graph_reach_size": ("1", "8"),
    },
    claims={
        r"Attention as a graph: who talks to whom\?|Each token is a node of a graph": ALWAYS,
        r"Where a token may read another there is an edge, and along it": ALWAYS,
        r"So a mask is a graph, and attention works on any graph\.$": ALWAYS,
        r"Try it\.$|Point at an edge: its cell of the matrix lights up": ALWAYS,
        rf"Drawn at random, with {SYMBOL} = 4, one head and seed 0: the mech": ALWAYS,
        r"Edges: (\d+) of (\d+) possible\.$": counted,
        r"Of weight (\S+) or more: (\d+)\.$": strong,
        r"(\S+) reads (.+)\.$": reads,
        r"No edge leads to (\S+): it reads nothing, and its row of weights is 0": reads_nothing,
        r"What comes to (\S+)\. (\d) (messages?)\.$": comes_to,
        r"Together: (.+)\.$": together,
        r"Its row of the matrix form (is the same, bit for bit|differs by (\S+) at most: floats "
        r"are added in another order)\.$": same,
        r"Where a script has no spaces between words, each character": ALWAYS,
        r"What to notice\.$|An arrow runs the way of the message: from the token": ALWAYS,
        r"A matrix says it the other way round: the row is the token that reads": ALWAYS,
        r"An edge that leads back to its own token is a self-loop": ALWAYS,
        r"The weights on the edges that lead to a token add up to 1, or there is": ALWAYS,
        r"Draw an edge or take one away, and the mask follows": ALWAYS,
        r"Where one is taken away, the other edges to the same token share what": ALWAYS,
        r"Other graphs$|In a translator the encoder reads the": ALWAYS,
        r"The decoder writes the translation; each of its tokens reads its own": ALWAYS,
        r"The query comes from the decoder, keys and values from the encoder": side("cross"),
        r"No edge stays on one side|With the same sentence on both sides it would": side("cross"),
        r"In the encoder every token reads every|That is self-attention, and noth": side("encoder"),
        r"In the decoder a token reads itself and what stands before it: self": side("decoder"),
        rf"The matrix of weights is {SYMBOL}, here (\d) × (\d): a row for each": crossed,
        r"Both sentences are the same here, so this is self-attention": both_the_same,
        r"All three are drawn here with the same matrices, straight from the": ALWAYS,
        r"A model has many layers, and each": ALWAYS,
        r"So something of a token can come to another that may not read it, by": ALWAYS,
        r"Which tokens can reach one so is called its receptive field": ALWAYS,
        r"What can come to (\S+), through so many layers:$": to_the_last,
        r"\| layers \| how many \| tokens \|$": ALWAYS,
        r"\| (\d) \| (\d) \| (.+) \|$": field,
        r"A window of (\d) through (\d) layers reaches (\d) × \((\d) − 1\) = (\d+) back(?:\.|; "
        r"here there are only (\d)\.)$": window,
        r"Where a number is 0, nothing can come from that token, whatever the": ALWAYS,
        r"Where it is larger than 1, there are several ways|A mask with few edges": ALWAYS,
        r"Blocks never meet, and the dilated mask, with the same stride in every": ALWAYS,
        r"No path leads from (.+) to (\S+), however many layers there are\.$": never_reached,
        r"A model with a window begins with what is near: this is called an": ALWAYS,
        r"To take away\.$|Attention passes messages along the edges of a graph": ALWAYS,
        r"The mask is the graph, and the product of weights and V computes": ALWAYS,
    },
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


def test_every_sentence_is_true_in_every_state() -> None:
    INVENTORY.check()


def test_every_control_is_tried_at_its_ends() -> None:
    INVENTORY.check_ends()
