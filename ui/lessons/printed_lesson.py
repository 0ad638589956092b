"""What is printed of a lesson: the plan for its teacher, its own worksheet with a key to it, and
the set of questions that belongs to it, which is an exit quiz too.

The plan has minutes, links and notes. On a lesson's own worksheet no task shows a number that
another asks for.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from urllib.parse import urlencode

from core.files.lesson import Lesson, Scene
from core.path import PATH
from core.program.numbers.rounding import CELL_DECIMALS, rounded
from core.program.paper import AskedNumber, PrintedRun, printed_run, said_number
from core.questions.engine import Question, QuestionMaker
from core.questions.texts import plain_text
from stage.paper.paper import printed_page
from stage.paper.question_paper import question_key, question_sheet, written
from ui.classroom.questions.asked import question_if_any
from ui.classroom.questions.covered import question_on_paper
from ui.classroom.questions.covered_place import asked_cell
from ui.directions import isolated
from ui.lessons.course import ScenePosition
from ui.lessons.scene_words import number_of_scene, number_on_paper, printed_words, run_of_scene
from ui.lessons.shelf import place_of
from ui.links.links import STUDENT
from ui.links.path import HOME, address_of
from ui.page.sharing import is_this_machines_own, link_code
from ui.page_texts import plain_ui_texts

PLAN = """{code}
<h1>{title}</h1>
<p>{about}</p>
{worksheet}
<table>
<thead><tr><th>{begun}</th><th>{scene}</th><th>{told}</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>"""
STYLE = """
@page { margin: 14mm; }
body { font: 11pt/1.4 system-ui, sans-serif; color: #000; background: #fff; margin: 0 auto;
  max-width: 182mm; padding: 4mm; }
