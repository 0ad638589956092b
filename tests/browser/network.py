"""A network between a browser and its servers that can fail: silent, cut, or with a server less.

Or a balancer in front of several: a visitor stays with one of them, by a cookie, or not.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import cycle
from threading import Thread
from typing import TypeVar
from urllib.parse import urlsplit

COOKIE = "process"
_STAYS = re.compile(rb"^Cookie:.*\b%s=(\d)" % COOKIE.encode(), re.IGNORECASE | re.MULTILINE)
_END = b"\r\n\r\n"


class Network:
    """Passes connections on to the first of its servers that answers, unless silent or cut."""

    def __init__(self, servers: Sequence[str]) -> None:
        self.ports = [urlsplit(server).port for server in servers]
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._cut = self._silent = False

    def go_silent(self) -> None:
        """Pass nothing on, and let nobody know."""
        self._silent = True

    def cut(self) -> None:
        """Close all connections, and every new one at once."""
        self._cut = True
        self._do(self._close_all)

    def mend(self) -> None:
        """Pass on again what comes on new connections."""
        self._cut = self._silent = False

    async def run(self, port: Future[int]) -> None:
        """Serve until `stop`, at the port that is told."""
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port.set_result(server.sockets[0].getsockname()[1])
        await self._over.wait()
        server.close()
        self._close_all()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)

    def stop(self) -> None:
        self._do(self._over.set)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._writers.add(writer)
        if not self._cut:
            await self.carry(reader, writer)
        writer.close()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection on until it ends."""
        for port in self.ports:
            with suppress(OSError):
                await self.join(reader, writer, *await asyncio.open_connection("localhost", port))
                break

    async def join(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        answers: asyncio.StreamReader,
        asks: asyncio.StreamWriter,
    ) -> None:
        """Pass on what comes on a connection and on the one to its server until both end."""
        self._writers.add(asks)
        await asyncio.gather(self._pass_on(reader, asks), self._pass_on(answers, writer))

    async def _pass_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                if not self._silent:
                    target.write(data)
                    await target.drain()
        target.close()

    def _close_all(self) -> None:
        for writer in self._writers:
            writer.close()
        self._writers.clear()

    def _do(self, act: Callable[[], None]) -> None:
        async def done() -> None:
            act()

        asyncio.run_coroutine_threadsafe(done(), self._loop).result()


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


Passing = TypeVar("Passing", bound=Network)


@contextmanager
def network(*servers: str) -> Iterator[tuple[str, Network]]:
    """`with network(server) as (url, net)`: the server's address behind that network."""
    with running(Network(servers)) as found:
        yield found


@contextmanager
def running(net: Passing) -> Iterator[tuple[str, Passing]]:
    """`with running(net) as (url, net)`: its address."""
    port = Future[int]()
    thread = Thread(target=lambda: asyncio.run(net.run(port)), daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{port.result()}", net
    finally:
        net.stop()
        thread.join()


@contextmanager
def balanced(*servers: str, sticky: bool = True) -> Iterator[tuple[str, Balancer]]:
    """`with balanced(one, other) as (url, balancer)`: both behind one address."""
    with running(Balancer(servers, sticky=sticky)) as found:
        yield found
