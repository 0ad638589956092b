"""Numbers of scenes on paper: each family whose toggles decide all of a stage names that stage."""

import inspect
import sys
from collections.abc import Callable
from typing import Any

import pytest

import ui.stage.exhibit
from core.chapters.words.neighbours import bank_family, reading_family
from core.path import PATH
from core.program.families import Family
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from stage.document.document import document
from tests.sampling import three
from tests.ui.support import offered, opened_whole
from ui.lessons.scene_words import number_of_scene
from ui.links.path import keys_of

FAMILIES = [
    (page, name, family)
    for page, chapter in PATH.items()
    for name, family in chapter.families.items()
]
OTHERWISE = {
    *(f"{name} of recursive_attention" for name in PATH["recursive_attention"].families),
    "edit of why_mask",
}
"""Of these the page makes more of a sentence: one stage of several families, a changed word."""
WITH_STAGE = [(page, family) for page, _, family in FAMILIES if family.prefix]


def maker_of(family: Family) -> Callable[..., Family]:
    name = family.build.__qualname__.partition(".")[0]
    return getattr(sys.modules[family.build.__module__], name)


def test_every_family_whose_toggles_decide_all_names_its_stage_and_no_other_does() -> None:
    assert len(WITH_STAGE) > 5
    found = []
    for page, name, family in FAMILIES:
        given = [*inspect.signature(maker_of(family)).parameters]
        decides = given in ([], ["text"]) and f"{name} of {page}" not in OTHERWISE
        if bool(family.prefix) != decides:
            what = "drop its prefix" if family.prefix else "give it the prefix of its stage"
            found.append(f"{name} of {page}: {what}")
        if family.of_text is not (maker_of(family) if family.prefix and given else None):
            found.append(f"{name} of {page}: `of_text` is what makes it of a sentence")
    assert found == [], "what is to be done"


@pytest.mark.parametrize(
    ("page", "family"), three(WITH_STAGE), ids=lambda part: getattr(part, "prefix", part)
)
def test_the_named_stage_has_it(page: str, family: Family, monkeypatch: pytest.MonkeyPatch) -> None:
    shown_families: dict[str, Family | None] = {}
    stages: dict[str, Family | None] = {}

    def made(trace: Trace, *args: Any, **options: Any) -> dict[str, Any]:
        told = document(trace, *args, **options)
        shown_families[told["id"]] = options.get("family")
        return told

    def drawn(key: str, **told: Any) -> None:
        stages[key] = shown_families[told["document"]["id"]]

    monkeypatch.setattr(ui.stage.exhibit, "document", made)
    monkeypatch.setattr(ui.stage.exhibit, "stage", drawn)
    parts = {
        key: offered(key, key_.reader) for key, key_ in keys_of(page).items() if "_part" in key
    }
    for link in [{key: part} for key, named in parts.items() for part in named] or [{}]:
        assert not opened_whole(page, **link).exception
    seen = stages.get(f"{family.prefix}stage")
    assert seen, f"{page} draws {sorted(stages)}"
    assert seen.build.__qualname__ == family.build.__qualname__


@pytest.mark.parametrize(
    ("link", "trace", "array", "cell"),
    [
        ("words?words_bank_step=output", bank_family().run(), "output", (0, 0)),
        ("words?words_read_step=X&words_neighbour=money",
         reading_family().run(words_neighbour="money"), "average", (5, 1)),
    ],
)  # fmt: skip
def test_numbers_are_the_stages(link: str, trace: Trace, array: str, cell: tuple[int, ...]) -> None:
    name = ".".join(map(str, (array, *cell)))
    assert number_of_scene(link, name) == typeset(shown(trace, array, cell))


def test_a_number_that_only_its_page_can_compute_is_said_to_be_on_the_stage() -> None:
    assert "row 2" in number_of_scene("softmax?softmax_step=weights", "weights.1.0")
