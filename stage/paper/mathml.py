"""Mathematics of questions on paper: LaTeX as MathML, which browsers print by themselves.

It knows the LaTeX that `core` writes, and no more.
"""

import html
import re
from collections.abc import Callable, Mapping, Sequence

SYMBOLS: Mapping[str, str] = {
    r"\cdot": "·", r"\times": "×", r"\top": "⊤", r"\infty": "∞", r"\le": "≤", r"\approx": "≈",
    r"\theta": "θ", r"\sum": "∑", r"\{": "{", r"\}": "}", "-": "−",
}  # fmt: skip
FUNCTIONS = (r"\exp", r"\ln", r"\max", r"\min", r"\log", r"\tanh", r"\sin", r"\cos")
THIN_SPACE = '<mspace width="0.17em"/>'
_PIECES = re.compile(
    r"\\begin\{pmatrix\}(?P<matrix>.*?)\\end\{pmatrix\}"
    r"|(?P<upright>\\(?:text|mathrm|operatorname))\{(?P<words>[^{}]*)\}"
    r"|(?P<command>\\(?:[A-Za-z]+|.))"
    r"|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<letter>[^\W\d_])"
    r"|(?P<space>\s+)"
    r"|(?P<mark>.)",
    re.DOTALL,
)


def mathml(latex: str) -> str:
    """Return a formula as MathML. Raises `ValueError` for LaTeX that it does not know."""
    return f"<math>{_Reader(latex).row()}</math>"


class _Reader:
    """The pieces of a formula, taken one after another."""

    def __init__(self, latex: str) -> None:
        found = _PIECES.finditer(latex)
        self.pieces: Sequence[re.Match[str]] = [one for one in found if not one["space"]]
        self.at = 0

    def row(self, until: str = "") -> str:
        """What there is up to the end, or up to a mark that ends it."""
        nodes: list[str] = []
        while self.at < len(self.pieces):
            piece = self.pieces[self.at]
            if until and piece[0] == until:
                self.at += 1
                return f"<mrow>{''.join(nodes)}</mrow>"
            if piece["mark"] in ("^", "_"):
                self.at += 1
                tag = "msup" if piece[0] == "^" else "msub"
                nodes.append(f"<{tag}>{nodes.pop() if nodes else '<mrow/>'}{self.node()}</{tag}>")
            else:
                nodes.append(self.node())
        if until:
            raise ValueError(until)
        return f"<mrow>{''.join(nodes)}</mrow>"

    def node(self) -> str:
        """The next piece, or the group that it begins."""
        if self.at == len(self.pieces):
            raise ValueError
        piece = self.pieces[self.at]
        self.at += 1
        if piece["matrix"] is not None:
            return _matrix(piece["matrix"])
        if piece["upright"]:
            following = self.pieces[self.at] if self.at < len(self.pieces) else None
            is_product = following and (following["upright"] or following["letter"])
            word = f'<mi mathvariant="normal">{html.escape(piece["words"])}</mi>'
            return f"{word}{THIN_SPACE if is_product else ''}"
        if piece["number"]:
            return f"<mn>{piece[0]}</mn>"
        if piece["letter"]:
            return f"<mi>{piece[0]}</mi>"
        if piece[0] == "{":
            return self.row("}")
        if piece[0] in self.commands:
            return self.commands[piece[0]](self)
        if piece[0] in FUNCTIONS:
            is_called = self.at < len(self.pieces) and self.pieces[self.at][0] == "("
            return f"<mi>{piece[0][1:]}</mi>{'' if is_called else THIN_SPACE}"
        if piece["command"] and piece[0] not in SYMBOLS:
            raise ValueError(piece[0])
        return f'<mo stretchy="false">{html.escape(SYMBOLS.get(piece[0], piece[0]))}</mo>'

    commands: Mapping[str, Callable[["_Reader"], str]] = {
        r"\sqrt": lambda self: f"<msqrt>{self.node()}</msqrt>",
        r"\dfrac": lambda self: f"<mfrac>{self.node()}{self.node()}</mfrac>",
        r"\quad": lambda self: '<mspace width="1em"/>',
        r"\ ": lambda self: '<mspace width="0.3em"/>',
    }


def _matrix(inside: str) -> str:
    rows = "".join(
        "<mtr>" + "".join(f"<mtd>{_Reader(cell).row()}</mtd>" for cell in row.split("&")) + "</mtr>"
        for row in inside.split(r"\\")
    )
    return f"<mrow><mo>(</mo><mtable>{rows}</mtable><mo>)</mo></mrow>"
