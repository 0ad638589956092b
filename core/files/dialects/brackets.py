"""Numbers in brackets: Python, prints of arrays, MATLAB, Julia, Mathematica and C.

Code that is Python is read as such. Any other text is taken apart at its outermost brackets; each
part is rewritten as a Python list (`core.files.dialects.bracket_rows`) and what stands before it is
its name.
"""

import re
from dataclasses import replace

from core.files.dialects.bracket_rows import check_nesting, python_lines
from core.files.dialects.code import dict_entries, listed_words, read_code, read_expression
from core.files.dialects.code_nodes import NotPythonError
from core.files.dialects.written import (
    Paste,
    WrittenMatrix,
    computed,
    is_list,
    rows_as_one,
    several_lists,
    without_comments,
)
from core.files.numerals import numbers_left_out, too_deep
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_PARTS = 256
"""Statements with brackets in one text that is no Python."""

_NUMBER_IN_BRACKETS = re.compile(
    r"[\[({]\s*(?:[-+]?(?:[\d.]|∞|inf\b|nan\b)|[\])}\[({]|true\b|false\b"
    r"|(?:np|numpy|torch|math|jnp)\.\w|(?:float|array|tensor|c)\()",
    re.IGNORECASE,
)
_LIST_OF_WORDS = re.compile(r"""^\s*(?:\w+\s*=\s*)?\[\s*(?:"[^"\n]*"|'[^'\n]*')\s*[,\]]""")
_PRINT_CALL = re.compile(r"^[ \t]*print\([\w.]*\)[ \t]*$", re.MULTILINE)
_PARAMETER = re.compile(r"\bParameter containing:[ \t]*\n?")
_TENSORFLOW = re.compile(r"<tf\.[^<>]*?numpy=\s*([^<>]*)>")
_GRADIENT = re.compile(r"grad_fn=<[^<>]*>")
_PROMPT = re.compile(
    r"^(?:Out\[\d+\]:|In\s\[\d+\]:|>>>|\.\.\.\s|julia>|octave:\d+>|>>?(?=\s))", re.MULTILINE
)
_ECHO = re.compile(
    r"^(?:In\s\[\d+\]:|>>>|julia>|octave:\d+>|>>?)\x20+(?:print\()?([A-Za-z_][\w.]*)\)?\s*?\n\s*"
    r"(?:Out\[\d+\]:\s*)?(?=[\[({]|\w[\w.]*\()",
    re.MULTILINE,
)
"""A name after a prompt, up to the array that is printed below it."""
_R_ARROW = re.compile(r"^([ \t]*[A-Za-z][\w.]*)[ \t]*<-", re.MULTILINE)
_TYPE = (
    r"(?:static|const|constexpr|let|var|auto|float|double|int|long|unsigned|Real"
    r"|std::\w+(?:<[\w:<>,\s]*>)?|\w+\[\](?:\[\])?)"
)
_DECLARATION = re.compile(
    rf"^[ \t]*(?:{_TYPE}[ \t]+)+(\w+)[ \t]*(?:\[\d*\][ \t]*)*=?(?=[ \t\n]{{0,9}}[={{\[])",
    re.MULTILINE,
)
"""A declaration of C, C++, Java or JavaScript, without its value."""
_JULIA_TYPE = re.compile(r"\b(?:Float|Int|Bool)\d*(?=\[)")
_CONTINUED = re.compile(r"\.\.\.[ \t]*\n")
_ELLIPSIS = re.compile(r"(?<![^\s,\[(])(?:\.\.\.|[…⋯⋮⋱])")

_OF_MATHEMATICA = re.compile(r"(?<=[\d.])`[\d.]*")
_OF_C = re.compile(r"(?<=[\d.])[fFlL](?=[\s,;}\])])")
_HEAD = re.compile(r"[\w.]*|[-+]?[\d.]+(?:e[+-]?\d+)?\s*\*\s*[\w.]*", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s*(?::=|->|=>|[=:→↦⟶])\s*")


def is_bracketed(text: str) -> bool:
    """Return whether a text has numbers in brackets, or is a list of words."""
    return any(form.search(text) for form in (_NUMBER_IN_BRACKETS, _LIST_OF_WORDS))


def read_bracketed(text: str) -> Paste:
    """Return the matrices of a text with brackets. Raises `InputError`."""
    text = _PARAMETER.sub("", _TENSORFLOW.sub(r"\1", _GRADIENT.sub("grad_fn=None", text)))
    text = _R_ARROW.sub(r"\1 =", _PRINT_CALL.sub("", _PROMPT.sub("", _ECHO.sub(r"\1 = ", text))))
    try:
        check_nesting(text)
        return read_code(_unindented(text))
    except NotPythonError:
        return _read_parts(text)
    except RecursionError as error:
        raise too_deep() from error


def _unindented(text: str) -> str:
    """A text without the indent of its first line, which Python does not allow."""
    lines = text.strip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines)


def _read_parts(text: str) -> Paste:
    for opening, closing in (("/*", "*/"), ("(*", "*)")):
        text = without_comments(text, opening, closing)
    text = _OF_C.sub("", _OF_MATHEMATICA.sub("", text))
    text = _JULIA_TYPE.sub("", _DECLARATION.sub(r"\1 =", text))
    if ";" in text:  # NumPy, which has none, means numbers that are left out
        text = _CONTINUED.sub(" ", text)
    if _ELLIPSIS.search(text):
        raise numbers_left_out(TEXTS("the_text"))
    found: list[tuple[WrittenMatrix, str]] = []
    lists: dict[str, tuple[str, ...]] = {}
    title = ""
    lines = python_lines(text)
    if len(lines) > MAX_PARTS:
        raise several_lists()
    for line in lines:
        name, separator, value = _taken_apart(line)
        if not value:
            if not re.search(r"[^\W\d_]", name):
                raise computed(line)
            title = name
            continue
        if words := listed_words(value):
            lists[name or title] = words
            title = ""
            continue
        written = read_expression(value)
        found.append((replace(written, name=name or title), separator))
        title = ""
    parts = [written for written, _ in found]
    if any(separator == "=" for _, separator in found):
        return Paste(parts, lists=lists)
    if len(parts) > 1 and all(map(is_list, parts)) and not any(one.name for one in parts):
        return Paste([rows_as_one(parts)], lists=lists)
    return replace(dict_entries(parts), lists=lists)


def _taken_apart(line: str) -> tuple[str, str, str]:
    """The name before a value, what is between them, and the value; "" for what is not there."""
    bracket = re.search(r"[\[({]", line)
    if bracket is None or line.endswith(":"):
        return _title(line), "", ""
    head = line[: bracket.start()]
    *_, last = [None, *_SEPARATOR.finditer(head)]
    if last is not None:
        sign = "=" if last.group().strip() in ("=", ":=") else ":"
        return _title(head[: last.start()]), sign, line[last.end() :]
    if _HEAD.fullmatch(head):
        return "", "", line
    name, _, call = head.rpartition(" ")
    if re.search(r"\d\s*$|[-+*/@]", name):
        raise computed(line)
    return _title(name), ":", call + line[bracket.start() :]


def _title(text: str) -> str:
    """A name as it is said: without quotes and colons around it."""
    return text.strip(" \t\"'`:=|").strip()
