"""What a waiting page is answered: NEW if its room has changed, and nothing about other rooms."""

from asyncio import sleep
from time import monotonic
from unittest.mock import AsyncMock

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.ui.classroom.test_room import ADDED, LINK, asked, room
from ui.classroom import news
from ui.classroom.rooms import Rooms


@pytest.fixture
def store(server_rooms: Rooms) -> Rooms:
    news._read.cache_clear()
    return server_rooms


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(news, "EACH", 0.01)
    monkeypatch.setattr(news, "HELD", 1.0)
    return TestClient(Starlette(routes=[news.room_news()]))


def answered(client: TestClient, code: str, seen: str) -> str:
    said = client.get(f"/{news.ADDRESS}", params={"room": code, "seen": seen})
    assert said.headers["cache-control"] == "no-store"
    return said.text


def test_a_page_is_answered_when_students_see_the_room_otherwise(
    store: Rooms, client: TestClient
) -> None:
    code, key = asked(store, LINK)
    seen = room(store, code).digest
    begun = monotonic()
    assert answered(client, code, seen) == news.SAME
    assert monotonic() - begun >= news.HELD
    store.answer(code, 1, "s0", ADDED)
    store.join(code, "other", "Name")
    assert answered(client, code, seen) == news.SAME, "no student sees that"
    for change in (
        lambda: store.close_vote(code, key),
        lambda: store.show(code, key, "bars"),
        lambda: store.show(code, key, "answer"),
        lambda: store.open_second_vote(code, key),
        lambda: store.ask(code, key, LINK),
        lambda: store.go_to(code, key, 1),
        lambda: store.close_room(code, key),
        lambda: store.delete_room(code, key),
    ):
        before = store.room(code)
        assert before
        change()
        assert answered(client, code, before.digest) == news.NEW


@pytest.mark.parametrize("seen", ["", "x", "0" * 32, "ü", "y" * 10_000])
def test_it_says_nothing_about_rooms_that_one_does_not_see(
    store: Rooms, client: TestClient, seen: str
) -> None:
    code, _ = asked(store, LINK)
    for some in (code, code.lower(), "CCCCCC", "", "\0", "x" * 10_000):
        assert answered(client, some, seen) == news.NEW


def test_no_two_rooms_have_one_digest(store: Rooms) -> None:
    digests = {room(store, asked(store, LINK)[0]).digest for _ in range(20)}
    assert len(digests) == 20


def test_a_page_that_waits_has_its_room_read_seldom(
    store: Rooms, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "EACH", 0.25)
    waits = AsyncMock(wraps=sleep)
    monkeypatch.setattr(news, "sleep", waits)
    code, _ = asked(store, LINK)
    assert answered(client, code, room(store, code).digest) == news.SAME
    assert 1 <= waits.await_count <= 1 + news.HELD / 0.25


def test_pages_that_wait_at_one_time_have_their_room_read_once(
    store: Rooms, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(news, "EACH", 1e6)
    code, _ = asked(store, LINK)
    for _ in range(20):
        assert answered(client, code, "old") == news.NEW
    assert news._read.cache_info().misses == 1
