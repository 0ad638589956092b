"""Whether what is printed is so: numbers as they are rounded, lists one by one."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

Check = Callable[[re.Match[str], AppTest], None]
"""Recomputes what a sentence says, and asserts; it is given the match and the page."""
Values = Mapping[str, Any]
Filled = Mapping[str, Any] | Callable[[], Mapping[str, Any]]
"""Of a text: by the name of a place what is filled in there, or what works that out if asked."""


def named(said: str) -> list[str]:
    """The tokens that a sentence lists."""
    return [re.sub(r"\\(?=.)", "", one) for one in re.findall(r"\*+((?:[^*\\]|\\.)+)\*+", said)]


def plain(text: str) -> str:
    """A text without its links, escapes and marks of emphasis."""
    text = re.sub(r"\[((?:[^\]\\]|\\.)+)\]\(#[^)]*\)", r"\1", text)
    return re.sub(r"\\(?=.)|(?<!\\)\*", "", text)


def number(text: str) -> float:
    """A number as pages print it."""
    text = text.removeprefix("≈ ").removesuffix(" %").removesuffix("°")
    return float(text.replace("−", "-").replace(",", "").replace("∞", "inf"))


def printed(text: str, value: float) -> None:
    """The text is that value, rounded to the digits it shows."""
    if not np.isfinite(value):
        np.testing.assert_equal(number(text), value)
        return
    digits, _, power = text.replace("−", "-").partition("e")
    unit, decimals = 10.0 ** int(power or 0), len(re.sub("[ %°]", "", digits).partition(".")[2])
    assert abs(number(digits) - value / unit) <= 0.5 * 10**-decimals + 1e-9, (text, value)


UNITS = {
    "byte": 1, "bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
    "million": 10**6, "billion": 10**9,
}  # fmt: skip


def about(text: str, value: float) -> None:
    """The text is so many, to a tenth of its unit or as it is rounded."""
    said, unit = text.split(" ")
    off = abs(number(said) - value / UNITS[unit])
    assert off <= min(0.0501, 0.5 * 10 ** -len(said.partition(".")[2]) + 1e-9) * (UNITS[unit] > 1)


_LISTS = (list, tuple, range, np.ndarray)


def agree(said: Any, true: Any) -> None:
    """What a text says is so: a number as it is rounded, what is listed one by one.

    `...` is read elsewhere; a function asks for itself.
    """
    if true is ...:
        return
    if callable(true):
        assert true(said) is not False, said
    elif isinstance(said, str) and isinstance(true, _LISTS):
        lists = named(said) if "*" in said else re.split(r", | and | \| ", plain(said))
        agree(lists, true)
    elif isinstance(true, _LISTS):
        assert len(said) == len(true), (said, true)
        for one, other in zip(said, true, strict=True):
            agree(one, other)
    elif isinstance(said, str) and isinstance(true, str):
        assert plain(said) == true, (said, true)
    elif isinstance(said, str):
        assert not isinstance(true, bool | np.bool), (said, true)
        (about if said.rpartition(" ")[2] in UNITS else printed)(plain(said), float(true))
    else:
        assert said == true, (said, true)


def all_agree(said: Values, filled: Filled) -> None:
    """Every value that is filled in is the true one, and none is left unread."""
    true = filled() if callable(filled) else filled
    assert not true or said.keys() == true.keys(), said.keys() ^ true.keys()
    for name, value in true.items():
        try:
            agree(said[name], value)
        except AssertionError as failed:
            raise AssertionError(f"{name}: {failed}") from failed


def only(so: bool, **values: Any) -> Filled:
    """Of a text that is said only if that is so."""

    def made() -> Values:
        assert so, "it is said where it is not so"
        return values

    return made


def rounding(text: str) -> None:
    """It says no difference, or one that is no more than rounding."""
    assert text == "" or 0 < number(plain(text).replace("e−", "e-")) < 1e-12


def row_of(make: Callable[..., Any]) -> Check:
    """A row of a table: what stands before its numbers says which they are."""

    def check(match: re.Match[str], page: AppTest) -> None:
        *keys, cells = match.groups()
        agree(cells.split(" | "), make(page, *keys))

    return check
