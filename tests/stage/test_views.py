"""What the stage is told: slices, labels, stops; of programs that no page shows yet."""

import json
from typing import Any

import numpy as np
import pytest

from core.attention.axes import AXES
from core.attention.inputs import Inputs
from core.operations.products import matmul_transposed
from core.program.axes import POSITION, Axis
from core.program.display import shown_matrix
from core.program.labels import axis_labels, cell_name
from core.program.program import Program
from core.program.script import script
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace
from stage.places import carried
from stage.views import stage_data
from tests.programs import cached_step, linear_attention, nested_block, said, stacked_layers
from tests.registry import REGISTRY


def drawn(data: dict[str, Any], name: str) -> dict[str, Any]:
    """The view of an array in the focus."""
    focus = data["focus"]
    columns = [view for column in focus["columns"] for view in column.values()]
    views = [*focus["row"], *columns, *([focus["left"]] if focus["left"] else [])]
    return next(view for view in views if view["name"] == name)


def flat(rows: list[list[str]]) -> list[str]:
    return [text for row in rows for text in row]


def test_an_array_of_four_axes_is_shown_a_slice_at_a_time() -> None:
    trace = REGISTRY["a running state"].run()
    for cell in ((1, 2, 0, 1), (0, 0, 1, 1)):
        view = drawn(stage_data(trace, "state", cell), "state")
        assert view["prefix"] == list(cell[:2])
        assert view["text"] == flat(shown_matrix(trace, "state", cell[:2]))
        pairs = drawn(stage_data(trace, "state", cell), "pairs")
        assert pairs["prefix"][0] == cell[0]


def test_two_axes_may_be_sliced_at_once() -> None:
    trace = REGISTRY["layers of heads"].run()
    assert trace.program.sliced == ("l", "h")
    for layer in (0, 1):
        for head in (0, 2):
            at = {"l": layer, "h": head}
            cell = carried(trace, "summed", "A", (0, 0, 1, 1), at)
            assert cell == (layer, head, 1, 1)
            view = drawn(stage_data(trace, "summed", cell, slices=at), "summed")
            assert view["text"] == flat(shown_matrix(trace, "summed", (layer, head)))
    assert cell_name(trace, "summed", (1, 2, 0, 1)).endswith("of head 3 of layer 2")


def decoding(cached: int = 3) -> Trace:
    entry = REGISTRY["a decoder's step"]
    tokens = ("the", "cat", "sat", "on", "mats")
    return cached_step(cached).run(Inputs(entry.inputs(), tokens))


def test_a_decoders_last_query_is_labelled_with_its_own_token() -> None:
    trace = decoding()
    keys = ["the", "cat", "sat", "on", "mats"]
    assert axis_labels(trace, "weights")[1:] == [["on", "mats"], keys]
    view = drawn(stage_data(trace, "weights", (0, 1, 4)), "weights")
    assert view["rowLabels"] == ["on", "mats"]
    assert cell_name(trace, "scores", (0, 1, 0)) == "scores[mats, the] of head 1"
    code = script(trace)
    assert "# mats" in code
    # Going from a query to what stands for the same token among the keys.
    assert carried(trace, "K", "Q", (0, 1, 0), {"h": 0}) == (0, 4, 0)
    assert carried(trace, "Q", "K", (0, 4, 1), {"h": 1}) == (1, 1, 1)


def test_what_is_cached_is_the_source_of_its_rows_and_the_new_rows_of_theirs() -> None:
    trace = decoding()
    assert trace.sources("K", (0, 2, 1)) == {"K_kept": [(0, 2, 1)]}
    assert trace.sources("K", (0, 4, 1)) == {"K_new": [(0, 1, 1)]}
    assert trace.uses("K_new", (0, 0, 0)) == {"K": [(0, 3, 0)]}
    assert trace.uses("K_kept", (0, 0, 0)) == {"K": [(0, 0, 0)]}
    np.testing.assert_array_equal(trace["mask"], [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])


@pytest.mark.parametrize("before", [0, 2])
def test_a_running_sum_comes_from_the_rows_up_to_its_own(before: int) -> None:
    entry = REGISTRY["a running state, later rows" if before else "a running state"]
    trace = linear_attention(before).run(entry.inputs())
    for i in range(trace["state"].shape[1]):
        found = trace.sources("state", (0, i, 1, 0))["pairs"]
        assert found == [(0, j, 1, 0) for j in range(i + before + 1)]
        expected = sum(np.outer(trace["K"][0, j], trace["V"][0, j]) for j in range(i + before + 1))
        np.testing.assert_allclose(trace["state"][0, i], expected, rtol=1e-12)


