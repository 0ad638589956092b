"""No page before the walkthrough shows a symbol that the path has not taught.

Symbols are those of every formula and caption of a stage, under every choice of its toggles, of
what its steps say, and of the mathematics in a page's prose. What a page keeps for later says which
chapter to read first, and may show what that chapter has taught.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

import pytest

import ui.stage.exhibit
from core.attention.masks import GALLERY, OFFERED
from core.path import PATH
from core.program.trace import Trace
from stage.document.document import document
from tests.ui.claims import _alternatives_at_once, drawn
from tests.ui.support import folds_for_later, opened, untouched
from ui.links.path import HOME
from ui.page.prose import typeset_symbols

TAUGHT = {
    "words": "X E one_hot weights dials totals V average sum p v",
    "dot_products": "q k cos theta",
    "softmax": "scores constant moved tempered largest raised exp max e x c T weight score",
    "walkthrough": "Q K W_Q W_K W_V W_O d_k scaled mask masked softmax context concat "
    f"output {' '.join(name for name in OFFERED if name in GALLERY)}",
}
"""The symbols that each chapter adds, as programs and LaTeX write them."""
IN_FOLDS = {
    "fold_rules": {"Q_hat", "K_hat", "v_a", "tanh", "0", "d_model"},
    "fold_over": {"softmax over queries", "d_model"},
}
"""What a fold for later adds itself."""
NAMES = [*PATH][: [*PATH].index(HOME) + 1]
"""The chapters up to the walkthrough, in the path's order."""
INDICES = set("ijn")


def taught(chapter: str) -> set[str]:
    """What the path has taught where this chapter ends."""
    upto = [*PATH][: [*PATH].index(chapter) + 1]
    return {symbol for name in upto for symbol in TAUGHT.get(name, "").split()}


def of_tree(node: Any) -> Iterator[str]:
    """The symbols of a formula as a stage draws it: arrays, sizes and functions."""
    if isinstance(node, list) and node:
        if node[0] == "name":
            yield node[3]
        elif node[0] == "word":
            yield node[1]
        else:
            for inner in node:
                yield from of_tree(inner)


def of_latex(latex: str) -> Iterator[str]:
    """The symbols of a piece of mathematics in prose; an index such as j is none."""
    plain = re.sub(r"\\(?:begin|end)\{\w+\}", " ", latex)
    plain = re.sub(r"\\(?:text|mathbb|mathrm|operatorname)\{(\w+)\}", r" \1 ", plain)
    for name, sub in re.findall(r"\\?([A-Za-z]+)(?:\s*_\s*\{?\s*([A-Za-z]\w*))?", plain):
        if name not in COMMANDS | INDICES:
            yield f"{name}_{sub}" if sub and sub not in INDICES else name


COMMANDS = {
    "cdot", "dfrac", "frac", "lVert", "rVert", "sqrt", "sum", "approx", "times", "top", "log",
}  # fmt: skip
"""Marks that are read, not taught."""


def of_prose(text: str) -> Iterator[str]:
    for latex in re.findall(r"\$+([^$]+)\$+", typeset_symbols(text)):
        yield from of_latex(latex)


def of_document(told: dict[str, Any]) -> Iterator[str]:
    """The symbols of a stage: its formula, every caption, and what its steps say."""
    yield from of_tree(told["formula"])
    for array in told["arrays"].values():
        yield from of_tree([array[name] for name in ("symbol", "caption", "turned")])
    for phase in told["phases"]:
        for said in (phase["title"], phase["summary"], phase["words"]):
            yield from of_prose(said)


@cache
def shown(page: str, fold: str = "") -> frozenset[str]:
    """The symbols of a page, with one of its folds for later open."""
    documents: list[dict[str, Any]] = []

    def heard(trace: Trace, *args: Any, **options: Any) -> dict[str, Any]:
        documents.append(document(trace, *args, **options))
        return documents[-1]

    with (
        patch.object(ui.stage.exhibit, "document", heard),
        patch("ui.stage.exhibit._alternatives_asked_for", _alternatives_at_once),
    ):
        made = opened(page)
        if fold:
            made.session_state[fold] = True
            made.run()
    assert not made.exception
    prose = drawn(made.main)
    found = {symbol for told in documents for symbol in of_document(told)}
    return frozenset(found | {symbol for text in prose for symbol in of_prose(text)})


def test_each_chapter_up_to_the_walkthrough_says_what_it_teaches() -> None:
    assert [*TAUGHT] == NAMES
    for name in NAMES:
        new = set(TAUGHT[name].split())
        assert new <= shown(name), f"{name} does not show {new - shown(name)}"
        before = [other for other in NAMES if NAMES.index(other) < NAMES.index(name)]
        assert not new & {s for other in before for s in TAUGHT[other].split()}


@pytest.mark.parametrize("name", NAMES)
def test_no_symbol_is_shown_before_it_is_taught(name: str) -> None:
    assert shown(name) <= taught(name), shown(name) - taught(name)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_for_later_needs_the_chapter_that_it_names(name: str) -> None:
    """It needs it: else it would stand on the page. And it needs no more."""
    for fold, first in folds_for_later(untouched(name)).items():
        symbols = shown(name, fold)
        unknown = symbols - taught(first) - IN_FOLDS.get(fold, set())
        assert not unknown, (fold, unknown)
        assert symbols - taught(name), f"{fold} shows nothing that is not taught"
