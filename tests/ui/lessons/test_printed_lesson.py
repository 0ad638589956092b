"""A lesson on paper: its worksheet with a right key, and its questions as sheet and quiz."""

import html
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from unittest.mock import Mock

import numpy as np
import pytest

from core.files.lesson import Lesson, Scene
from core.hash_random import Draw
from core.practice_set import QUESTIONS, SET_SIZE
from core.program.trace import Trace
from tests.data import data_of
from tests.sampling import some
from tests.stage.solving_tasks import Task, check_sheet, tasks_of, told_by
from tests.ui.support import opened, prose, told, warned
from ui.lessons import printed_lesson
from ui.lessons.printed_lesson import has_worksheet, lesson_key, lesson_sheet, plan, practice_of
from ui.lessons.scene_words import run_of_scene
from ui.lessons.shelf import LESSON_NAMES, place_of, read_own, shipped
from ui.links.path import HOME

CLASS = shipped("class")
COVERED = [n for n, scene in enumerate(CLASS.scenes) if "&cover=" in scene.link]
HOSTILE = "<img src=x onerror=alert(1)> $\\\\frac{1$ https://evil.example"


def text_of(page: str) -> str:
    """What a page says, without its marks."""
    inside = page.partition("<body>")[2]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", inside)).split())


def test_the_sheet_has_each_task_once_and_no_answer_of_a_scene() -> None:
    sheet = text_of(lesson_sheet("class", CLASS))
    for at in COVERED:
        number = at + 1
        task = CLASS.scenes[at].task.replace("*", "")
        assert sheet.count(f"{number}. {task}") == 1
        assert CLASS.scenes[at].answer.split(". ")[0].replace("*", "") not in sheet
    assert sheet.count("Answer:") == len(COVERED) - 1  # one is a choice
    explained = "2e−9, is scientific notation for 0.000000002"
    assert sheet.count("e−") == sheet.count(explained) == 1
    assert not re.search(r"\de-\d", sheet)
    assert not re.search(rf"(?<![\d.]){len(CLASS.scenes)}\. ", sheet)


def test_whole_numbers_are_whole_thirds_are_fractions_and_others_have_two_decimals() -> None:
    """In its words too. By hand, from P2 and P5: V is whole there, and so are P5's weights."""
    sheet = lesson_sheet("class", CLASS)
    cells = {*re.findall(r"<td[^>]*>([^<]+)</td>", sheet)}
    assert {"2", "0", "1", "4", "12", "−6", "24", "1.10", "0.69", "2.31", "−∞"} <= cells
    assert {"1/3", "2/3", "1/6", "task 2", "task 5"} <= cells
    assert not {"2.00", "24.00", "12.00", "4.00"} & cells
    assert all(re.fullmatch(r"−?(\d+(\.\d\d|/\d)?|∞)|task \d", cell) for cell in cells)
    assert "The values are (6, 0), (0, 6) and (12, −6)." in text_of(sheet)
    assert "of the third token for the second is 1." in text_of(sheet)


def test_symbols_of_its_words_are_typeset_and_so_are_those_of_the_plan() -> None:
    for page in (lesson_sheet("class", CLASS), plan("class", CLASS, "http://a.example/")):
        assert "<msqrt>" in page.partition("Each score is divided by")[2][:60]
        assert "d_k" not in page


def test_no_task_is_asked_twice() -> None:
    for section in lesson_sheet("class", CLASS).split("<section")[1:]:
        sentences = [one.strip() for one in re.split(r"<[^em/]\w*>|</[^em]\w*>", section)]
        plain = [re.sub(r"<[^>]+>|^\d+\. ", "", one) for one in sentences if one.endswith("?")]
        assert len(plain) == len(set(plain)), plain


def test_texts_of_a_lesson_of_ones_own_are_text_on_its_sheet() -> None:
    scene = (
        f'[[scene]]\ntitle = "S"\nminutes = 1\nsay = "{HOSTILE}"\ndo = "{HOSTILE}"\n'
        'link = "?preset=P4&step=scores&cell=scores.0.1.1&cover=scores"\n'
    )
    lesson = read_own((f'title = "{HOSTILE}"\n' + scene * 3).encode())
    for page in (lesson_sheet("own", lesson), lesson_key("own", lesson)):
        assert "<img" not in page
        assert text_of(page).count("<img src=x onerror=alert(1)> $\\frac{1$") >= 4


def test_whether_there_is_a_sheet_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """That takes all questions of a lesson, and the page asks at every visit."""
    assert [name for name in LESSON_NAMES if has_worksheet(name, shipped(name))] == ["class"]
    has_worksheet.cache_clear()
    made = Mock(wraps=printed_lesson.tasks_on_paper)
    monkeypatch.setattr(printed_lesson, "tasks_on_paper", made)
    assert [has_worksheet("class", CLASS) for _ in range(3)] == [True] * 3
    assert [len(call.args[0]) for call in made.call_args_list] == [len(CLASS.scenes)]


