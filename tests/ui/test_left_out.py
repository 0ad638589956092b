"""A page may open elsewhere than it did: links that leave out the step mean what they meant."""

from functools import cache
from unittest.mock import patch

import pytest

from tests.sampling import three
from tests.ui.support import PAGES, offered, opened
from ui.links import Key, Keys, one_of, to_query, values_of_link

NAMES = sorted(path.stem for path in PAGES.glob("*.py"))


@cache
def keys_of(page: str) -> Keys:
    with patch("ui.session.values_of_link", wraps=values_of_link) as asked:
        opened(page)
    found: Keys = asked.call_args.args[0] if asked.called else {}
    return found


MOVED = [
    ("attention_graph", "graph_step"),
    ("block", "block_text"),
    ("block", "block_attention"),
    ("block", "block_step"),
    ("block", "block_head"),
    ("block", "block_changed"),
    ("heads", "heads_text"),
    ("heads", "heads_count"),
    ("other_kinds", "kinds_text"),
    ("other_kinds", "kinds_matrices"),
    ("practice", "practice_chapters"),
    ("queries_keys_values", "qkv_ladder_step"),
    ("real_heads", "real_capture"),
]
"""Each key of a page that meant something else where a link leaves it out."""


def test_every_page_was_asked_which_of_its_keys_moved() -> None:
    """It opens all of them, which takes seconds: reading this file must not."""
    moved = [
        (page, name)
        for page in NAMES
        for name, key in keys_of(page).items()
        if key.left_out is not None
    ]
    assert moved == MOVED


def another(page: str, moved: str) -> tuple[str, str]:
    """Another key of the page, of which a link says that it is as an untouched page has it not."""
    keys = keys_of(page)
    for name, key in keys.items():
        values = [value for value in offered(name, key.reader) if value != str(key.default)]
        if name != moved and not name.endswith(("_step", "_cover", "_cell", "_head")) and values:
            return name, values[0]
    raise AssertionError(f"{page} has no other key")


@pytest.mark.parametrize(("page", "name"), three(MOVED))
def test_a_link_that_says_something_else_means_what_it_meant(page: str, name: str) -> None:
    key = keys_of(page)[name]
    other, value = another(page, name)
    assert opened(page).session_state[name] == key.default
    shown = opened(page, **{other: value})
    assert not shown.exception
    assert shown.session_state[name] == key.left_out
    assert shown.query_params[name] == str(key.left_out)


@pytest.mark.parametrize(("page", "name"), three(MOVED))
def test_where_the_page_opens_now_is_said_beside_anything_else(page: str, name: str) -> None:
    key = keys_of(page)[name]
    other, value = another(page, name)
    assert name not in opened(page).query_params
    shown = opened(page, **{other: value, name: str(key.default)})
    assert shown.session_state[name] == key.default
    assert shown.query_params[name] == str(key.default)


def test_what_is_written_is_read_again() -> None:
    reader = one_of("old", "new", "else")
    keys: Keys = {"step": Key("new", reader, left_out="old"), "mask": Key("none", one_of("causal"))}
    assert to_query(keys, {"step": "new", "mask": "none"}) == {}
    for step in ("old", "new", "else"):
        for mask in ("none", "causal"):
            said = to_query(keys, {"step": step, "mask": mask})
            assert values_of_link(keys, said)[0] == {"step": step, "mask": mask}
