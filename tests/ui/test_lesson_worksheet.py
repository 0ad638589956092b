"""A lesson's own worksheet: its scenes' tasks with what they need, and a key that is right."""

import html
import re
from collections.abc import Mapping

import pytest

from ui.lessons import printed_lesson
from ui.lessons.printed_lesson import (
    PaperTask,
    has_worksheet,
    lesson_key,
    lesson_sheet,
    plan,
    tasks_on_paper,
)
from ui.lessons.shelf import LESSON_NAMES, read_own, shipped

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
    made: list[int] = []

    def counted(links: Mapping[int, str]) -> dict[int, PaperTask]:
        made.append(len(links))
        return tasks_on_paper(links)

    monkeypatch.setattr(printed_lesson, "tasks_on_paper", counted)
    assert [has_worksheet("class", CLASS) for _ in range(3)] == [True] * 3
    assert made == [len(CLASS.scenes)]
