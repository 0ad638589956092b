"""Scripts of components come once, as files that the browser keeps."""

from typing import Any

from playwright.sync_api import Page, Route, WebSocket, expect

from tests.browser.conftest import OpenPage
from tests.browser.page import settle
from ui.components.script_files import ADDRESS

FILES = f"**/{ADDRESS}/*"


def fetched(page: Page) -> list[str]:
    """The files that a page takes from the server from now on, and not from what is kept."""
    taken: list[str] = []
    kept: set[str] = set()
    log = page.context.new_cdp_session(page)
    log.send("Network.enable")

    def answered(event: dict[str, Any]) -> None:
        answer = event["response"]
        is_kept = event["requestId"] in kept or answer.get("fromDiskCache")
        if f"/{ADDRESS}/" in answer["url"] and not is_kept:
            taken.append(answer["url"])

    log.on("Network.requestServedFromCache", lambda event: kept.add(event["requestId"]))
    log.on("Network.responseReceived", answered)
    return taken


def test_a_second_visit_fetches_no_script_again_and_no_message_has_one(open_page: OpenPage) -> None:
    messages: list[bytes | str] = []
    taken: list[list[str]] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", lambda message: messages.append(message))

    page = open_page(listen=listen, prepare=lambda page: taken.append(fetched(page)))
    expect(page.get_by_test_id("stage")).to_be_visible()
    (files,) = taken
    assert any("attention_stage." in url for url in files)
    assert len(files) == len(set(files)) > 3
    files.clear()
    page.goto(page.url.split("?")[0] + "?step=weights")
    settle(page)
    expect(page.get_by_test_id("stage")).to_have_attribute("data-step", "weights")
    assert files == []
    told = b"".join(message for message in messages if isinstance(message, bytes))
    assert b"attention_stage." in told
    assert b"class Stage" not in told


def test_a_file_that_fails_once_is_asked_for_again(open_page: OpenPage) -> None:
    refused: list[str] = []

    def refuse_once(route: Route) -> None:
        name = route.request.url.partition("?")[0]
        if name in refused:
            route.continue_()
        else:
            refused.append(name)
            route.abort()

    page = open_page(prepare=lambda page: page.route(FILES, refuse_once), complains=True)
    expect(page.get_by_test_id("stage")).to_be_visible()
    assert any("attention_stage." in url for url in refused)
