"""The frame around every page: its question and the projector's view."""

import json
from pathlib import Path
from typing import Any

import streamlit as st

from core.attention.glossary import GLOSSARY
from stage.assets import compact
from stage.component import font_script
from ui.links import EVERY_PAGE, read
from ui.path import way_in
from ui.prose import say, typeset_symbols
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
[data-testid="stMainBlockContainer"] { padding: 3.5rem 2.5rem 3rem; gap: 0.45rem; }
[data-testid="stMainBlockContainer"] h1 {
  font-size: 1.6rem; padding: 0 0 0.3rem; text-wrap: balance;
}
[data-testid="stMainBlockContainer"] h3 { font-size: 1.3rem; }
[data-testid="stMainBlockContainer"] [data-testid="stMarkdownContainer"] > p { max-width: 60rem; }
.st-key-preamble [data-testid="stMarkdownContainer"] > p { max-width: none; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: 0.7rem; }
[data-testid="stLayoutWrapper"]:has(> [class*="stage_told"]) { display: none; }
[data-testid="stLayoutWrapper"]:has(> [data-testid="stVerticalBlock"]:empty) { display: none; }
[class*="st-key-asked_"] { scroll-margin-top: 4rem; }
[class*="st-key-question_"] { content-visibility: auto; contain-intrinsic-size: auto 24rem; }
.st-key-measuring_table :is(th, td) { padding: 0.35rem 0.45rem; }
.st-key-measuring_table td:not(:nth-child(4), :nth-child(6)) { white-space: nowrap; }
[data-testid="stMarkdownContainer"] table { display: block; max-width: 100%; overflow-x: auto; }
.js-plotly-plot :is(
  .xtitle, .ytitle, .xtick text, .ytick text, .legendtext, .annotation-text, .textpoint text
) {
  fill: currentColor !important;
}
.st-key-font_of_formulas, .st-key-measuring_beat { position: absolute; }
/* Streamlit's own grey is too pale for small print: 3.9:1 on white. */
[data-testid="stCaptionContainer"] { color: inherit !important; opacity: 0.8; }
/* What stands beside a stage must not give away what is covered on it. */
:root[data-covering] :is([data-testid="stPlotlyChart"], .st-key-example) { visibility: hidden; }
.st-key-dot_pair_arithmetic .katex { font-size: 1.02rem; }
:is(.st-key-dot_pair_arithmetic, [class*="st-key-question_"]) .katex-display,
:is(.st-key-dot_pair_arithmetic, [class*="st-key-question_"]) .katex-display > .katex {
  text-align: left; overflow-x: auto; overflow-y: hidden;
}
a[href^="#term-"] {
  color: inherit !important; cursor: help;
  text-decoration: underline dotted; text-underline-offset: 3px;
}
.term-said {
  position: fixed; z-index: 1000; max-width: min(23rem, calc(100vw - 16px)); box-sizing: border-box;
  padding: 8px 12px; border: 1px solid light-dark(#b9b4d0, #5c5780); border-radius: 8px;
  background: light-dark(#fff, #23212f); color: light-dark(#1c1a28, #f1eff8);
  font-size: 0.92rem; line-height: 1.4; box-shadow: 0 4px 16px #0003;
}
[data-testid="stLayoutWrapper"]:has(> [class*="st-key-to_question_"]) { position: absolute; }
@media (max-width: 640px) {
  :is([class*="st-key-question_"], .st-key-measuring_table) :is(th, td) {
    padding: 0.2rem 0.22rem; font-size: 0.8rem;
  }
  [data-testid="stMainBlockContainer"] { padding: 3.8rem 0.8rem 2rem; }
  [data-testid="stMainBlockContainer"] h1 { font-size: 1.35rem; padding-bottom: 0.4rem; }
  .st-key-preset { width: 12rem !important; }
  .st-key-preamble p { font-size: 0.88rem; line-height: 1.35; }
}
</style>"""

_FOLDER = Path(__file__).parent
PRINTED = f"<style>{compact(_FOLDER / 'printing.css')}</style>"
"""How a page is printed."""

_font = st.components.v2.component(
    "font_of_formulas",
    js="\n".join(
        (
            font_script(),
            compact(_FOLDER / "printing.js"),
            compact(_FOLDER / "history.js"),
            f"const MEANINGS = {json.dumps(dict(GLOSSARY))};",
            compact(_FOLDER / "glossary.js"),
            "export default () => {};",
        )
    ),
)


def frame(name: str, question: str, why: str) -> None:
    """Begin a page: its one question, why a person should care, and what to know before."""
    st.html(HOUSE_STYLE + (LARGE_TYPE if presenting() else "") + PRINTED)
    _font(key="font_of_formulas")
    st.title(typeset_symbols(question))
    if not presenting():  # a class is told by its teacher, and needs the room for the numbers
        with st.container(key="preamble"):
            say(f"{why} {way_in(name)}")
    for message in _asked()[1]:
        st.warning(escape_markdown(message))


def presenting() -> bool:
    """Whether the link asks for the projector's view (`present=1`): large type, no preamble."""
    return bool(_asked()[0]["present"] == "1")


def _asked() -> tuple[dict[str, Any], list[str]]:
    """What the link asks of any page, and what is wrong with that."""
    return read(EVERY_PAGE, st.query_params.to_dict())
