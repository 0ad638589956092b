"""A run to take away as blanks with checks: implement it yourself."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.mistakes.wrong_lines_of_attention import WRONG_LINES
from core.errors import InputError
from core.program.code.exercise import check_size, exercise_notebook, exercise_script
from core.program.trace import Trace
from ui.page_texts import ui_texts
from ui.text import escape_markdown

TEXTS = ui_texts("code")


def implement_it_yourself(now: Callable[[], Trace], place: str) -> None:
    """The run `now` to take away as blanks with checks, or why it cannot be."""
    st.caption(TEXTS("yourself"))
    try:
        check_size(now())
    except InputError as error:
        st.info(escape_markdown(f"{error}."))
        return
    for label, kind, written, mime in (
        (TEXTS("blanks_ipynb"), "ipynb", exercise_notebook, "application/x-ipynb+json"),
        (TEXTS("blanks_py"), "py", exercise_script, "text/x-python"),
    ):
        st.download_button(
            label, partial(_exercise, written, now), f"attention_yourself.{kind}", mime,
            key=f"yourself_{place}_{kind}", on_click="ignore", width="stretch",
        )  # fmt: skip


def _exercise(written: Callable[..., str], now: Callable[[], Trace]) -> str:
    return written(now(), MISTAKES.values(), WRONG_LINES)
