"""A class goes on: its server is killed, its phones sleep, it is served by two processes."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, ColdServer, OpenPage, folder_of, kill, restart, rooms_of
from tests.browser.network import balanced, network
from tests.browser.page import settle
from tests.browser.test_reconnecting import connected
from tests.browser.test_room import a_class
from ui.classroom.store.rooms import VARIABLE, Rooms

NUMBER = "?preset=P5-next&step=context&cell=context.0.2.0&cover=context"
"""A covered cell; its number is 41.67."""
CHOICE = "softmax?question=softmax-change.3"


@pytest.fixture
def opened(open_page: OpenPage) -> OpenPage:
    """`opened(url)`: a visitor's page, which may log that the server is gone."""
    return partial(open_page, size=(1366, 768), complains=True)


def send(student: Page, text: str) -> None:
    student.get_by_role("button", name="Send").click()
    expect(student.get_by_text(f"Sent: {text}")).to_be_visible()


def test_each_page_outlives_its_server(cold_server: ColdServer, opened: OpenPage) -> None:
    """Also what was typed before, and sent after."""
    server = cold_server(ROOT)
    with rooms_of(server) as store:
        code, key = store.create()
        store.join(code, "other")
        store.ask(code, key, NUMBER)
        store.answer(code, 1, "other", "33.5")
    student = opened(f"{server}/join?room={code}")
    projector = opened(f"{server}/room?room={code}")
    window = opened(f"{server}/room?room={code}&key={key}")
    expect(window).to_have_url(re.compile("key=kept$"))
    pages = student, projector, window
    for page in (projector, window):
        expect(page.get_by_text("1 of 2 answered")).to_be_visible()
    student.get_by_role("textbox", name="Your answer").fill("41.67")
    kill(server)
    for page in pages:
        connected(page, False)
        lost = page.get_by_text("Connection lost.")
        expect(lost).to_be_visible()
        expect(lost).not_to_contain_text("stage")
    expect(student.get_by_text("Connection lost. Answers that you sent are kept.")).to_be_visible()
    restart(server)
    connected(student)  # and at once the button is pressed, which the new session does not know yet
    expect(student.get_by_role("textbox", name="Your answer")).to_have_value("41.67")
    send(student, "41.67")
    for page in (projector, window):
        expect(page.get_by_text("2 of 2 answered")).to_be_visible()
    window.get_by_role("button", name="Show the answer").click()
    expect(projector.get_by_text("1 of 2 right")).to_be_visible()
    expect(student.get_by_text("Right.")).to_be_visible()
    expect(window).to_have_url(re.compile("key=kept$"))
    with rooms_of(server) as store:
        assert store.answers(code, 1, 1) == ["33.5", "41.67"]


def test_a_phone_that_slept_sends_its_answer(server: str, store: Rooms, opened: OpenPage) -> None:
    """It has no connection for a while, and hears afterwards what the class was asked meanwhile."""
    with network(server) as (url, net):
        code, key = a_class(store, NUMBER, 0)
        student = opened(f"{url}/join?room={code}")
        answer = student.get_by_role("textbox", name="Your answer")
        answer.fill("41.67")
        net.go_silent()
        student.context.set_offline(True)
        net.cut()
        connected(student, False)
        net.mend()
        student.context.set_offline(False)
        connected(student)
        settle(student)
        expect(answer).to_have_value("41.67")
        send(student, "41.67")
        assert store.answers(code, 1, 1) == ["41.67"]

        net.cut()
        connected(student, False)
        store.ask(code, key, CHOICE)
        net.mend()
        expect(student.get_by_role("heading", name="Question 2")).to_be_visible()
        student.get_by_text("No weight changes", exact=True).click()
        send(student, "No weight changes")
        assert store.answers(code, 2, 1) == ["No weight changes"]


@pytest.mark.deep
@pytest.mark.parametrize("sticky", [False, True])
def test_a_class_of_two_processes_is_one_class(
    server: str, store: Rooms, cold_server: ColdServer, opened: OpenPage, sticky: bool
) -> None:
    """The teacher is on one and students are on both. Each vote counts once, sticky or not."""
    other = cold_server(ROOT, environment={VARIABLE: str(folder_of(server))})
    code, key = a_class(store, CHOICE, 0)
    with balanced(server, other, sticky=sticky) as (url, balancer):
        window = opened(f"{url}/room?room={code}&key={key}")
        projector = opened(f"{url}/room?room={code}")
        students = [opened(f"{url}/join?room={code}") for _ in range(2)]
        pages = window, projector, *students
        assert all(balancer.visits), "both processes serve the class"
        for student in students:
            student.get_by_text("No weight changes", exact=True).click()
            send(student, "No weight changes")
        for page in (window, projector):
            expect(page.get_by_text("2 of 2 answered")).to_be_visible()
        balancer.cut()
        for page in pages:
            connected(page, False)
        balancer.mend()
        for page in pages:
            connected(page)
            settle(page)
        for student in students:
            expect(student.get_by_text("Sent: No weight changes")).to_be_visible()
        window.get_by_role("button", name="Show the answer").click()
        expect(projector.get_by_text("0 of 2 right")).to_be_visible()
        for student in students:
            expect(student.get_by_text("2 of 2")).to_be_visible()
        assert store.answers(code, 1, 1) == ["No weight changes"] * 2
        found = store.room(code)
        assert found
        assert found.joined == 2
