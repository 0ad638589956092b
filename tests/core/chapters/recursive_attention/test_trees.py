"""Trees over keys, and the merge law along them."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import Inputs, Trace, toy_inputs
from core.attention.tokens import SHORT
from core.chapters.recursive_attention import tree_program, tree_verdict, trees
from tests.core.chapters.recursive_attention.test_schedules import tolerance
from tests.core.support import refuses, toy_run
from tests.quotes import proves
from tests.sampling import examples, paired


def run(forest: trees.Forest, scores: np.ndarray, values: np.ndarray) -> Trace:
    """The sentence's program from given scores and values on: −∞ for what may not be read."""
    keys = len(scores)
    inputs = toy_inputs(" ".join("abcdefgh"[:keys]), heads=1, d_model=tree_program.D_MODEL)
    arrays = {name: inputs[name] for name in ("X", "W_Q", "W_K", "W_V")}
    program = tree_program.tree_program(forest, keys, keys - 1, "none")
    pinned = {"s_row": scores[None, None], "V": values[None]}
    given = Inputs(arrays, inputs.tokens, tree_program.piece_names(forest))
    return program.run(given, pinned=pinned)


def partitions(keys: list[int]) -> st.SearchStrategy[trees.Tree]:
    """Any tree whose leaves are these keys, each once: any partition, merged in any order."""

    @st.composite
    def drawn(draw: Callable[..., object]) -> trees.Tree:
        roots: list[trees.Tree] = list(draw(st.permutations(keys)))  # type: ignore[call-overload]
        while len(roots) > 1:
            count = draw(st.integers(2, len(roots)))
            picked = draw(st.permutations(range(len(roots))))
            chosen = sorted(picked[:count])  # type: ignore[index]
            merged = tuple(roots[at] for at in chosen)
            roots = [tree for at, tree in enumerate(roots) if at not in chosen] + [merged]
        return roots[0]

    return drawn()


SCORES = st.floats(-5, 5) | st.floats(-1e4, 1e4) | st.just(-np.inf)
"""Some of which no query may read."""


@st.composite
def cases(draw: Callable[..., object]) -> tuple[trees.Tree, np.ndarray, np.ndarray]:
    keys = draw(st.integers(2, SHORT))
    tree = draw(partitions(list(range(1, keys + 1))))  # type: ignore[operator]
    scores = np.array(draw(st.lists(SCORES, min_size=keys, max_size=keys)))  # type: ignore[arg-type]
    seed = draw(st.integers(0, 2**16))
    values = np.random.default_rng(seed).normal(size=(keys, tree_program.D_MODEL))  # type: ignore[arg-type]
    return tree, scores, values  # type: ignore[return-value]


def attended(scores: np.ndarray, values: np.ndarray) -> np.ndarray:
    """PyTorch's softmax over all keys at once; zeros where no key may be read."""
    if np.isneginf(scores).all():
        return np.zeros(values.shape[1])
    weights = torch.softmax(torch.from_numpy(scores), -1)
    return np.asarray((weights @ torch.from_numpy(values)).numpy())


@proves("""
    For a set $I$ of keys, the score and the value are | Two sets without a common key are merged as
    if they were two keys | So merging is attention over pieces
""")
@given(cases())
@examples(25)
def test_any_partition_merged_in_any_order_is_full_attention(
    case: tuple[trees.Tree, np.ndarray, np.ndarray],
) -> None:
    tree, scores, values = case
    trace = run((tree,), scores, values)
    merged = trace[f"v_{trees.tree_name(tree)}"][0, 0]
    most = tolerance(scores, values)
    np.testing.assert_allclose(merged, attended(scores, values), rtol=0, atol=most)
    np.testing.assert_allclose(trace["y_row"][0, 0], attended(scores, values), rtol=0, atol=most)
    for node in trees.nodes(tree):
        own = np.array([scores[key - 1] for key in trees.leaves(node)])
        whole = trace[f"s_{trees.tree_name(node)}"].item()
        expected = torch.logsumexp(torch.from_numpy(own), -1).item()
        if np.isneginf(expected):
            assert np.isneginf(whole)
            assert trace.is_removed(f"s_{trees.tree_name(node)}", (0, 0, 0))
            np.testing.assert_array_equal(trace[f"v_{trees.tree_name(node)}"], 0)
        else:
            assert whole == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.data())
