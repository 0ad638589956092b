"""Brackets of any language as Python's lists: [1 2; 3 4] of MATLAB as [[1, 2], [3, 4]]."""

import re
from dataclasses import dataclass, field

from core.errors import input_error
from core.files.dialects.code_nodes import MATLAB_TRANSPOSE
from core.files.dialects.written import computed
from core.files.numerals import too_deep
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_NESTING = 16
"""Brackets of all kinds within each other, calls included."""
MAX_BRACKETS = 20_000
MAX_BRACKET_TOKENS = 150_000
"""Of a text that is no Python; the largest stack of matrices has 65,536 numbers."""
WRAPPED = 50
"""NumPy breaks a longer line of numbers; a shorter one is a row."""
_CLOSED_BY = {"[": "]", "(": ")", "{": "}"}

_TOKEN = re.compile(
    r"""(?P<transpose>(?<=[\])\w])\.?')
    |(?P<string>"[^"\n]*"|'[^'\n]*')
    |(?P<comment>\#[^\n]*|//[^\n]*|(?<![\d.])%[^\n]*)
    |(?P<number>(?:\d+\.?\d*|\.\d+)(?:(?:[eE]|\*\^)[+-]?\d+)?%?)
    |(?P<name>[^\W\d]\w*)
    |(?P<open>[\[({])|(?P<close>[\])}])
    |(?P<line>\n)|(?P<space>[^\S\n]+)|(?P<other>.)""",
    re.VERBOSE | re.ASCII,
)
_BLANK = ("space", "line")


@dataclass(slots=True)
class _Part:
    """A token; an opening bracket has what is in its pair."""

    kind: str
    text: str
    parts: list["_Part"] = field(default_factory=list)
    has_comma: bool = False
    has_semicolon: bool = False
    has_inner: bool = False
    is_index: bool = False


def check_nesting(text: str) -> None:
    """Raise `InputError` for brackets that are deep, or more than any matrix needs.

    They are counted before a parser meets them: deep ones cost it its stack.
    """
    brackets = re.findall(r"[\[\](){}]", text)
    if len(brackets) > 2 * MAX_BRACKETS:
        count, most = f"{len(brackets) // 2:,}", f"{MAX_BRACKETS:,}"
        raise input_error(TEXTS, "many_brackets", count=count, most=most)
    depth = 0
    for bracket in brackets:
        depth = depth + 1 if bracket in _CLOSED_BY else max(depth - 1, 0)
        if depth > MAX_NESTING:
            raise too_deep()


def python_lines(text: str) -> list[str]:
    """Return the statements of a text, each on one line and with Python's commas.

    Raises `InputError` for brackets that do not match, and for what has two meanings.
    """
    lines: list[list[str]] = [[]]
    is_assigned = False
    for part in _parts_of(text):
        if part.kind == "line" or part.text == ";":
            lines.append([])
            is_assigned = False
        elif part.kind == "open":
            is_matrix = not part.has_inner and (part.has_semicolon or not part.is_index)
            lines[-1].append(_python(part, is_matrix, is_assigned))
        else:
            lines[-1].append(part.text)
            is_assigned = is_assigned or part.text == "="
    return [line for line in ("".join(parts).strip().removesuffix(",") for parts in lines) if line]


def _parts_of(text: str) -> list[_Part]:
    """A text without its comments, and what is in brackets within them. Raises `InputError`."""
    opened = [_Part("", "")]
    before, count = "", 0
    for match in _TOKEN.finditer(text):
        part, inside = _Part(match.lastgroup or "", match.group()), opened[-1]
        if part.kind == "comment" or (before == "line" and part.kind in _BLANK):
            continue
        if part.kind == "close":
            if _CLOSED_BY.get(inside.text) != part.text:
                raise input_error(TEXTS, "brackets", missing=len(opened) > 1)
            opened.pop()
        else:
            if part.kind == "transpose":
                part = _Part("other", f".{MATLAB_TRANSPOSE}")
            inside.parts.append(part)
            inside.has_comma |= part.text == ","
            inside.has_semicolon |= part.text == ";"
        if part.kind == "open":
            part.is_index = before in ("number", "name", "close")
            inside.has_inner = True
            opened.append(part)
        before, count = part.kind, count + 1
        if count > MAX_BRACKET_TOKENS:
            raise input_error(TEXTS, "many_tokens", most=f"{MAX_BRACKET_TOKENS:,}")
    if len(opened) > 1:
        raise input_error(TEXTS, "brackets", missing=True)
    return opened[0].parts


