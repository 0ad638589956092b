"""What carries news to a stage."""

from playwright.sync_api import Browser

from stage.component import messenger

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


def test_the_same_news_again_are_not_told(chromium: Browser) -> None:
    """Streamlit hands on the bytes of every run as new ones."""
    page = chromium.new_page()
    found = page.evaluate(SAY, messenger())
    page.close()
    assert found == [2, 1]
