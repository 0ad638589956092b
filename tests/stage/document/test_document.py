"""What the stage is told of a run: layout, labels, stops; of programs that no page shows yet.

What the browser makes of it is compared with the core in tests/browser/test_run.py.
"""

import json
from base64 import b64decode
from typing import Any

import numpy as np
import pytest

from core import Program, Trace
from core.attention.axes import AXES
from core.attention.layers.decoding import decoding_program
from core.attention.setups import Setup
from core.operations.products import affine, matmul_transposed
from core.program import code, inputs, labels
from core.program.axes import POSITION, Axis
from core.program.numbers import display, rounding
from core.program.steps import Input, Phase, Step
from stage.document import colour_levels, document, other_runs, places
from tests.programs import linear_attention, nested_block, said
from tests.quotes import proves
from tests.registry import REGISTRY
from tests.sampling import some


def told_of(trace: Trace, array: str = "") -> document.WrittenData:
    """What the stage is told of a run, which opens at this array or its last one."""
    name = array or trace.program.steps[-1].name
    return document.document(trace, (name, (0,) * trace[name].ndim))


def test_two_axes_may_be_sliced_at_once() -> None:
    trace = REGISTRY["layers of heads"].run()
    assert trace.program.sliced == ("l", "h")
    assert decoding_program(2, 1).sliced == ("h",)  # g serves h, and follows it
    for layer in (0, 1):
        for head in (0, 2):
            cell = places.carried(trace, "summed", "A", (0, 0, 1, 1), {"l": layer, "h": head})
            assert cell == (layer, head, 1, 1)
    assert labels.cell_name(trace, "summed", (1, 2, 0, 1)).endswith("of head 3 of layer 2")


def decoding(cached: int = 3) -> Trace:
    entry = REGISTRY["a decoder's step, several new"]
    tokens = ("the", "cat", "sat", "on", "mats")
    return decoding_program(2, cached).run(inputs.Inputs(entry.inputs(), tokens))


def test_a_decoders_last_query_is_labelled_with_its_own_token() -> None:
    trace = decoding()
    keys = ["the", "cat", "sat", "on", "mats"]
    assert labels.axis_labels(trace, "weights")[1:] == [["on", "mats"], keys]
    axes = document.document(trace, ("weights", (0, 1, 4)))["axes"]
    assert (axes["i"]["labels"], axes["j"]["labels"]) == (["on", "mats"], keys)
    assert labels.cell_name(trace, "scores", (0, 1, 0)) == "scores[mats, the] of head 1"
    assert "# mats" in code.script.numpy_script(trace)
    # Of a group of heads on show, its first.
    grouped = Setup(heads=4, kv_heads=2).trace
    assert [places.around(grouped, "K", (1, 2, 0), {"h": h})["h"] for h in range(4)] == [2, 2, 2, 3]
    # Going from a query to what stands for the same token among the keys.
    assert places.carried(trace, "K", "Q", (0, 1, 0), {"h": 0}) == (0, 4, 0)
    assert places.carried(trace, "Q", "K", (0, 4, 1), {"h": 1}) == (1, 1, 1)


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
        "h": AXES["h"],
        "k": AXES["k"],
        "i": Axis("target position", POSITION, "query", "L_q"),
        "j": Axis("source position", POSITION, "key", "L_k", tokens="source"),
    }
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
    return program.run(inputs.Inputs(arrays, ("the", "dog"), more_tokens=source))


def test_two_sentences_stand_on_one_stage() -> None:
    trace = translation()
    axes = document.document(trace, ("scores", (0, 1, 2)))["axes"]
    assert axes["i"]["labels"] == ["the", "dog"]
    assert axes["j"]["labels"] == ["der₁", "Hund", "der₂", "schlief"]
    assert (axes["i"]["word"], axes["j"]["word"]) == ("query", "key")
    assert labels.cell_name(trace, "scores", (0, 1, 2)) == "scores[dog, der₂]"
    assert places.carried(trace, "K", "scores", (0, 1, 2), {"h": 0}) == (0, 2, 0)
    assert places.carried(trace, "K", "Q", (0, 1, 2), {"h": 0}) == (0, 0, 2)


