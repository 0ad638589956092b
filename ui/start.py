"""What a server does before its first visitor comes."""

import gc
from importlib import import_module
from threading import Thread

FIRST_PAGE = "ui.walkthrough.walk"
SELDOM = (25_000, 20, 100)
"""How many new objects, and how many smaller collections, make a collection worth its time."""


def get_ready() -> None:
    """Import what the first page needs while a visitor's browser still fetches Streamlit."""

    def ready() -> None:
        try:
            import_module(FIRST_PAGE)
        finally:
            collect_seldom()

    Thread(target=ready, daemon=True).start()


def collect_seldom() -> None:
    """Look for cycles rarely, and never among what was there from the start.

    Each run of a script makes some ten thousand objects, nearly all of which go by themselves. By
    Python's own settings (700, 10, 10) a fifth of a busy server's time was spent on looking
    through them, in pauses that everybody waits for.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)
