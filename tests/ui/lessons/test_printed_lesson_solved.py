"""Every sheet of a lesson is solved from its own text, and no task gives another's answer away."""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from core.files.lesson import Lesson
from core.hash_random import Draw
from core.program.trace import Trace
from tests.sampling import some
from tests.stage.solving_tasks import Task, check_sheet, tasks_of, told_by
from ui.lessons.printed_lesson import has_worksheet, lesson_key, lesson_sheet
from ui.lessons.scene_words import run_of_scene
from ui.lessons.shelf import LESSON_NAMES, read_own, shipped

CLASS = shipped("class")
RUNS = (
    "?preset=P1", "?preset=P2", "?preset=P4", "?preset=P4b", "?preset=P6", "?preset=P5-previous",
    "?text=river+bank&d_model=4", "?text=bank+river+money&seed=3", "?text=red+green+blue&mask=none",
    "?text=we+sat+here+again&heads=4&kv_heads=2&seed=9", "?text=a+cat+sat&scale=off",
)  # fmt: skip
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
