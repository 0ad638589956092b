"""Whatever a link says, a page is shown, and says what of the link makes no sense.

Which keys there are, and which values are the ends of each, the pages say themselves.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.attention.masks import OFFERED_SIZES
from core.errors import InputError
from core.limits import LARGEST
from core.path import PATH
from tests.data import data_of
from tests.sampling import DEEP, examples, some, three
from tests.ui import support
from tests.ui.claims import drawn
from tests.ui.support import (
    PAGE_NAMES,
    charts,
    keys_read,
    offered,
    opened,
    prose,
    stages,
    untouched,
)
from ui.chapters.walkthrough.keys import AXES_COUNT, WALKTHROUGH, packed_edits
from ui.lessons.shelf import LESSON
from ui.links.links import EVERY_PAGE, Key, Keys, one_of, to_query, values_of_link
from ui.page.asking import KEYS as ASKED

ONE_AXIS = "eNqrVopQslKIVjJU0lFQMlKKrQUAItsD3g"
"""{"X": ["1", "2"]}, as matrices travel."""
GARBAGE = (  # the short run takes every twelfth
    ONE_AXIS, "", " ", "x", "-1", "1", "https://evil.example", "1.5", "1e9", "nan", "9" * 5_000,
    "٣", "www.evil.example", "True", "none", "question", "weights", "result", "a@evil.example",
    "weights.0.0.0", "X.999.999", "scores..0", "a.b.c", ".", "\u202e", "0,0", "1,2,3", "<b>*a*",
    "]($x$)", "\0", "a " * 80, "\ud7ff", "😀" * 70, "a" * 9_000, "。", "=",
)  # fmt: skip


def keys_of(page: str) -> Keys:
    """The keys of a page, and those that every page has."""
    return {**keys_read(page), **EVERY_PAGE, **ASKED, LESSON: Key("", lambda key, text: text)}


def links(keys: Keys) -> Iterator[dict[str, str]]:
    """All keys at one garbage or at one of their values; and each key alone."""
    for garbage in some(GARBAGE, 12):
        yield dict.fromkeys(keys, garbage)
    values = {name: offered(name, key.reader) or ["x"] for name, key in keys.items()}
    for at in some((0, -1, 1, 2), 2):
        yield {name: found[min(at, len(found) - 1)] for name, found in values.items()}
    alone = [{name: value} for name, found in values.items() for value in found]
    yield from some(alone, 40, 1)
    every = [{name: garbage} for name in keys for garbage in GARBAGE]
    yield from every[:: 5 if DEEP else 400]  # every key, and every garbage


def plain(text: str) -> str:
    return " ".join(re.sub(r"[\\\u2060]", "", text).split())


def made_of(page: AppTest, link: Mapping[str, str]) -> list[str]:
    """Texts of which the browser makes a link or an icon that only a text of the link asks for."""
    said = [re.sub(r"\\(.)", r"\1", text) for text in drawn(page.main)]
    asked = "\n".join(link.values())
    found = [made[0] for text in said for made in support.MADE_OF_TEXT.finditer(text)]
    return [made for made in found if made in asked]


@pytest.mark.parametrize("name", three(support.PAGE_NAMES, 5))
def test_a_page_is_shown_and_says_what_makes_no_sense(name: str) -> None:
    keys = keys_of(name)
    for link in links(keys):
        page = opened(name, **link)
        assert not page.exception, link
        assert page.title, link
        assert not made_of(page, link), link
        _, wrong = values_of_link(keys, link)
        said = plain(" ".join(shown.value for shown in (*page.warning, *page.error)))
        for message in wrong:
            assert plain(message) in said, link


def test_what_a_range_offers_is_found() -> None:
    assert offered("window", keys_of("walkthrough")["window"].reader) == ["1", "64", "0", "65"]
    assert "bat" in offered("preset", keys_of("walkthrough")["preset"].reader)


NONSENSE = {
    page: dict(parse_qsl(link.replace("$LONG", "x" * 10_001), keep_blank_values=True))
    for page, link in data_of(__file__)["nonsense"].items()
}
"""Of each page, what its keys do not take."""


@pytest.mark.parametrize("page", NONSENSE)
def test_of_a_link_of_nonsense_every_key_is_said_and_the_page_is_as_untouched(page: str) -> None:
    link = {f"{PATH[page].key}_{key}": text for key, text in NONSENSE[page].items()}
    shown, bare = opened(page, **link), untouched(page)
    assert len(shown.warning) == len(link)
    assert (stages(shown), charts(shown)) == (stages(bare), charts(bare))
    assert prose(shown) == prose(bare)
    assert not {*shown.query_params} & {*link}


def readers() -> list[tuple[str, Key]]:
    return [item for name in support.PAGE_NAMES for item in sorted(keys_of(name).items())]


def test_a_reader_reads_garbage_or_refuses_it() -> None:
    for name, key in readers():
        for text in some(GARBAGE, 9, 1):
            with suppress(InputError):
                key.reader(name, text)


@examples(60)
@given(st.data(), st.text())
def test_a_reader_reads_any_text_or_refuses_it(data: st.DataObject, text: str) -> None:
    name, key = data.draw(st.sampled_from(readers()))
    with suppress(InputError):
        key.reader(name, text)


SIDES = st.sampled_from([1, 2, 3, 6, 8, 64])
MATRICES = st.dictionaries(
    st.sampled_from(sorted(AXES_COUNT)),
    st.builds(
        np.full, st.lists(SIDES, min_size=1, max_size=3), st.sampled_from([0.0, 1.0, -LARGEST])
    ),
    max_size=3,
)
OTHERS = {
    name: st.sampled_from(offered(name, WALKTHROUGH[name].reader))
    for name in ("preset", "mask", "heads", "kv_heads", "d_model", *OFFERED_SIZES)
}


@example({"weights": np.ones((1, 1, 1))}, {"preset": "river-bank"})
@examples(8)
@given(MATRICES, st.fixed_dictionaries({}, optional=OTHERS))
def test_any_matrices_are_shown(matrices: dict[str, np.ndarray], settings: dict[str, str]) -> None:
    page = opened("walkthrough", m=packed_edits(matrices), **settings)
    assert not page.exception
    assert page.title


KEYS = {page: chapter.key for page, chapter in PATH.items()}


MOVED: Mapping[str, list[str]] = data_of(__file__)["moved"]
"""Each key of a page that meant something else where a link leaves it out."""
CASES = [
    (page, f"{KEYS.get(page, 'practice')}_{key}") for page, keys in MOVED.items() for key in keys
]


def test_every_page_was_asked_which_of_its_keys_moved() -> None:
    every = [(page, *one) for page in PAGE_NAMES for one in keys_read(page).items()]
    assert [(page, name) for page, name, key in every if key.legacy_default is not None] == CASES


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
    for link, meant in (({}, key.legacy_default), ({name: str(key.default)}, key.default)):
        shown = opened(page, **{other: value, **link})
        assert not shown.exception
        assert shown.session_state[name] == meant
        assert shown.query_params[name] == str(meant)


def test_what_is_written_is_read_again() -> None:
    reader = one_of("old", "new", "else")
    keys: Keys = {
        "step": Key("new", reader, legacy_default="old"),
        "mask": Key("none", one_of("causal")),
    }
    assert to_query(keys, {"step": "new", "mask": "none"}) == {}
    for step in ("old", "new", "else"):
        for mask in ("none", "causal"):
            said = to_query(keys, {"step": step, "mask": mask})
            assert values_of_link(keys, said)[0] == {"step": step, "mask": mask}
