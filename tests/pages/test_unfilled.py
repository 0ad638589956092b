"""No text has a placeholder left: pages, questions, cells, stages, the glossary, lessons.

Pages of the path are read as their inventories of claims read them, in states of their controls.
"""

from collections.abc import Iterator
from operator import attrgetter

import pytest

from core import explain
from core.attention.glossary import GLOSSARY
from core.program import formulas as f
from core.questions.answers import Choice
from core.questions.engine import Question, QuestionMaker, tables_after
from core.questions.texts import formula_rows
from stage.document.document import document
from tests.core.support import MAKERS, asked
from tests.registry import REGISTRY
from tests.sampling import DEEP, some
from tests.test_registry import cells
from tests.ui.support import untouched
from tests.unfilled import json_texts, page_texts, unfilled, unfilled_latex
from ui.lessons.scene_words import markdown
from ui.lessons.shelf import LESSON_NAMES, shipped
from ui.links.path import BESIDE, UNLISTED

GUESSES = (0.0, 0.123456, -2.5, 1000.0)


def left_in(texts: Iterator[str]) -> list[str]:
    return [found for text in texts for found in unfilled(text)]


@pytest.mark.parametrize("page", [*BESIDE, *UNLISTED])
def test_a_page_has_nothing_left_to_fill_in(page: str) -> None:
    texts = list(page_texts(untouched(page)))
    assert len(texts) >= (3 if page in UNLISTED else 10)
    assert left_in(iter(texts)) == []


def question_texts(question: Question) -> Iterator[str]:
    """All that a question may say."""
    yield from (question.prompt, question.hint, question.explanation, question.fact)
    yield from question.kind.options if isinstance(question.kind, Choice) else ()
    for wrong in question.wrong:
        yield from (wrong.name, wrong.hint)
    yield from map(question.would_mean, GUESSES) if question.would_mean else ()
    for table in (*question.tables, *tables_after(question)):
        yield from (table.title, table.corner, *table.rows, *table.columns)


@pytest.mark.parametrize("maker", some(list(MAKERS.values()), 4, 1), ids=some(list(MAKERS), 4, 1))
def test_a_question_has_nothing_left_to_fill_in(maker: QuestionMaker) -> None:
    for question in asked(maker):
        assert left_in(question_texts(question)) == []
        working = formula_rows(question.working) if question.working else []
        worked = (unfilled_latex(f.latex(row)) for row in working)
        assert not any(worked)


@pytest.mark.parametrize("name", some(list(REGISTRY), 8, 5))
def test_a_stage_and_its_cells_have_nothing_left_to_fill_in(name: str) -> None:
    trace = REGISTRY[name].run()
    last = trace.program.steps[-1].name
    told = document(trace, (last, (0,) * trace[last].ndim))
    assert left_in(json_texts(told)) == []
    for array, cell in cells(trace, most=12 if DEEP else 1):
        explained = explain(trace, array, cell)
        texts = (explained.title, explained.words, explained.feeds, *explained.plain)
        assert left_in(iter(texts)) == []
        assert not any(map(unfilled_latex, explained.latex))


def test_the_glossary_has_nothing_left_to_fill_in() -> None:
    assert left_in(iter(GLOSSARY.values())) == []


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_a_lesson_has_nothing_left_to_fill_in(name: str) -> None:
    lesson = shipped(name)
    parts = attrgetter("title", "words", "task", "answer", "note")
    said = [text for one in lesson.scenes for text in parts(one)]
    assert left_in(map(markdown, (lesson.title, lesson.audience, *said))) == []


@pytest.mark.parametrize(
    ("text", "is_left"),
    [
        ("${BASE:g}^x$ is $e^{x/T}$", True),
        ("2 to the x is $e^{{x/T}}$", True),
        ("of {count} tokens", True),
        ("a total of {total:,.0f}", True),
        ("$x = {total}$", True),
        ("The next \\{name\\} one", True),
        ("$x$ and $y$, {so}", True),
        (r"$\text{softmax}(\beta\, \xi X^\top) X$ and $d_{\text{model}}$", False),
        (r"$v_{1:t}$, $\frac{ab}{cd}$, `{name: value}`", False),
        ("Merge into {1, 2}.", False),
    ],
)
def test_what_was_not_filled_in_is_found_and_no_other_brace(text: str, is_left: bool) -> None:
    assert bool(unfilled(text)) is is_left
