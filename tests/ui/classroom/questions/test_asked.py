"""What a link asks a class: the chapter's question, or the number of a covered cell."""

import math
from urllib.parse import urlencode

import numpy as np
import pytest

from core.attention.examples.presets import PRESETS
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.setups import Setup
from core.chapters.heads.heads import heads_family
from core.errors import InputError
from core.files.lesson import Lesson, Scene
from core.path import PATH
from core.practice_set import QUESTIONS
from core.program.labels import axis_labels, plainly
from core.questions.answers import NumberAnswer
from core.questions.engine import Question, is_askable, mark_answer, parse_answer
from core.questions.saved import question_from_json, question_to_json
from core.questions.step_picture import MOST_SHOWN
from tests.quotes import proves
from tests.sampling import some, three
from ui.classroom.questions.asked import asked_question, asked_title
from ui.classroom.questions.covered import WHOLE, cell_question
from ui.lessons.course import ScenePosition
from ui.lessons.shelf import LESSON_NAMES, place_of, shipped
from ui.links.path import address_of
from ui.text import question_markdown

MAKERS = [(page, title) for page, makers in QUESTIONS.items() for title in makers]
SCENES = [f"{name}.{at + 1}" for name in LESSON_NAMES for at in range(len(shipped(name).scenes))]
HOSTILE = "a $x$ *b* `c` <b>d</b> [e](https://example.org) $"


def covered(**params: object) -> str:
    return f"?{urlencode(params)}"


VISIBLE = {True: "yes, it is visible: 1 in the mask", False: "no, the mask hides it: 0 in the mask"}


@pytest.mark.parametrize(("page", "title"), some(MAKERS, 8))
def test_a_link_to_a_question_asks_that_question(page: str, title: str) -> None:
    maker = PATH[page].questions[title]
    link = f"{address_of(page)}?question={maker.name}.7"
    assert asked_question(link) == maker(7)
    assert asked_title(link) == f"{PATH[page].title}: {title}"


@pytest.mark.parametrize("scene", some(SCENES, 10))
def test_a_scene_asks_what_its_own_link_asks(scene: str) -> None:
    name, _, number = scene.partition(".")
    link = shipped(name).scenes[int(number) - 1].link
    place = place_of(link)
    asks = place.asks or (place.page == "walkthrough" and "cover" in place.params)
    if not asks:
        with pytest.raises(InputError, match=r"asks nothing|no step computes it"):
            asked_question(link)
        return
    for page in ("", "softmax"):
        assert asked_question(f"{page}?lesson={scene}") == asked_question(link)


@pytest.mark.parametrize(
    ("cover", "cell", "asked"),
    [
        ("scores", "scores.1.2.3", "scores.1.2.3"),
        ("scores.4", "scores.1.2.3", "scores.1.4.3"),  # a row is that row of every head
        ("scores.0.5.1", "scores.1.2.3", "scores.0.5.1"),
        ("result", "scores.1.2.3", "scores.1.2.3"),
        ("weights", "scores.1.2.3", "weights.1.2.3"),  # the same place of what is covered
        ("output.2", "scores.1.4.3", "output.2.0"),
        ("output", "", "output.5.0"),
        ("mask", "masked.1.2.3", "mask.2.3"),
    ],
)
def test_the_cover_and_where_one_looks_say_which_cell(cover: str, cell: str, asked: str) -> None:
    place = {"cell": cell} if cell else {}
    link = covered(preset="river-bank", step="scores", cover=cover, **place)
    assert asked_question(link).id == asked


def test_a_mistake_is_named_by_what_it_computes() -> None:
    run = Setup(preset="river-bank").trace
    question = cell_question(run, "scaled", (0, 5, 4))
    score, swapped = run["scores"][0, 5, 4], run["scores"][0, 4, 5]
    assert question.answer == pytest.approx(score / math.sqrt(4))
    expected = {
        MISTAKES["divisor"].name: score / math.sqrt(8),  # d_model, and not d_k
        MISTAKES["swapped"].name: swapped / math.sqrt(4),
        "this step is left out": score,
    }
    for name, value in expected.items():
        verdict = mark_answer(question, parse_answer(question, f"{value:.2f}"))
        assert verdict.mistake is not None, name
        assert verdict.mistake.name == name
    assert mark_answer(question, parse_answer(question, f"{question.answer:.2f}")).right


@proves("""
    yes, it is visible: 1 in the mask | no, the mask hides it: 0 in the mask | May the query {query}
    read the key {key}
""")
@pytest.mark.parametrize("preset", three(list(PRESETS), 1))
def test_each_computed_cell_can_be_asked_and_its_working_ends_in_it(preset: str) -> None:
    run = Setup(preset=preset).trace
    asked = 0
    for array in run.steps:
        for cell in some(list(np.ndindex(run[array].shape)), 20, 3):
            question = cell_question(run, array, cell)
            assert is_askable(question), (array, cell)
            kept = question_from_json(question_to_json(question))
            assert kept == question
            assert kept.picture == question.picture
            assert kept.picture_after == question.picture_after
            asked += 1
            if run[array].dtype == bool:
                assert question.answer == VISIBLE[run[array][cell]]
                query, key = (axis_labels(run, array)[n][cell[n]] for n in (-2, -1))
                assert f"query {query} read the key {key}?" in plainly(question.prompt)
                continue
            assert question.answer == pytest.approx(float(run[array][cell]), rel=0, abs=WHOLE)
            assert isinstance(question.kind, NumberAnswer)
            if not question.working:
                assert not any(run.sources(array, cell).values()), "a query that sees no key"
                continue
            said = parse_answer(question, question.working[-1].right.text)
            assert mark_answer(question, said).right, (array, cell)
    assert asked > 5


