"""A page's view between the URL and the session."""

from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.runtime.state import SessionStateProxy
from streamlit.testing.v1 import AppTest

from core.path import PATH
from tests.sampling import paired, some, three
from tests.ui import support
from tests.ui.support import arriving, keys_read, opened, places, stages, untouched, warned
from ui.links.links import SENTENCE_KEY
from ui.server.visits import _stayed

EVERY = sorted(PATH)


def count_of_stages(page: AppTest) -> int:
    """What brings the font stands on each page before anything is read."""
    return sum(m.proto.component_name == "attention_stage" for m in page.get("bidi_component"))


def interrupted(monkeypatch: pytest.MonkeyPatch, page: str, write: int, **link: str) -> AppTest:
    """A page whose first run ends where it writes into the session for the nth time."""
    left = [write]
    put = SessionStateProxy.__setitem__

    def counted(state: SessionStateProxy, key: str, value: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise StopException
        put(state, key, value)

    with monkeypatch.context() as patched:
        patched.setattr(SessionStateProxy, "__setitem__", counted)
        shown = opened(page, **link)
    assert left[0] <= 0
    assert not count_of_stages(shown)
    return shown


@pytest.mark.parametrize(("page", "write"), paired(three(EVERY), [2, 9]))
def test_a_page_whose_first_run_was_interrupted_is_whole_in_the_next(
    monkeypatch: pytest.MonkeyPatch, page: str, write: int
) -> None:
    shown = interrupted(monkeypatch, page, write, nonsense="1").run()
    assert not shown.exception
    assert count_of_stages(shown) == len(stages(untouched(page)))


@pytest.mark.parametrize("write", some(range(16, 21), 2))
def test_an_interrupted_walk_keeps_its_link(monkeypatch: pytest.MonkeyPatch, write: int) -> None:
    shown = interrupted(monkeypatch, "walkthrough", write, cell="weights.1.3.0", mask="x").run()
    assert shown.session_state["head"] == 2
    assert "mask is 'x'" in warned(shown)[0]


def untold(page: AppTest) -> list[str]:
    """The widgets that a browser which has just heard of them shows with another value."""
    state = page._session_state._state
    every = [part.proto for part in page.main if "set_value" in dir(getattr(part, "proto", None))]
    known = state._new_widget_state.widget_metadata
    assert every
    return [
        widget.label
        for widget in every
        if not widget.set_value and state[widget.id] != known[widget.id].deserializer(None)
    ]


@pytest.mark.parametrize(
    ("page", "link"),
    [
        *((page, {}) for page in three(EVERY, 1)),
        ("walkthrough", {"preset": "P4"}),
        ("walkthrough", {"text": "red green", "seed": "3", "heads": "1", "scale": "0.25"}),
        ("block", {"block_part": "model", "block_prompt": "red green red"}),
        ("practice", {"practice_chapters": "words.softmax"}),
    ],
)
def test_what_the_browser_has_not_heard_is_told_again(page: str, link: dict[str, str]) -> None:
    """Streamlit throws away what a run has said and not yet sent where the next one begins."""
    shown = opened(page, **link)
    for _ in range(3):
        assert untold(shown) == []
        if page == "walkthrough":
            shown.session_state["numbers_panel"] = True
        shown._run(WidgetStates())  # of no widget the browser has a value
    assert untold(shown) == []


@pytest.mark.parametrize("page", three(EVERY, 2))
def test_what_is_said_of_a_link_moves_nothing(page: str) -> None:
    """Of two runs at one time, of which only one says it, parts would else go into the other."""
    bare = untouched(page)
    nowhere = {}
    for shown in stages(bare):
        name, array = next(iter(shown.document["arrays"].items()))
        nowhere[shown.config["keys"]["cover"]] = f"{name}" + ".60" * len(array["shape"])
    moved = opened(page, **nowhere, unknown="1")
    assert len(moved.warning) == len(nowhere)
    assert nowhere or support.folds_for_later(bare)
    assert places(moved) == places(bare)


def test_the_sentence_of_a_page_that_was_left_is_taken_out_of_the_link() -> None:
    """What a page says of its address may come when the next one is open already."""
    carried = opened("heads", heads_text="red green").session_state["carried"]
    link = {"heads_text": "red green", "text": "red green", "embed": "true"}
    after = support.changed(support.unopened("walkthrough", **link), carried=carried)
    assert set(after.query_params) == {"text", "embed"}


THEIRS, OWN = "red green blue black white pink", "one two three four five six"


@pytest.mark.parametrize("page", three(EVERY, 3))
def test_a_sentence_comes_along_except_where_the_link_says_another(page: str) -> None:
    along = [name for name, key in keys_read(page).items() if key.carried_as == SENTENCE_KEY]
    assert along or page in ("recursive_attention", "real_heads")
    for key in along:
        assert arriving(page, THEIRS).session_state[key] == THEIRS
        linked = arriving(page, THEIRS, **{key: OWN})
        assert linked.session_state[key] == OWN
        assert linked.query_params[key] == OWN
        linked.session_state["page"] = "elsewhere"  # another page was open meanwhile
        linked.session_state["brought"] = {SENTENCE_KEY: THEIRS}
        assert linked.run().session_state[key] == OWN


@pytest.mark.parametrize(
    ("text", "stayed"),
    [
        ('{"reconnected": {"at": 1, "moved": false}}', True),
        ('{"reconnected": {"at": 1, "moved": true}}', False),
        *((text, False) for text in ("", "{", "[]", "3", '{"reconnected": 1}', "[" * 100_000)),
    ],
)
def test_what_a_browser_says_of_its_place_is_checked(text: str, stayed: bool) -> None:
    assert _stayed(text) is stayed
