"""Attention node by node is attention as a product of matrices, on any directed graph."""

import numpy as np
from hypothesis import given
from hypothesis.extra.numpy import arrays

from core.chapters.attention_graph import messages
from core.program.families import Options
from core.program.trace import Trace
from tests.core.support import toy_run

TEXT = "The cat sat on mats"
T = 5
MASKS = arrays(bool, (T, T))


def run(mask: np.ndarray, at: int = T) -> Trace:
    options: Options = {"graph_mask": messages.DRAWN, "graph_node": "last" if at == T else str(at)}
    return messages.graph_family(TEXT, [3], mask).run(**options)


@given(MASKS)
def test_the_loop_over_nodes_is_the_matrix_form_on_any_directed_graph(mask: np.ndarray) -> None:
    """Each node, message by message; scores and softmax by plain loops over its edges alone."""
    whole = toy_run(TEXT, 1, d_model=messages.D_MODEL, mask="custom", drawn=mask)
    Q, K, V = (whole[name][0] for name in "QKV")
    for i in range(T):
        incoming = [j for j in range(T) if mask[i, j]]
        powers = {j: np.exp(Q[i] @ K[j] / np.sqrt(messages.D_MODEL)) for j in incoming}
        read = np.zeros(messages.D_MODEL)
        for j in incoming:
            read += powers[j] / sum(powers.values()) * V[j]
        made = run(mask, i + 1)
        np.testing.assert_allclose(made["y_i"][0, 0], read, atol=1e-12)
        np.testing.assert_allclose(whole["context"][0, i], read, atol=1e-12)
        np.testing.assert_array_equal(made["context"], whole["context"])
        assert messages.message_error(made) < 1e-12


@given(MASKS)
def test_a_node_without_an_edge_reads_nothing(mask: np.ndarray) -> None:
    mask[2] = False
    made = run(mask, 3)
    for name in ("w_i", "message", "so_far", "y_i", "row_i", "difference"):
        np.testing.assert_array_equal(made[name], 0.0)
    assert not messages.node(made, 2).reads
    assert messages.node(made, 2).most is None


@given(MASKS)
def test_edges_are_the_cells_that_the_mask_leaves(mask: np.ndarray) -> None:
    made = run(mask)
    found = np.zeros((T, T), bool)
    for edge in messages.edges(made):
        found[edge.target, edge.source] = True
        assert edge.cell == (0, edge.target, edge.source)
        assert abs(edge.weight - made["weights"][edge.cell]) <= 0.005 + 1e-9
        assert edge.weight == float(edge.text)
    np.testing.assert_array_equal(found, mask)
    assert messages.bits_of(made) == "".join(str(int(bit)) for bit in mask.ravel())


def test_the_heaviest_edge_to_a_node_and_how_many_read_it() -> None:
    made = run(np.tri(T, dtype=bool), 4)
    seen = messages.node(made, 3)
    assert seen.most is not None
    assert seen.most.source == int(made["weights"][0, 3].argmax())
    assert len(seen.reads) == 4
