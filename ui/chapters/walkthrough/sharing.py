"""Taking the view elsewhere: as a worksheet, as code, its numbers. Its link is in the header."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from core.attention.family import MASK_TOGGLE, SCALE_TOGGLE
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.mistakes.hand_mistakes import KNOWN_MISTAKES
from core.attention.mistakes.wrong_lines_of_attention import WRONG_LINES
from core.attention.setups import Setup
from core.errors import InputError
from core.files.downloads import csv, npz
from core.limits import MAX_SEED
from core.program.code.exercise import check_size, exercise_notebook, exercise_script
from core.program.code.script import notebook, numpy_script, plain_script
from core.program.trace import Trace
from core.pytorch.snippet import torch_snippet
from stage.hosts.standalone import standalone
from stage.paper.worksheet import ALL, HALF, ROW, worksheet
from ui.links.stage_position import View
from ui.page.prose import set_off
from ui.page_texts import page_texts, ui_texts
from ui.text import escape_markdown

TEXTS, CODE_TEXTS = page_texts("walkthrough"), ui_texts("code")
THIS_STEP, EVERY_STEP = TEXTS("this_step"), TEXTS("every_step")
THIS_HEAD, EVERY_HEAD = TEXTS("this_head"), TEXTS("every_head")
NUMBERS, SUMS = TEXTS("key_numbers"), TEXTS("key_sums")


def worksheet_panel(setup: Setup, view: View) -> None:
    """The view as a sheet to print, with empty cells, and its key."""
    with st.popover(TEXTS("worksheet"), key="worksheet_panel", on_change="rerun") as panel:
        if panel.open:
            _worksheet(setup, view)


def _worksheet(setup: Setup, view: View) -> None:
    st.caption(TEXTS("worksheet_note"))
    trace = setup.trace
    steps = st.segmented_control(
        TEXTS("work_out"), [THIS_STEP, EVERY_STEP], default=THIS_STEP, required=True,
        key="sheet_steps",
    )  # fmt: skip
    heads = EVERY_HEAD
    if len(trace["weights"]) > 1:
        heads = st.segmented_control(
            TEXTS("heads"), [THIS_HEAD, EVERY_HEAD], default=THIS_HEAD, required=True,
            key="sheet_heads",
        )  # fmt: skip
    amount = st.segmented_control(
        TEXTS("leave_out"), [ALL, HALF, ROW], default=ALL, required=True, key="sheet_amount"
    )
    key = st.segmented_control(
        TEXTS("answer_key"), [NUMBERS, SUMS], default=NUMBERS, required=True, key="sheet_key"
    )
    version = st.number_input(TEXTS("version"), 0, MAX_SEED, key="sheet_version", width=112)
    phase = next(phase for phase in trace.program.phases if view.array in phase.names)
    arrays = list(trace.steps) if steps == EVERY_STEP else phase.names
    try:
        sheet = worksheet(
            trace, arrays, slices=None if heads == EVERY_HEAD else tuple(view.slices.values()),
            amount=amount, version=int(version), sums=key == SUMS,
        )  # fmt: skip
    except InputError as error:
        st.info(escape_markdown(f"{error}."))
        return
    label, file = TEXTS("worksheet_file"), ("worksheet.html", "text/html")
    st.download_button(label, sheet, *file, on_click="ignore")


def standalone_view(setup: Setup, view: View, cover: str = "") -> str:
    """The view as a page of its own, in which mask and scale can be switched."""
    now = setup.options
    keep = {
        MASK_TOGGLE.key: (now["mask"], "causal", "none"),
        SCALE_TOGGLE.key: (now["scale"], "on", "off"),
    }
    return standalone(
        setup.trace, (view.name, view.cell), family=setup.family, options=now, keep=keep,
        mistakes=KNOWN_MISTAKES, cover=cover, sentence=setup.sentence,
    )  # fmt: skip


def download_panel(setup: Setup, view: View) -> None:
    """The run as a page, as code that checks itself, and its numbers."""
    trace, array, cover = setup.trace, view.array, st.session_state.cover
    own_page = partial(standalone_view, setup, view, cover)
    files: list[tuple[str, str, Any, str]] = [
        (TEXTS("own_page"), "attention.html", own_page, "text/html"),
        (TEXTS("script"), "attention.py", lambda: numpy_script(trace), "text/x-python"),
        (TEXTS("plain_script"), "attention_plain.py", lambda: plain_script(trace), "text/x-python"),
        (TEXTS("notebook"), "attention.ipynb", lambda: notebook(trace), "application/x-ipynb+json"),
        (TEXTS("snippet"), "attention_torch.py", lambda: torch_snippet(trace), "text/x-python"),
        (TEXTS("all_matrices"), "attention.npz", lambda: npz(trace), "application/octet-stream"),
        (f"{set_off(array)} (.csv)", f"{array}.csv", lambda: csv(trace, array), "text/csv"),
    ]
    with st.popover(TEXTS("download"), key="download_panel", on_change="rerun") as panel:
        if not panel.open:
            return
        st.caption(TEXTS("download_note"))
        for label, name, content, mime in files:
            st.download_button(
                label, content, name, mime, key=f"download_{name.split('.')[0]}_{mime[-4:]}",
                on_click="ignore", width="stretch",
            )  # fmt: skip
        implement_it_yourself(lambda: trace, "panel")


def implement_it_yourself(now: Callable[[], Trace], place: str) -> None:
    """The run `now` to take away as blanks with checks, or why it cannot be."""
    st.caption(CODE_TEXTS("yourself"))
    try:
        check_size(now())
    except InputError as error:
        st.info(escape_markdown(f"{error}."))
        return
    for label, kind, written, mime in (
        (CODE_TEXTS("blanks_ipynb"), "ipynb", exercise_notebook, "application/x-ipynb+json"),
        (CODE_TEXTS("blanks_py"), "py", exercise_script, "text/x-python"),
    ):
        st.download_button(
            label, partial(_exercise, written, now), f"attention_yourself.{kind}", mime,
            key=f"yourself_{place}_{kind}", on_click="ignore", width="stretch",
        )  # fmt: skip


def _exercise(written: Callable[..., str], now: Callable[[], Trace]) -> str:
    return written(now(), MISTAKES.values(), WRONG_LINES)
