"""The chapter on queries, keys and values in its starting state and through its controls."""

from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.chapters.queries_keys_values.ladder import RUNGS
from core.chapters.queries_keys_values.lookup import library, lookup_family
from tests.sampling import paired
from tests.ui import support
from tests.ui.support import changed, link_of, prose, refused, stages, told, untouched
from ui.page.prose import typeset_symbols

PARTS = ("lookup", "basis", "sizes", "budget")
opened = partial(support.opened_by, "queries_keys_values")


def test_the_untouched_page_shows_that_scores_need_not_be_symmetric() -> None:
    ladder = stages(untouched("queries_keys_values"))[0]
    assert ladder.step == "X"
    assert ladder.texts("scores").ravel().tolist() == ["0.00"] * 7 + ["4.00", "0.00"]


@pytest.mark.parametrize(("rung", "numbers"), paired(range(1, 5), ["hand", "drawn"]))
def test_each_rung_is_on_the_stage_and_said(rung: int, numbers: str) -> None:
    page = opened(numbers=numbers, rung=str(rung))
    ladder = stages(page)[0]
    toggles = {toggle["key"]: toggle for toggle in ladder.document["toggles"]}
    assert toggles["qkv_rung"]["shows"][str(rung)] == RUNGS[rung - 1].shows
    made = {name for phase in ladder.document["phases"] for name in phase["minis"]}
    assert set(RUNGS[rung - 1].steps) - {"mask"} <= made
    assert typeset_symbols(RUNGS[rung - 1].adds).replace("\\", "") in prose(page)
    expected = {"qkv_rung": str(rung)} if rung != 2 else {}
    expected |= {"qkv_numbers": "drawn"} if numbers == "drawn" else {}
    assert link_of(page) == expected | {"qkv_ladder_step": "scores"}
    assert ladder.selected == "scores.0.2.1"


def test_a_step_that_a_lower_rung_lacks_falls_back_to_the_scores() -> None:
    page = opened(rung="1", ladder_step="masked", ladder_cell="masked.0.2.1")
    assert stages(page)[0].selected == "scores.0.2.1"


@pytest.mark.parametrize("part", PARTS)
def test_a_link_opens_its_part_and_only_that_one(part: str) -> None:
    page = opened(part=part)
    assert page.segmented_control(key="qkv_part").value == part
    assert len(stages(page)) == (2 if part in ("lookup", "basis") else 1)
    assert ("Each fit is multiplied by a number β" in prose(page)) == (part == "lookup")
    assert ("Take an invertible matrix A" in prose(page)) == (part == "basis")
    assert (len(page.table) == 1) == (part == "sizes")
    assert (len(page.get("plotly_chart")) == 1) == (part == "budget")


@pytest.mark.parametrize(("angle", "stretch"), [(30, "2"), (355, "0.25"), (90, "1")])
def test_another_basis_changes_queries_and_keys_and_no_score(angle: int, stretch: str) -> None:
    basis = stages(opened(part="basis", angle=str(angle), stretch=stretch))[1]
    for name, differs in (("Q", True), ("K", True), ("scores", False)):
        assert (basis.changes(name) is not None) == differs
    assert basis.compared == "0 of 36 numbers of scores differ"


def test_sizes_that_do_not_fit_say_why_and_keep_the_last_that_did() -> None:
    def table(page: AppTest) -> list[list[str]]:
        return page.table[0].value.values.tolist()

    assert "12 × 6 × 6" in str(table(opened(part="sizes", heads="12", d_v="4")))
    page = opened(part="sizes", T="5")
    before = table(page)
    assert ["scores", "Q Kᵀ", "heads × T × T", "2 × 5 × 5"] in before
    page.slider(key="qkv_d_q").set_value(3).run()
    assert refused(page)[0].startswith("K has 4 along key feature")
    assert table(page) == before
    assert "Every shape in the table is from a real run" in prose(page)
    page.slider(key="qkv_d_k").set_value(3).run()
    assert not page.error
    assert ["K", "X :red[$W_K$]", "heads × T × $d_k$", "2 × 5 × 3"] in table(page)
    assert "8 × 64 = 512" in prose(page)


def test_controls_keep_their_values_while_another_part_is_open() -> None:
    page = changed(opened(), qkv_beta="8")
    for part in ("budget", "lookup"):
        page.segmented_control(key="qkv_part").set_value(part).run()
        assert not page.exception
    assert page.session_state["qkv_beta"] == "8"
    assert stages(page)[1].document["options"] == {"qkv_beta": "8"}


@pytest.mark.parametrize("word", library().tokens)
def test_the_library_shows_a_search_with_the_weights_of_its_stage(word: str) -> None:
    [[search]] = told(opened(search=word), "soft_library")
    trace = lookup_family().run()
    i = library().tokens.index(word)
    assert search["token"] == word
    parts = [entry["part"] for entry in search["entries"]]
    assert parts == [f"{100 * weight:.0f}" for weight in trace["weights"][0, i]]
    fits = [float(entry["fit"]) for entry in search["entries"]]
    np.testing.assert_allclose(fits, trace["Q"][0, i] @ trace["K"][0].T, atol=0.0051)
    powers = np.exp(2 * np.array(fits))  # as the page says
    np.testing.assert_allclose(powers / powers.sum(), trace["weights"][0, i], atol=0.0051)
    returned = [float(x) for x in search["returned"].strip("()").split(", ")]
    np.testing.assert_allclose(returned, trace["context"][0, i], atol=0.0051)
