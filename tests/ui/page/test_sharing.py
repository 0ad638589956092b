"""A link as a QR code: what is drawn is the code of that link, where a phone can read it."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import segno

from ui.page.sharing import LARGEST, QUIET, is_this_machines_own, link_code

LINK = "https://example.org/class/?text=The+cat+sat&mask=causal"
FITS = 1273
"""Bytes that version 25 holds at the lowest level of correction (ISO/IEC 18004, table 7)."""


def drawn(svg: str) -> np.ndarray:
    """The modules that an SVG's strokes cover: `h5` draws five, `m3 1` moves on."""
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    path = next(part for part in root.iter() if part.get("stroke") == "#000")
    left, top, side, height = map(int, root.attrib["viewBox"].split())
    assert (left, top, height) == (0, 0, side)
    assert not {"width", "height"} & set(root.attrib)  # else a smaller box would cut it
    modules = np.zeros((side // 4, side // 4), dtype=bool)
    x = y = 0.0
    for how, numbers in re.findall(r"([Mmh])([^Mmh]*)", path.attrib["d"]):
        found = [float(n) for n in re.findall(r"-?[\d.]+", numbers)]
        if how == "h":
            modules[int(y), int(x) : int(x + found[0])] = True
            x += found[0]
        else:
            x, y = (0.0 if how == "M" else x) + found[0], (0.0 if how == "M" else y) + found[1]
    return modules


def test_the_modules_of_the_link_are_drawn_within_a_white_margin() -> None:
    svg = link_code(LINK)
    assert svg is not None
    wanted = np.array(
        [list(row) for row in segno.make_qr(LINK, error="l", boost_error=False).matrix], dtype=bool
    )
    np.testing.assert_array_equal(drawn(svg)[QUIET:-QUIET, QUIET:-QUIET], wanted)
    assert drawn(svg).sum() == wanted.sum()
    assert link_code(LINK + "2") != svg


def test_a_link_that_is_too_long_has_no_code() -> None:
    assert LARGEST == 25
    start = "https://example.org/?text="
    assert link_code(start + "a" * (FITS - len(start)))
    assert link_code(start + "a" * (FITS - len(start) + 1)) is None
    assert link_code(start + "a" * 8000) is None


@pytest.mark.parametrize(
    ("link", "own"),
    [
        ("http://localhost:8501/?text=a", True), ("http://127.0.0.1:8501/", True),
        ("http://[::1]:8501/", True), ("http://192.168.0.7:8501/", False),
        ("https://example.org/localhost/?text=localhost", False), ("/?text=a", False),
    ],
)  # fmt: skip
def test_an_address_that_means_this_machine_is_told(link: str, own: bool) -> None:
    assert is_this_machines_own(link) == own
