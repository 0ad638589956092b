"""A lesson's plan for its teacher, as a page to print: minutes, links and notes."""

import html
import re
from urllib.parse import urlencode

from core.files.lesson import Lesson, Scene
from stage.paper.question_paper import written
from ui.directions import isolated
from ui.lessons.course import ScenePosition
from ui.lessons.scene_words import number_of_scene, printed_words
from ui.lessons.worksheet import has_worksheet, practice_of
from ui.links.link_code import is_this_machines_own, link_code
from ui.links.links import STUDENT
from ui.links.path import address_of
from ui.page_texts import plain_ui_texts

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{plan}</title>
<style>{style}</style>
</head>
<body>
{code}
<h1>{title}</h1>
<p>{about}</p>
{worksheet}
<table>
<thead><tr><th>{begun}</th><th>{scene}</th><th>{told}</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
"""
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
TEXTS = plain_ui_texts("lessons")


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
    about = TEXTS(
        "plan_about",
        audience=_beside(lesson.audience),
        minutes=f"{lesson.minutes:g}",
        opens=html.escape(opens),
    )
    return PAGE.format(
        plan=TEXTS("plan_title", title=title), title=title, style=STYLE, rows="\n".join(rows),
        about=about, code=code, begun=TEXTS("plan_from"), scene=TEXTS("plan_scene"),
        told=TEXTS("plan_told"), worksheet=worksheet,
    )  # fmt: skip


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