@examples(25)
def test_an_overlapping_partition_is_never_full_attention(data: st.DataObject) -> None:
    """Some keys of each part are in the other one too; values and scores apart, so it shows.

    Not all of them: counted alike, they would come to the same.
    """
    keys = data.draw(st.integers(3, 6))
    cut = data.draw(st.integers(1, keys - 1))
    twice = data.draw(st.sets(st.integers(1, keys), min_size=1, max_size=keys - 1))
    left = [key for key in range(1, keys + 1) if key <= cut or key in twice]
    right = [key for key in range(1, keys + 1) if key > cut or key in twice]

    def put(part: list[int]) -> trees.Tree:
        return part[0] if len(part) == 1 else data.draw(partitions(part))

    forest = ((put(left), put(right)),)
    draw = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    scores, values = draw.uniform(-2, 2, size=keys), draw.normal(size=(keys, tree_program.D_MODEL))
    trace = run(forest, scores, values)
    assert np.abs(trace["difference"]).max() > 1e-9
    found = tree_verdict.tree_verdict(trace, forest)
    assert found is not None
    assert found.off
    assert found.often == tuple(sorted(twice))
    assert not found.alike


@proves("says how much the set counts, its value $v$ what the query would read from only this set")
def test_the_worked_example_in_exact_numbers() -> None:
    """P8: (ln 3, 50/3) and (ln 7, 250/7) make (ln 10, 30); overlapping 28.33; averaged 26.19."""
    trace = tree_program.example(trees.read_forest("((1 2) (3 4))", 4))
    values = {"12": (3, Fraction(50, 3)), "34": (7, Fraction(250, 7)), "1234": (10, Fraction(30))}
    for name, (weight, value) in values.items():
        assert trace[f"s_{name}"].item() == pytest.approx(np.log(weight), abs=1e-12)
        assert trace[f"v_{name}"].item() == pytest.approx(float(value), abs=1e-12)
    found = tree_verdict.tree_verdict(trace, trees.read_forest("((1 2) (3 4))", 4))
    assert found is not None
    assert (found.mean, found.off, found.often) == ("26.19", False, ())
    for text, keys in (("((1 2) (2 3 4))", (1, 2, 2, 3, 4)), ("((1 2 3) (3 4))", (1, 2, 3, 3, 4))):
        forest = trees.read_forest(text, 4)
        exact = Fraction(sum(10 * key * key for key in keys), sum(keys))  # n weighs n, and is 10 n
        trace = tree_program.example(forest)
        value = trace[f"v_{trees.tree_name(forest[0])}"].item()
        assert value == pytest.approx(float(exact), abs=1e-12)
        found = tree_verdict.tree_verdict(trace, forest)
        assert found is not None
        assert found.off == (exact != 30)
        if found.off:
            assert (exact, found.apart) == (Fraction(85, 3), "1.67")
    np.testing.assert_array_equal(tree_program.GIVEN_VALUES, [10, 20, 30, 40])


@pytest.mark.parametrize(
    ("text", "mask"),
    paired(["a", "red green", "The cat sat on the mat", "a b c d e f g h"], ["causal", "none"]),
)
def test_a_sentence_in_pieces_is_its_row_of_the_walkthroughs_program(text: str, mask: str) -> None:
    whole = toy_run(text, 1, d_model=tree_program.D_MODEL, mask=mask)
    keys = len(whole.tokens)
    for shape in trees.SHAPES.values():
        forest = shape(keys)
        family = tree_program.tree_family(text, forest)
        for at in range(keys):
            chosen = "last" if at == keys - 1 else str(at + 1)
            trace = family.run(pieces_query=chosen, pieces_tree_mask=mask)
            np.testing.assert_allclose(trace["y_row"][0, 0], whole["context"][0, at], atol=1e-12)
            found = tree_verdict.tree_verdict(trace, forest)
            assert found is not None
            assert set(found.unread) <= set(found.often)
            if not set(found.often) - set(found.unread):
                np.testing.assert_allclose(trace["difference"], 0, atol=1e-12)
                assert not found.off


@given(st.data())
@examples(12)
def test_a_forest_is_read_as_it_is_written(data: st.DataObject) -> None:
    keys = data.draw(st.integers(1, SHORT))
    tree = 1 if keys == 1 else data.draw(partitions(list(range(1, keys + 1))))
    assert trees.read_forest(trees.forest_text((tree,)), keys) == (tree,)
    loose = f"  {trees.forest_text((tree,))} ".replace("(", " ( ")
    assert trees.read_forest(loose, keys) == (tree,)