h1 { font-size: 15pt; margin: 0 0 2mm; }
p { margin: 0 0 2mm; }
svg { width: 34mm; height: 34mm; float: right; margin: 0 0 2mm 4mm; }
table { border-collapse: collapse; clear: both; width: 100%; }
tr { break-inside: avoid; }
thead { display: table-header-group; }
th, td { border: 1px solid #777; padding: 1.5mm 2mm; text-align: left; vertical-align: top; }
td:first-child { white-space: nowrap; text-align: right; }
td:nth-child(2) { width: 45mm; }
.link { font-size: 8pt; overflow-wrap: anywhere; }
a { color: inherit; }
em { font-style: italic; }
"""
TEXTS, ASKED = plain_ui_texts("lessons"), plain_ui_texts("asked")
CHAPTERS, QUESTIONS = "practice_chapters", "practice_questions"
LEAST = 3
"""Scenes that ask for a number or a choice: a lesson with fewer has no sheet of its own."""


def plan(name: str, lesson: Lesson, base: str) -> str:
    """The plan as an HTML page; its links lead to the product at the address `base`."""
    rows, begun = [], 0.0
    course = ScenePosition(name, lesson, 0)
    for at, scene in enumerate(lesson.scenes):
        link = base + course.link(at)
        minutes = TEXTS("plan_minutes", minutes=f"{scene.minutes:g}")
        rows.append(
            f"<tr><td>{begun:g}′</td>"
            f"<td><strong>{at + 1}. {_beside(scene.title)}</strong> {minutes}"
            f"{_link(link)}{_link(_with(link, present='1'), TEXTS('plan_project'))}</td>"
            f"<td>{_told(scene)}</td></tr>"
        )
        begun += scene.minutes
    alone = is_this_machines_own(base)
    code = "" if alone else link_code(_with(base + course.link(0), role=STUDENT)) or ""
    opens = TEXTS("plan_this_computer") if alone else TEXTS("plan_code") if code else ""
    title = _beside(lesson.title)
    practice = f"{base}{address_of('practice')}?{urlencode(practice_of(lesson))}"
    worksheet = _link(practice, TEXTS("plan_worksheet"))
    if has_worksheet(name, lesson):
        worksheet = f"<p>{TEXTS('plan_own_worksheet')}</p>{worksheet}"
    whom, length = _beside(lesson.audience), f"{lesson.minutes:g}"
    about = TEXTS("plan_about", audience=whom, minutes=length, opens=html.escape(opens))
    body = PLAN.format(
        title=title, rows="\n".join(rows), about=about, code=code, begun=TEXTS("plan_from"),
        scene=TEXTS("plan_scene"), told=TEXTS("plan_told"), worksheet=worksheet,
    )  # fmt: skip
    return printed_page(TEXTS("plan_title", title=isolated(lesson.title)), body, STYLE)


def _told(scene: Scene) -> str:
    """What a scene says, what it asks for, its answer and its note: a paragraph each."""
    parts = {
        "": scene.words, "plan_do": scene.task, "plan_answer": scene.answer,
        "plan_note": scene.note,
    }  # fmt: skip
    heads = {id: f"<strong>{TEXTS(id)}</strong> " if id else "" for id in parts}
    return "".join(
        f"<p>{heads[id]}{_text(part, scene.link)}</p>" for id, part in parts.items() if part
    )


def _with(link: str, **keys: str) -> str:
    """A link with further keys."""
    return f"{link}{'&' if '?' in link else '?'}{urlencode(keys)}"


def _link(address: str, text: str = "") -> str:
    """A link as a line, with a word before its address on paper if it has a `text`."""
    at = html.escape(address)
    return f'<p class="link">{html.escape(text)} <a href="{at}">{at}</a></p>'


def _beside(text: str) -> str:
    """A text that stands in a line with others, as HTML."""
    return html.escape(isolated(text))


def _text(words: str, link: str) -> str:
    """Words of a scene with this link, without what only a page can do: terms as they are."""
    parts = re.split(r"\n\s*\n", words)
    return "</p><p>".join(written(printed_words(part, link, number_of_scene)) for part in parts)


@dataclass(frozen=True)
class PaperTask:
    """A question of a sheet, and its run as printed: None if only a page can make the run."""

    question: Question
    run: PrintedRun | None


@lru_cache(maxsize=64)
def has_worksheet(name: str, lesson: Lesson) -> bool:
    """Return whether a lesson has a worksheet of its own."""
    return len(_asked(name, lesson)) >= LEAST


def lesson_sheet(name: str, lesson: Lesson) -> str:
    """Return the sheet as an HTML page: each task with the numbers that it needs, and room."""
    asked = _asked(name, lesson)
    numbered, before = [one[:2] for one in asked], [words for _, _, words in asked]
    return question_sheet(_title(lesson), TEXTS("sheet_about"), numbered, before)


def lesson_key(name: str, lesson: Lesson) -> str:
    """Return the key as an HTML page: each answer, and how it is made."""
    numbered = [one[:2] for one in _asked(name, lesson)]
    return question_key(_title(lesson), TEXTS("key_about"), numbered)


def _title(lesson: Lesson) -> str:
    return str(TEXTS("sheet_title", title=lesson.title))


def _asked(name: str, lesson: Lesson) -> list[tuple[str, Question, str]]:
    """The questions of the scenes that cover a number or ask a page's question, each between its
    heading and what the scene says. The prompt is "" if the heading asks just that.
    """
    scenes = dict(enumerate(lesson.scenes, start=1))
    tasks = tasks_on_paper({n: ScenePosition(name, lesson, n - 1).asked for n in scenes})
    found: list[tuple[str, Question, str]] = []
    for number, task in tasks.items():
        scene, number_of = scenes[number], partial(number_on_paper, task.run)
        asked = plain_text(printed_words(scene.task or scene.title, scene.link, number_of))
        is_heading = plain_text(task.question.prompt) == asked
        question = replace(task.question, prompt="") if is_heading else task.question
        heading = TEXTS("sheet_task", number=number, task=asked)
        found.append((heading, question, printed_words(scene.words, scene.link, number_of)))
    return found


def tasks_on_paper(links: Mapping[int, str]) -> dict[int, PaperTask]:
    """Return what links ask that has an answer, by its number on the sheet."""
    questions = {number: question_if_any(link) for number, link in links.items()}
    cells = {number: cell for number, link in links.items() if (cell := asked_cell(link))}
    said = {n: said_number(cell.trace, cell.array, cell.cell) for n, cell in cells.items()}
    asked = {
        said[n]: AskedNumber(
            ASKED("of_task", number=n),
            rounded(float(cell.trace[cell.array][cell.cell]), CELL_DECIMALS),
        )
        for n, cell in cells.items()
    }
    found: dict[int, PaperTask] = {}
    # What comes earlier in a run comes first: the answer to another task may be made of it.
    for n in sorted(cells, key=lambda n: cells[n].trace.program.names.index(cells[n].array)):
        cell = cells[n]
        others = asked | {said[n]: AskedNumber(ASKED("this_task"), asked[said[n]].answer)}
        run = printed_run(cell.trace, cell.array, cell.cell, others)
        found[n] = PaperTask(question_on_paper(run, cell.array, cell.cell, cell.hidden), run)
        if isinstance(answer := found[n].question.answer, float):
            asked[said[n]] = AskedNumber(asked[said[n]].text, rounded(answer, CELL_DECIMALS))
    for n, question in questions.items():
        if question and not question.is_free and n not in found:
            trace = run_of_scene(links[n])
            found[n] = PaperTask(question, PrintedRun(trace, trace, asked) if trace else None)
    return {n: found[n] for n in links if n in found}


def practice_of(lesson: Lesson) -> dict[str, str]:
    """The keys of the link to the worksheet of a lesson.

    It asks what the lesson touches, or over the chapters of its own set if a scene has one. Of a
    chapter that a scene visits it asks all questions. Of one that explains a step of a scene on
    the walkthrough it asks those that do not go beyond that step.
    """
    places = [place_of(scene.link) for scene in lesson.scenes]
    view = {"practice_view": "sheet"}
    if own := [place.params[CHAPTERS] for place in places if CHAPTERS in place.params]:
        return {CHAPTERS: own[-1], **view}
    pages = {place.page for place in places}
    walked = [place.params for place in places if place.page == HOME]
    shown = (params.get(key, "") for params in walked for key in ("step", "cover"))
    steps = {array.partition(".")[0] for array in shown}
    touched = {
        name: [one.name for one in chapter.questions.values() if _touches(name, one, pages, steps)]
        for name, chapter in PATH.items()
    }
    chapters = [name for name, makers in touched.items() if makers]
    makers = dict.fromkeys(maker for makers in touched.values() for maker in makers)
    return {CHAPTERS: ".".join(chapters), QUESTIONS: ".".join(makers), **view}


def _touches(name: str, maker: QuestionMaker, pages: set[str], steps: set[str]) -> bool:
    """Whether a lesson with these pages, and these steps of the walkthrough, touches a question.

    The walkthrough has all steps, so of its questions those count whose answers are seen there.
    """
    if name == HOME:
        return {seen.array for seen in maker(0).evidence} <= steps
    return name in pages or (not maker.beyond and bool(steps & {*PATH[name].explains}))