def translation() -> Trace:
    """Queries of one sentence, keys of another."""
    axes = {
        "h": AXES["h"], "k": AXES["k"],
        "i": Axis("target position", POSITION, "query", "L_q"),
        "j": Axis("source position", POSITION, "key", "L_k", tokens="source"),
    }  # fmt: skip
    program = Program(
        (Input("Q", "h i k", said, role="query"), Input("K", "h j k", said, role="key")),
        (Step("scores", matmul_transposed("h i k, h j k -> h i j"), ("Q", "K"), said),),
        (Phase("Given", ("Q",), "Two texts."), Phase("Score", ("scores",), "Crossed.")),
        {"h": 1},
        axes,
    )
    draw = np.random.default_rng(1)
    arrays = {"Q": draw.normal(size=(1, 2, 3)), "K": draw.normal(size=(1, 4, 3))}
    source = {"source": ("der", "Hund", "der", "schlief")}
    return program.run(Inputs(arrays, ("the", "dog"), more_tokens=source))


def test_two_sentences_stand_on_one_stage() -> None:
    trace = translation()
    data = stage_data(trace, "scores", (0, 1, 2))
    scores = drawn(data, "scores")
    assert scores["rowLabels"] == ["the", "dog"]
    assert scores["colLabels"] == ["der₁", "Hund", "der₂", "schlief"]
    assert drawn(data, "K")["colLabels"] == scores["colLabels"]
    assert cell_name(trace, "scores", (0, 1, 2)) == "scores[dog, der₂]"
    assert carried(trace, "K", "scores", (0, 1, 2), {"h": 0}) == (0, 2, 0)
    assert carried(trace, "K", "Q", (0, 1, 2), {"h": 0}) == (0, 0, 2)
    assert (scores["rowWord"], scores["colWord"]) == ("query", "key")


def test_a_phase_that_holds_others_is_one_stop_that_opens() -> None:
    program = nested_block()
    titles = [phase.title for phase in program.stops("X")]
    assert titles == ["Given", "A block", "After"]
    opened = ["Given", "Once", "Twice", "After"]
    assert [phase.title for phase in program.stops("once")] == opened
    assert [phase.title for phase in program.stops("twice")] == titles
    assert [phase.title for phase in program.stops("twice", opened=True)] == opened
    trace = REGISTRY["a block that opens"].run()
    closed = stage_data(trace, "twice", (0, 0))
    assert [phase["title"] for phase in closed["phases"]] == titles
    assert closed["phase"] == 1
    assert closed["phases"][1]["opens"] == "once"
    assert [view["name"] for view in closed["focus"]["row"]] == ["X", "twice"]
    assert [[view["name"] for view in part] for part in closed["strip"]][1] == ["X", "twice"]
    inside = stage_data(trace, "twice", (0, 0), opened=True)
    assert [phase["inside"] for phase in inside["phases"]] == [False, True, True, False]
    assert inside["phase"] == 2
    assert [view["name"] for view in inside["focus"]["row"]] == ["once", "Y", "twice"]


def test_stacked_layers_know_which_letters_a_person_chooses() -> None:
    assert stacked_layers().sliced == ("l", "h")
    assert cached_step(1).sliced == ("h",)  # g serves h, and follows it


@pytest.mark.parametrize("name", list(REGISTRY))
def test_every_array_of_every_program_can_be_looked_at(name: str) -> None:
    trace = REGISTRY[name].run()
    for array, values in trace.items():
        cell = tuple(size - 1 for size in values.shape)
        data = stage_data(trace, array, cell)
        json.dumps(data, allow_nan=False)
        assert data["phases"][data["phase"]]["names"]
        focus = data["focus"]
        columns = [view for column in focus["columns"] for view in column.values()]
        views = [*focus["row"], *columns, *([focus["left"]] if focus["left"] else [])]
        for view in views:
            texts = np.array(view["text"]).reshape(view["rows"], view["cols"])
            texts = texts.T if view["transposed"] else texts
            shown = shown_matrix(trace, view["name"], tuple(view["prefix"]))
            assert texts.tolist() == shown, (array, view["name"])
            assert len(view["rowLabels"]) == view["rows"]
            assert len(view["colLabels"]) == view["cols"]


def test_a_vector_is_a_matrix_of_one_row() -> None:
    trace = REGISTRY["a running state"].run()
    view = drawn(stage_data(trace, "read", (0, 0, 0, 0)), "bias")
    assert (view["rows"], view["cols"], view["vector"]) == (1, 2, True)
    assert view["text"] == flat(shown_matrix(trace, "bias"))
