"""A loop of asyncio for a test, in a thread of its own: a browser's may run in the test's."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run_aside(task: Coroutine[Any, Any, None]) -> None:
    """Do it to its end."""
    with ThreadPoolExecutor(1) as aside:
        aside.submit(asyncio.run, task).result()
