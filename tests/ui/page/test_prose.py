"""Symbols in prose are typeset, wherever a page says something."""

import ast
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import attention_program, toy_inputs
from core.path import PATH
from core.program.labels import told_cell
from tests.sampling import three
from tests.ui.support import PAGES, changed, opened, untouched
from ui.page.prose import set_off, typeset_symbols
from ui.text import escape_markdown

EVERY = sorted(PATH)
TYPESET = re.compile(r"\$[^$\n]+\$|`[^`]+`|\]\([^)]*\)")
PLAIN = re.compile(r"(?<![\w\\])(d_[a-z]+|W_[QKVO]|[QK]_hat|QKᵀ|√d_k|[AX]ᵀ)")


@pytest.mark.parametrize(
    ("written", "typeset"),
    [
        ("d_k = 4", "$d_k$ = 4"),
        ("4·d_model²", "4·$d_{\\text{model}}^2$"),
        ("by 1/√d_k, or √d_k", "by $1/\\sqrt{d_k}$, or $\\sqrt{d_k}$"),
        ("W_Q W_Kᵀ and W_V", ":blue[$W_Q$] :red[$W_K^\\top$] and :green[$W_V$]"),
        ("QKᵀ is", ":blue[$Q$]:red[$K^\\top$] is"),
        ("concat · W_O", "concat · $W_O$"),
        ("X (W_Q) Xᵀ", "X (:blue[$W_Q$]) $X^\\top$"),
        ("(X Xᵀ) X", "($XX^\\top$) X"),
        ("**d_k**", "**$d_k$**"),
        ("Q_hat", ":blue[$Q_{\\text{hat}}$]"),
        *((kept, kept) for kept in ("$d_k$", "`d_k`", "[K](#stage-W_K)", "my_d_k", "d_k_2")),
        *((kept, kept) for kept in (escape_markdown("d_k W_Q QKᵀ Xᵀ"), "\\$ \\$d")),
    ],
)
def test_our_symbols_are_typeset_but_in_code_and_targets(written: str, typeset: str) -> None:
    assert typeset_symbols(written) == typeset


@pytest.mark.parametrize("page", three(EVERY))
def test_no_page_shows_a_symbol_as_plain_text(page: str) -> None:
    shown = untouched(page)
    said = [*shown.markdown, *shown.caption, *shown.title, *shown.header]
    assert said
    assert not plain_in(text.value for text in said)


PANELS = [
    "examples_panel", "numbers_panel", "edit_panel", "worksheet_panel", "download_panel", "in_code",
]  # fmt: skip
"""What opens on request, where a page has it."""


@pytest.mark.parametrize("page", three(EVERY))
def test_no_label_option_or_chart_shows_a_symbol_as_plain_text(page: str) -> None:
    shown = opened(page, step="X", cell="W_Q.0.1.1", lab_step="K", lab_cell="W_K.0.1.1")
    assert not plain_symbols(changed(shown, **dict.fromkeys(PANELS, True)))


def plain_symbols(page: AppTest) -> list[str]:
    """Symbols that labels, help and options of widgets, and charts, show as plain text.

    Options of a select box take no Markdown, and are left out.
    """
    assert not page.exception
    said: list[str] = []
    for element in below(page.main):
        made = getattr(element, "proto", None)
        said += [getattr(made, name, "") for name in ("label", "help", "spec", "alt")]
        said += [getattr(option, "content", "") for option in getattr(made, "options", ())]
    assert any(said)
    return plain_in(text.replace("\\", "") for text in said)


def plain_in(texts: Iterable[str]) -> list[str]:
    return [found for text in texts for found in PLAIN.findall(TYPESET.sub("", text))]


def below(part: Any) -> Iterator[Any]:
    """Every element of a part of a page."""
    for child in part.children.values():
        yield child
        yield from below(child) if hasattr(child, "children") else ()


def test_a_cell_is_told_with_its_tokens_set_off() -> None:
    trace = attention_program(heads=2).run(toy_inputs("the * the", heads=2))
    assert set_off(told_cell(trace, "scores", (1, 2, 1))) == "scores\\[*the₂*, *\\**\\] of head 2"
    assert set_off(told_cell(trace, "Q", (0, 0, 1))) == "Q\\[*the₁*, 2\\] of head 1"
    assert set_off(told_cell(trace, "W_K", (0, 1, 1))) == ":red[$W_K$]\\[2, 2\\] of head 1"
    said = f"{told_cell(trace, 'masked', (0, 1, 0))} is *hidden* where W_Q  and"
    assert set_off(said) == (
        "masked\\[*\\**, *the₁*\\] of head 1 is \\*hidden\\* where :blue[$W_Q$] and"
    )
    assert (set_off(" "), set_off("")) == (" ", "")


@pytest.mark.parametrize("page", three(EVERY))
def test_no_number_that_is_computed_is_typed_into_prose(page: str) -> None:
    """No decimals and bold numbers stand in a page's own texts; in citations they may."""
    tree = ast.parse((PAGES / f"{page}.py").read_text("utf-8"))
    cited = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "origin"
        for part in ast.walk(node.value)
    }
    assert not [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in cited
        and " " in node.value and re.search(r"\d\.\d|\*\*[−-]?\d", node.value)
    ]  # fmt: skip


def test_a_string_that_stands_by_itself_is_not_drawn() -> None:
    page = AppTest.from_string('LIMIT = 3\n"""How many there may be."""\n').run()
    assert not page.markdown
