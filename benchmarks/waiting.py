"""People without a browser who ask for long work at once, look at their place, and some leave."""

import asyncio
import re
import time
from dataclasses import dataclass, field

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.visitor import Visitor, visiting

PEOPLE = 30
LOOKS = 4
"""Who leaves does so after so many looks."""
BETWEEN = 0.5
"""Seconds between two looks, as in a browser."""
PATIENCE = 300


@dataclass
class Waiter:
    """What one person saw: the places in the queue, and whether a turn came."""

    places: list[int] = field(default_factory=list)
    had_a_turn: bool = False
    silent_looks: int = 0


def progress_of(answers: list[bytes], button: str) -> str:
    """What the page says of the work: how far it is, or by its button that it is over."""
    elements = [ForwardMsg.FromString(answer).delta.new_element for answer in answers]
    said = [one.progress.text for one in elements if one.WhichOneof("type") == "progress"]
    over = [button for one in elements if one.button.label == button]
    return str([*over, *said][-1]) if said or over else ""


async def look(visitor: Visitor) -> list[bytes]:
    return await visitor.tell("heartbeat", beat=time.time_ns() // 1_000_000)


async def waits(
    waiter: Waiter, url: str, page: str, button: str, ready: asyncio.Barrier, *, leaves: bool
) -> Waiter:
    """Ask for the work by its button, and look at it until there is a turn; or leave before."""
    async with visiting(url, page) as visitor:
        await ready.wait()
        answers = await visitor.press(button)
        async with asyncio.timeout(PATIENCE):
            while True:
                said = progress_of(answers, button)
                waiter.silent_looks += not said
                found = re.search(r"number (\d+) in the queue", said)
                waiter.places += [int(found[1])] if found else []
                waiter.had_a_turn = bool(said) and not found
                if waiter.had_a_turn or (leaves and len(waiter.places) == LOOKS):
                    break
                await asyncio.sleep(BETWEEN)
                answers = await look(visitor)
        if waiter.had_a_turn and "Stop" in visitor.drawn:
            await visitor.press("Stop")
    return waiter
