"""Questions as two pages to print: a sheet with room for working, and its key."""

import html
from collections.abc import Sequence

from core.program import formulas as f
from core.program.numbers.arithmetic import PrintedNumber, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS, fraction_text, typeset
from core.questions.answers import Choice
from core.questions.engine import Question, QuestionTable, tables_after
from core.questions.texts import CODE, MATHS, PROSE, TOKEN, formula_rows, maths, text_parts
from core.questions.tries import answer_said
from core.texts import core_texts
from stage.paper import paper
from stage.paper.mathml import mathml

TEXTS = core_texts("stage_pages")
Numbered = Sequence[tuple[str, Question]]
"""Questions, each under its heading."""
_WRITTEN = {
    PROSE: html.escape,
    TOKEN: lambda token: f"<em>{html.escape(token)}</em>",
    CODE: lambda code: f"<code>{html.escape(code)}</code>",
    MATHS: mathml,
}


def question_sheet(title: str, about: str, questions: Numbered, before: Sequence[str] = ()) -> str:
    """Return the questions as a page, with room to work each out and to answer.

    `before` has a text for each question that stands before it, if there is any, with the marks of
    questions too. A question without a prompt is asked by its heading.
    """
    texts = [*before, *[""] * (len(questions) - len(before))]
    asked = [
        _section(heading, [*([_about(text)] if text else []), *_asked(one)])
        for (heading, one), text in zip(questions, texts, strict=True)
    ]
    name = f'<p class="name">{html.escape(TEXTS("name"))} <span></span></p>'
    return paper.printed_page(
        title, "\n".join([paper.heading(title, 1), name, _about(about), *asked])
    )


def question_key(title: str, about: str, questions: Numbered) -> str:
    """Return the answers as a page, each with how it is made."""
    title = TEXTS("key", title=title)
    told = "\n".join(_section(heading, _told(one)) for heading, one in questions)
    body = [paper.heading(title, 1), _about(about), f'<div class="answers">{told}</div>']
    return paper.printed_page(title, "\n".join(body))


def _section(heading: str, parts: Sequence[str]) -> str:
    inside = "\n".join([paper.heading(heading), *parts])
    return f'<section class="question">{inside}</section>'


def _about(text: str) -> str:
    return f'<p class="about">{written(text)}</p>'


def _asked(question: Question) -> list[str]:
    """What is asked, and room for the working next to its tables, or below wide ones."""
    prompt = [_paragraph(question.prompt)] if question.prompt else []
    tables = "".join(map(_table, question.tables))
    return [*prompt, f'<div class="work"><div>{tables}</div>{_room(question)}</div>']


def _room(question: Question) -> str:
    if isinstance(question.kind, Choice):
        options = "".join(f"<li>☐ {written(option)}</li>" for option in question.kind.options)
        return f'<div class="room little"><ul class="options">{options}</ul></div>'
    answer = f'<p class="name">{html.escape(TEXTS("answer"))} <span></span></p>'
    return f'<div class="room">{answer}</div>'


def _told(question: Question) -> list[str]:
    """The answer and how it is made; of a choice, why it is none of the others."""
    parts = [f"<p><strong>{written(_answer_said(question))}</strong></p>"]
    parts += [_paragraph(question.fact)] * bool(question.fact)
    if question.working:
        rows = (mathml(f.latex(row)) for row in formula_rows(question.working))
        parts.append(f'<p class="working">{"<br/>".join(rows)}</p>')
    if isinstance(question.kind, Choice):
        parts += [
            f"<p>{written(TEXTS('not_option', option=question.kind.text(wrong.value)))} "
            f"{written(wrong.hint)}</p>"
            for wrong in question.wrong
        ]
    return [*parts, _paragraph(question.explanation), *map(_table, tables_after(question))]


def _answer_said(question: Question) -> str:
    """The answer in a sentence, as a fraction too if it is a simple one below 1."""
    answer = question.answer
    fraction = fraction_text(answer) if isinstance(answer, float) and abs(answer) < 1 else ""
    if "/" not in fraction:
        return answer_said(question)
    made = arithmetic_line(PrintedNumber(fraction), CELL_DECIMALS, trim=False)
    return TEXTS("answer_fraction", answer=maths(made.tree()))


def _table(table: QuestionTable) -> str:
    head = "".join(f'<th scope="col">{written(label)}</th>' for label in table.columns)
    rows = "".join(
        f'<tr><th scope="row">{written(label)}</th>'
        + "".join(_cell(text, table.marked == (i, j)) for j, text in enumerate(cells))
        + "</tr>"
        for i, (label, cells) in enumerate(zip(table.rows, table.cells, strict=True))
    )
    return (
        f"<table><caption>{written(table.title)}</caption><thead><tr><th>{written(table.corner)}</th>"
        f"{head}</tr></thead><tbody>{rows}</tbody></table>"
    )


def _cell(text: str, is_marked: bool) -> str:
    looks = f' class="{paper.BLANK}"' if is_marked else ""
    return f"<td{looks}>{html.escape(typeset(text))}</td>"


def _paragraph(text: str) -> str:
    return f"<p>{written(text)}</p>"


def written(text: str) -> str:
    """Return a text with a question's marks as HTML."""
    return "".join(_WRITTEN[kind](piece) for kind, piece in text_parts(text))
