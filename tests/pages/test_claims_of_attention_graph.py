"""Every sentence of 'attention as a graph', at the ends of its controls."""

from collections.abc import Mapping

import numpy as np
from streamlit.testing.v1 import AppTest

from core import toy_inputs
from core.attention.tokens import tokenise
from core.chapters.attention_graph.messages import edges, graph_family, message_error, node
from core.chapters.attention_graph.other_graphs import (
    cross,
    farthest,
    field_labels,
    reach_family,
    unreached,
    window_reach,
)
from core.program.labels import token_labels
from core.program.trace import Trace
from tests.core.chapters.attention_graph import test_messages
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, agree, number, only, row_of
from tests.ui.claims import RANDOM_WEIGHTS, Inventory, chosen_sizes, drawn_with
from tests.ui.support import stages, told


def drawn_mask(page: AppTest, T: int) -> np.ndarray:
    """Who may read whom as it is drawn; causal where nobody drew."""
    bits = page.session_state.graph_drawn
    side, made = int(len(bits) ** 0.5), np.tri(T, dtype=bool)
    for i, j in np.ndindex(min(side, T), min(side, T)):
        made[i, j] = bits[i * side + j] == "1"
    return made


def of_node(page: AppTest) -> Trace:
    """The graph of the first stage, at the node that is chosen."""
    state, T = page.session_state, len(tokenise(page.session_state.graph_text))
    family = graph_family(state.graph_text, chosen_sizes(state, "graph_size"), drawn_mask(page, T))
    return family.run(graph_mask=state.graph_mask, graph_node=state.graph_node)


def through(page: AppTest) -> Trace:
    """Several layers of the part on reach."""
    state = page.session_state
    family = reach_family(state.graph_text, chosen_sizes(state, "graph_reach_size"))
    return family.run(graph_reach_mask=state.graph_reach_mask, graph_layers=state.graph_layers)