def test_keys_left_out_stand_alone_and_lone_brackets_fall_away() -> None:
    assert trees.read_forest("(1 2)", 4) == ((1, 2), 3, 4)
    assert trees.read_forest("", 2) == (1, 2)
    assert trees.read_forest("((1))", 1) == (1,)
    assert trees.read_forest("(1 1)", 1) == ((1, 1),)
    assert trees.read_forest("3 (1 2)", 3) == (3, (1, 2))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(1 2", "made of key numbers"), ("1 2)", "made of"), ("()", "made of"), ("1;2", "made of"),
        ("(1 9)", "there are 4"), ("0", "there are 4"), ("(1 <b>)", "made of"),
        ("(" * 5000 + "1", "made of"), ("9" * 5000, "there are 4"), ("١", "made of"),
        (" ".join("1" * 20), "at most 16"),
    ],
)  # fmt: skip
def test_what_is_no_forest_is_refused_with_a_remedy(text: str, said: str) -> None:
    refuses(said, trees.read_forest, text, 4)


def test_a_link_and_a_sentence_are_checked() -> None:
    assert trees.check_tree("tree", "") == ""
    assert trees.check_tree("tree", "((1 2) 8)") == "((1 2) 8)"
    refuses("there are 8", trees.check_tree, "tree", "9")


@pytest.mark.parametrize("keys", range(1, SHORT + 1))
def test_every_shape_is_one_tree_over_all_keys(keys: int) -> None:
    for word, shape in trees.SHAPES.items():
        forest = shape(keys)
        assert len(forest) == 1, word
        assert set(trees.leaves(forest[0])) == set(range(1, keys + 1))
        assert bool(trees.counted_often(forest)) == (word == "a key counted twice")
        assert trees.read_forest(trees.forest_text(forest), keys) == forest


def test_a_tree_is_told_piece_by_piece() -> None:
    forest = trees.read_forest("((1 2) (3 4))", 4)
    told = tree_verdict.pieces_of(tree_program.example(forest), forest)
    assert set(told) == {"1", "2", "3", "4", "(1 2)", "(3 4)", "((1 2) (3 4))"}
    assert (told["(1 2)"].s, told["(1 2)"].v, told["(1 2)"].name) == ("1.10", "16.67", "12")
    assert told["(1 2)"].spoken == "score 1.10, value 16.67"
    assert trees.set_text(forest[0]) == "{1, 2, 3, 4}"


@pytest.mark.parametrize(
    "written", ["((3 (1 2)) (4 (1 2)))", "((4 (1 2)) (3 (2 1)))", "(((1 2) 3) (4 (1 (2 3))))"]
)
def test_a_set_that_stands_in_two_places_is_made_before_its_first(written: str) -> None:
    (tree,) = trees.read_forest(written, 4)
    trace = tree_program.example((tree,))
    for node in trees.nodes(tree):
        weights = np.array(list(trees.leaves(node)), dtype=float)  # e to the score of key n is n
        mixed = (weights @ (10 * weights)) / weights.sum()
        np.testing.assert_allclose(trace[f"v_{trees.tree_name(node)}"].item(), mixed, atol=1e-12)


@given(st.data())
@examples(15)
def test_keys_that_are_all_counted_alike_keep_their_shares(data: st.DataObject) -> None:
    keys, times = data.draw(st.integers(1, 4)), data.draw(st.integers(2, 3))
    tree = data.draw(partitions(list(range(1, keys + 1)))) if keys > 1 else 1
    forest = ((tree,) * times,)
    draw = np.random.default_rng(data.draw(st.integers(0, 2**16)))
    scores, values = draw.uniform(-2, 2, size=keys), draw.normal(size=(keys, tree_program.D_MODEL))
    found = tree_verdict.tree_verdict(run(forest, scores, values), forest)
    assert found is not None
    assert not found.off
    assert found.alike == times
    assert found.often == tuple(range(1, keys + 1))


@proves("""
    A set without a visible key has the score −∞, the logarithm of an empty sum. Its weight is 0, so
    it changes nothing
""")
def test_hidden_keys_make_an_empty_piece() -> None:
    forest = trees.read_forest("((1 2) (3 4))", 4)
    trace = tree_program.tree_family("a b c d", forest).run(pieces_query="2")
    assert np.isneginf(trace["s_34"]).all()
    np.testing.assert_array_equal(trace["w_1234"][0, 0], [1, 0])
    assert trace.is_removed("w_1234", (0, 0, 1))
    assert not trace.is_removed("s_12", (0, 0, 0))
    assert trace.sources("v_1234", (0, 0, 0)) == {"w_1234": [(0, 0, 0)], "values_1234": [(0, 0, 0)]}
