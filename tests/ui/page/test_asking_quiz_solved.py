"""Each question of an exit quiz is solved from what a phone shows of it, as from its sheet."""

import re

import pytest

from core.questions.answers import Choice
from core.questions.engine import Question, mark_answer, parse_answer
from tests.core.support import MAKERS, read
from tests.sampling import SEEDS, some
from tests.stage.questions_solved.printed import PrintedQuestion, PrintedTable, rounded
from tests.stage.questions_solved.solvers import SOLVERS
from ui.page.asking import question_tables
from ui.text import question_markdown


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
    return PrintedTable(words(title), corner, columns, [row[0] for row in rows],
                        [row[1:] for row in rows])  # fmt: skip


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
