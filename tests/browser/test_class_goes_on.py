"""A class goes on: its server is killed, its phones sleep, it is served by two processes."""

import asyncio
import re
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from itertools import count
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import ROOT, ColdServer, kill, restart, rooms_of
from tests.browser.test_reconnecting import connected
from tests.browser.waiting import settle
from ui.classroom.data_folder import VARIABLE
from ui.classroom.rooms import Rooms

NUMBER = "?preset=P5-next&step=context&cell=context.0.2.0&cover=context"
"""A covered cell; its number is 41.67."""
CHOICE = "softmax?question=softmax-change.3"


def opened(chromium: Browser, url: str, **cookies: str) -> Page:
    """A page of a browser of its own, which may log that the server is gone."""
    context = chromium.new_context(viewport={"width": 1366, "height": 768})
    context.add_cookies([{"name": n, "value": v, "url": url} for n, v in cookies.items()])
    page = context.new_page()
    page.goto(url)
    settle(page)
    return page


def field(student: Page) -> object:
    return student.get_by_role("textbox", name="Your answer")


def send(student: Page, text: str) -> None:
    student.get_by_role("button", name="Send").click()
    expect(student.get_by_text(f"Sent: {text}")).to_be_visible()


def test_each_page_goes_on_after_the_server_was_killed(
    cold_server: ColdServer, chromium: Browser
) -> None:
    """Also what was typed before, and sent after."""
    server = cold_server(ROOT)
    with rooms_of(server) as store:
        code, key = store.create()
        store.join(code, "other")
        store.ask(code, key, NUMBER)
        store.answer(code, 1, "other", "33.5")
    student = opened(chromium, f"{server}/join?room={code}")
    projector = opened(chromium, f"{server}/room?room={code}")
    window = opened(chromium, f"{server}/room?room={code}&key={key}")
    pages = student, projector, window
    for page in (projector, window):
        expect(page.get_by_text("1 of 2 answered")).to_be_visible()
    student.get_by_role("textbox", name="Your answer").fill("41.67")
    kill(server)
    for page in pages:
        connected(page, False)
    restart(server)
    for page in pages:
        connected(page)
        settle(page)
    expect(student.get_by_role("textbox", name="Your answer")).to_have_value("41.67")
    send(student, "41.67")
    for page in (projector, window):
        expect(page.get_by_text("2 of 2 answered")).to_be_visible()
    window.get_by_role("button", name="Show the answer").click()
    expect(projector.get_by_text("1 of 2 right")).to_be_visible()
    expect(student.get_by_text("Right.")).to_be_visible()
    with rooms_of(server) as store:
        assert store.answers(code, 1, 1) == ["33.5", "41.67"]
    for page in pages:
        page.context.close()