def test_what_may_be_typed_into_and_painted_is_what_was_named_and_is_an_input() -> None:
    drawn = Setup(mask="custom", edits={"mask": np.eye(6, dtype=bool)}).trace
    for trace, painted in ((drawn, {"mask"}), (Setup().trace, set())):
        for names in ((), ("X", "W_Q")):
            told = document.document(trace, ("X", (0, 0)), editable=names, paint="mask")["arrays"]
            assert {name for name in told if told[name]["paint"]} == painted
            assert {name for name in told if told[name]["editable"]} == {*names}
    untold = document.document(drawn, ("X", (0, 0)))["arrays"]
    assert not any(array["paint"] or array["editable"] for array in untold.values())


def test_a_phase_that_holds_others_is_one_stop_that_opens() -> None:
    program = nested_block()
    titles = [phase.title for phase in program.stops("X")]
    assert titles == ["Given", "A block", "After"]
    opened = ["Given", "Once", "Twice", "After"]
    assert [phase.title for phase in program.stops("once")] == opened
    assert [phase.title for phase in program.stops("twice")] == titles
    assert [phase.title for phase in program.stops("twice", opened=True)] == opened
    phases = document.document(REGISTRY["a block that opens"].run(), ("once", (0, 0)))["phases"]
    assert [phase["title"] for phase in phases] == titles
    assert [phase["title"] for phase in phases[1]["phases"]] == ["Once", "Twice"]
    assert phases[1]["focus"]["row"] == phases[1]["minis"] == ["X", "twice"]
    assert phases[1]["phases"][1]["focus"]["row"] == ["once", "Y", "twice"]


BIASED = [
    name
    for name, entry in REGISTRY.items()
    if any(isinstance(step.operation, affine) for step in entry.program.steps)
]


@pytest.mark.parametrize("name", sorted({*some(list(REGISTRY), 8, 2), *some(BIASED, 6)}))
def test_every_array_of_every_program_is_told_whole(name: str) -> None:
    """Beside a product stands all that it is made of, its bias too."""
    trace = REGISTRY[name].run()
    told = json.loads(told_of(trace).text)
    json.dumps(told, allow_nan=False)
    assert list(told["arrays"]) == list(trace)
    for array, values in trace.items():
        texts = told["arrays"][array]["texts"].split(" ")
        assert texts == [display.shown(trace, array, cell) for cell in np.ndindex(values.shape)]
        assert len(b64decode(told["arrays"][array]["levels"])) == values.size
        for letter, size in zip(trace.program.letters[array], values.shape, strict=True):
            assert len(told["axes"][letter]["labels"]) == size
    drawn: set[str] = set()
    for stop in every_stop(told["phases"]):
        focus, columns = stop["focus"], stop["focus"]["columns"]
        beside = {*focus["row"], focus["left"], *(column["above"] for column in columns)}
        results = {column["result"] for column in columns}
        drawn |= beside | results
        if not stop["phases"]:
            for result in results:
                assert {*trace.program.step[result].operands} <= beside, result
    made = {n for phase in trace.program.phases for inner in phase.innermost() for n in inner.names}
    assert made <= drawn


