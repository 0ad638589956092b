"""Untrusted text in Markdown."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.support import MADE_OF_TEXT
from ui.text import escape_markdown, markdown_table


@pytest.mark.parametrize(
    "text", ["**b**", "[a](b)", "$x$", ":red[x]", "<img>", "a|b", "`c`", "~~d~~"]
)
def test_every_mark_is_escaped(text: str) -> None:
    escaped = escape_markdown(text)
    for mark in "*[]()$:<>|`~":
        assert escaped.count(f"\\{mark}") == text.count(mark)


LIVELY = [
    "https://evil.example/x", "HTTP://a", "www.evil.example", "a.b+c@evil.example",
    "mailto:a@b.c", ":smile:", ":+1:", ":material_home:", ":streamlit:",
    "a -> b", "--", "a <- b", "<->", ">=", "<=", "~=",
]  # fmt: skip


@pytest.mark.parametrize("text", LIVELY)
def test_of_what_is_escaped_nothing_else_is_made(text: str) -> None:
    assert MADE_OF_TEXT.search(text), "the test can tell nothing"
    shown = re.sub(r"\\(.)", r"\1", escape_markdown(text))
    assert not MADE_OF_TEXT.search(shown)
    assert shown.replace("\u2060", "") == text


@given(st.lists(st.sampled_from([*"-.:/@<>=~+_a w", "http", "s:", "//", "www"])).map("".join))
def test_nor_of_any_other_text(text: str) -> None:
    assert not MADE_OF_TEXT.search(re.sub(r"\\(.)", r"\1", escape_markdown(text)))


def test_lines_become_one() -> None:
    assert "\n" not in escape_markdown("# a\n\n- b")


def test_a_table_has_a_line_for_each_row() -> None:
    table = markdown_table(["name", "a|b"], [["x", "1"], ["y", "2"]])
    assert len(table.splitlines()) == 4
    assert all(line.replace("\\|", "").count("|") == 3 for line in table.splitlines())
