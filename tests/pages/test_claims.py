"""What each page says is true in every state, as its inventory of claims reads it.

The inventory of a page is in `test_claims_of_<page>.py`, and is imported when it is read.
"""

from importlib import import_module
from types import SimpleNamespace

import pytest

from core.path import PATH
from tests.ui.claims import Inventory


def inventory(page: str) -> Inventory:
    found = import_module(f"tests.pages.test_claims_of_{page}").INVENTORY
    assert isinstance(found, Inventory)
    assert found.page == page
    return found


@pytest.mark.parametrize("page", PATH)
def test_every_sentence_holds_at_the_ends_of_its_controls(
    page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In place of a thread: what it has to do is done when it is started.
    monkeypatch.setattr("ui.server.queue.Thread", lambda target, **_: SimpleNamespace(start=target))
    never = property(lambda queue: False, lambda queue, _: queue.__dict__.update(_serving=False))
    # Each work has a thread.
    monkeypatch.setattr("ui.server.queue.Queue._serving", never, raising=False)
    inventory(page).check()