@proves(r"""
    [reads] {token} reads {reads}. [else] No edge leads to {token}: it reads nothing, and its row of
    weights is 0 | A window of {size} reaches {layers} × ({size} − 1) = {wanted} back [far < wanted]
    , but {last} has only {far} before it | The mask leaves {edges} of {possible} possible edges;
    the weight is {threshold} or more on {strong} | The messages to {token} add up to {numbers} |
    The weights are $L_q \times L_k$, here {queries} × {keys} | In {layers} layers, {reached} of
    {tokens} can reach {last} | No path leads from {never} to {last}, in any number of layers
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, tokens = page.session_state, tokenise(page.session_state.graph_text)
    T, names, trace = len(tokens), token_labels(tokens), of_node(page)
    at = (T if state.graph_node == "last" else int(state.graph_node)) - 1
    every, threshold, gap = edges(trace), state.graph_threshold, message_error(trace)
    asking, side = tokenise(state.graph_asking), state.graph_side
    queries, keys = {"encoder": (T, T), "decoder": (len(asking),) * 2}.get(side, (len(asking), T))
    last, layers, size = {"last": names[-1:]}, int(state.graph_layers), state.graph_reach_size
    layered, token = through(page), names[at : at + 1]
    reached, never = field_labels(layered), unreached(layered)
    return {
        "edges": {
            "edges": trace["mask"].sum(), "possible": T * T, "threshold": threshold or "",
            "strong": sum(edge.weight >= threshold for edge in every),
        },
        "reads": {"token": token, "reads": list(node(trace, at).reads) or ""},
        "messages": {"token": token, "numbers": trace["context"][0, at]},
        "same": {"token": token, "gap": gap or ""},
        "who_reads": {"side": side},
        "matrix_size": {"queries": queries, "keys": keys},
        "same_sentence": only(side == "cross", same=asking == tokens),
        "reach": last | {"layers": layers, "reached": len(reached[-1]), "tokens": T},
        "never": only(bool(never), never=never, **last),
        "window": only(
            state.graph_reach_mask == "window", **last, size=size, layers=layers,
            wanted=window_reach(size, layers), far=farthest(layered),
        ),
    }  # fmt: skip


proves("one product, weights times V, computes all nodes at once")(
    test_messages.test_the_loop_over_nodes_is_the_matrix_form_on_any_directed_graph
)


@proves("""
    [gap] The row of {token} in the matrix form differs by at most {gap} (rounding). [else] The row
    of {token} in the matrix form is the same, bit for bit
""")
def same(said: Values, page: AppTest) -> None:
    assert all(number(text) == 0 for text in np.ravel(stages(page)[0].texts("difference")))


@proves("""
    In the matrix, the row is the token that reads. The weights on the edges to a token add up to 1,
    unless there are none. If you take an edge away, the weights of the others grow by the same
    factor
""")
def reading(said: Values, page: AppTest) -> None:
    """Rows add up to 1, or see nothing; an edge less, the others grow by one factor."""
    run = of_node(page)
    scaled, weights, visible = run["scaled"][0], run["weights"][0], run["mask"]
    np.testing.assert_allclose(weights.sum(1), visible.any(1), atol=1e-12)
    for i, j in np.argwhere(visible):
        left = visible[i] & (np.arange(len(visible)) != j)
        if left.any():
            powers = np.where(left, np.exp(scaled[i]), 0)
            grown = (powers / powers.sum())[left] / weights[i][left]
            np.testing.assert_allclose(grown, 1 / (1 - weights[i, j]), rtol=1e-9)


@proves("""
    Notice. [side == "encoder"] In the encoder every token reads every token of its own sentence,
    later ones too: this is self-attention, and nothing is hidden. [side == "decoder"] In the
    decoder a token reads itself and earlier tokens: this is self-attention under the causal mask,
    because later tokens are not written yet. [else] Queries come from the decoder, keys and values
    from the encoder. No edge stays within one sentence: such a graph is called bipartite | On the
    left the tokens of the encoder, on the right the tokens of the decoder
""")
def who_reads(said: Values, page: AppTest) -> None:
    """Each choice has just the edges that it should have, and its own rows."""
    state, shown = page.session_state, stages(page)[1]
    (board,) = (
        one for (one,) in told(page, "token_graph") if one["title"].startswith("On the left")
    )
    encoder = len(tokenise(state.graph_text))
    assert [x < 0 for x, _ in board["places"]] == [n < encoder for n in range(len(board["labels"]))]
    seen = np.array(shown.texts("mask")) == "1"
    assert (seen == (np.tril(np.ones_like(seen)) if said["side"] == "decoder" else True)).all()
    same = np.array_equal(shown.texts("X_q"), shown.texts("X_kv"))
    one = tokenise(state.graph_asking) == tokenise(state.graph_text)
    assert same == (said["side"] != "cross" or one)


@proves("""
    [same] Both sentences are the same here, so this equals self-attention without a mask. [else]
    With the same sentence on both sides this would be self-attention without a mask
""")
def same_sentence(said: Values, page: AppTest) -> None:
    """With one sentence on both sides it is self-attention."""
    if said["same"]:
        text = page.session_state.graph_text
        agree(list(stages(page)[1].texts("context").ravel()), cross(text, text)["context"].ravel())


@proves("Here all three graphs use the same matrices, directly on the embeddings")
def cross_more(said: Values, page: AppTest) -> None:
    """All three graphs are drawn with the same matrices, of the embeddings."""
    state, shown = page.session_state, stages(page)[1]
    asks = state.graph_text if state.graph_side == "encoder" else state.graph_asking
    toy = toy_inputs(asks, heads=1, d_model=4)
    for name, given in (("W_Q", "W_Q"), ("W_K", "W_K"), ("W_V", "W_V"), ("X_q", "X")):
        agree(list(shown.texts(name).ravel()), toy[given].ravel())


@proves("""
    A number in the matrix counts paths | From left to right the tokens before the first layer, and
    after each layer
""")
def reach_more(said: Values, page: AppTest) -> None:
    """Numbers count paths."""
    name = f"P_{page.session_state.graph_layers}"
    assert (stages(page)[1].texts(name).astype(float) == through(page)[name]).all()
    (board,) = (one for (one,) in told(page, "token_graph") if one["title"].startswith("From left"))
    columns = [x for x, _ in board["places"]]
    assert columns == sorted(columns)
    assert len({*columns}) == 1 + int(page.session_state.graph_layers)


INVENTORY = Inventory(
    "attention_graph",
    claims={
        RANDOM_WEIGHTS: drawn_with,
        r"\| (\d) \| (.+) \|$": row_of(
            lambda page, layers: [", ".join(field_labels(through(page))[int(layers) - 1])]
        ),
    },
    module=globals(),
)
