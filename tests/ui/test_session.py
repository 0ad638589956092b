"""A page's view between the URL and the session."""

from typing import Any
from unittest.mock import patch

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner_utils.exceptions import StopException
from streamlit.runtime.state import SessionStateProxy
from streamlit.testing.v1 import AppTest

from core.path import PATH
from tests.sampling import paired, three
from tests.ui import support
from tests.ui.support import PAGES, opened, places
from ui.links import SENTENCE_KEY, values_of_link
from ui.visits import _stayed

EVERY = sorted(PATH)


def stages(page: AppTest) -> list[str]:
    """The stages of a page; what brings the font stands on each page before anything is read."""
    sent = [made.proto.component_name for made in page.get("bidi_component")]
    return [name for name in sent if name == "attention_stage"]


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
    assert not stages(shown)
    return shown


@pytest.mark.parametrize(("page", "write"), paired(three(EVERY), [2, 9]))
def test_a_page_whose_first_run_was_interrupted_is_whole_in_the_next(
    monkeypatch: pytest.MonkeyPatch, page: str, write: int
) -> None:
    shown = interrupted(monkeypatch, page, write, nonsense="1").run()
    assert not shown.exception
    assert len(stages(shown)) == len(support.stages(opened(page)))


@pytest.mark.parametrize("write", range(16, 21))
def test_the_walkthrough_keeps_its_link_through_an_interrupted_first_run(
    monkeypatch: pytest.MonkeyPatch, write: int
) -> None:
    shown = interrupted(monkeypatch, "walkthrough", write, cell="weights.1.3.0", mask="x").run()
    assert not shown.exception
    assert shown.session_state["head"] == 2
    assert "mask is 'x'" in shown.warning[0].value.replace("\\", "")


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
    untouched = opened(page)
    shown = support.stages(untouched)
    told = [next(iter(stage.document["arrays"].items())) for stage in shown]
    nowhere = {
        stage.config["keys"]["cover"]: f"{name}" + ".60" * len(array["shape"])
        for stage, (name, array) in zip(shown, told, strict=True)
    }
    warned = opened(page, **nowhere, unknown="1")
    assert len(warned.warning) == len(shown)
    assert shown or support.folds_for_later(untouched)
    assert places(warned) == places(untouched)


def test_the_sentence_of_a_page_that_was_left_is_taken_out_of_the_link() -> None:
    """What a page says of its address may come when the next one is open already."""
    page = opened("heads", heads_text="red green")
    after = AppTest.from_file(str(PAGES / "walkthrough.py"))
    after.session_state["carried"] = page.session_state["carried"]
    for key, value in {"heads_text": "red green", "text": "red green", "embed": "true"}.items():
        after.query_params[key] = value
    after.run()
    assert set(after.query_params) == {"text", "embed"}


THEIRS, OWN = "red green blue black white pink", "one two three four five six"


def arriving(page: str, brought: str, **link: str) -> AppTest:
    """A page that is opened by a link after another page, on which a sentence was typed."""
    made = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
    made.session_state["brought"] = {SENTENCE_KEY: brought}
    made.session_state["page"] = "elsewhere"
    for key, value in link.items():
        made.query_params[key] = value
    return made.run()


@pytest.mark.parametrize("page", three(EVERY, 3))
def test_a_sentence_comes_along_except_where_the_link_says_another(page: str) -> None:
    with patch("ui.session.values_of_link", wraps=values_of_link) as asked:
        opened(page)
    along = [name for name, key in asked.call_args.args[0].items() if key.along == SENTENCE_KEY]
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
