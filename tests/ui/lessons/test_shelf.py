"""Built-in lessons keep what they promise; links of scenes stay inside the product."""

import html
import re
from collections import Counter
from functools import partial
from urllib.parse import urlsplit

import pytest

from core.attention.glossary import GLOSSARY
from core.attention.phases import PHASES
from core.errors import InputError
from core.files.lesson import MARKS, MAX_LESSON_BYTES, term_of
from core.path import PATH
from core.practice_set import SET_SIZE, mixed_set
from core.program.labels import MARKED_TOKEN
from tests.quotes import proves
from tests.sampling import some, three
from tests.ui.support import changed, keys_read, opened, stages, told, unopened, untouched, warned
from ui import directions, lessons, page_texts
from ui.classroom.questions.asked import asked_question
from ui.lessons import course
from ui.lessons.printed_lesson import plan, practice_of
from ui.lessons.scene_words import markdown
from ui.lessons.shelf import LESSON_NAMES, LinkTarget, place_of, read_own, shipped
from ui.links import path

FIRST = "from-nothing"
THIS_COMPUTER = page_texts.plain_ui_texts("lessons")("plan_this_computer")
LINK = "?text=red+ball&step=weights"
HERE = "https://example.org/"
NASTY = "<img src=x onerror=alert(1)> * x $x^2$ :red: https://example.org (i) _u_ # h"


def test_a_class_takes_the_minutes_that_its_title_says() -> None:
    lesson = shipped("class")
    assert f"{lesson.minutes:g}-minute" in lesson.title
    assert len(lesson.scenes) >= 10
    assert all((scene.answer or scene.note) and scene.task for scene in lesson.scenes)
    assert len(COVERED) >= 5


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_a_scene_that_asks_has_an_answer(name: str) -> None:
    for scene in shipped(name).scenes:
        assert scene.answer or "?" not in scene.task, scene.title


@proves("""
    answer: the answer, in a fold. It is hidden when the page is projected. note: for the teacher,
    and printed in the plan. It is hidden when the page is projected
""")
def test_an_answer_stands_under_that_word_and_a_note_under_its_own() -> None:
    page = opened("walkthrough", lesson="class.2")
    panels = {panel.label: panel.markdown[0].value for panel in page.expander if panel.markdown}
    scene = shipped("class").scenes[1]
    assert panels["Answer"] == markdown(scene.answer)
    assert panels["Teacher's note"] == markdown(scene.note)
    page.query_params["present"] = "1"
    assert not {"Answer", "Teacher's note"} & {panel.label for panel in page.run().expander}


def forms(term: str) -> str:
    """A term as it stands in a sentence: one or many."""
    word = term.replace("-", "[- ]")
    return rf"{word[:-1]}(y|ies)" if word.endswith("y") else rf"{word}(s|es)?"


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_no_term_is_used_before_it_is_explained(name: str) -> None:
    scenes = shipped(name).scenes
    said = " ".join(f"{scene.title}. {scene.words} {scene.task}" for scene in scenes)
    for term in GLOSSARY:
        marks = [mark for mark in MARKS.finditer(said) if term_of(mark) == term]
        explained = marks[0].start() if marks else len(said)
        told = MARKS.sub(lambda mark: " " * len(mark[0]) if not mark["said"] else mark[0], said)
        used = re.search(rf"(?<![\w-]){forms(term)}(?![\w-])", told[:explained], re.IGNORECASE)
        assert not used, f"{term}: …{said[max(0, used.start() - 40) : used.end() + 20]}…"


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_scenes_know_the_keys_of_their_pages_and_name_what_their_stages_have(name: str) -> None:
    scenes = list(enumerate(shipped(name).scenes, start=1))
    for _, scene in scenes:
        lessons.shelf.check_names(scene, place_of(scene.link))
    for at, scene in some(scenes, 2):
        place = place_of(scene.link)
        page = opened(place.page, lesson=f"{name}.{at}")
        assert warned(page) == [], scene.title
        unknown = [key for key in place.params if key not in page.session_state]
        assert unknown in ([], ["question"]), (scene.title, unknown)


