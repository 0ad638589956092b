"""A loop of asyncio for a test, in a thread of its own: a browser's may run in the test's."""

import asyncio
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor

from starlette.types import ASGIApp, Message, Scope


def run_aside(task: Awaitable[None]) -> None:
    """Do it to its end."""

    async def done() -> None:
        await task

    with ThreadPoolExecutor(1) as aside:
        aside.submit(asyncio.run, done()).result()


def answers(app: ASGIApp, scope: Scope, asked: Message) -> list[Message]:
    """All that an application says to who asks this of it."""
    said: list[Message] = []

    async def receive() -> Message:
        return asked

    async def send(message: Message) -> None:
        said.append(message)

    run_aside(app(scope, receive, send))
    return said
