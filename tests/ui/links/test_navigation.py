"""What a browser says reaches the page that it is for, or nobody."""

import asyncio
from contextlib import suppress
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketDisconnected
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.safe_session_state import SafeSessionState

from ui.links.navigation import OneAddressAtATime, go_to
from ui.links.path import page_named


def run(page: str, fragment: str = "", query: str = "", *, goes_on: bool = False) -> Message:
    """What a browser asks for: with `goes_on` for an address of its own history."""
    asked = BackMsg()
    asked.rerun_script.page_script_hash = page
    asked.rerun_script.fragment_id = fragment
    asked.rerun_script.query_string = query
    asked.rerun_script.is_history_navigation = goes_on
    return {"type": "websocket.receive", "bytes": asked.SerializeToString()}


def holding(message: Message, **values: str) -> Message:
    """What a browser asks for, with values of widgets; one called `click` happens once."""
    asked = BackMsg.FromString(message["bytes"])
    for name, value in values.items():
        widget = asked.rerun_script.widget_states.widgets.add(id=name)
        if name == "click":
            widget.trigger_value = True
        else:
            widget.string_value = value
    return {**message, "bytes": asked.SerializeToString()}


SILENT: Message = {"type": "nothing"}
SESSION = "a session"
RECONNECTS = ("streamlit", "token", "the session before")


def says(told: ForwardMsg) -> Message:
    return {"type": "websocket.send", "bytes": told.SerializeToString()}


def begins() -> Message:
    told = ForwardMsg()
    told.new_session.initialize.session_id = SESSION
    return says(told)


def leads(page: str) -> Message:
    """Here the script goes to another page by itself."""
    return {"type": "script", "page": page}


def lead(page: str) -> None:
    state = SafeSessionState(SessionState(), lambda: None)
    here = SimpleNamespace(session_id=SESSION, session_state=state)
    there = RerunException(RerunData(page_script_hash=page))
    with (
        patch("ui.links.navigation.get_script_run_ctx", lambda: here),
        patch("streamlit.switch_page", side_effect=there),
        suppress(RerunException),
    ):
        go_to(page_named("room"), {})


def goes(page: str) -> Message:
    """What Streamlit tells a browser of the page that it makes."""
    told = ForwardMsg()
    told.navigation.page_script_hash = page
    return says(told)


def address(query: str) -> Message:
    """What a run tells a browser of the address."""
    told = ForwardMsg()
    told.page_info_changed.query_string = query
    return says(told)


def finished() -> Message:
    return says(ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY))


def visit(
    *said: Message, protocols: tuple[str, ...] = ("streamlit", "token")
) -> tuple[list[Message], list[Message]]:
    """What reaches Streamlit of what a browser says, and the browser of what it is told between.

    A browser that is SILENT says nothing for as long as anybody waits.
    """
    end: Message = {"type": "websocket.disconnect"}
    left, came, told = [*said, end], [], []

    tell: Send

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal tell
        tell = send
        while (message := await receive()) != end:
            came.append(message)

    async def receive() -> Message:
        while left[0]["type"] in ("websocket.send", "script"):
            now = left.pop(0)
            await (asyncio.to_thread(lead, now["page"]) if "page" in now else tell(now))
        said = left.pop(0)
        if said is SILENT:
            await asyncio.Event().wait()
        return said

    async def send(message: Message) -> None:
        told.append(message)

    scope = {"type": "websocket", "subprotocols": list(protocols)}
    asyncio.run(OneAddressAtATime(app)(scope, receive, send))
    return came, told


def heard(*said: Message) -> list[Message]:
    """What reaches Streamlit, where all that it tells reaches the browser."""
    came, told = visit(*said)
    assert told == [message for message in said if message["type"] == "websocket.send"]
    return came


def test_what_is_said_for_a_page_that_was_left_reaches_nobody() -> None:
    first, there, late, new = run(""), run("b"), run("a", "x"), run("b", "y")
    assert heard(first, run("a", "x"), there, late, new, late) == [first, run("a", "x"), there, new]


def test_of_the_page_that_comes_back_everything_is_heard() -> None:
    said = [run("a"), run("a", "x"), run("b"), run("b", "y"), run("a"), run("a", "x"), run("")]
    assert heard(*said) == said
    assert heard(*said, run("b", "y")) == said


def test_where_streamlit_itself_goes_to_another_page_that_page_is_heard() -> None:
    said = [run("a"), goes("b"), run("a", "x"), run("b", "y")]
    assert heard(*said) == [run("a"), run("b", "y")]
    said = [run(""), goes("a"), run("a", "x"), run("b"), goes("b"), run("a", "x")]
    assert heard(*said) == [run(""), run("a", "x"), run("b")]


THERE = (run("a"), begins(), goes("a"))


def test_what_a_page_says_after_the_server_has_left_it_reaches_nobody() -> None:
    """Nor does it go back to that page; until the browser is told, it knows of no other."""
    part, whole, new = run("a", "x"), run("a"), run("b", "x")
    assert heard(*THERE, part, leads("b"), part, whole, begins(), part, whole) == [run("a"), part]
    assert heard(*THERE, leads("b"), goes("a"), part, whole) == [run("a")]
    assert heard(*THERE, leads("b"), begins(), goes("b"), part, new) == [run("a"), new]


def test_who_asks_for_a_page_while_the_server_goes_to_another_gets_it() -> None:
    part, there, new = run("a", "x"), run("c"), run("c", "x")
    assert heard(*THERE, leads("b"), part, there, new) == [run("a"), there, new]
    asked_before = leads("c")  # the run that follows is not the one that the script goes for
    assert heard(*THERE, there, asked_before, goes("c"), new) == [run("a"), there, new]
    back = run("a", goes_on=True)
    assert heard(*THERE, leads("b"), part, back, part) == [run("a"), back, part]


