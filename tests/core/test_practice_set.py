"""A mixed set: the same for a seed, scored as it was done, and no question answers another."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import pytest

from core import practice_set
from core.path import PATH
from core.practice_set import QUESTIONS, SET_SIZE, Score, mixed_set, score_of_set, to_look_at_again
from core.questions.answers import Choice
from core.questions.attention import first_weight_question, unchanged_row_question
from core.questions.engine import Question, QuestionTable, question_table, tables_after
from core.questions.tries import Tries
from tests.core.support import MAKERS, asked, read
from tests.sampling import some, three


def test_every_chapter_of_the_path_has_questions() -> None:
    assert list(QUESTIONS) == list(PATH)
    makers = {maker for makers in QUESTIONS.values() for maker in makers.values()}
    assert len({maker.name for maker in makers}) == len(makers)  # tries are kept by these names


def test_a_question_of_two_chapters_comes_once_before_the_others() -> None:
    drawn = mixed_set(["walkthrough", "why_mask"], 1)
    makers = {m for c in ("walkthrough", "why_mask") for m in QUESTIONS[c].values()}
    assert len({a.title for a in drawn[: len(makers)]}) == len(makers)
    (same,) = [a for a in drawn[: len(makers)] if a.title == "Which row stays the same"]
    assert same.chapter == "walkthrough"


@pytest.mark.parametrize("seed", some(range(20), 4))
def test_a_set_over_all_chapters_has_ten_different_questions(seed: int) -> None:
    drawn = mixed_set(list(QUESTIONS), seed)
    assert len(drawn) == SET_SIZE
    assert len({one.title for one in drawn}) == SET_SIZE
    assert drawn == mixed_set(list(QUESTIONS), seed)
    for one in drawn:
        maker = QUESTIONS[one.chapter][one.title]
        name, _, own = one.question.id.partition(".")
        assert name == maker.name
        assert maker(int(own)) == one.question


def test_other_seeds_and_other_chapters_give_other_sets() -> None:
    every = list(QUESTIONS)
    sets = [mixed_set(every, seed) for seed in range(20)]
    assert len({tuple(a.question.id for a in drawn) for drawn in sets}) == 20
    assert {a.chapter for drawn in sets for a in drawn} == set(every)
    assert {a.chapter for a in mixed_set(["softmax", "heads"], 3)} == {"softmax", "heads"}


@pytest.mark.parametrize("chapter", three(list(QUESTIONS)))
def test_of_one_chapter_each_question_comes_before_any_comes_again(chapter: str) -> None:
    makers = QUESTIONS[chapter]
    for seed in range(5):
        drawn = mixed_set([chapter], seed)
        assert {a.title for a in drawn[: len(makers)]} == set(makers)
        facts = [a.title for a in drawn if a.question.fact]
        assert len(set(facts)) == len(facts)
        vary = len({a.title for a in drawn if not a.question.fact})
        assert len(drawn) == (SET_SIZE if vary else len(facts))
        assert len({a.question.id for a in drawn}) == len(drawn)


@pytest.mark.parametrize("chapter", three(list(QUESTIONS)))
def test_no_set_asks_one_and_the_same_thing_twice(chapter: str) -> None:
    """Another seed may draw the same numbers; what is asked again has others."""
    for seed in some(range(60), 10):
        said = [(a.question.prompt, str(a.question.tables)) for a in mixed_set([chapter], seed)]
        twice = {prompt for prompt, tables in said if said.count((prompt, tables)) > 1}
        assert twice == set(), seed


def test_a_set_of_one_kind_ends_when_all_that_there_is_was_asked() -> None:
    drawn = mixed_set(["debug_lab"], 0, only=("zero-fill",))
    assert len({a.question.prompt for a in drawn}) == len(drawn)
    assert {a.question.prompt for a in drawn} == {
        a.question.prompt
        for seed in range(1, 4)
        for a in mixed_set(["debug_lab"], seed, only=("zero-fill",))
    }
    assert len(drawn) < SET_SIZE


def wrong(one: practice_set.Drawn) -> object:
    return one.question.wrong[0].value


def test_the_score_tells_right_at_once_from_helped_shown_and_open() -> None:
    drawn = [
        a
        for seed in range(9)
        for a in mixed_set(list(QUESTIONS), seed)
        if a.question.wrong and not isinstance(a.question.kind, Choice)
    ][:6]
    right = [one.question.answer for one in drawn]
    tries = {
        drawn[0].question.id: Tries((right[0],)),
        drawn[1].question.id: Tries((wrong(drawn[1]), right[1])),  # type: ignore[arg-type]
        drawn[2].question.id: Tries((right[2],), hinted=True),
        drawn[3].question.id: Tries(shown=True),
        drawn[4].question.id: Tries((wrong(drawn[4]),)),  # type: ignore[arg-type]
    }
    assert score_of_set(drawn, tries) == Score(settled=4, first=1, helped=2)
    assert score_of_set(drawn, tries).shown == 1
    assert to_look_at_again(drawn, tries) == drawn[1:4]
    assert practice_set.is_right_at_once(drawn[0].question, tries[drawn[0].question.id])
    assert not practice_set.is_right_at_once(drawn[0].question, Tries((right[0],), shown=True))
    assert score_of_set(drawn, {}) == Score(0, 0, 0)


def test_of_a_choice_of_two_a_wrong_answer_settles_it_and_is_not_right() -> None:
    every = (a for seed in range(200) for a in mixed_set(list(QUESTIONS), seed))
    choices = ((a, a.question.kind) for a in every if isinstance(a.question.kind, Choice))
    drawn = next(a for a, kind in choices if len(kind.options) == 2)
    tries = {drawn.question.id: Tries((wrong(drawn),))}  # type: ignore[arg-type]
    assert score_of_set([drawn], tries) == Score(settled=1, first=0, helped=0)
    assert to_look_at_again([drawn], tries) == [drawn]


def test_the_right_option_has_no_place_of_its_own() -> None:
    """In 12 seeds each choice has it at two places or more."""
    places = defaultdict[str, set[int]](set)
    for maker, question in ((maker, maker(n)) for maker in MAKERS.values() for n in range(12)):
        if isinstance(question.kind, Choice):
            places[maker.name].add(question.kind.options.index(str(question.answer)))
    assert len(places) > 10
    assert {name: found for name, found in places.items() if len(found) < 2} == {}


Cell = tuple[str, str, str, str]
"""An array, the labels of a place in it, and the number there as it is printed."""


def given_away(questions: Sequence[Question]) -> list[tuple[str, str]]:
    """A question and another one that prints the matrix of its answer."""
    found = []
    for asking in questions:
        answers = [question_table(e.trace, e.array, "").cells for e in asking.evidence]
        answers += [table.cells for table in tables_after(asking)]
        found += [
            (asking.id, other.id)
            for other in questions
            if other is not asking and any(table.cells in answers for table in other.tables)
        ]
    return found


def arrays_of(question: Question, table: QuestionTable) -> set[str]:
    """Which arrays of its runs a table of a question prints."""
    steps = [(seen.trace, array) for seen in question.evidence for array in seen.trace.steps]
    wide = [(trace, array) for trace, array in steps if trace[array].ndim >= 2]
    return {a for trace, a in wide if question_table(trace, a, table.title).cells == table.cells}


def asked_cells(question: Question) -> Iterator[Cell]:
    """The cells in which its answer is seen."""
    for seen in question.evidence:
        if seen.cell:
            table = question_table(seen.trace, seen.array, "")
            i, j = seen.cell[-2:]
            yield seen.array, table.rows[i], table.columns[j], table.cells[i][j]


def printed_cells(question: Question) -> Iterator[Cell]:
    """All cells of its tables."""
    for table in question.tables:
        for array in arrays_of(question, table):
            for row, cells in zip(table.rows, table.cells, strict=True):
                yield from ((array, row, *one) for one in zip(table.columns, cells, strict=True))


def cells_given_away(questions: Sequence[Question]) -> list[tuple[str, str, Cell]]:
    """A question, another one, and the cell that the first asks for and the other prints."""
    return [
        (asking.id, other.id, cell)
        for asking, other in permutations(questions, 2)
        for cell in {*asked_cells(asking)} & {*printed_cells(other)}
    ]


SETS = [
    *((list(QUESTIONS), seed) for seed in some(range(200), 16)),
    *(([chapter], seed) for chapter in QUESTIONS for seed in some(range(20), 20)),
]
"""Chapters and seed of sets of ten; an exit quiz is such a set too."""


@pytest.mark.parametrize(("chapters", "seed"), SETS)
def test_no_question_of_a_set_prints_what_another_asks_for(chapters: list[str], seed: int) -> None:
    questions = [drawn.question for drawn in mixed_set(chapters, seed)]
    assert cells_given_away(questions) == []
    assert given_away(questions) == [], "the matrix of the answer"


def test_a_set_that_prints_an_asked_cell_is_noticed() -> None:
    asking = first_weight_question(0)
    (seen,) = asking.evidence
    table = question_table(seen.trace, "weights", "Weights")
    telling = replace(unchanged_row_question(1), tables=(table,), evidence=asking.evidence)
    (found,) = cells_given_away([asking, telling])
    assert found[:2] == (asking.id, telling.id)
    assert found[2][0] == "weights"


def test_a_text_that_one_question_gives_the_work_of_is_not_asked_for_by_another() -> None:
    given, wanted = set(), set()
    for question in asked(MAKERS["longer-text"]):
        d, short, _, long = (int(text) for text in re.findall(r"\d+", read(question.prompt)))
        given.add((d, short))
        wanted.add((d, long))
    assert given & wanted == set()


def test_a_set_that_does_is_noticed() -> None:
    asking = unchanged_row_question(0)
    telling = replace(unchanged_row_question(1), tables=tables_after(asking))
    assert given_away([asking, telling]) == [(asking.id, telling.id)]
