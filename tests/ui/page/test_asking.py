"""Questions on their pages: tried, hinted, answered, told as facts, found again, and solved."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from core.chapters.walkthrough.questions import score_question
from core.errors import InputError
from core.path import PATH
from core.practice_set import QUESTIONS
from core.questions.answers import Choice
from core.questions.engine import Question, mark_answer, parse_answer
from core.questions.tries import answer_said
from tests.core.support import MAKERS, read
from tests.sampling import SEEDS, some
from tests.stage.questions_solved.printed import PrintedQuestion, PrintedTable, rounded
from tests.stage.questions_solved.solvers import SOLVERS
from tests.ui.support import changed, opened
from ui.links.question_link import question_of
from ui.page.asking import question_tables
from ui.text import escape_markdown, question_markdown

ASKED = {page: (PATH[page].key, makers) for page, makers in QUESTIONS.items()}
"""For each page that asks: what the keys of its questions begin with, and its questions."""
EACH = [(page, title) for page, (_, makers) in ASKED.items() for title in makers]


SCORE = score_question(75)


def asking(page: str, question: str) -> AppTest:
    shown = opened(page, question=question)
    assert not shown.exception
    return shown


def said(page: AppTest) -> str:
    """All that questions say; a page may have warnings of its own."""
    return " ".join(e.value for e in (*page.success, *page.warning, *page.info))


def try_it(page: AppTest, name: str, question: Question, text: str) -> None:
    field = page.radio if isinstance(question.kind, Choice) else page.text_input
    field(key=f"{name}_{question.id}").set_value(text)
    press(page, f"{name}_{question.id}_check")


def press(page: AppTest, key: str) -> None:
    page.button(key=key).click().run()
    assert not page.exception


def drawn(page: AppTest, name: str) -> set[str]:
    """What can be pressed or typed into, without the name of page and question."""
    every = (str(w.key) for w in [*page.radio, *page.text_input, *page.button])
    return {key.rpartition("_")[2] for key in every if key.startswith(name)}


@pytest.mark.parametrize(("page", "title"), some(EACH, 14, 5))
def test_each_question_of_each_page_is_tried_twice_and_then_right(page: str, title: str) -> None:
    name, makers = ASKED[page]
    maker = makers[title]
    question = maker(1)
    shown = asking(page, question.id)
    answer = question_markdown(answer_said(question))
    assert drawn(shown, f"{name}_{maker.name}") >= {"check", "hinted", "shown"}
    wrong = question.wrong[0]
    try_it(shown, name, question, question.kind.text(wrong.value))
    assert question_markdown(wrong.hint) in said(shown)
    if isinstance(question.kind, Choice) and len(question.kind.options) == 2:
        assert answer in said(shown)  # no other is left
    else:
        assert answer not in said(shown)
        press(shown, f"{name}_{maker.name}_hinted")
        assert question_markdown(question.hint) in said(shown)
        try_it(shown, name, question, question.kind.text(question.answer))
        assert f"{question_markdown('Right.')} {answer}" in said(shown)
    assert not drawn(shown, f"{name}_{maker.name}") & {"check", "hinted", "shown"}
    assert any(question_markdown(question.explanation) in m.value for m in shown.markdown)
    press(shown, f"{name}_{maker.name}_next")
    fresh = maker(2)
    assert shown.query_params["question"] == fresh.id
    assert said(shown).count(answer) == 0 or question.fact
    asked_again = "check" in drawn(shown, f"{name}_{maker.name}")
    assert asked_again == (not question.fact)
    if question.fact:
        assert any(question_markdown(fresh.fact) in m.value for m in shown.markdown)
        assert any(question_markdown(fresh.explanation) in m.value for m in shown.markdown)


def test_the_answer_can_be_asked_for_at_once() -> None:
    shown = asking("walkthrough", "score.75")
    press(shown, "walkthrough_score_shown")
    assert question_markdown("The answer is $1.50$.") in said(shown)
    assert any(r"= 1.50\end{aligned}" in m.value for m in shown.markdown)


def test_another_number_is_worked_with_and_then_the_lines_come_without_the_answer() -> None:
    shown = asking("walkthrough", "score.75")
    for text, lines in (("2.7", False), ("2,8", True)):
        try_it(shown, "walkthrough", SCORE, text)
        assert "$(2.7)(2) = 5.4$" in said(shown) or text == "2,8"
        assert any(r"\text{?}" in m.value for m in shown.markdown) == lines
    assert "1.50" not in said(shown) + " ".join(m.value for m in shown.markdown)


def test_what_is_no_answer_is_no_try_and_is_told_so() -> None:
    shown = asking("walkthrough", "score.75")
    for text in ("two", "", "9" * 500):
        try_it(shown, "walkthrough", SCORE, text)
        (error,) = shown.error
        assert "number" in error.value
        assert len(error.value) < 300
        assert "walkthrough_tries" not in shown.session_state
    try_it(shown, "walkthrough", SCORE, "1.5")
    assert not shown.error
    assert "Right" in said(shown)


CHOICES = [
    (page, title) for page, title in EACH if isinstance(ASKED[page][1][title](0).kind, Choice)
]


@pytest.mark.parametrize(("page", "title"), some(CHOICES, 8))
def test_a_choice_that_is_checked_before_one_is_chosen_asks_for_one(page: str, title: str) -> None:
    name, makers = ASKED[page]
    maker = makers[title]
    shown = asking(page, maker(0).id)
    press(shown, f"{name}_{maker.name}.0_check")
    assert [error.value for error in shown.error] == [escape_markdown("Choose an answer first.")]
    assert f"{name}_tries" not in shown.session_state


def test_tries_are_kept_while_another_question_is_open_and_not_put_into_the_link() -> None:
    shown = asking("walkthrough", "score.75")
    try_it(shown, "walkthrough", SCORE, "2.7")
    changed(shown, walkthrough_questions="Which row stays the same")
    assert "5.4" not in said(shown)
    assert dict(shown.query_params)["question"] == "unchanged-row.0"
    changed(shown, walkthrough_questions="One score")
    assert "5.4" in said(shown)
    assert dict(shown.query_params) == {"question": "score.75"}


NO_SEED = "its seed must be a whole number"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense.3", "no such question: choose score, unchanged-row"),
        ("cosine.3", "no such question"), ("<b>*x*</b>", "no such question"),
        ("score", NO_SEED), ("score.-1", NO_SEED), ("score.1e3", NO_SEED),
        ("score." + "9" * 5000, NO_SEED), ("score.1000000", "up to 999,999: write score.0"),
    ],
)  # fmt: skip
def test_a_link_to_no_question_gets_the_first_and_a_message(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        question_of(QUESTIONS["walkthrough"])("question", text)
    shown = asking("walkthrough", text)
    assert escape_markdown(str(refused.value)) in said(shown)
    assert "check" in drawn(shown, "walkthrough_score.0")
    assert "question" not in shown.query_params
    press(shown, "walkthrough_score_hinted")
    assert escape_markdown(str(refused.value)) not in said(shown)


def test_names_in_links_are_different_on_a_page() -> None:
    for _, makers in ASKED.values():
        assert len({maker.name for maker in makers.values()}) == len(makers)


def test_after_the_last_seed_comes_the_first() -> None:
    shown = asking("heads", "heads-feature.999999")
    press(shown, "heads_heads-feature_next")
    assert shown.query_params["question"] == "heads-feature.0"
    shown = opened("heads")
    press(shown, "heads_heads-parameters_hinted")
    assert shown.query_params["question"] == "heads-parameters.0"


def test_other_numbers_are_in_the_link() -> None:
    (name, makers), title = ASKED["softmax"], next(iter(ASKED["softmax"][1]))
    page = opened("softmax")
    assert "question" not in page.query_params
    press(page, f"{name}_{makers[title].name}_next")
    asked, seed = page.query_params["question"].rsplit(".", 1)
    assert asked == makers[title].name
    assert f"seed {seed}." in " ".join(caption.value for caption in page.caption)


def spelt(latex: str) -> str:
    """Mathematics as people type it."""
    plain = read(f"${latex}$")
    for pattern, put in ((r"([_^])\{([^{}]*)\}", r"\1\2"), (r"\\([{}])", r"\1"), (" / ", "/")):
        plain = re.sub(pattern, put, plain)
    return plain


def words(markdown: str) -> str:
    """What Markdown shows: no escape, star or backtick, its mathematics as people type it."""
    parts = re.split(r"\$([^$]+)\$", markdown)
    parts[::2] = [re.sub(r"\\(.)|[*`]", r"\1", part) for part in parts[::2]]
    parts[1::2] = map(spelt, parts[1::2])
    return "".join(parts)


def table_of(markdown: str) -> PrintedTable:
    title, _, lines = markdown.partition(":\n\n")
    (corner, *columns), _, *rows = (
        [words(cell) for cell in line.strip("| ").split(" | ")] for line in lines.split("\n")
    )
    return PrintedTable(
        words(title), corner, columns, [row[0] for row in rows], [row[1:] for row in rows]
    )


def on_phone(question: Question) -> PrintedQuestion:
    """A question as a phone shows it: none of a set is drawn as a picture."""
    assert question.picture is None
    options = question.kind.options if isinstance(question.kind, Choice) else ()
    return PrintedQuestion(
        words(question_markdown(question.prompt)),
        [table_of(table) for table in question_tables(question)],
        [words(question_markdown(option)) for option in options],
    )


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_what_is_solved_on_a_phone_and_sent_is_counted_as_right(name: str) -> None:
    for question in map(MAKERS[name], some(SEEDS, 20)):
        shown = on_phone(question)
        found = SOLVERS[name](shown)
        if isinstance(question.kind, Choice):
            sent = question.kind.options[shown.options.index(str(found))]
        else:
            assert not isinstance(found, str)
            sent = f"{float(rounded(found, 2)):.2f}"
        assert mark_answer(question, parse_answer(question, sent)).right, (shown.text, sent)
