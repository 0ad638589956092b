"""A mixed set is the same for the same seed, and its score says what was done."""

import pytest

from core.path import PATH
from core.practice_set import (
    QUESTIONS,
    SET_SIZE,
    Drawn,
    Score,
    is_right_at_once,
    mixed_set,
    score_of_set,
    to_look_at_again,
)
from core.questions.answers import Choice
from core.questions.tries import Tries
from tests.core.support import MAKERS
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
        a.question.prompt for seed in range(1, 4)
        for a in mixed_set(["debug_lab"], seed, only=("zero-fill",))
    }  # fmt: skip
    assert len(drawn) < SET_SIZE


def wrong(one: Drawn) -> object:
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
    assert is_right_at_once(drawn[0].question, tries[drawn[0].question.id])
    assert not is_right_at_once(drawn[0].question, Tries((right[0],), shown=True))
    assert score_of_set(drawn, {}) == Score(0, 0, 0)


def test_of_a_choice_of_two_a_wrong_answer_settles_it_and_is_not_right() -> None:
    drawn = next(
        a
        for seed in range(200)
        for a in mixed_set(list(QUESTIONS), seed)
        if isinstance(a.question.kind, Choice) and len(a.question.kind.options) == 2
    )
    tries = {drawn.question.id: Tries((wrong(drawn),))}  # type: ignore[arg-type]
    assert score_of_set([drawn], tries) == Score(settled=1, first=0, helped=0)
    assert to_look_at_again([drawn], tries) == [drawn]


def test_the_right_option_has_no_place_of_its_own() -> None:
    """In 12 seeds each choice has it at two places or more."""
    places = {
        maker.name: {
            question.kind.options.index(str(question.answer))
            for question in map(maker, range(12))
            if isinstance(question.kind, Choice)
        }
        for maker in MAKERS.values()
        if isinstance(maker(0).kind, Choice)
    }
    assert len(places) > 10
    assert {name: found for name, found in places.items() if len(found) < 2} == {}
