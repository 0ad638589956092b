"""What stands at a component's place."""

from playwright.sync_api import Browser

from stage.assets import module

CALLS = """
    async (source) => {
        const { atPlace } = await import(URL.createObjectURL(
            new Blob([source], { type: "text/javascript" })));
        const parentElement = document.createElement("div");
        const events = [];
        let made = 0;
        const call = () => {
            const number = (made += 1);
            return atPlace(parentElement, () => {
                events.push(`made ${number}`);
                return { close: () => events.push(`closed ${number}`) };
            });
        };
        const [first, second] = [call(), call()];
        events.push(first[0] === second[0]);
        first[1]();
        events.push("first taken back");
        second[1]();
        const [[one], [other, leave]] = [second, call()];
        events.push(one === other);
        leave();
        return events;
    }
"""


def test_only_the_latest_call_ends_what_stands_there(chromium: Browser) -> None:
    """Streamlit takes back a call made while its module loaded, after it has made the next one."""
    page = chromium.new_page()
    found = page.evaluate(CALLS, f"{module()}\nexport {{ atPlace }};")
    page.close()
    taken_back = ["made 1", True, "first taken back", "closed 1"]
    assert found == [*taken_back, "made 3", False, "closed 3"]