def _python(group: _Part, is_matrix: bool, is_assigned: bool) -> str:
    """What is in a pair of brackets, as Python; [1 2; 3 4] of MATLAB if it may be a matrix."""
    if is_matrix and group.text == "[":
        return _matlab(group, is_assigned)
    written = [group.text]
    for n, part in enumerate(group.parts):
        if part.text == ";":
            raise computed(_source(group))
        is_inner_matrix = part.has_semicolon and not part.has_inner
        python = _python(part, is_inner_matrix, True) if part.kind == "open" else _spelled(part)
        written += [_comma(group, n), python]
    return "".join([*written, _CLOSED_BY[group.text]])


def _comma(group: _Part, at: int) -> str:
    """A comma before a part if it follows another number, or list, and a space."""
    parts, part, before = group.parts, group.parts[at], at - 1
    while before >= 0 and parts[before].kind in _BLANK:
        before -= 1
    between, last = parts[before + 1 : at], parts[before]
    if before < 0 or not between or last.kind not in ("number", "name", "open"):
        return ""
    if part.kind == "open":
        is_new_line = any(blank.kind == "line" for blank in between)
        return "," if last.kind == "open" and (is_new_line or not last.has_comma) else ""
    if group.has_comma or group.has_inner or group.text == "(":
        return ""
    if part.kind == "other":
        follows = parts[at + 1].kind if at + 1 < len(parts) else ""
        return "," if part.text in "+-" and follows in ("number", "name") else ""
    return "," if part.kind in ("number", "name") else ""


def _matlab(group: _Part, is_assigned: bool) -> str:
    """Rows end with a semicolon or a line; a list goes on after a comma."""
    rows: list[list[_Part]] = [[]]
    for n, part in enumerate(group.parts):
        if part.text == ";" or (part.kind == "line" and not _goes_on(group.parts, n)):
            rows.append([])
        else:
            rows[-1].append(part)
    rows = [row for row in rows if any(part.kind not in _BLANK for part in row)]
    if len(rows) == 1 and not group.has_semicolon:
        return f"[{_cells(rows[0])}]"
    longest = max((sum(len(part.text) for part in row) for row in rows), default=0)
    if longest > WRAPPED and not (is_assigned or group.has_semicolon or group.has_comma):
        raise input_error(TEXTS, "wrapped")
    return f"[{', '.join(f'[{_cells(row)}]' for row in rows)}]"


def _goes_on(parts: list[_Part], at: int) -> bool:
    """Whether a comma stands before or after the end of a line, which no other blank follows."""
    before = [part.text for part in parts[max(at - 2, 0) : at] if part.kind != "space"]
    return "," in before[-1:] + [part.text for part in parts[at + 1 : at + 2]]


def _cells(row: list[_Part]) -> str:
    """The cells of a row, with commas between them."""
    group = _Part("open", "[", row, has_comma=any(part.text == "," for part in row))
    return "".join(_comma(group, n) + _spelled(part) for n, part in enumerate(row)).strip()


def _source(part: _Part) -> str:
    return "".join([part.text, *map(_source, part.parts), _CLOSED_BY.get(part.text, "")])


def _spelled(part: _Part) -> str:
    """A token as Python writes it: 1.*^-6 as 1.e-6; 50% as a fraction."""
    if part.kind == "line":
        return " "
    if part.kind != "number":
        return part.text
    text = part.text.replace("*^", "e")
    return f"{text[:-1]}/100" if text.endswith("%") else text
