"""Fewer or more queries than keys: which of them are hidden, what both are called, what is said."""

import numpy as np
import pytest
import torch

from core import Trace, attention_program, explain, toy_inputs
from core.attention.masks import CORNERS, KINDS, LOWER_RIGHT, UPPER_LEFT
from core.attention.setups import Setup
from core.program.labels import axis_labels, plainly
from core.pytorch.reference import largest_difference
from core.pytorch.snippet import torch_snippet
from tests.alone import RunAlone
from tests.core.support import refuses
from tests.quotes import proves

KEYS = np.array([[[1.0, 0], [0, 1], [1, 0], [0, 1], [1, 1]]])
VALUES = np.array([[[1.0, 0], [2, 0], [4, 0], [8, 0], [16, 0]]])


def setup(queries: int, keys: int, **chosen: object) -> Setup:
    """Q, K and V of these lengths; query 1 scores 0 with every key, the others ln 2 or 0."""
    asked = np.array([[[0.0, 0], *[[np.log(2), 0]] * (queries - 1)]])
    given = {"Q": asked, "K": KEYS[:, :keys], "V": VALUES[:, :keys]}
    return Setup(heads=1, d_model=2, scale=False, edits=given, **chosen)  # type: ignore[arg-type]


def test_upper_left_as_links_always_meant_the_first_query_sees_the_first_key() -> None:
    weights = setup(2, 5).trace["weights"][0]
    np.testing.assert_allclose(weights[0], [1, 0, 0, 0, 0])
    np.testing.assert_allclose(weights[1], [2 / 3, 1 / 3, 0, 0, 0])


@pytest.mark.parametrize("mask", [name for name in [*KINDS] if KINDS[name].by_position])
@pytest.mark.parametrize("corner", CORNERS)
def test_a_run_of_either_corner_is_that_of_its_queries_tokens(corner: str, mask: str) -> None:
    """The same rows of a square run, in which every token asks."""
    part = setup(2, 5, corner=corner, mask=mask).trace
    rows = slice(3, 5) if corner == LOWER_RIGHT else slice(0, 2)
    asked = np.zeros((1, 5, 2))
    asked[:, rows] = part["Q"]
    given = {"Q": asked, "K": KEYS, "V": VALUES}
    whole = Setup(heads=1, d_model=2, scale=False, mask=mask, edits=given).trace
    np.testing.assert_allclose(part["weights"], whole["weights"][:, rows])
    np.testing.assert_allclose(part["context"], whole["context"][:, rows])
    assert axis_labels(part, "weights")[1:] == [
        axis_labels(whole, "weights")[1][rows],
        axis_labels(whole, "weights")[2],
    ]


def _masking(trace: Trace) -> str:
    (phase,) = [phase for phase in trace.program.phases if "masked" in phase.names]
    return phase.words


@proves("""
    The mask's triangle begins in the upper left corner: the query is taken as the first queries are
    taken as the first {queries} of {keys} tokens | The mask's triangle ends in the lower right
    corner: the query is the last queries are the last {queries} of {keys} tokens, as with a cache
    of earlier keys and values | begins upper left | ends lower right | the queries count as tokens
    {first} to {last} of {keys}
""")
@pytest.mark.parametrize(
    ("corner", "first", "last"), [(UPPER_LEFT, 1, 2), (LOWER_RIGHT, 4, 5)], ids=CORNERS
)
def test_the_stage_says_which_tokens_the_queries_are(corner: str, first: int, last: int) -> None:
    trace = setup(2, 5, corner=corner).trace
    said = _masking(trace)
    assert said.startswith("2 queries meet 5 keys. ")
    way = "ends" if trace["mask"][0, 1] else "begins"  # with the first key alone
    assert f"triangle {way} in the {corner.replace('-', ' ')} corner: " in said
    options = setup(2, 5).family.toggle["corner"].options
    assert options[corner] == f"{way} {corner.replace('-', ' ')}"
    assert ("first 2 of 5" in said) == (first == 1)
    assert ("last 2 of 5" in said) == (last == 5)
    for cell in np.ndindex(2, 5):
        told = plainly(explain(trace, "mask", cell).words)
        assert told.startswith(f"{first + cell[0]} may ")
        assert f"query {first + cell[0]}" in told
        assert told.endswith(f"(the queries count as tokens {first} to {last} of 5).")
        assert ("may not" in told) == (cell[1] + 1 > first + cell[0])


