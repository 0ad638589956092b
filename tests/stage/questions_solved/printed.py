"""Questions read off their worksheet, and answers off its key, as a person reads them."""

import re
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

Number = Fraction | float


@dataclass(frozen=True)
class PrintedTable:
    """A table: its caption, the labels of its columns and rows, and its cells."""

    title: str
    corner: str
    columns: list[str]
    rows: list[str]
    cells: list[list[str]]

    @property
    def numbers(self) -> list[list[Number]]:
        return [list(map(number, row)) for row in self.cells]


@dataclass(frozen=True)
class PrintedQuestion:
    """A question on a sheet: its words, its tables, and what may be ticked."""

    text: str
    tables: list[PrintedTable]
    options: list[str]

    @property
    def quoted(self) -> list[list[str]]:
        """The words of each sentence that stands between quotation marks."""
        return [sentence.split() for sentence in re.findall(r"“([^”]+)”", self.text)]

    def find(self, pattern: str) -> re.Match[str]:
        found = re.search(pattern, self.text)
        assert found, f"no {pattern} in: {self.text}"
        return found

    def find_numbers(self, pattern: str) -> list[Number]:
        """What the groups of a pattern match, as numbers."""
        return list(map(number, self.find(pattern).groups()))

    def wholes(self, pattern: str) -> list[int]:
        found = self.find_numbers(pattern)
        assert all(each == int(each) for each in found), found
        return list(map(int, found))


def number(text: str) -> Number:
    """A number as printed: 0.5, −3, 1,024, 4e-4 or −∞."""
    plain = text.replace("−", "-").replace(",", "")
    return float(plain.replace("∞", "inf")) if "∞" in plain else Fraction(plain)


def said(node: Element) -> str:
    """The words of a piece of a page, its mathematics as people type it: d_k, K^⊤, 1/2, √9."""
    parts = [said(child) + (child.tail or "") for child in node]
    match node.tag:
        case "msub" | "msup" | "mfrac":
            return {"msub": "_", "msup": "^", "mfrac": "/"}[node.tag].join(parts)
        case "msqrt":
            return "√" + "".join(parts)
        case "mo":
            return f" {node.text} " if node.text in ("=", "≈", "×") else node.text or ""
        case "mspace":
            return " "
    return (node.text or "") + "".join(parts)


def sections(page: str) -> list[Element]:
    """The questions of a sheet, or of a key."""
    body = page.partition("<body>")[2].partition("</body>")[0]
    return ElementTree.fromstring(f"<body>{body}</body>").findall(".//section[@class='question']")


def question_of(section: Element) -> PrintedQuestion:
    return PrintedQuestion(
        " ".join(" ".join(map(said, section.findall("p"))).split()),
        [_table(table) for table in section.iter("table")],
        [said(option).removeprefix("☐ ") for option in section.iter("li")],
    )


def told_by(section: Element) -> str:
    """The answer that a key says."""
    (answer,) = section.findall("p/strong")
    found = re.fullmatch(r"The answer(?: is|:) (.+)\.", said(answer))
    assert found, said(answer)
    return found[1]


def values_told(answer: str) -> tuple[Fraction | None, str]:
    """The fraction, if there is one, and the decimals of a number that a key tells."""
    parts = re.split(r" (?:=|≈) ", answer)
    exact = Fraction(parts[0].replace("−", "-")) if len(parts) > 1 else None
    return exact, parts[-1]


def rounded(value: Number, decimals: int) -> Fraction:
    """Half away from zero; a float is first freed from what it lost by being one."""
    assert value not in (inf, -inf)
    exact = value if isinstance(value, Fraction) else Fraction(repr(round(value, 12)))
    units = int(abs(exact) * 10**decimals + Fraction(1, 2))
    return Fraction(-units if exact < 0 else units, 10**decimals)


def _table(table: Element) -> PrintedTable:
    corner, *columns = (said(cell) for cell in table.findall("thead/tr/th"))
    rows = table.findall("tbody/tr")
    return PrintedTable(
        said(table.find("caption")),  # type: ignore[arg-type]
        corner,
        columns,
        [said(row.find("th")) for row in rows],  # type: ignore[arg-type]
        [[said(cell) for cell in row.findall("td")] for row in rows],
    )
