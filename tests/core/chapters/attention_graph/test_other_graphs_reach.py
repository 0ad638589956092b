"""What layers reach: powers of the mask beside walks over its edges."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core import Inputs, Trace
from core.attention.masks import GALLERY_WORDS, MOST_SIZES
from core.chapters.attention_graph import other_graphs
from tests.masks import sized
from tests.quotes import proves

T = 8


def walked(mask: np.ndarray, layers: int, start: int) -> set[int]:
    """Breadth first from a token against its edges, layer by layer."""
    seen = {start}
    for _ in range(layers):
        seen = {j for i in seen for j in range(len(mask)) if mask[i, j]}
    return seen


def run(size: int, **chosen: str) -> Trace:
    """The text under a mask whose sizes are all the same."""
    return other_graphs.reach_family("a b c d e f g h", [size] * MOST_SIZES).run(**chosen)


@proves("""
    A 0 means that nothing can come from that token through this number of layers, whatever the
    weights are
""")
@pytest.mark.parametrize("kind", GALLERY_WORDS)
@pytest.mark.parametrize("layers", [2, 3, 4])
@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_what_is_above_0_is_what_a_walk_on_edges_reaches(kind: str, layers: int, size: int) -> None:
    mask = sized(kind, size).mask(T, T)
    made = run(size, graph_reach_mask=kind, graph_layers=str(layers))
    for n, field in enumerate(other_graphs.receptive_fields(made), 1):
        assert set(field) == walked(mask, n, T - 1)
    for i in range(T):
        reached = np.flatnonzero(made[f"P_{layers}"][i] > 0)
        assert set(reached.tolist()) == walked(mask, layers, i)
    assert other_graphs.farthest(made) == T - 1 - min(walked(mask, layers, T - 1))


@given(arrays(bool, (5, 5)))
def test_what_no_number_of_layers_reaches_is_what_no_walk_comes_to(mask: np.ndarray) -> None:
    made = other_graphs.reach_program(2).run(Inputs({"A": mask.astype(float)}, tuple("abcde")))
    reached = set().union(*(walked(mask, layers, 4) for layers in range(1, 12)))
    assert other_graphs.unreached(made) == [
        label for at, label in enumerate("abcde") if at not in reached
    ]


@proves("""
    Here messages travel along the same edges in each layer. So information can reach a token
    through a third one. All tokens that can reach a token are its receptive field
""")
@given(arrays(bool, (4, 4)), st.integers(2, 4))
def test_powers_count_the_paths_on_any_graph(mask: np.ndarray, layers: int) -> None:
    made = other_graphs.reach_program(layers).run(Inputs({"A": mask.astype(float)}, tuple("abcd")))
    for i, j in np.ndindex(4, 4):
        paths = [(j, *way, i) for way in itertools.product(range(4), repeat=layers - 1)]
        count = sum(all(mask[b, a] for a, b in itertools.pairwise(path)) for path in paths)
        assert made[f"P_{layers}"][i, j] == count


@pytest.mark.parametrize("layers", [2, 3, 4])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_window_reaches_one_less_than_its_size_back_in_each_layer(size: int, layers: int) -> None:
    made = run(size, graph_reach_mask="window", graph_layers=str(layers))
    assert other_graphs.farthest(made) == min(other_graphs.window_reach(size, layers), T - 1)


@given(arrays(bool, (4, 4)), st.integers(2, 4))
def test_the_cone_has_edges_on_paths_to_the_last_token_alone(mask: np.ndarray, layers: int) -> None:
    made = other_graphs.reach_program(layers).run(Inputs({"A": mask.astype(float)}, tuple("abcd")))
    paths = [(*way, 3) for way in itertools.product(range(4), repeat=layers)]
    ends = [(n, path[n:]) for path in paths for n in range(layers)]
    on_paths = [(n, e) for n, e in ends if all(mask[b, a] for a, b in itertools.pairwise(e))]
    assert set(other_graphs.cone(made)) == {(n, *end[:2]) for n, end in on_paths}