def test_with_as_many_queries_as_keys_there_is_nothing_to_choose() -> None:
    square, right = setup(5, 5), setup(5, 5, corner=LOWER_RIGHT)
    assert "corner" not in square.family.toggle
    np.testing.assert_array_equal(square.trace["mask"], right.trace["mask"])
    assert _masking(square.trace) == _masking(Setup().trace)
    assert "corner" in setup(2, 5).family.toggle


def test_more_queries_than_keys_begin_at_the_first_key() -> None:
    for corner in CORNERS:
        trace = setup(5, 2, corner=corner).trace
        np.testing.assert_array_equal(trace["mask"], np.tri(5, 2, dtype=bool))
        assert _masking(trace).startswith("5 queries meet 2 keys. Query 1 and key 1 are at")


@pytest.mark.parametrize("mask", [*KINDS])
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("lengths", [(2, 5), (1, 5), (5, 2)])
def test_pytorch_computes_the_same_and_so_do_the_downloads(
    lengths: tuple[int, int], corner: str, mask: str, run_alone: RunAlone
) -> None:
    trace = setup(*lengths, corner=corner, mask=mask).trace
    assert largest_difference(trace).equal
    exec(torch_snippet(trace), {})
    ends, said = run_alone([trace.program.to_script(trace)])  # type: ignore[attr-defined]
    assert ends == ["ran"], said


def test_it_is_said_what_is_causal_of_pytorch_means_and_how_far_that_is() -> None:
    trace = setup(2, 5, corner=LOWER_RIGHT).trace
    Q, K, V = (torch.tensor(np.array(trace[name])) for name in "QKV")
    theirs = torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True, scale=1.0)
    apart = np.abs(theirs.numpy() - trace["context"]).max()
    said = str(largest_difference(trace))
    assert said.startswith("equals PyTorch's scaled_dot_product_attention")
    assert (
        "explicit attn_mask: is_causal=True begins upper left, and its context differs by up to "
        f"{apart:.2f}"
    ) in said
    assert "This mask is what is_causal=True means" in str(largest_difference(setup(2, 5).trace))
    assert "attn_mask=mask" in torch_snippet(trace)
    assert "is_causal=True" in torch_snippet(setup(2, 5).trace)
    assert "is_causal" not in str(largest_difference(setup(5, 5).trace))


@proves("choose {upper_left} or {lower_right}")
def test_a_program_takes_the_corner_and_refuses_another() -> None:
    trace = attention_program(heads=1, corner=LOWER_RIGHT).run(
        toy_inputs("a b", heads=1, d_model=2), pinned={"K": KEYS, "V": VALUES}
    )
    np.testing.assert_array_equal(trace["mask"], np.tri(2, 5, 3, dtype=bool))
    refuses("choose upper-left or lower-right", attention_program, corner="upper right")


@pytest.mark.parametrize("keys", [2, 5])
def test_keys_that_are_given_are_not_called_by_the_tokens_of_the_queries(keys: int) -> None:
    given = {"K": KEYS[:, :keys], "V": VALUES[:, :keys]}
    inputs = toy_inputs("Le chat est", heads=1, d_model=2)
    trace = attention_program(heads=1, mask="none").run(inputs, pinned=given)
    numbers = [str(n + 1) for n in range(keys)]
    for array, queries in (("weights", 1), ("scores", 1), ("mask", 0)):
        assert axis_labels(trace, array)[queries:] == [["Le", "chat", "est"], numbers]
    assert axis_labels(trace, "K")[1] == axis_labels(trace, "V")[1] == numbers
    assert axis_labels(trace, "Q")[1] == axis_labels(trace, "output")[0] == ["Le", "chat", "est"]
    last = keys - 1
    for array in ("K", "V"):
        assert f"what {keys} " in plainly(explain(trace, array, (0, last, 1)).words)
    read = plainly(explain(trace, "weights", (0, 2, last)).words)
    assert read.startswith("Of what est reads, ")
    assert f"comes from {keys}." in read


def test_queries_that_are_given_are_not_called_by_other_tokens() -> None:
    inputs = toy_inputs("The cat sat on", heads=1, d_model=2)
    trace = attention_program(heads=1).run(inputs, pinned={"Q": KEYS[:, :2]})
    assert axis_labels(trace, "weights")[1:] == [["1", "2"], ["The", "cat", "sat", "on"]]
