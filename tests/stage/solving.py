"""A worksheet solved as a pupil solves it: from what is printed on it, and from nothing else.

Formulas, matrices, sizes and rules are read from the page. Numbers are fractions; what is no
fraction (e to a number, a root) has 60 digits.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

HIDDEN = None
"""−∞."""
Number = Fraction | str | None
"""Of a cell; "" is still to be worked out."""
DECIMALS = {"two": 2, "three": 3}


@dataclass
class Table:
    """A matrix as it is printed; a cell is its text, "" where it is empty, and its class."""

    title: str
    small: str
    cells: list[list[tuple[str, str]]]
    labels: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.title.partition(" = ")[0]

    @property
    def formula(self) -> str:
        return self.title.partition(" = ")[2]

    @property
    def heads(self) -> frozenset[int]:
        """The heads that it belongs to; none: it is of all of them."""
        head = r"head (?P<one>\d+), |key/value head \d+, for heads? (?P<several>[\d, and]+\d), "
        found = re.fullmatch(rf"(?:{head})?\d+ × \d+", self.small)
        assert found, f"{self.small} says not of which head it is"
        return frozenset(map(int, re.findall(r"\d+", found["one"] or found["several"] or "")))

    @property
    def blanks(self) -> list[tuple[int, int]]:
        rows = enumerate(self.cells)
        return [(i, j) for i, row in rows for j, (_, looks) in enumerate(row) if "blank" in looks]


class Sheet:
    """The text of a page, its tables, and those of its key, with the workings, a cell each."""

    def __init__(self, page: str) -> None:
        body = page.partition("<body>")[2].partition("</body>")[0]
        body = body.replace("<br>", "\n").replace("&nbsp;", "\u00a0")
        sheet, key = ElementTree.fromstring(f"<body>{body}</body>").findall("section")
        self.text = {"sheet": written(sheet), "key": written(key)}
        self.tables, self.key = ([*map(table_of, part.iter("table"))] for part in (sheet, key))
        self.lines = [written(line) for line in key.iter("li")]


def written(node: Element) -> str:
    """The text of a piece of a page: d_k for a d with a small k, and each piece in a line."""
    inside = (node.text or "") + "".join(written(part) + (part.tail or "") for part in node)
    ends = node.tag in ("p", "li", "h1", "h2", "td", "th", "caption")
    return f"_{inside}" if node.tag == "sub" else inside + "\n" * ends


def table_of(table: Element) -> Table:
    (caption,) = table.iter("caption")
    small = caption.findtext("small", "")
    cells = [
        [(written(cell).strip(), cell.get("class", "")) for cell in row.findall("td")]
        for row in table.findall("tbody/tr")
    ]
    labels = [written(label).strip() for label in table.iter("th")]
    title = written(caption).strip().removesuffix(small)
    return Table(title, small, cells, [label for label in labels if label])


class Pupil:
    """Who fills in a sheet, from the first table on, and goes on with the own numbers."""

    def __init__(self, sheet: Sheet) -> None:
        said = sheet.text["sheet"]
        rule = re.search(
            r"Round the number of each cell to (\w+) decimals, and go on with the rounded number\. "
            r"A 5 rounds away from 0.*Within a cell, round nothing\.",
            said,
        )
        assert rule, said
        self.said, self.decimals = said, DECIMALS[rule[1]]
        self.tables = sheet.tables
        self.known = [[[read(text) for text, _ in row] for row in t.cells] for t in sheet.tables]

    def solve(self) -> list[dict[tuple[int, int], str]]:
        """The text of each empty cell, table by table."""
        return [self._filled(number) for number in range(len(self.tables))]

    def _filled(self, number: int) -> dict[tuple[int, int], str]:
        table, known = self.tables[number], self.known[number]
        if not table.blanks:
            return {}
        cell = self._made(table)
        written = {}
        for i, j in table.blanks:
            written[i, j] = self._rounded(cell(i, j))
            known[i][j] = read(written[i, j])
        return written

    def _rounded(self, number: Fraction) -> str:
        units = int(abs(number) * 10**self.decimals + Fraction(1, 2))
        whole, part = divmod(units, 10**self.decimals)
        return f"{'−' if number < 0 and units else ''}{whole}.{part:0{self.decimals}d}"

    def _made(self, table: Table) -> Callable[[int, int], Fraction]:
        """How a cell of a table is worked out, by the table's formula."""
        formula, heads = table.formula, table.heads

        def of(name: str) -> list[list[Number]]:
            found = [
                n
                for n, other in enumerate(self.tables)
                if other.name == name and (not heads or not other.heads or heads <= other.heads)
            ]
            assert len(found) == 1, f"{name} of {set(heads) or 'all heads'} is not on the sheet"
            return self.known[found[0]]

        if found := re.fullmatch(r"(\w+) (\w+)ᵀ", formula):
            self._is_said("A Bᵀ: multiply a row of A and a row of B entry by entry, and add up.")
            a, b = of(found[1]), of(found[2])
            return lambda i, j: dot(a[i], b[j])
        if found := re.fullmatch(r"(\w+) (\w+)", formula):
            self._is_said("A B: multiply a row of A and a column of B entry by entry, and add up.")
            a, b = of(found[1]), of(found[2])
            return lambda i, j: dot(a[i], [row[j] for row in b])
        if found := re.fullmatch(r"(\w+) / √(\w+)", formula):
            a, size = of(found[1]), re.search(rf"{found[2]} = (\d+)\.", self.said)
            assert size, f"{found[2]} is not on the sheet"
            return lambda i, j: finite(a[i][j]) / self._root(int(size[1]))
        if found := re.fullmatch(r"(\w+) × ([\d.]+)", formula):
            a, factor = of(found[1]), Fraction(found[2])
            return lambda i, j: finite(a[i][j]) * factor
        if found := re.fullmatch(r"mask\((\w+)\)", formula):
            self._is_said("mask: if the mask is 1, the number stays.")
            a, mask = of(found[1]), of("mask")

            def kept(i: int, j: int) -> Fraction:
                assert mask[i][j] == 1
                return finite(a[i][j])

            return kept
        if found := re.fullmatch(r"softmax\((\w+)\)", formula):
            self._is_said(
                "softmax: raise e to each number of a row, then divide by the row's total"
            )
            self._is_said(". −∞ gives 0.")
            a = of(found[1])
            return lambda i, j: e_to(a[i][j]) / sum(map(e_to, a[i]))
        if found := re.fullmatch(r"concat\((\w+)\)", formula):
            self._is_said("concat: the rows of the heads next to each other, those of head 1 first")
            return self._beside(found[1], len(table.cells[-1]))
        raise AssertionError(f"Nobody knows how to work out {table.title}")

    def _beside(self, name: str, columns: int) -> Callable[[int, int], Fraction]:
        """A cell of heads next to each other; not every head need be on the sheet."""
        at = {
            min(table.heads or {1}): known
            for table, known in zip(self.tables, self.known, strict=True)
            if table.name == name
        }
        assert at, f"{name} is not on the sheet"
        width = len(next(iter(at.values()))[-1])
        assert columns % width == 0

        def cell(i: int, j: int) -> Fraction:
            assert j // width + 1 in at, f"{name} of head {j // width + 1} is not on the sheet"
            return finite(at[j // width + 1][i][j % width])

        return cell

    def _root(self, number: int) -> Fraction:
        return root(number)

    def _is_said(self, rule: str) -> None:
        assert rule in self.said, rule


def read(text: str) -> Number:
    """A cell as a number."""
    if text in ("", "−∞"):
        return HIDDEN if text else text
    assert re.fullmatch(r"−?\d+(\.\d+)?", text), f"{text} is no decimal number"
    return Fraction(text.replace("−", "-"))


def finite(number: Number) -> Fraction:
    assert isinstance(number, Fraction), "the cell that this is made of is still empty, or −∞"
    return number


def dot(a: Sequence[Number], b: Sequence[Number]) -> Fraction:
    total = Fraction(0)
    for one, other in zip(a, b, strict=True):
        total += finite(one) * finite(other)
    return total


def e_to(number: Number) -> Fraction:
    if number is HIDDEN:
        return Fraction(0)
    exponent = finite(number)
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp())


def root(number: int) -> Fraction:
    if isqrt(number) ** 2 == number:
        return Fraction(isqrt(number))
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(number).sqrt())