@proves("Whatever comes before the page's own part of the link is ignored")
@pytest.mark.parametrize(
    ("link", "place"),
    [
        ("", LinkTarget(path.HOME, {})),
        ("?step=X&text=a+b", LinkTarget(path.HOME, {"step": "X", "text": "a b"})),
        ("why-mask?mask_text=a", LinkTarget("why_mask", {"mask_text": "a"})),
        ("http://localhost:8501/why-mask?mask_text=a&present=1",
         LinkTarget("why_mask", {"mask_text": "a"})),
        ("https://example.org/attention/?mask=none", LinkTarget(path.HOME, {"mask": "none"})),
        ("javascript:alert(1)/softmax", LinkTarget("softmax", {})),
        ("//example.org/heads#x", LinkTarget("heads", {}, "x")),
    ],
)  # fmt: skip
def test_a_link_leads_to_a_page_whatever_stands_before_it(link: str, place: LinkTarget) -> None:
    assert place_of(link) == place


@pytest.mark.parametrize(
    "link", ["https://example.org/x", "nowhere?x=1", "../etc/passwd", "http://["]
)
def test_a_link_to_no_page_is_refused(link: str) -> None:
    with pytest.raises(InputError, match="leads to no page"):
        place_of(link)


def test_a_link_that_was_copied_inside_a_lesson_is_its_scene_with_what_is_on_top() -> None:
    at = next(n for n, s in enumerate(shipped("class").scenes) if "preset=P4&" in s.link)
    under = place_of(shipped("class").scenes[at].link)
    found = place_of(f"?lesson=class.{at + 1}&mask=none")
    assert found == LinkTarget(path.HOME, {**under.params, "mask": "none"})
    with pytest.raises(InputError, match="in somebody's own file"):
        place_of("?lesson=own.1")


@pytest.mark.parametrize("asked", ["class", "class.0", "class.11", "class.²", "class.1e1", "x.1",
                                   "own.1", "class." + "9" * 5000, "<b>"])  # fmt: skip
def test_a_scene_that_there_is_not_is_refused(asked: str) -> None:
    with pytest.raises(InputError) as error:
        lessons.shelf.scene_named(asked)
    assert error.value.remedy


def test_a_page_is_asked_about_the_stage_that_its_keys_name() -> None:
    assert place_of("softmax?softmax_over_cell=weights.0.0.0").stage == "softmax_over_stage"
    assert place_of("?cover=weights").stage == "stage"
    assert place_of("words?words_steps=3").stage == ""


def test_a_file_of_ones_own_is_read() -> None:
    assert read_own(own(LINK)) == read_own(b"\xef\xbb\xbf" + own(LINK))
    for name in LESSON_NAMES:
        assert read_own(lessons.shelf.source(name).encode()) == shipped(name)


def own(link: str, **fields: str) -> bytes:
    """A lesson of one scene that leads there."""
    told = {"title": "S", "say": "W", "link": link} | fields
    scene = "".join(f"{name} = '{text}'\n" for name, text in told.items())
    return f'title = "T"\n[[scene]]\nminutes = 1\n{scene}'.encode()


NO_ARRAY = "no stage of its page has that array"


@pytest.mark.parametrize(
    ("data", "values", "remedy"),
    [
        (b"\xff\xfe\x00", ["The file is no text"], "UTF-8"),
        (b"x" * (MAX_LESSON_BYTES + 1), [f"more than {MAX_LESSON_BYTES:,} bytes"], "split"),
        (own("https://example.org/x"), ["Scene 1: the link"], "choose words"),
        (own(LINK, say="Is {no.0.0}."), ["Scene 1: say has {no.0.0}", NO_ARRAY], "choose X, W_Q"),
        (own(LINK, say="See {nope}."), ["Scene 1: say has {nope}", NO_ARRAY], "choose X, W_Q"),
        (own(LINK, say="See {result}."), ["Scene 1: say has {result}", NO_ARRAY], "choose X, W_Q"),
        (own(LINK, do="See {nope}."), ["Scene 1: do has {nope}", NO_ARRAY], "choose X, W_Q"),
        (own(LINK, note="See {nope}."), ["Scene 1: note has {nope}", NO_ARRAY], "choose X, W_Q"),
        (own(LINK, until="nope"), ["Scene 1: until is 'nope'", NO_ARRAY], "choose X, W_Q"),
        (own("words?words_steps=3", say="{parts.0}"), ["has {parts.0}", NO_ARRAY], "choose"),
        (own("softmax?softmax_over_step=weights", say="{portions}"), [NO_ARRAY], "choose X"),
        (own("practice", say="{weights}"), ["Scene 1: say has {weights}"], "leave it out"),
    ],
)
def test_a_file_with_unknown_names_is_refused(data: bytes, values: list[str], remedy: str) -> None:
    with pytest.raises(InputError) as error:
        read_own(data)
    assert all(value in str(error.value) for value in values)
    assert remedy in error.value.remedy