RUNS, NEEDS = data_of(__file__).values()
OF = {maker.name: chapter for chapter, makers in QUESTIONS.items() for maker in makers.values()}
STEPS = ("X", "Q", "K", "V", "scores", "scaled", "masked", "weights", "context", "concat", "output")
CHAPTERS = {*QUESTIONS} - {HOME}


def lesson_of(*links: str) -> Lesson:
    return Lesson("L", "all", tuple(Scene("S", link, "Look.", 2.0) for link in links))


LESSONS = {
    **{name: shipped(name) for name in LESSON_NAMES},
    **{step: lesson_of(f"?step={step}") for step in STEPS},
    **{page: lesson_of(page.replace("_", "-")) for page in QUESTIONS if page != HOME},
}


@pytest.mark.parametrize("name", LESSONS)
def test_each_question_is_on_a_chapter_or_a_step_of_the_lesson(name: str) -> None:
    lesson, keys = LESSONS[name], practice_of(LESSONS[name])
    places = [place_of(scene.link) for scene in lesson.scenes]
    pages = {place.page for place in places} - {HOME}
    steps = {
        place.params.get(key, "").split(".")[0] for place in places for key in ("step", "cover")
    }
    if "practice" in pages:  # it has a set of its own
        return
    asked = keys["practice_questions"].split(".") if keys["practice_questions"] else []
    visited = {maker.name for page in pages & CHAPTERS for maker in QUESTIONS[page].values()}
    assert visited <= {*asked}
    for question in {*asked} - visited:
        assert steps.intersection(NEEDS[question]), question
    chapters = keys["practice_chapters"].split(".")
    assert {OF[question] for question in asked} <= {*chapters} | {"why_mask"}


@pytest.mark.parametrize("seed", some(range(60), 60, 3))
def test_the_exit_quiz_of_the_class_asks_nothing_that_it_did_not_touch(seed: int) -> None:
    keys = practice_of(shipped("class")) | {"practice_seed": str(seed)}
    page = opened("practice", **keys)
    assert not page.warning
    ((quiz,),) = [one for one in told(page, "class_button") if "exit quiz" in str(one)]
    assert f"these {SET_SIZE} as an exit quiz" in str(quiz)
    assert not any(
        beyond in prose(page) for beyond in ("cosine", "temperature", "variance", "d_model")
    )
    assert "only the questions that your link names" in " ".join(c.value for c in page.caption)


def test_other_chapters_ask_all_of_their_questions() -> None:
    page = opened("practice", **practice_of(shipped("class")))
    page.multiselect[0].set_value(["dot_products"]).run()
    assert "practice_questions" not in page.query_params
    assert "cosine" in prose(page)


@pytest.mark.parametrize("text", ["cosine.nothing", "<b>", ".", "x" * 500])
def test_a_link_with_no_such_question_says_so(text: str) -> None:
    page = opened("practice", practice_questions=text)
    assert "there is no such question" in " ".join(warned(page))
    assert page.session_state["practice_questions"] == ""


def test_questions_of_no_chosen_chapter_are_not_asked() -> None:
    page = opened("practice", practice_chapters="softmax", practice_questions="cosine")
    assert page.session_state["practice_questions"] == ""


ARRAYS = ("Q", "V", "scores", "scaled", "mask", "masked", "weights", "context", "output")
OF_A_MASK = ("mask", "masked", "weights")
"""Where a 0 or −∞ says that a key is hidden, and a number that it is visible."""
COPIES = {"scaled": ("masked",), "scores": ("scaled", "masked")}
"""Where a number is moved to as it is: scaled to masked, and scores to scaled without a scale."""


def given_away(tasks: list[Task], lesson: Lesson) -> list[str]:
    """The cells that a task asks for and another task of the same run prints."""
    runs = {n: re.sub(r"&(step|cell|cover)=[^&]*", "", scene.link)
            for n, scene in enumerate(lesson.scenes, start=1)}  # fmt: skip
    found = []
    for asking in tasks:
        array, *at = asking.asked
        own = asking.number
        copies = COPIES.get(array, ()) if array == "scaled" or "scale=off" in runs[own] else ()
        telling = OF_A_MASK if array == "mask" else (array, *copies)
        for other in (one for one in tasks if runs[one.number] == runs[own]):
            found += [
                f"task {other.number} prints {name}{at} of task {own}: {text}"
                for name in telling
                for text in other.printed(name, *at)
                if not is_left_open(text, of_mask=array == "mask")
                and (array == "mask" or text != "−∞")
            ]
    return found


def is_left_open(text: str, of_mask: bool) -> bool:
    """Whether a text is no number, but a task; or two of which a task decides about a mask, the
    first of them a number if only what the mask says is asked for."""
    task = r"(\?|task \d+)"
    first = rf"({task}|\S+)" if of_mask else task
    return re.fullmatch(rf"|{task}|{first} or \S+ \({task}\)", text) is not None


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_each_task_of_each_lesson_is_solved_from_its_text(name: str) -> None:
    lesson = shipped(name)
    if has_worksheet(name, lesson):
        tasks = check_sheet(lesson_sheet(name, lesson), lesson_key(name, lesson))
        assert given_away(tasks, lesson) == []