def every_stop(phases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [p for phase in phases for p in (phase, *every_stop(phase["phases"]))]


def test_what_is_given_stands_without_what_would_have_made_it() -> None:
    given = Setup(edits={"scores": np.arange(72.0).reshape(2, 6, 6) / 7}).trace
    phases = {p["title"]: p["focus"] for p in told_of(given, "scores")["phases"]}
    assert phases["Score every pair"] == {"row": ["scores"], "left": "", "columns": []}
    keys = Setup(edits={"K": np.ones((2, 6, 4))}).trace
    phases = {p["title"]: p["focus"] for p in told_of(keys, "scores")["phases"]}
    projected = phases["Project to Q, K, V"]
    assert projected["row"] == ["K"]
    assert [column["result"] for column in projected["columns"]] == ["Q", "V"]


def test_a_document_has_an_id_that_changes_with_anything_in_it() -> None:
    opening = "scores", (0, 2, 1)
    first = document.document(Setup().trace, opening)
    assert document.document(Setup().trace, opening) == first
    others = [
        document.document(Setup(seed=1).trace, opening),
        document.document(Setup().trace, ("X", (0, 0))),
        document.document(Setup().trace, opening, badge="mine"),
        document.document(Setup().trace, opening, editable=("X",)),
    ]
    assert len({told["id"] for told in (first, *others)}) == 5


def test_past_1024_numbers_a_matrix_has_colours_only() -> None:
    texts = [" ".join(f"w{n}" for n in range(count)) for count in (33, 32)]
    longer, shorter = (Setup(text=text, d_model=32).trace for text in texts)
    few = {name for name in longer if longer[name].shape[-2] * longer[name].shape[-1] <= 1024}
    arrays = told_of(longer, "scores")["arrays"]
    assert {name for name, array in arrays.items() if array["texts"]} == few
    assert all(a["texts"] for a in told_of(shorter, "X")["arrays"].values())


@proves("{count} of {size} numbers of {array} differs differ, by up to {most}")
@pytest.mark.parametrize("name", some(list(REGISTRY), 20))
def test_differences_are_here_less_there(name: str) -> None:
    here, there = REGISTRY[name].run(), REGISTRY[name].run(1.3)
    found = other_runs.differences(here, there)
    for array in here:
        if here[array].dtype == bool:
            assert array not in found["changes"]
            continue
        changes = found["changes"].get(array, [""] * here[array].size)
        matrix = int(np.prod(here[array].shape[-2:]))
        for n, cell in enumerate(np.ndindex(here[array].shape)):
            a, b = here[array][cell], there[array][cell]
            if not changes[n]:
                noise = max(1e-9, here.noise[array])
                assert np.array_equal(a, b, equal_nan=True) or abs(a - b) <= noise
            elif np.isfinite([a, b]).all():
                assert changes[n][0] == ("+" if a > b else "-")
                assert changes[n][1:] == rounding.cell_text(abs(a - b), here.noise[array])
            else:
                assert changes[n] == f"was {display.shown(there, array, cell)}"
        for n, sentence in enumerate(found["said"][array]):
            count = sum(map(bool, changes[n * matrix : (n + 1) * matrix]))
            assert sentence.startswith(f"{count} of {matrix} numbers of {array} differ")
            sizes = [change[1:] for change in changes[n * matrix : (n + 1) * matrix] if change]
            if sizes and "was" not in "".join(changes):
                assert sentence.endswith(f"by up to {max(sizes, key=float)}")
    assert found["first"] == next(step for step in here.steps if step in found["changes"])


def test_rows_drawn_at_random_have_no_colour_and_no_title_with_a_feature() -> None:
    trace = Setup(preset="river-bank", text="zebra sat by the quay bank").trace
    told = told_of(trace, "X")["arrays"]
    for name in ("X", "output"):
        levels = np.frombuffer(b64decode(told[name]["levels"]), np.uint8).reshape(6, -1)
        assert (levels[[0, 4]] == colour_levels.RANDOM).all()
        assert (levels[[1, 2, 3, 5]] <= 2 * colour_levels.LEVELS).all()
        title = ["A number of ", "row", ", whose row is drawn at random"]
        assert told[name]["randomTitle"] == title
    for name in set(told) - {"X", "output"}:
        assert colour_levels.RANDOM not in b64decode(told[name]["levels"]), name
        assert not told[name]["randomTitle"]