@pytest.mark.parametrize("cell", ["weights.0.9.0", "weights.0.1.0.0", "weights.0.1"])
def test_a_cell_that_a_scene_names_and_the_run_does_not_have_is_said(cell: str) -> None:
    lesson = read_own(own(LINK, say=f"See {{weights.0.1.0}} and {{{cell}}} in {{weights}}."))
    (why,) = warned(changed(unopened("walkthrough", lesson="own.1"), own_lesson=lesson))
    assert f"names '{cell}', but the stage has no such cell" in why


@pytest.mark.parametrize("page", three([*PATH, "practice"]))
def test_a_file_may_name_every_array_that_a_page_shows(page: str) -> None:
    link = path.address_of(page).removeprefix("./")
    for shown in stages(untouched(page)):
        for name in shown.document["arrays"]:
            assert read_own(own(link, say=f"See {{{name}}}.", until=name)).scenes, name


@pytest.mark.parametrize("page", some([*PATH, "practice"], 3))
def test_the_keys_of_a_page_are_known_without_showing_it(page: str) -> None:
    assert set(path.keys_of(page)) == set(keys_read(page))


def test_by_next_alone_the_lesson_from_nothing_comes_to_every_step() -> None:
    steps = {place_of(scene.link).params.get("step") for scene in shipped(FIRST).scenes}
    for phase in PHASES:
        assert steps & set(phase.names), phase.title


def test_the_words_of_a_scene_are_text_but_for_its_marks() -> None:
    told = markdown(f"{NASTY}\n\n{{weights.0.1.0}} of {{V}} by [Softmax] of *cat*")
    first, second = told.split("\n\n")
    for mark in ("<", "*", "$", ":", "!", "_", "#"):
        assert not re.search(rf"(?<!\\){re.escape(mark)}", first), mark
    assert second == (
        "[weights.0.1.0](#stage-weights.0.1.0) of [V](#stage-V) by [Softmax](#term-softmax) "
        "of *cat*"
    )
    assert markdown(f"{NASTY} {{V}}") == f"{first} [V](#stage-V)"


NUMBERS = {
    5: {"V.0.0.0": "6.00", "V.0.0.1": "0.00", "V.0.1.0": "0.00", "V.0.1.1": "6.00",
        "V.0.2.0": "12.00", "V.0.2.1": "−6.00"},
    8: {"weights.0.2.1": "1.00", "weights.0.2.0": "2e−9"},
    0: {"X.5.0": "0.40", "X.5.1": "0.40"},
}  # fmt: skip
"""What is printed of the class's numbers, by scene."""


def in_print(at: int, mark: re.Match[str]) -> str:
    return NUMBERS[at][mark["place"]] if mark["place"] else mark[0].strip("[]*")


def test_a_plan_says_what_scenes_say_when_each_begins_and_leads_to_them_and_a_worksheet() -> None:
    lesson = shipped("class")
    sheet = plan("class", lesson, HERE)
    plainly, begun = re.sub(r"</?em>|<math>.*?</math>", "", sheet), 0.0
    for at, scene in enumerate(lesson.scenes):
        assert f"<td>{begun:g}′</td><td><strong>{at + 1}. " in sheet
        link = HERE + course.ScenePosition("class", lesson, at).address(at).removeprefix("./")
        assert sheet.count(f'<a href="{link}">{link}</a>') == 1
        assert sheet.count(f'href="{link}&amp;present=1"') == 1
        assert urlsplit(link).query == f"lesson=class.{at + 1}"
        spoken = MARKS.sub(partial(in_print, at), scene.words)
        first = html.escape(re.sub(r"\]\([^)]*\)|√?d_k", "", spoken).strip().split("\n")[0])
        assert first in plainly, scene.title
        begun += scene.minutes
    for word, part in (("Answer", "answer"), ("Note", "note")):
        told = sum(bool(getattr(scene, part)) for scene in lesson.scenes)
        assert sheet.count(f"<strong>{word}.</strong>") == told
    assert "<svg" in sheet
    assert not [mark for mark in (html.escape(THIS_COMPUTER), "[token", "▢") if mark in sheet]
    assert "{" not in sheet.partition("<body>")[2]
    chapters = "words.softmax.walkthrough.why_mask"
    assert f"practice?practice_chapters={chapters}&amp;practice_questions=" in sheet


