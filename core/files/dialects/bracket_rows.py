"""Brackets of any language as Python's lists: [1 2; 3 4] of MATLAB as [[1, 2], [3, 4]]."""

import re
from dataclasses import dataclass
from typing import Any

from core.errors import input_error
from core.files.dialects.code_operations import MATLAB_TRANSPOSE
from core.files.dialects.nesting import CLOSED_BY
from core.files.dialects.written import computed
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_TOKENS = 150_000
"""Of a text that is no Python; the largest stack of matrices has 65,536 numbers."""
WRAPPED = 50
"""NumPy breaks a longer line of numbers; a shorter one is a row."""

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
_OPERANDS = ("number", "name", "close")


@dataclass(slots=True)
class _Group:
    """What is in one pair of brackets."""

    opening: str
    has_comma: bool = False
    has_semicolon: bool = False
    has_inner: bool = False
    is_index: bool = False


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    group: _Group | None = None
    """The group that a bracket opens or closes."""


def _tokens(text: str) -> list[_Token]:
    """The tokens of a text, without comments; brackets know their group. Raises `InputError`."""
    tokens: list[_Token] = []
    groups: list[_Group] = []
    before = ""
    for match in _TOKEN.finditer(text):
        token = _Token(match.lastgroup or "", match.group())
        if token.kind == "comment" or (before == "line" and token.kind in ("line", "space")):
            continue
        if token.kind == "transpose":
            token = _Token("other", f".{MATLAB_TRANSPOSE}")
        elif token.kind == "open":
            token.group = _Group(token.text, is_index=before in _OPERANDS)
            if groups:
                groups[-1].has_inner = True
            groups.append(token.group)
        elif token.kind == "close":
            if not groups or CLOSED_BY[groups[-1].opening] != token.text:
                raise input_error(TEXTS, "brackets", missing=bool(groups))
            token.group = groups.pop()
        elif groups and token.kind == "other":
            groups[-1].has_comma |= token.text == ","
            groups[-1].has_semicolon |= token.text == ";"
        tokens.append(token)
        before = token.kind
        if len(tokens) > MAX_TOKENS:
            raise input_error(TEXTS, "many_tokens", most=f"{MAX_TOKENS:,}")
    if groups:
        raise input_error(TEXTS, "brackets", missing=True)
    return tokens


def python_lines(text: str) -> list[str]:
    """Return the statements of a text, each on one line and with Python's commas.

    Raises `InputError` for brackets that do not match, and for what has two meanings.
    """
    tokens = _tokens(text)
    lines: list[list[str]] = [[]]
    at, is_assigned = 0, False
    while at < len(tokens):
        token = tokens[at]
        if token.kind == "line" or token.text == ";":
            lines.append([])
            at, is_assigned = at + 1, False
        elif token.kind == "open":
            end = _end_of_group(tokens, at)
            lines[-1].append(_python(tokens[at : end + 1], is_assigned))
            at = end + 1
        else:
            lines[-1].append(token.text)
            at, is_assigned = at + 1, is_assigned or token.text == "="
    return [line for line in ("".join(parts).strip().removesuffix(",") for parts in lines) if line]


def _end_of_group(tokens: list[_Token], at: int) -> int:
    group = tokens[at].group
    return next(n for n in range(at + 1, len(tokens)) if tokens[n].group is group)


def _python(tokens: list[_Token], is_assigned: bool) -> str:
    """The tokens of a pair of brackets as Python."""
    group = tokens[0].group
    assert group is not None
    if group.opening == "[" and not group.has_inner and not group.is_index:
        return _matlab(tokens[1:-1], group, is_assigned)
    written: list[str] = []
    groups: list[_Group] = []
    flat = _flat_groups(tokens)
    at = 0
    while at < len(tokens):
        if at in flat:
            inner = tokens[at : flat[at] + 1]
            written.append(_comma(tokens, at, groups))
            written.append(_matlab(inner[1:-1], inner[0].group, True))
            at = flat[at] + 1
            continue
        token = tokens[at]
        if groups and token.kind in ("number", "name", "open", "other"):
            written.append(_comma(tokens, at, groups))
        if token.kind == "open" and token.group is not None:
            groups.append(token.group)
        elif token.kind == "close":
            groups.pop()
        elif token.text == ";":
            raise computed("".join(one.text for one in tokens[:at]))
        written.append(_spelled(token))
        at += 1
    return "".join(written)


