"""Untrusted text in Markdown."""

import pytest

from ui.text import escape_markdown, markdown_table


@pytest.mark.parametrize(
    "text", ["**b**", "[a](b)", "$x$", ":red[x]", "<img>", "a|b", "`c`", "~~d~~"]
)
def test_every_mark_is_escaped(text: str) -> None:
    escaped = escape_markdown(text)
    for mark in "*[]()$:<>|`~":
        assert escaped.count(f"\\{mark}") == text.count(mark)


def test_lines_become_one() -> None:
    assert "\n" not in escape_markdown("# a\n\n- b")


def test_a_table_has_a_line_for_each_row() -> None:
    table = markdown_table(["", "a|b"], [["x", "1"], ["y", "2"]])
    assert len(table.splitlines()) == 4
    assert all(line.replace("\\|", "").count("|") == 3 for line in table.splitlines())
