"""A server forgets old rooms while it runs, also if nobody opens a room any more."""

import os
from collections.abc import Callable
from contextlib import suppress
from time import sleep, time

from ui.classroom.store.data_folder import data_folder
from ui.classroom.store.rooms import FILE, rooms
from ui.server.unavailable import UnavailableError

EVERY = 3_600.0
"""Seconds between two times."""


def keep_tidy(wait: Callable[[float], None] = sleep) -> None:
    """Forget old rooms again and again; a server that has no file of rooms gets none."""
    while True:
        if os.path.exists(data_folder() / FILE):
            with suppress(UnavailableError):  # which is in the log
                rooms().forget_old(time())
        wait(EVERY)
