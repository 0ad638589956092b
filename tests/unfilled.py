"""What was to be filled into a text and was not: a brace in prose, a placeholder in mathematics."""

import json
import re
from collections.abc import Iterator
from typing import Any

from streamlit.testing.v1 import AppTest

_CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
_MATHS = re.compile(r"(\$\$.*?\$\$|\$[^$]*\$)", re.DOTALL)
_PLACEHOLDER = re.compile(
    r"\{\{.*?\}\}"  # an f-string's way to write a brace
    r"|\{[A-Za-z_][^{}\\]*:[^{}\\]*\}"  # a format: {base:g}
    r"|(?<![\w\\^}])\{[A-Za-z_]\w+\}"  # a name that no command of LaTeX takes: {base}
)
_POINTED = re.compile(r"%\{\w+(?::[^{}]*)?\}")
"""What a chart fills in itself, where it is pointed at: %{x:.2f}."""
_SET = re.compile(r"\{\d+(?:, \d+)*\}")
"""Keys in braces, as mathematics writes a set: {1, 2}."""
_NO_WORDS = re.compile(
    r"(?:^|_)(?:id|key|hash|path|url|file)(?:_|$)|^(?:js|css|html)_|^(?:config|columns)$"
)
"""Fields of what a page draws that nobody reads."""


def unfilled(text: str) -> list[str]:
    """The places of a text (Markdown, with mathematics between dollars) that were not filled in."""
    pieces = enumerate(_MATHS.split(_SET.sub("", _CODE.sub("", text))))
    return [
        found
        for at, piece in pieces
        for found in (_PLACEHOLDER.findall(piece) if at % 2 else re.findall(r".{0,30}[{}]", piece))
    ]


def unfilled_latex(latex: str) -> list[str]:
    """The same of mathematics by itself."""
    return _PLACEHOLDER.findall(latex)


def page_texts(page: AppTest) -> Iterator[str]:
    """Every text of a page, wherever it is drawn: prose, labels, options, charts."""
    yield from _drawn_texts(page._tree)


def _drawn_texts(part: Any) -> Iterator[str]:
    if part.type not in ("bidi_component", "code", "html"):  # the last are style sheets
        yield from _field_texts(getattr(part, "proto", None))
    for child in getattr(part, "children", {}).values():
        yield from _drawn_texts(child)


def _field_texts(message: Any) -> Iterator[str]:
    for field, value in message.ListFields() if hasattr(message, "ListFields") else ():
        if _NO_WORDS.search(field.name):
            continue
        for one in [value] if isinstance(value, str) or not hasattr(value, "__iter__") else value:
            if field.name == "spec":
                yield from (_POINTED.sub("", text) for text in json_texts(json.loads(one)))
            elif isinstance(one, str):
                yield one
            else:
                yield from _field_texts(one)


def json_texts(told: Any) -> Iterator[str]:
    """Every text of what a browser is told."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, dict | list):
        for child in told.values() if isinstance(told, dict) else told:
            yield from json_texts(child)