def test_what_names_no_page_or_asks_for_no_run_passes_as_it_is() -> None:
    said = [run("a"), goes("a"), run("", "x"), run("b", "y")]
    assert heard(*said) == [run("a"), run("", "x")]
    others = [BackMsg(clear_cache=True).SerializeToString(), b"\xff\xff no message"]
    others.append(run("b", query="q=1")["bytes"] + b"\xff\xff")
    told: list[Message] = [{"type": "websocket.receive", "bytes": each} for each in others]
    told += [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": "hello"}]
    assert heard(run("a"), *told, run("a", "x")) == [run("a"), *told, run("a", "x")]


OPENED = (run("a", query="scene=1"), goes("a"), finished())


def test_what_is_said_after_an_address_was_asked_for_is_said_there() -> None:
    """Though the browser was told the address of the run before, meanwhile or afterwards."""
    on, late = run("a", query="scene=2", goes_on=True), run("a", "x", "scene=1")
    there = run("a", "x", "scene=2")
    assert heard(*OPENED, late, on, late)[1:] == [late, on, there]
    assert visit(*OPENED, on, address("scene=2"), late)[0][1:] == [on, there]
    came, _ = visit(*OPENED, on, address("scene=2"), address("scene=2&mask=none"), late)
    assert came[1:] == [on, run("a", "x", "scene=2&mask=none")]
    back = run("a", query="scene=1", goes_on=True)
    assert heard(*OPENED, on, back, late)[1:] == [on, back, late]


def test_who_asks_for_another_page_brings_what_no_run_has_begun_with() -> None:
    """The last of each; what a run began with is the server's already, and no click comes twice."""
    opened = run("a")
    taken, first = (holding(run("a", "x"), stage=said) for said in ("taken", "first"))
    last = holding(run("a", "x"), stage="last", text="red", click="now")
    on = run("b")
    came = heard(opened, taken, begins(), first, last, on)
    assert came == [opened, taken, first, last, holding(on, stage="last", text="red")]
    assert heard(opened, taken, begins(), on)[-1] == on
    # And on to a third, while no run has begun yet.
    assert heard(opened, last, on, run("c"))[-1] == holding(run("c"), stage="last", text="red")


def test_until_the_run_that_was_asked_for_has_begun_no_other_tells_its_address() -> None:
    on, old = run("a", query="scene=2&q=%C3%A9", goes_on=True), address("scene=1&mask=none")
    begins = address("q=é&scene=2")  # the same, written otherwise
    _, told = visit(*OPENED, old, on, old, goes("a"), old, begins, old)
    assert told == [goes("a"), finished(), old, goes("a"), old]
    _, told = visit(*OPENED, run("b", query="q=1"), old, goes("b"), address("q=1"), finished())
    assert told == [goes("a"), finished(), goes("b"), address("q=1"), finished()]


def test_the_browser_is_told_of_another_page_before_it_is_told_its_address() -> None:
    """Else it would write that over the old page's entry in its history."""
    there, here, more = run("b", query="q=1"), address("q=1"), address("q=1&mask=none")
    back, end = run("a", query=""), finished()
    for said, come in (
        ([here, goes("b"), end, end], [goes("b"), here, end, end]),
        ([here, goes("b"), more, end], [goes("b"), more, end]),
        ([here, goes("b"), back, end], [goes("b"), end]),
    ):
        assert visit(*OPENED, there, *said)[1] == [goes("a"), finished(), *come]


def test_a_run_that_has_ended_without_a_word_was_the_one_that_was_asked_for() -> None:
    on, other = run("a", query="scene=2", goes_on=True), address("scene=3")
    assert visit(*OPENED, on, finished(), other)[1][-1] == other
    assert visit(*OPENED, on, other)[1][-1] == finished()
    first, there = run("", query="scene=1"), run("", "x", "scene=2")
    assert heard(first, address("scene=2"), run("", "x", "scene=1")) == [first, there]


def test_a_visitor_who_goes_while_streamlit_writes_is_no_error() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        with suppress(WebSocketDisconnect):
            await socket.send_bytes(b"a page")
        await socket.receive_bytes()

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        if message["type"] == "websocket.send":
            raise OSError

    scope = {"type": "websocket"}
    with pytest.raises(WebSocketDisconnected):
        asyncio.run(app(scope, receive, send))
    asyncio.run(OneAddressAtATime(app)(scope, receive, send))


def test_a_browser_that_reconnects_asks_for_its_address_with_what_its_widgets_hold() -> None:
    """Its session may be a new one: what it says before has no page yet, and an old address."""
    typed = holding(run("a", query="step=Q"), field="new words")
    part = holding(run("a", "x", "step=Q"), slider="3")
    asked = run("a", query="step=V", goes_on=True)
    came, _ = visit(typed, part, asked, run("a", "x", "step=V"), protocols=RECONNECTS)
    assert came == [holding(asked, field="new words", slider="3"), run("a", "x", "step=V")]


def test_who_asks_for_no_address_gets_a_whole_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.links.navigation.PATIENCE", 0.01)
    said = holding(run("a", "x", "step=Q"), field="new words")
    came, _ = visit(said, SILENT, run("a", "y", "step=Q"), protocols=RECONNECTS)
    assert came == [holding(run("a", query="step=Q"), field="new words"), run("a", "y", "step=Q")]
    new = [run(""), run("a", "x")]
    assert visit(*new)[0] == new, "a new visitor waits for nothing"
