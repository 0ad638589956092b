"""*Ask the class* under each stage of each page: it asks for the number that the stage covers."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from core.files.lesson import Lesson, Scene
from core.path import PATH
from core.program.labels import parse_cell
from core.questions.answers import Choice
from core.questions.engine import Question, is_askable, mark_answer, parse_answer
from core.questions.saved import question_from_json, question_to_json
from tests.sampling import three
from tests.ui.support import Told, offered, opened, opened_whole, stages
from ui.classroom.questions import class_button
from ui.classroom.questions.asked import asked_question, asked_title
from ui.lessons.shelf import packed_lesson
from ui.links.path import keys_of

DOUBTED = "debug_lab"
DRAWN = "mask_edit"
COVERS = [
    (page, key.removesuffix("cover"))
    for page in PATH
    for key in keys_of(page)
    if key.endswith("cover") and page != DOUBTED
]
LINKED = [
    (page, family.prefix)
    for page, chapter in PATH.items()
    for family in chapter.families.values()
    if family.prefix
]
NONE: Mapping[str, str] = MappingProxyType({})
Asked = dict[str, tuple[str, Callable[[], Question] | None]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the buttons under stages ask, by their place: the link and how the question is made."""
    found: Asked = {}

    def note(
        link: str, place: str, label: str, question: Callable[[], Question] | None = None
    ) -> None:
        if place != "scene":
            found[place] = link, question

    monkeypatch.setattr(class_button, "ask_class", note)
    return found


def covered(page: str, prefix: str, more: Mapping[str, str] = NONE, /, **link: str) -> Told:
    """The stage with that prefix, in a page whose link covers something on it.

    Where it stands in a tab, the link names that tab.
    """
    said = {f"{prefix}{key}": text for key, text in link.items()} | dict(more)
    tabs = [(key, made.reader) for key, made in keys_of(page).items() if key.endswith("_part")]
    of_tabs = [{key: tab} for key, reader in tabs for tab in offered(key, reader)]
    for beside in ({}, *of_tabs):
        for page_of in (opened, opened_whole):
            for told in stages(page_of(page, **said, **beside)):
                if told.config["stage"] == f"{prefix}stage":
                    return told
    raise AssertionError(f"{page}: no stage {prefix}")


def a_result(stage: Told) -> str:
    """The last array of a stage that a step computes, all of whose numbers are on show."""
    arrays, made = stage.document["arrays"], stage.document["operands"]
    return [name for name in made if arrays[name].get("texts")][-1]


@pytest.mark.parametrize(("page", "prefix"), three(COVERS, 1))
def test_a_cover_asks_for_the_number_where_one_looks(page: str, prefix: str, asked: Asked) -> None:
    name = a_result(covered(page, prefix, cover="result"))
    stage = covered(page, prefix, step=name, cover=name)
    address, make = asked[f"{prefix}cover"]
    assert make is not None
    question = make()
    assert is_askable(question)
    array, cell = parse_cell(question.id) or ("", ())
    assert array == name
    if stage.selected.startswith(f"{name}."):
        assert question.id == stage.selected
    told = stage.document["arrays"][name]
    text = str(np.reshape(told["texts"].split(" "), told["shape"])[cell])
    if not isinstance(question.kind, Choice):
        assert mark_answer(question, parse_answer(question, text)).right
    assert f"{prefix}cover={name}" in address
    kept = question_from_json(question_to_json(question))
    for given in (text, "12345"):
        if not isinstance(question.kind, Choice):
            answer = parse_answer(question, given)
            assert mark_answer(kept, answer) == mark_answer(question, answer)
    for name in ("prompt", "kind", "tables"):
        assert getattr(kept, name) == getattr(question, name)


def test_no_cover_no_button(asked: Asked) -> None:
    opened_whole("why_mask")
    assert asked == {}


@pytest.mark.parametrize("case", ["1", "2"])
def test_a_run_with_a_bug_is_not_asked(case: str, asked: Asked) -> None:
    """Its numbers are wrong, and the name of a mistake would say which bug it has."""
    for told in ("", "yes"):
        link = {"lab_case": case, "lab_cover": "scores", "lab_step": "scores", "lab_told": told}
        assert stages(opened(DOUBTED, **link))
        assert asked == {}


def test_only_a_scene_whose_link_asks_the_cover_takes_the_stages_button(asked: Asked) -> None:
    """If only its page has a scene's run, the scene asks its task, and the stage the cell."""
    scenes = [
        Scene("One", "?step=scores&cover=scores", "Look.", 1, "Work it out."),
        Scene("Two", "heads?heads_step=weights&heads_cover=weights", "Look.", 1, "Work it out."),
        Scene("Three", f"why-mask?{DRAWN}_step=weights&{DRAWN}_cover=weights", "Look.", 1, "Say."),
    ]
    packed = packed_lesson(Lesson("Mine", "All", tuple(scenes)))
    opened("walkthrough", lesson="own.1", own=packed)
    opened("heads", lesson="own.2", own=packed)
    assert asked == {}
    opened("why_mask", lesson="own.3", own=packed)
    assert [*asked] == [f"{DRAWN}_cover"]


@pytest.mark.parametrize(("page", "prefix"), three(LINKED))
def test_a_link_asks_what_its_stages_button_asks(page: str, prefix: str, asked: Asked) -> None:
    """Its run is made again without the page, on the link's own sentence."""
    text = {key: "we sat there" for key, made in keys_of(page).items() if made.carried_as}
    name = a_result(covered(page, prefix, {}, cover="result"))
    covered(page, prefix, text, step=name, cover=name)
    address, make = asked[f"{prefix}cover"]
    assert make is not None
    question = make()
    assert asked_question(address) == replace(question, title=asked_question(address).title)
    assert asked_title(address) == question.title
