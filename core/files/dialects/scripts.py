"""Programs of Python, and notebooks of them: what they write out is read, nothing is run."""

import ast
import json
import re
from typing import Any

from core.errors import InputError, check_most, input_error
from core.files.dialects.bracket_rows import check_nesting
from core.files.dialects.code import read_program
from core.files.dialects.code_nodes import words_of
from core.files.dialects.written import Paste
from core.files.numerals import too_deep
from core.texts import core_texts

TEXTS = core_texts("files")

MAX_NOTEBOOK_CELLS = 1_000

_OPENS_A_SCRIPT = re.compile(
    r"^(?:import[\t\x20]+[A-Za-z_][\w.]*(?:[\t\x20]+as[\t\x20]+\w+)?[\t\x20]*(?:[,;#].*)?$"
    r"|from[\t\x20]+[\w.]+[\t\x20]+import\b|(?:def|class)[\t\x20]+\w+\(|class[\t\x20]+\w+:)",
    re.MULTILINE,
)
_OPENS_A_LIST = re.compile(r"""\s*(?:[A-Za-z_]\w*[\t\x20]*=\s*)?\[\s*["']""")
_STRING_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*"?'
    r"|'(?:[^'\\\n]|\\.)*'?"
    r"|#[^\n]*",
    re.DOTALL,
)
_TO_THE_SHELL = re.compile(r"^[ \t]*[%!][^\n]*$", re.MULTILINE)
"""A line that Jupyter does not read as Python."""


def is_script(text: str) -> bool:
    """Return whether a text is a program of Python: it imports or defines something.

    A list of words is one too: any sign may be a token.
    """
    if opens_a_script(text):
        return _parsed(text) is not None
    return _OPENS_A_LIST.match(text) is not None and _is_list_of_words(_parsed(text.strip()))


def opens_a_script(text: str) -> bool:
    """Return whether a line of a text is a program's, even if Python cannot parse the text."""
    return _OPENS_A_SCRIPT.search(text) is not None


def read_script(text: str) -> Paste:
    """Return the arrays that a program writes out, and the names that it computes."""
    text = text.strip() if _OPENS_A_LIST.match(text) else text
    tree = _parsed(text)
    assert tree is not None
    return read_program(text, tree)


def code_of_notebook(text: str) -> str:
    """Return the code of a Jupyter notebook, without what is for the shell.

    Raises `InputError` for what is no notebook, and for one of too many cells.
    """
    try:
        notebook = json.loads(text)
        cells = notebook["cells"]
        code = [_source(cell) for cell in cells if cell["cell_type"] == "code"]
    except RecursionError as error:
        raise too_deep() from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise input_error(TEXTS, "no_notebook") from error
    check_most(TEXTS, "many_notebook_cells", "count", len(cells), MAX_NOTEBOOK_CELLS)
    return "\n\n".join(_TO_THE_SHELL.sub("", one) for one in code if not one.startswith("%%"))


def _is_list_of_words(tree: ast.Module | None) -> bool:
    """Whether a program is one list of words, under a name or not."""
    match tree.body if tree else []:
        case [ast.Assign([ast.Name(id=name)], value)]:
            return bool(words_of(value, name))
        case [ast.Expr(value)]:
            return bool(words_of(value))
    return False


def _source(cell: Any) -> str:
    lines = cell["source"]
    if not isinstance(lines, str | list):
        raise TypeError
    return "".join(lines)


def _parsed(text: str) -> ast.Module | None:
    """The tree of a program; None if the text is not Python, or nests too deep for it."""
    try:
        check_nesting(_STRING_OR_COMMENT.sub("", text))
        return ast.parse(text)
    except (InputError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
