"""A small file of TOML costs little, whatever it says, and ends in tables or in a refusal."""

import tomllib
import tracemalloc

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.errors import InputError
from core.files.lesson import (
    DEEPEST,
    LONGEST_FAULT,
    LONGEST_WORD,
    MAX_LESSON_BYTES,
    MOST_PARTS,
    MOST_PIECES,
    read_toml,
)
from tests.core.support import refuses


def filled(piece: str) -> str:
    """A piece again and again, as often as a file has room for it."""
    return piece * ((MAX_LESSON_BYTES - 20) // len(piece))


COSTLY = {
    "a dotted name": f"{filled('a.')}a = 1",
    "a dotted name with spaces": f"{filled('a . ')}a = 1",
    "a dotted name in quotes": f"{filled(chr(34) + 'a' + chr(34) + '.')}a = 1",
    "a dotted name of empty parts": f"{filled(chr(39) * 2 + '.')}a = 1",
    "a dotted name in an inline table": f"x = {{ {filled('a.')}a = 1 }}",
    "a table": f"[{filled('a.')}a]",
    "a table of a list": f"[[{filled('a.')}a]]",
    "after a text that ends in a quote": f'x = {{ b = """a"""", {filled("a.")}a = 1 }}',
    "after a text that ends in two quotes": f"x = {{ b = '''a''''', {filled('a.')}a = 1 }}",
    "after an escaped quote": f'x = {{ b = "\\" # ", {filled("a.")}a = 1 }}',
    "after three escaped quotes": f'x = {{ b = """\\""" # """, {filled("a.")}a = 1 }}',
    "after a backslash": f"x = {{ b = '\\', {filled('a.')}a = 1 }}",
    "lists in lists": f"x = {filled('[')}",
    "tables in tables": f"x = {filled('{a=')}",
    "lists at the beginning": filled("["),
    "many fields": filled("a.b.c = 1\n"),
    "many numbers": f"x = [{filled('1,')}1]",
    "many tables": filled("[[a]]\n"),
    "many small texts": f"x = [{filled(chr(39) * 2 + ',')}1]",
    "many lines": filled("\n"),
    **{f"digits: {begin}": f"minutes = {begin}{'1' * 5_000}"
       for begin in ("", "-", "0x", "0o", "0b", "1.", "1e", "1_")},
}  # fmt: skip


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY)
def test_what_costs_too_much_is_not_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tomllib, "loads", lambda text: pytest.fail("it was parsed"))
    tracemalloc.start()
    error = refuses("", read_toml, text)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8 * MAX_LESSON_BYTES
    assert error.value
    assert error.limit
    assert error.remedy


@pytest.mark.parametrize(
    ("allowed", "refused"),
    [
        (".".join("a" * MOST_PARTS) + " = 1", ".".join("a" * (MOST_PARTS + 1)) + " = 1"),
        (f"x = {'[' * DEEPEST}{']' * DEEPEST}", f"x = {'[' * (DEEPEST + 1)}{']' * (DEEPEST + 1)}"),
        (f"{'a' * LONGEST_WORD} = 1", f"{'a' * (LONGEST_WORD + 1)} = 1"),
        (f"x = 1{chr(10) * (MOST_PIECES - 3)}", f"x = 1{chr(10) * (MOST_PIECES - 2)}"),
    ],
)
def test_each_limit_is_where_it_is_said_to_be(allowed: str, refused: str) -> None:
    assert read_toml(allowed) == tomllib.loads(allowed)
    refuses("", read_toml, refused)


@pytest.mark.parametrize(
    "text",
    [
        f"x = '''{filled('a.[{=')}'''", f'x = """{filled("a.[{ = ")}"""', f"# {filled('a.[{')}",
        f"x = '{filled('[{.')}'", f'x = "{filled("[{.")}"', f'"{filled("[.")}" = 1',
    ],
)  # fmt: skip
def test_what_is_in_quotes_or_a_comment_is_no_sign(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


def is_value(text: str) -> bool:
    """Whether a parser reads this as one value of a list, or several."""
    try:
        return bool(tomllib.loads(f"x = [{text}, 1]"))
    except tomllib.TOMLDecodeError:
        return False


SIGNS = ['"', "'", "\\", "\\\\", '\\"', "\n", "\r\n", "#", "a.", ",", "["]
QUOTED = st.builds(
    lambda quote, said, end: quote + "".join(said) + quote + end,
    st.sampled_from(['"', "'", '"""', "'''"]),
    st.lists(st.sampled_from(SIGNS), max_size=6),
    st.sampled_from(["", " # \n", " # '\n", ' # """\n']),
)


@given(st.lists(QUOTED.filter(is_value), min_size=1, max_size=3))
def test_after_any_texts_that_can_be_read_a_costly_value_is_seen(texts: list[str]) -> None:
    before = ", ".join(texts)
    refuses("too many dots", read_toml, f"x = [{before}, {{ {'a.' * MOST_PARTS}a = 1 }}]")


PIECES = [
    *'"\'\\#[]{}=.,\n\r\t -+_a1:TZ', '"""', "'''", "\r\n", "[[", "]]", "true", "inf", "nan", "0x",
    "1979-05-27", "07:32:00", "\\u", "\\U0001F600", "\0", "\ud800", "é",
]  # fmt: skip


@example("\r\r\n")
@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_any_text_is_tables_or_is_refused(text: str) -> None:
    try:
        found = read_toml(text)
    except InputError:
        return
    assert repr(found) == repr(tomllib.loads(text))  # no NaN equals another


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("title = 'T'\n\nfor = 'a' b\n",
         "Expected newline or end of document after a statement (at line 3, column 11)"),
        (f"x = 1\n'{'a' * 3_000}' = 1\n'{'a' * 3_000}' = 1\n", "(at line 3, column 3007)"),
    ],
)  # fmt: skip
def test_a_fault_is_said_whole_with_its_line(text: str, fault: str) -> None:
    said = refuses("", read_toml, text).value
    assert said.endswith(f"{fault})")
    assert len(said) < 2 * LONGEST_FAULT