def test_task_numbers_are_those_that_the_class_sees() -> None:
    """The projector names the scene; who asks scene after scene has the same numbers there."""
    numbers = [task.number for task in tasks_of(lesson_sheet("class", CLASS))]
    assert numbers == [n for n, s in enumerate(CLASS.scenes, 1) if "&cover=" in s.link]
    assert numbers == [*told_by(lesson_key("class", CLASS))]


def test_a_weight_that_is_asked_for_is_left_to_its_task() -> None:
    """By hand: (1/6)(6) + (1/3)(0) + (1/2)(12) = 7; with .17, .33 and .50 it would be 7.02."""
    scaled, read = (t for t in tasks_of(lesson_sheet("class", CLASS)) if t.number in (3, 6))
    assert scaled.tables[0].cells[1][1][0] == "task 2"
    assert [text for text, _ in read.tables[0].cells[2]] == ["1/6", "1/3", "task 5"]
    told = told_by(lesson_key("class", CLASS))
    assert (told[5], told[6]) == (("1/2", "0.50"), ("", "7"))
    exact = zip((1, 1, 1), (6, 3, 2), (6, 0, 12), strict=True)
    assert sum(Fraction(a, b) * value for a, b, value in exact) == 7


def scene_of(run: str, cell: str, said: str = "The mask hides later tokens.") -> str:
    """A scene that asks for a cell of a run."""
    array = cell.partition(".")[0]
    return (
        f'[[scene]]\ntitle = "S"\nminutes = 1\nsay = "{said}"\ndo = "Work."\n'
        f'link = "{run}&step={array}&cell={cell}&cover={array}"\n'
    )


def solved(scenes: Iterable[str]) -> tuple[Lesson, list[Task]]:
    """A lesson of these scenes, and its tasks, of which a pupil solves each as its key does."""
    lesson = read_own(('title = "L"\n' + "".join(scenes)).encode())
    return lesson, check_sheet(lesson_sheet("own", lesson), lesson_key("own", lesson))


def solved_of(run: str, *cells: str) -> list[Task]:
    return solved(scene_of(run, cell) for cell in cells)[1]


def test_what_a_mask_hides_is_read_from_no_other_tasks_numbers() -> None:
    """By hand, P6: row 1 sees ln 3 of key 2 only without a mask, and weighs it then with 3/4."""
    asked = "mask.0.1", "mask.1.0", "weights.0.0.0", "context.0.0.0", "context.0.1.0"
    hidden, visible, weight, *others = solved_of("?preset=P6", *asked)
    assert (hidden.number, visible.number) == (1, 2)
    cells = [[text for text, _ in row] for row in weight.tables[0].cells]
    assert cells == [["0.00", "1.10 or −∞ (task 1)"], ["0.00 or −∞ (task 2)", "1.10"]]
    for task in others:
        cells = [[text for text, _ in row] for row in task.tables[0].cells]
        assert cells == [["task 3", "0.75 or 0 (task 1)"], ["0.25 or 0 (task 2)", "0.75"]]
    # A hidden score is what comes before the mask, which a task may ask for.
    asked_before = "scaled.0.0.1", "mask.0.1", "weights.0.1.1", "weights.0.0.0"
    for task in solved_of("?preset=P6", *asked_before)[2:]:
        assert task.printed("masked", "", "first", "second") == ["task 1 or −∞ (task 2)"]


def some_cell(draw: Draw, trace: Trace) -> str:
    """A cell that is worked out, as a link names it; of `masked` one that is visible."""
    array = draw.one_of([name for name in ARRAYS if name in trace.steps])
    cells = [cell for cell in np.ndindex(trace[array].shape)
             if array != "masked" or not trace.is_removed(array, cell)]  # fmt: skip
    return f"{array}.{'.'.join(map(str, draw.one_of(cells)))}"


def some_scenes(draw: Draw) -> Iterator[str]:
    """Three to eight scenes with tasks on one or two runs, whose words name numbers too.

    The words say the rule of the run's mask.
    """
    of = draw.some_of(RUNS, draw.whole(1, 2))
    cells: dict[str, list[str]] = {run: [] for run in of}
    for _ in range(draw.whole(3, 8)):
        run = draw.one_of(of)
        trace = run_of_scene(run)
        assert trace is not None
        cells[run].append(cell := some_cell(draw, trace))
        rule = "No key is hidden." if "mask=none" in run else "The mask hides later tokens."
        yield scene_of(run, cell, f"{rule} See {{{draw.one_of(cells[run])}}}.")


@pytest.mark.parametrize("seed", some(range(200), 70, 1))
def test_each_task_of_any_lesson_is_solved_from_its_text(seed: int) -> None:
    lesson, tasks = solved(some_scenes(Draw(f"sheet:{seed}")))
    assert len(tasks) == len(lesson.scenes)
    assert given_away(tasks, lesson) == []
    for task in tasks:
        said = re.search(r"See (.*?)\.(?= |$)", task.text)
        assert said, task.text
        assert is_left_open(said[1], of_mask=True), task.text
