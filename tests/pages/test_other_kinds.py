"""The page on other kinds: as it opens, and as an older link or another page's sentence has it."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from core.attention.setups import DEFAULT_TEXT
from tests.sampling import three
from tests.ui import plain_kinds
from tests.ui.support import changed, opened, prose, stages, told, untouched

NOTICE = re.compile(r"Notice\.\W+(\w+)\W+ reads most from (.*)")
OLD = {
    "kinds_text": DEFAULT_TEXT, "kinds_brackets": "pairs", "kinds_features": "none",
    "kinds_part": "distance", "kinds_score": "dot", "kinds_mixer": "attention",
    "kinds_first": "turned", "kinds_step": "weights", "kinds_flips": "3",
}  # fmt: skip


def noticed(page: AppTest) -> tuple[str, list[tuple[str, float]]]:
    """Who reads, and of each kind what it reads most and with which weight."""
    said = re.sub(r"\[([^\]]*)\]\(#[^)]*\)", r"\1", prose(page).replace("\\", ""))
    found = NOTICE.search(said)
    assert found, said
    tokens = re.findall(r"\*(\S+)\* \(([\d.]+)\)", found[2])
    return found[1], [(token, float(weight)) for token, weight in tokens]


def test_the_untouched_page_asks_each_kind_whether_bank_reads_river() -> None:
    page = untouched("other_kinds")
    reader, read = noticed(page)
    assert (reader, [token for token, _ in read]) == ("bank", ["river"] * 3 + ["bank"])
    kinds = plain_kinds.all_kinds(page.session_state.kinds_text, "hand")
    assert [weight for _, weight in read] == [
        pytest.approx(weights[5].max(), abs=0.005) for weights in kinds.values()
    ]
    ((board,),) = told(page, "weight_maps")
    assert (board["row"], board["labels"][board["row"]]) == (5, "bank")
    assert not any("Random weights" in caption.value for caption in page.caption)


@pytest.mark.parametrize(("key", "value"), three([*OLD.items()]))
def test_an_old_link_shows_the_drawn_numbers_that_it_showed(key: str, value: str) -> None:
    page = opened("other_kinds", **{key: value})
    read = [("the", 0.25), ("the", 0.41), ("cat", 0.43), ("mat", 0.5)]
    assert noticed(page) == ("mat", read)
    assert page.session_state.kinds_matrices == "drawn"
    assert stages(page)[0].document["arrays"]["X"]["shape"] == [6, 4]
    assert any("Random weights" in caption.value for caption in page.caption)


def test_an_old_link_with_the_sentence_of_today_has_drawn_numbers_too() -> None:
    page = opened("other_kinds", kinds_text="we sat by the river bank", kinds_part="score")
    assert stages(page)[0].document["arrays"]["X"]["shape"] == [6, 4]
    kinds = plain_kinds.all_kinds("we sat by the river bank", "drawn")
    assert [weight for _, weight in noticed(page)[1]] == [
        pytest.approx(weights[-1].max(), abs=0.005) for weights in kinds.values()
    ]


@pytest.mark.parametrize("part", ["score", "distance"])
def test_the_matrices_are_chosen_once_for_all_stages(part: str) -> None:
    page = opened("other_kinds", kinds_part=part, kinds_matrices="hand", kinds_text="the pool")
    (choice,) = (one for one in page.get("button_group") if one.proto.id.endswith("kinds_matrices"))
    assert choice
    for shown in stages(page):
        assert shown.document["arrays"]["X"]["shape"] == [2, 8]
        assert "kinds_matrices" not in [toggle["key"] for toggle in shown.document["toggles"]]
    changed(page, kinds_matrices="drawn")
    for shown in stages(page):
        assert shown.document["arrays"]["X"]["shape"] == [2, 4]
    assert page.query_params["kinds_matrices"] == "drawn"


def test_phi_is_explained_before_it_is_used() -> None:
    said = (getattr(one, "value", "") for one in untouched("other_kinds").main)
    with_phi = [text for text in said if "φ" in str(text) or "\\phi" in str(text)]
    assert with_phi[0].startswith("**Linear attention** leaves $e^x$ out. A function $\\phi$ keeps")


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("Additive score", "applies tanh to each sum"), ("Convolution", "mixes nearby rows"),
        ("Paint a memory", "stored three pictures"), ("Hopfield energy", "The energy goes from"),
        ("Hopfield as attention", "modern Hopfield network"),
    ],
)  # fmt: skip
def test_each_part_is_called_what_it_is_about(name: str, about: str) -> None:
    page = opened("other_kinds")
    (parts,) = (one for one in page.get("button_group") if one.proto.id.endswith("kinds_part"))
    at = [option.content for option in parts.proto.options].index(name)
    changed(page, kinds_part=["score", "distance", "paint", "rest", "memory"][at])
    assert about in prose(page)


def test_of_21_weights_and_6_rows_each_column_counts_its_own() -> None:
    (table,) = re.findall(r"(?m)^\|.*weights that change.*(?:\n\|.*)+", prose(opened(
        "other_kinds", kinds_part="distance", kinds_text=DEFAULT_TEXT)))  # fmt: skip
    head, _, *rows = ([cell.strip() for cell in row.split("|")] for row in table.splitlines())
    for row in rows:
        said = dict(zip(head, row, strict=True))
        assert said["weights that change"].endswith(" of 21")
        assert said["rows that change"].endswith(" of 6")
