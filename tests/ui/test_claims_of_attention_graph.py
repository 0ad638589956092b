"""Every sentence of 'attention as a graph', at the ends of its controls."""

import re

import numpy as np
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.attention.masks import Rule
from core.attention.tokens import tokenise
from core.program.labels import token_labels
from core.program.trace import Trace
from tests.ui.claims import ALWAYS, Inventory, number, printed
from tests.ui.support import stages

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
EIGHT = "a b c d e f g h"


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.graph_text)


def mask(page: AppTest) -> np.ndarray:
    """Who may read whom, by the rule or as it is drawn."""
    state, T = page.session_state, len(tokens(page))
    if state.graph_mask == "draw" and state.graph_drawn:
        return np.array([bit == "1" for bit in state.graph_drawn]).reshape(T, T)
    return Rule("causal" if state.graph_mask == "draw" else state.graph_mask,
                state.graph_size).mask(T, T)  # fmt: skip


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
    assert int(match[2]) == int((weights[mask(page)] >= threshold).sum())


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


def other_size(match: Match, page: AppTest) -> None:
    assert match[1] == match[2] == str(len(tokens(page)))


def same(match: Match, page: AppTest) -> None:
    assert match[1] == "is the same, bit for bit" or 0 < number(match[2]) < 1e-12
    assert all(number(text) == 0 for text in np.ravel(stages(page)[0].texts("difference")))


def crossed(match: Match, page: AppTest) -> None:
    asking = tokenise(page.session_state.graph_asking)
    assert [int(n) for n in match.groups()] == [len(asking), len(tokens(page))]
    assert stages(page)[1].texts("weights").shape == (len(asking), len(tokens(page)))


def both_the_same(match: Match, page: AppTest) -> None:
    same = tokenise(page.session_state.graph_asking) == tokens(page)
    assert match[1].startswith("Both") == same
    if same:
        alone = attention_program(heads=1, mask="none").run(
            toy_inputs(page.session_state.graph_text, heads=1, d_model=4)
        )
        shown = stages(page)[1].texts("context")
        for text, value in zip(shown.ravel(), alone["context"].ravel(), strict=True):
            printed(text, float(value))


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
        r"So a mask says who may talk to whom, and attention works on any": ALWAYS,
        r"Before:|Why mask\.$|Time: ": ALWAYS,
        rf"Drawn here with {SYMBOL} = 4, one head and seed 0\.$": ALWAYS,
        r"Edges: (\d+) of (\d+) possible\.$": counted,
        r"Of weight (\S+) or more: (\d+)\.$": strong,
        r"(\S+) reads (.+)\.$": reads,
        r"No edge leads to (\S+): it reads nothing, and its row of weights is 0": reads_nothing,
        r"What comes to (\S+)\. (\d) (messages?)\.$": comes_to,
        r"Together: (.+)\.$": together,
        r"Its row of the matrix form (is the same, bit for bit|differs by (\S+) at most: floats "
        r"are added in another order)\.$": same,
        r"In the link: graph_drawn is '0+'; it must be (\d) × (\d) of 0 and 1": other_size,
        r"The default is used instead\.$": ALWAYS,
        r"Where a script has no spaces between words, each character": ALWAYS,
        r"What to notice\.$|An arrow runs the way of the message: from the token": ALWAYS,
        r"A matrix says it the other way round: the row is the token that reads": ALWAYS,
        r"An edge that leads back to its own token is a self-loop": ALWAYS,
        r"The weights on the edges that lead to a token add up to 1, or there is": ALWAYS,
        r"Draw an edge or take one away, and the mask follows: the other edges": ALWAYS,
        r"Other graphs$|In a translator the encoder reads the": ALWAYS,
        r"The decoder writes the translation; each of its tokens reads its own": ALWAYS,
        r"The query comes from the decoder, keys and values from the encoder|No edge": ALWAYS,
        rf"The matrix of weights is {SYMBOL}, here (\d) × (\d): a row for each": crossed,
        r"(Both sentences are the same here|With the same sentence on both)": both_the_same,
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