@proves("The code opens the first scene on a phone, without answers and notes")
def test_the_code_of_a_plan_is_the_students(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("ui.lessons.printed_lesson.link_code", asked.append)
    plan("class", shipped("class"), HERE)
    assert asked == [f"{HERE}words?lesson=class.1&role=student"]


def about(link: str) -> set[str]:
    """The chapters that a scene is about: where it leads, and those of the step that it shows."""
    place = place_of(link)
    arrays = {place.params.get(key, "").split(".")[0] for key in ("step", "cover")}
    of_steps = {name for name, chapter in PATH.items() if arrays & {*chapter.explains}}
    own = place.params.get("practice_chapters", "").split(".")
    return {place.page, *own} | of_steps


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_each_built_in_lesson_has_a_worksheet_over_the_chapters_of_its_scenes(name: str) -> None:
    lesson = shipped(name)
    keys = practice_of(lesson)
    page = opened("practice", **keys)
    assert any("exit quiz" in str(one) for one in told(page, "class_button"))
    assert not page.warning
    chosen = keys["practice_chapters"].split(".")
    assert set(chosen) <= set.union(*(about(scene.link) for scene in lesson.scenes))
    only = keys.get("practice_questions", "").split(".") if "practice_questions" in keys else ()
    for seed in some(range(20), 5):
        kinds = Counter(asked.title for asked in mixed_set(chosen, seed, only=only))
        assert kinds.total() == SET_SIZE
        assert max(kinds.values()) <= 2, kinds


def test_a_plan_from_an_address_that_nobody_else_can_open_says_so() -> None:
    sheet = plan("class", shipped("class"), "http://localhost:8501/")
    assert html.escape(THIS_COMPUTER) in sheet
    assert "<svg" not in sheet
    assert "The code" not in sheet


def test_a_plan_of_somebodys_own_is_text_and_has_links_that_anybody_can_open() -> None:
    turning = "\u202eevil"
    scenes = own(LINK, title="<script>alert(1)</script>", do=NASTY).partition(b"[[scene]]")[1:]
    sheet = plan("own", read_own(own(LINK, title=turning) + b"".join(scenes)), HERE)
    assert "<script" not in sheet
    assert "<img" not in sheet
    assert f"1. {directions.isolated(turning)}</strong> (1 min)" in sheet
    assert "https://example.org/?text=red+ball&amp;step=weights" in sheet
    assert "lesson=own" not in sheet


def test_every_page_of_the_path_and_a_mixed_set_may_be_a_scene() -> None:
    for name in (*PATH, "practice"):
        assert place_of(path.address_of(name).removeprefix("./")).page == name


CLASS = shipped("class")
COVERED = [n for n, scene in enumerate(CLASS.scenes) if "cover" in place_of(scene.link).params]


@pytest.mark.parametrize("at", range(len(CLASS.scenes)))
def test_each_scene_of_a_class_asks_one_thing(at: int) -> None:
    task = CLASS.scenes[at].task
    assert len(re.findall(r"[.?!](?=\s|$)", task)) == 1, task
    assert not re.search(r"\b(all|each|rows|four)\b", task), task


@pytest.mark.parametrize("at", COVERED)
def test_what_a_room_asks_is_what_the_scene_asks(at: int) -> None:
    """The tokens that a task names are those of the cell that the class is asked for."""
    said = {mark["token"] for mark in MARKS.finditer(CLASS.scenes[at].task) if mark["token"]}
    prompt = asked_question(course.ScenePosition("class", CLASS, at).asked).prompt
    assert said == set(re.findall(MARKED_TOKEN, prompt))


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_a_scene_opens_at_a_cell_that_its_words_speak_of(name: str) -> None:
    """Where they speak of cells of the array that it opens at."""
    for scene in shipped(name).scenes:
        spoken = [mark["place"] or "" for mark in MARKS.finditer(scene.words)]
        opened_at = [v for key, v in place_of(scene.link).params.items() if key.endswith("cell")]
        for cell in opened_at:
            array = cell.partition(".")[0]
            beside = [one for one in spoken if one.startswith(f"{array}.")]
            assert cell in beside or not beside, scene.title


def test_a_scene_says_which_of_how_many_it_is() -> None:
    page = opened("walkthrough", lesson="class.3")
    assert any("scene 3 of 10" in one.value for one in page.caption)
