"""What the rows of an explanation say as lines that evaluate: symbols read as mathematics."""

import re
from collections.abc import Sequence

from core.program.formulas import Formula

CELL = "cell"


def lines_of(rows: Sequence[Formula]) -> list[str]:
    """The rows put together again, in Python's signs; the last line is `cell = …`."""
    lines: list[str] = []
    for row in rows:
        if row[0] == "indent" or row[1] in (["mark", "="], ["mark", "≈"]):
            lines[-1] += f" {_text(row)}"
        else:
            lines.append(_text(row))
    return lines


def _text(node: Formula) -> str:
    kind, *rest = node
    if kind == "row":
        if rest[0][0] == "name":
            return CELL
        return re.sub(r"\) *\(", ") * (", " ".join(map(_text, rest)))
    if kind in ("mark", "number", "word"):
        text: str = rest[0]
        return {"−": "-", "×": "*"}.get(text, text)
    if kind == "sup":
        return f"({_text(rest[0])}) ** ({_text(rest[1])})"
    if kind == "over":
        return f"(({_text(rest[0])}) / ({_text(rest[1])}))"
    if kind == "sqrt":
        return f"sqrt({_text(rest[0])})"
    assert kind == "indent", node
    return _text(rest[0])