def test_the_tables_are_the_matrices_that_the_cell_is_made_of_and_no_other() -> None:
    run = Setup(preset="river-bank").trace
    (masked,) = cell_question(run, "weights", (1, 5, 4)).tables
    shown = np.array([[float(text) for text in row] for row in masked.cells])
    np.testing.assert_allclose(shown, run["masked"][1], atol=0.005)
    assert [array for array in ("Q", "weights") if array in masked.title] == []


def test_of_a_large_matrix_only_what_is_needed_is_shown() -> None:
    words = " ".join(f"w{n}" for n in range(30))
    link = covered(text=words, step="scores", cell="scores.0.20.3", cover="scores")
    queries, keys = asked_question(link).tables
    run = Setup(text=words).trace
    for table, array, row in ((queries, "Q", 20), (keys, "K", 3)):
        assert len(table.cells) == 1
        assert len(table.cells[0]) <= MOST_SHOWN
        np.testing.assert_allclose(
            [float(text) for text in table.cells[0]], run[array][0, row], atol=0.005
        )


def test_a_token_is_text_whatever_it_says() -> None:
    asked = asked_question(covered(text=HOSTILE, step="weights", cover="result"))
    question = cell_question(Setup(text=HOSTILE).trace, "scores", (0, 1, 1))
    for text in (*_told(asked), *_told(question)):
        written = question_markdown(text)
        assert "$x$" not in written
        assert "<b>" not in written
        assert "](http" not in written
    assert r"\$" in question_markdown(question.prompt)


def _told(question: Question) -> list[str]:
    tables = [text for table in question.tables for text in (*table.rows, *table.columns)]
    return [question.prompt, question.explanation, *tables]


ASKS_NOTHING = [
    ("", "asks nothing"), ("?step=weights", "asks nothing"), ("?cover=none", "asks nothing"),
    ("softmax", "asks nothing"), ("practice?practice_seed=2", "asks nothing"),
    ("softmax?softmax_cover=weights", "asks nothing"), ("nowhere?question=a.1", "no page"),
    ("http://[", "no page"), ("softmax?question=none.3", "no such question"),
    ("softmax?question=softmax-ratio.99999999999", "seed"), ("?cover=X", "no step computes it"),
    ("?cover=scores.0.99.0", "is not in scores"), ("?m=garbage&cover=scores.0.99", ""),
    ("?lesson=own.1", "own"), ("?lesson=class.999", "scene"),
    ("?seed=x&cover=scores", "whole number"), (f"?text={'a+' * 10_000}&cover=scores", "characters"),
]  # fmt: skip


@pytest.mark.parametrize(("link", "why"), ASKS_NOTHING)
def test_a_link_that_asks_nothing_is_refused(link: str, why: str) -> None:
    for ask in (asked_question, asked_title):
        with pytest.raises(InputError) as error:
            ask(link)
        assert why in str(error.value), str(error.value)
        assert error.value.remedy


def test_a_scene_of_a_chapter_asks_its_covered_number_and_names_the_cell() -> None:
    """Neither its page nor its own task is needed, and the projector shows the cell."""
    link = "heads?heads_step=weights&heads_cover=weights&heads_text=we+sat&heads_count=1"
    lesson = Lesson("Mine", "All", (Scene("One", link, "Look.", 1, "Work out the weight."),))
    scene = ScenePosition("own", lesson, 0)
    run = heads_family("we sat").run(heads_count="1")
    assert asked_question(scene.asked).answer == run["weights"][0, 1, 0]
    assert "heads_cell=weights.0.1.0" in scene.asked
    assert asked_question(scene.place.link) == asked_question(scene.asked)


def test_a_question_says_the_sizes_that_its_formula_names() -> None:
    question = asked_question("?preset=P4&step=scaled&cell=scaled.0.1.0&cover=scaled")
    assert question.prompt.endswith("$d_{k}$ = 3. Two decimals are enough.")


def test_a_number_that_two_decimals_say_is_asked_without_a_word_of_them() -> None:
    """One half, which the scene asks for as a fraction."""
    question = asked_question("?preset=P2&step=weights&cell=weights.0.2.2&cover=weights")
    assert question.answer == pytest.approx(1 / 2)
    assert "decimals" not in question.prompt


def test_a_number_that_nobody_can_tell_from_a_whole_one_is_whole() -> None:
    """24, 43, 58, 5, 57 moved on by one: the weight of the second is 1 less 2e-9."""
    question = asked_question("?lesson=class.9")
    assert question.answer == 43
    assert question.kind.text(question.answer) == "43"
    assert "decimals" not in question.prompt
    small = asked_question("?preset=P5-previous&step=weights&cell=weights.0.2.0&cover=weights")
    assert small.kind.text(small.answer) == "2e-9"
