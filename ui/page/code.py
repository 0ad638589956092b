"""The end of every page: the mathematics of its picture as code, and where the idea comes from."""

import inspect
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from core.attention.examples.presets import OPENING
from core.program.code.function import numpy_function
from core.program.trace import Trace
from core.pytorch.snippet import fused_function, torch_function
from ui.links.links import SENTENCE_KEY
from ui.links.session import restore_flash
from ui.page.prose import say
from ui.page_texts import ui_texts
from ui.server.fragments import fragment
from ui.text import Markdown

TEXTS = ui_texts("code")
NAME = "attention"
"""What the functions are called."""


@fragment
def in_code(
    *functions: Callable[..., Any],
    origin: str,
    step: str = "",
    run: Trace | None = None,
    exhibit: str | None = None,
    below: Callable[[Callable[[], Trace]], None] = lambda now: None,
) -> None:
    """The page's program as code, the source of what made its picture, and where it is from.

    Drawn only when it is open: some thousand coloured words would weigh on every frame of the
    page. The program is that of `run`, or of the run on the stage whose keys begin with `exhibit`;
    `below` draws what belongs to it, and is given what returns the run at any time. `origin` is
    Markdown. `step` names an array of the walkthrough.
    """
    state = st.session_state
    with st.expander(TEXTS("in_code"), key="in_code", on_change="rerun") as panel:
        state.code_of = exhibit if panel.open else None
        if not panel.open:
            return
        if exhibit is not None:
            runs = state.stage_runs  # also for a thread that has no session: it prepares a file
            state.code_shown = _about(runs[exhibit])
            _functions(runs[exhibit])
            below(lambda: runs[exhibit])
        elif run is not None:
            _functions(run)
            below(lambda: run)
        st.markdown(TEXTS("source"))
        for function in functions:
            st.code(inspect.getsource(function), language="python")
        sentence = Markdown(_sentence())
        say(
            TEXTS(
                "step", origin=Markdown(origin), preset=Markdown(OPENING), step=Markdown(step),
                sentence=sentence,
            )
            if step
            else origin
        )  # fmt: skip


def _sentence() -> str:
    """The sentence that comes along, as a link to the walkthrough says it."""
    brought = st.session_state.get("brought", {})
    return f"&{urlencode({'text': brought[SENTENCE_KEY]})}" if brought.get(SENTENCE_KEY) else ""


def keep_code(trace: Trace, prefix: str) -> None:
    """Keep the run on a stage for `in_code`; where its code stands open and is another, draw it.

    The code has no numbers of the run in it, so this is rare: a toggle, or another size.
    """
    state = st.session_state
    state.setdefault("stage_runs", {})[prefix] = trace
    if state.get("code_of") != prefix or "code_shown" not in state:
        return
    about = _about(trace)
    if about != state.code_shown:
        state.code_shown = about
        restore_flash()
        st.rerun()


def _about(trace: Trace) -> tuple[str, int]:
    """What the code of a run, and what belongs to it, depends on."""
    return numpy_function(trace, NAME), sum(values.size for values in trace.values())


def _functions(trace: Trace) -> None:
    """Draw a run's program as functions of numpy and of PyTorch."""
    st.markdown(TEXTS("numpy"))
    st.code(numpy_function(trace, NAME), language="python")
    st.markdown(TEXTS("pytorch"))
    written_out = torch_function(trace, NAME)
    st.code(written_out, language="python")
    if "nan_to_num" in written_out:
        st.caption(TEXTS("no_visible_key"))
    if fused := fused_function(trace, NAME):
        st.markdown(TEXTS("fused"))
        st.code(fused, language="python")
