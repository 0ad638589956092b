"""A lesson's questions, as a worksheet and as an exit quiz, ask what its scenes touch."""

import pytest

from core.files.lesson import Lesson, Scene
from core.practice_set import QUESTIONS, SET_SIZE
from tests.sampling import some
from tests.ui.support import opened, prose, told, warned
from ui.lessons.printed_lesson import practice_of
from ui.lessons.shelf import LESSON_NAMES, place_of, shipped
from ui.links.path import HOME

NEEDS = {
    "does-bank-change": {"X", "context"}, "main-contributor": {"X", "context"},
    "softmax-change": {"weights"}, "score": {"scaled"},
    "unchanged-row": {"mask", "masked", "weights"}, "first-weight": {"mask", "masked"},
    "cells-computed": {"mask", "masked"}, "parameters": {"Q", "K", "V"},
    "heads-feature": {"concat", "output"},
}  # fmt: skip
"""What one must have met to answer a question without its chapter: one of these steps."""
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
        assert NEEDS[question] & steps, question
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
