"""A proxy in front of several processes: a visitor stays with one of them, by a cookie, or not."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle

from tests.browser.network import Network, running

COOKIE = "process"
_STAYS = re.compile(rb"^Cookie:.*\b%s=(\d)" % COOKIE.encode(), re.IGNORECASE | re.MULTILINE)
_END = b"\r\n\r\n"


class Balancer(Network):
    """Passes each connection on to the process that its cookie names, else to the next one.

    If it is `sticky`, the answer to a visitor without a cookie brings one. `visits` counts the
    WebSockets of each process.
    """

    def __init__(self, servers: Sequence[str], *, sticky: bool) -> None:
        super().__init__(servers)
        self._sticky, self._turns = sticky, cycle(range(len(servers)))
        self.visits = [0] * len(servers)

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            asked = await reader.readuntil(_END)
            named = _STAYS.search(asked) if self._sticky else None
            at = int(named[1]) if named else next(self._turns)
            self.visits[at] += b"upgrade: websocket" in asked.lower()
            answers, asks = await asyncio.open_connection("localhost", self.ports[at])
            asks.write(asked)
            if self._sticky and not named:
                head = (await answers.readuntil(_END)).removesuffix(_END)
                writer.write(head + f"\r\nSet-Cookie: {COOKIE}={at}; Path=/".encode() + _END)
            await self.join(reader, writer, answers, asks)


@contextmanager
def balanced(*servers: str, sticky: bool = True) -> Iterator[tuple[str, Balancer]]:
    """`with balanced(one, other) as (url, balancer)`: both behind one address."""
    with running(Balancer(servers, sticky=sticky)) as found:
        yield found
