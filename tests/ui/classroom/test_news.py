"""What a waiting page is answered: NEW if its room has changed, and nothing about other rooms."""

from asyncio import sleep
from time import monotonic
from unittest.mock import AsyncMock

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.ui.classroom.support import answered, asked, changes_for_students, room_of
from ui.classroom import news
from ui.classroom.store.rooms import Rooms

LINK = "softmax?question=softmax-change.3"


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    news._read.cache_clear()
    monkeypatch.setattr(news, "EACH", 0.01)
    monkeypatch.setattr(news, "HELD", 0.2)
    return TestClient(Starlette(routes=[news.room_news()]))


def told(client: TestClient, code: str, seen: str) -> str:
    said = client.get(f"/{news.ADDRESS}", params={"room": code, "seen": seen})
    assert said.headers["cache-control"] == "no-store"
    return said.text


def test_a_page_is_answered_when_its_room_looks_otherwise(store: Rooms, client: TestClient) -> None:
    code, key = asked(store, LINK)
    seen = room_of(store, code).digest
    begun = monotonic()
    assert told(client, code, seen) == news.SAME
    assert monotonic() - begun >= news.HELD
    answered(store, code, "s0", "No weight changes")
    assert told(client, code, seen) == news.SAME, "no student sees that"
    for change in changes_for_students(store, code, key):
        before = room_of(store, code)
        change()
        assert told(client, code, before.digest) == news.NEW


@pytest.mark.parametrize("seen", ["", "x", "0" * 32, "ü", "y" * 10_000])
def test_it_says_nothing_about_other_rooms(store: Rooms, client: TestClient, seen: str) -> None:
    code, _ = asked(store, LINK)
    for some in (code, code.lower(), "CCCCCC", "", "\0", "x" * 10_000):
        assert told(client, some, seen) == news.NEW


def test_no_two_rooms_have_one_digest(store: Rooms) -> None:
    assert len({room_of(store, asked(store, LINK)[0]).digest for _ in range(20)}) == 20


def test_a_page_that_waits_has_its_room_read_seldom(
    store: Rooms, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "EACH", 0.05)
    waits = AsyncMock(wraps=sleep)
    monkeypatch.setattr(news, "sleep", waits)
    code, _ = asked(store, LINK)
    assert told(client, code, room_of(store, code).digest) == news.SAME
    assert 1 <= waits.await_count <= 1 + news.HELD / news.EACH


def test_pages_that_wait_at_one_time_have_their_room_read_once(
    store: Rooms, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "EACH", 1e6)
    code, _ = asked(store, LINK)
    for _ in range(20):
        assert told(client, code, "old") == news.NEW
    assert news._read.cache_info().misses == 1