def _flat_groups(tokens: list[_Token]) -> dict[int, int]:
    """Where MATLAB's [1 2; 3 4] begin and end, within a call or parentheses."""
    found, opened = {}, 0
    for n, token in enumerate(tokens):
        if token.kind == "open":
            opened = n
        elif token.kind == "close" and token.group is tokens[opened].group:
            group = token.group
            if group is not None and group.opening == "[" and group.has_semicolon:
                found[opened] = n
    return found


def _comma(tokens: list[_Token], at: int, groups: list[_Group]) -> str:
    """A comma before a token if it follows another number, or list, and a space."""
    token, before = tokens[at], at - 1
    if not groups or before < 1 or tokens[before].kind not in ("space", "line"):
        return ""
    is_new_line = False
    while before and tokens[before].kind in ("space", "line"):
        is_new_line = is_new_line or tokens[before].kind == "line"
        before -= 1
    if tokens[before].kind not in _OPERANDS:
        return ""
    if token.kind == "open":
        closed = tokens[before].group
        if tokens[before].kind != "close" or closed is None:
            return ""
        return "," if is_new_line or not closed.has_comma else ""
    if groups[-1].has_comma or groups[-1].has_inner or groups[-1].opening == "(":
        return ""
    if token.kind == "other":
        follows = tokens[at + 1].kind if at + 1 < len(tokens) else ""
        return "," if token.text in "+-" and follows in ("number", "name") else ""
    return ","


def _matlab(tokens: list[_Token], group: Any, is_assigned: bool) -> str:
    """Rows end with a semicolon or a line; a list goes on after a comma."""
    rows: list[list[_Token]] = [[]]
    for n, token in enumerate(tokens):
        if token.text == ";" or (token.kind == "line" and not _goes_on(tokens, n)):
            rows.append([])
        else:
            rows[-1].append(token)
    rows = [row for row in rows if any(one.kind not in ("space", "line") for one in row)]
    if len(rows) == 1 and not group.has_semicolon:
        return f"[{_cells(rows[0])}]"
    if not (is_assigned or group.has_semicolon or group.has_comma):
        longest = max(sum(len(one.text) for one in row) for row in rows) if rows else 0
        if longest > WRAPPED:
            raise input_error(TEXTS, "wrapped")
    return f"[{', '.join(f'[{_cells(row)}]' for row in rows)}]"


def _goes_on(tokens: list[_Token], at: int) -> bool:
    """Whether a comma stands before or after the end of a line."""
    for step in (-1, 1):
        n = at + step
        while 0 <= n < len(tokens) and tokens[n].kind in ("space", "line"):
            n += step
        if 0 <= n < len(tokens) and tokens[n].text == ",":
            return True
    return False


def _cells(row: list[_Token]) -> str:
    """The cells of a row, with commas between them."""
    has_comma = any(token.text == "," for token in row)
    group = _Group("[", has_comma=has_comma)
    padded = [_Token("space", " "), *row]
    written = [
        _comma(padded, n, [group]) + _spelled(token) if n else "" for n, token in enumerate(padded)
    ]
    return "".join(written).strip()


def _spelled(token: _Token) -> str:
    """A token as Python writes it: 1.*^-6 as 1.e-6; 50% as a fraction."""
    if token.kind == "line":
        return " "
    if token.kind != "number":
        return token.text
    text = token.text.replace("*^", "e")
    return f"{text[:-1]}/100" if text.endswith("%") else text
