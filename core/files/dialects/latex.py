"""LaTeX: matrices, arrays and tabulars."""

import re
from dataclasses import replace

from core.errors import input_error
from core.files.dialects.rows_of_cells import matrix_of_rows
from core.files.dialects.written import (
    MatrixOperation,
    Paste,
    WrittenMatrix,
    computed,
    divided,
    times,
    transposed,
)
from core.files.numerals import numbers_left_out
from core.texts import core_texts

TEXTS = core_texts("files")

_ENVIRONMENT = re.compile(
    r"\\begin\{((?:[pbBvV]|small)?matrix\*?|array|tabular)\}(?:\[\w*\])?(?:\{[^{}]*\})?"
)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_RULES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|cr\b)|\\cline\{[^{}]*\}")
_SPACES = re.compile(r"\\[,;:!>\s]|\\q?quad\b|~|\\(?:displaystyle|phantom\{[^{}]*\})")
_DOTS = re.compile(r"\\(?:[lcvd]|hd)?dots\b")
_ROW_END = re.compile(r"\\\\(?:\[[^\[\]]*\])?|\\cr\b")
_CELL_END = re.compile(r"(?<!\\)&")
_FRACTION = re.compile(r"\\[td]?frac\s*\{\s*([^{}]*?)\s*\}\s*\{\s*([^{}]*?)\s*\}")
_DIGIT_FRACTION = re.compile(r"\\[td]?frac\s*(\d)\s*(\d)")
_POWER = re.compile(r"\s*(?:\\cdot|\\times)\s*10\s*\^\s*(?:\{\s*([+-]?\d+)\s*\}|(\d))")
_WORDS = re.compile(r"\\(?:num|operatorname|(?:text|math)(?:rm|bf|it|tt)?)\s*\{([^{}]*)\}")
_INFINITY = re.compile(r"\\infty\b|\\infin\b")
_OPEN = r"(?:\\(?:left|[bB]igg?l?)\s*)?(?:\\?[\[({|.]|\\l(?:brack|vert)\b)?"
_SHUT = r"(?:\\(?:right|[bB]igg?r?)\s*)?(?:\\?[\])}|.]|\\r(?:brack|vert)\b)?"
_NUMBER = r"[-+]?[\d.]{1,30}"
_BEFORE = re.compile(
    rf"(?:(?P<name>[^=\n]*?)\s*(?:&\s*)?(?:=|:=|\\coloneqq)\s*)?"
    rf"(?P<factor>{_NUMBER}|\\[td]?frac\s*\{{{_NUMBER}\}}\s*\{{{_NUMBER}\}}|[-+])?"
    rf"\s*(?:\\cdot|\\times)?\s*{_OPEN}\s*"
)
_TRANSPOSE = r"\^\s*\{?\s*(?:T|\\top|\\intercal|\\math(?:sf|rm)\s*\{T\})\s*\}?"
_AFTER = re.compile(rf"\s*{_SHUT}\s*(?P<t>{_TRANSPOSE})?")
_AROUND = re.compile(
    r"\\(?:begin|end)\{(?:equation|align(?:ed)?|displaymath|math|gather)\*?\}|\$\$?|\\[\[\]()]"
)


def is_latex(text: str) -> bool:
    """Return whether a text has a matrix of LaTeX."""
    return _ENVIRONMENT.search(text) is not None


def read_latex(text: str) -> Paste:
    """Return the matrices of a text, each under the name before it. Raises `InputError`."""
    text = _COMMENT.sub("", text)
    found: list[WrittenMatrix] = []
    at = 0
    while begin := _ENVIRONMENT.search(text, at):
        closing = f"\\end{{{begin[1]}}}"
        end = text.find(closing, begin.end())
        if end < 0:
            raise input_error(TEXTS, "environment", name=begin[1])
        name, operations = _before(text[at : begin.start()], is_first=not found)
        inside = text[begin.end() : end]
        if _ENVIRONMENT.search(inside):
            raise computed(begin[0])
        after = _AFTER.match(text, end + len(closing))
        at = after.end() if after else end + len(closing)
        if after and after["t"]:
            operations = [transposed, *operations]
        written = _table(inside, is_matrix="matrix" in begin[1])
        found.append(replace(written, name=name, operations=tuple(operations)))
    if re.search(r"[\d\\^*/+@'-]", _AROUND.sub("", text[at:])):
        raise computed(text[at:].strip())
    return Paste(found)


def _before(text: str, is_first: bool) -> tuple[str, list[MatrixOperation]]:
    """The name and the factor before a matrix."""
    text = _SPACES.sub(" ", _AROUND.sub(" ", text.replace("\\\\", " "))).strip(" \n\t,;.")
    line = re.sub(r"\s+", " ", text.rpartition("\n")[2]).strip()[-100:]
    match = _BEFORE.fullmatch(line)
    if match is None:
        words = line.rstrip("([{|").removesuffix("\\left")
        if re.search(r"[\d\\^*/+=-]|^[A-Za-z](?:_\w+)?$", words):
            raise computed(line)
        return _WORDS.sub(r"\1", line).strip(" :([{|"), []
    name = _WORDS.sub(r"\1", match["name"] or "").strip(" &:$")
    if name[:1] in tuple("+-*/^"):
        raise computed(line)
    factor = match["factor"]
    if factor in ("+", "-") and not (is_first or name):  # a sum
        raise computed(line)
    if not factor:
        return name, []
    try:
        over, *under = map(float, re.findall(_NUMBER, factor + "1" if factor in "+-" else factor))
    except ValueError as error:
        raise computed(line) from error
    if under == [0]:
        raise computed(line)
    return name, [times(over), *map(divided, under)]


def _table(inside: str, is_matrix: bool) -> WrittenMatrix:
    if _DOTS.search(inside):
        raise numbers_left_out(TEXTS("the_text"))
    rows = [_CELL_END.split(_RULES.sub(" ", row)) for row in _ROW_END.split(inside)]
    cells = [[_cell(cell) for cell in row] for row in rows]
    return matrix_of_rows([row for row in cells if any(row)], may_be_numbered=not is_matrix)


def _cell(cell: str) -> str:
    """A number as it is spelled elsewhere, or the words of a label."""
    cell = _SPACES.sub(" ", cell).replace("{,}", ".").replace("\\%", "%")
    cell = _FRACTION.sub(r"\1/\2", _DIGIT_FRACTION.sub(r"\1/\2", cell))
    cell = _POWER.sub(lambda power: f"e{power[1] or power[2]}", cell)
    cell = _INFINITY.sub("inf", _WORDS.sub(r"\1", cell)).strip(" \n\t$")
    if cell.startswith("{") and cell.endswith("}"):
        cell = cell[1:-1]
    return re.sub(r"^([+-])\s+", r"\1", " ".join(cell.split()))
