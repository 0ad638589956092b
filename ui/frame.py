"""The frame around every page: its question and the projector's view."""

from pathlib import Path
from typing import Any

import streamlit as st

from stage.assets import compact
from stage.component import font_script
from ui.links import EVERY_PAGE, read
from ui.text import escape_markdown

# Streamlit's sizes are in rem, so the root's size carries text, controls and the stage with it.
# Without navigation the title stands beside Streamlit's menu.
LARGE_TYPE = """<style>
html:root { font-size: 130%; }
[data-testid="stMainBlockContainer"] { padding-top: 0.6rem; }
[data-testid="stHeader"] { background: none; }
[data-testid="stHeader"], [data-testid="stToolbar"] { pointer-events: none; }
[data-testid="stToolbar"] button { pointer-events: auto; }
</style>"""

# The exhibit is what counts: less air above it, a smaller title, arithmetic that fits its panel,
# charts whose axes are as legible as the text. What brings the font takes no room.
HOUSE_STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding: 3.65rem 2.5rem 3rem; gap: 0.5rem; }
[data-testid="stMainBlockContainer"] h1 { font-size: 1.6rem; padding: 0; text-wrap: balance; }
[data-testid="stMainBlockContainer"] h3 { font-size: 1.3rem; }
[data-testid="stMainBlockContainer"] [data-testid="stMarkdownContainer"] > p { max-width: 60rem; }
.st-key-preamble [data-testid="stMarkdownContainer"] > p { max-width: none; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: 0.7rem; }
[data-testid="stLayoutWrapper"]:has(> [class*="stage_told"]) { display: none; }
[class*="st-key-question_"] { content-visibility: auto; contain-intrinsic-size: auto 24rem; }
[data-testid="stMarkdownContainer"] table { display: block; max-width: 100%; overflow-x: auto; }
.js-plotly-plot :is(.xtitle, .ytitle, .xtick text, .ytick text, .legendtext) {
  fill: currentColor !important;
}
.st-key-font_of_formulas { position: absolute; }
/* What stands beside a stage must not give away what is covered on it. */
:root[data-covering] :is([data-testid="stPlotlyChart"], .st-key-example) { visibility: hidden; }
.st-key-dot_pair_arithmetic .katex { font-size: 1.02rem; }
.st-key-dot_pair_arithmetic .katex-display, .st-key-dot_pair_arithmetic .katex-display > .katex {
  text-align: left; overflow-x: auto; overflow-y: hidden;
}
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding: 3.8rem 0.8rem 2rem; }
  [data-testid="stMainBlockContainer"] h1 { font-size: 1.35rem; padding-bottom: 0.4rem; }
  .st-key-preamble p { font-size: 0.88rem; line-height: 1.35; }
}
</style>"""

_FOLDER = Path(__file__).parent
PRINTED = f"<style>{compact(_FOLDER / 'printing.css')}</style>"
"""How a page is printed."""

_font = st.components.v2.component(
    "font_of_formulas",
    js=f"{font_script()}\n{compact(_FOLDER / 'printing.js')}\nexport default () => {{}};",
)


def frame(question: str, why: str) -> None:
    """Begin a page: the one question it answers, and why a person should care."""
    st.html(HOUSE_STYLE + (LARGE_TYPE if presenting() else "") + PRINTED)
    _font(key="font_of_formulas")
    st.title(question)
    if not presenting():  # a class is told by its teacher, and needs the room for the numbers
        with st.container(key="preamble"):
            st.markdown(why)
    for message in _asked()[1]:
        st.warning(escape_markdown(message))


def presenting() -> bool:
    """Whether the link asks for the projector's view (`present=1`): large type, no preamble."""
    return bool(_asked()[0]["present"] == "1")


def _asked() -> tuple[dict[str, Any], list[str]]:
    """What the link asks of any page, and what is wrong with that."""
    return read(EVERY_PAGE, st.query_params.to_dict())
