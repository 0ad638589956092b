"""A page may open elsewhere than it did: links that leave out the step mean what they meant."""

import pytest

from core.path import PATH
from tests.sampling import three
from tests.ui.support import PAGE_NAMES, keys_read, offered, opened, untouched
from ui.links.links import Key, Keys, one_of, to_query, values_of_link

KEYS = {page: chapter.key for page, chapter in PATH.items()}


MOVED = {
    "attention_graph": ["step"],
    "block": ["text", "attention", "step", "head", "changed"],
    "heads": ["text", "count"],
    "other_kinds": ["text", "matrices"],
    "practice": ["chapters"],
    "queries_keys_values": ["ladder_step"],
    "real_heads": ["capture"],
}
"""Each key of a page that meant something else where a link leaves it out."""
CASES = [
    (page, f"{KEYS.get(page, 'practice')}_{key}") for page, keys in MOVED.items() for key in keys
]


def test_every_page_was_asked_which_of_its_keys_moved() -> None:
    every = [(page, *one) for page in PAGE_NAMES for one in keys_read(page).items()]
    assert [(page, name) for page, name, key in every if key.left_out is not None] == CASES


def another(page: str, moved: str) -> tuple[str, str]:
    """Another key of the page, of which a link says that it is as an untouched page has it not."""
    for name, key in keys_read(page).items():
        values = [value for value in offered(name, key.reader) if value != str(key.default)]
        if name != moved and not name.endswith(("_step", "_cover", "_cell", "_head")) and values:
            return name, values[0]
    raise AssertionError(f"{page} has no other key")


@pytest.mark.parametrize(("page", "name"), three(CASES))
def test_a_link_that_says_something_else_means_what_it_meant(page: str, name: str) -> None:
    """And where the page opens now is said beside anything else."""
    key = keys_read(page)[name]
    other, value = another(page, name)
    assert untouched(page).session_state[name] == key.default
    for link, meant in (({}, key.left_out), ({name: str(key.default)}, key.default)):
        shown = opened(page, **{other: value, **link})
        assert not shown.exception
        assert shown.session_state[name] == meant
        assert shown.query_params[name] == str(meant)


def test_what_is_written_is_read_again() -> None:
    reader = one_of("old", "new", "else")
    keys: Keys = {"step": Key("new", reader, left_out="old"), "mask": Key("none", one_of("causal"))}
    assert to_query(keys, {"step": "new", "mask": "none"}) == {}
    for step in ("old", "new", "else"):
        for mask in ("none", "causal"):
            said = to_query(keys, {"step": step, "mask": mask})
            assert values_of_link(keys, said)[0] == {"step": step, "mask": mask}
