"""A visitor without a browser: a session over WebSocket that speaks Streamlit's own messages."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

PATIENCE = 60.0
"""Seconds that a visitor waits for the server's next message."""


class Visitor:
    """One session: it presses, types and tells as a browser does, and keeps what it got.

    `received` is every message of the server, `said` the texts in them. `drawn` has the latest
    element of each label (of a component: of each name), with the fragment that it is in.
    """

    def __init__(self, socket: ClientConnection, page: str = "", query: str = "") -> None:
        self._socket, self._page, self._query = socket, page, query
        self._script = ""
        self._states: dict[str, WidgetState] = {}
        self._kept: set[str] = set()
        self.received: list[bytes] = []
        self.said: list[str] = []
        self.drawn: dict[str, tuple[str, str]] = {}
        self.data: dict[str, Any] = {}
        """The data of each component, by its name."""

    async def run(self, fragment: str = "", pressed: str = "") -> list[bytes]:
        """Ask for a run, and return all that is answered until its end.

        As a browser does, it says which large messages it has kept: these are not sent again.
        """
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.fragment_id = self._query, fragment
        if self._script:
            asked.page_script_hash = self._script
        else:
            asked.page_name = self._page
        asked.widget_states.widgets.extend(self._states.values())
        if pressed:
            asked.widget_states.widgets.add(id=pressed, trigger_value=True)
        asked.cached_message_hashes.extend(self._kept)
        await self._socket.send(message.SerializeToString())
        before, ended = len(self.received), False
        while not ended:
            received = asyncio.wait_for(self._socket.recv(decode=False), PATIENCE)
            self.received.append(bytes(await received))
            ended = self._read(ForwardMsg.FromString(self.received[-1]))
        return self.received[before:]

    async def type(self, label: str, text: str) -> list[bytes]:
        """Type into a field and leave it."""
        self.fill(label, text)
        return await self.run(self.drawn[label][1])

    def fill(self, label: str, text: str) -> None:
        """Type into a field of a form, which the server hears of when its button is pressed."""
        field = self.drawn[label][0]
        self._states[field] = WidgetState(id=field, string_value=text)

    async def press(self, label: str) -> list[bytes]:
        """Press a button."""
        button, fragment = self.drawn[label]
        return await self.run(fragment, button)

    async def tell(self, component: str, **state: object) -> list[bytes]:
        """Say what a component's script says."""
        name, fragment = self.drawn[component]
        self._states[name] = WidgetState(id=name, json_value=json.dumps(state))
        return await self.run(fragment)

    def _read(self, answer: ForwardMsg) -> bool:
        """Keep what a message says; return whether it is the last one of a run."""
        if answer.metadata.cacheable:
            self._kept.add(answer.hash)
        kind = answer.WhichOneof("type")
        if kind == "navigation":
            self._script = answer.navigation.page_script_hash
        element = answer.delta.new_element
        drawn: Any = getattr(element, element.WhichOneof("type") or "", None)
        if body := getattr(drawn, "body", ""):
            self.said.append(body)
        label = getattr(drawn, "label", "") or getattr(drawn, "component_name", "")
        if label and (widget := getattr(drawn, "id", "")):
            self.drawn[label] = widget, answer.delta.fragment_id
            if json_data := getattr(drawn, "json", ""):
                self.data[label] = json.loads(json_data)
        return kind == "script_finished" and (
            answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN
        )


@asynccontextmanager
async def visiting(url: str, page: str = "", query: str = "") -> AsyncIterator[Visitor]:
    """A visitor whose page has been drawn."""
    address = url.replace("http", "ws", 1) + "/_stcore/stream"
    async with connect(
        address, subprotocols=[Subprotocol("streamlit")], max_size=None, origin=None
    ) as socket:
        visitor = Visitor(socket, page, query)
        await visitor.run()
        yield visitor
