"""What stands at a component's place, and what carries news to a stage."""

import pytest
from playwright.sync_api import Page

from stage.hosts.assets import with_imports
from stage.hosts.component import messenger
from tests.browser.scripts import of_stage

CALLS = """
    async ([source, latestFirst]) => {
        const { atPlace } = await import(URL.createObjectURL(
            new Blob([source], { type: "text/javascript" })));
        const parentElement = document.body.appendChild(document.createElement("div"));
        const events = [];
        const call = () => atPlace(parentElement, () => {
            events.push("made");
            return { close: () => events.push("closed") };
        });
        const calls = [call(), call()];
        if (latestFirst) calls.reverse();
        const [earlier, later] = calls;
        earlier[1]();
        events.push(earlier[0] === later[0] ? "stands" : "another");
        parentElement.remove();
        later[1]();
        later[1]();
        document.body.append(parentElement);
        events.push(call()[0] === later[0] ? "stands" : "another");
        return events;
    }
"""


@pytest.mark.parametrize("latest_first", [False, True])
def test_what_stands_there_ends_with_its_place(empty: Page, latest_first: bool) -> None:
    """Streamlit takes back calls made while its module loaded, in any order."""
    source = f"{with_imports(of_stage('elements.js'))}\nexport {{ atPlace }};"
    found = empty.evaluate(CALLS, [source, latest_first])
    assert found == ["made", "stands", "closed", "made", "another"]


SAY = """
    async (source) => {
        const { default: say } = await import(URL.createObjectURL(
            new Blob([source], { type: "text/javascript" })));
        const register = () => globalThis[Symbol.for("attention-told")];
        const heard = [];
        const hear = () => heard.push({ ...register().get("stage") });
        const parentElement = document.createElement("div");
        const tell = (news) => say({ parentElement,
            data: new TextEncoder().encode(JSON.stringify({ stage: "stage", news })) });
        tell({ document: 1 });
        register().get("stage").hear = hear;
        [{ document: 1 }, { document: 2 }, { document: 2 }, { document: 1 }].forEach(tell);
        return heard.map(({ document }) => document);
    }
"""


def test_the_same_news_again_are_not_told(empty: Page) -> None:
    """Streamlit hands on the bytes of every run as new ones."""
    assert empty.evaluate(SAY, messenger()) == [2, 1]
