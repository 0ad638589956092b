"""The run of a visitor's model: its prompt, its progress, and what is seen of it afterwards."""

import streamlit as st

from core.models.offers import Offer
from core.models.token_text import one_line
from core.models.transformer.settings import ModelSettings
from ui.links.session import PERSIST, restore_flash, save_link
from ui.models.changes import asked_changes, keep_to
from ui.models.in_memory import KEPT_RUNS
from ui.models.keys import MODELS_PAGE_KEYS
from ui.models.seen_run import SeenRun
from ui.models.work import ModelWork
from ui.page.prose import say
from ui.page_texts import page_texts, plain_ui_texts
from ui.server.fragments import fragment, is_part_of_page
from ui.server.watching import say_progress, watch_work
from ui.text import escape_markdown

TEXTS, PLAIN = page_texts("models"), plain_ui_texts("models")
PROMPTS = "prompt_list", "prompt_names", "prompt_fish"
LONGEST_PROMPT = 60
"""Characters of a prompt that is named."""
POLL_MS = 400
"""Milliseconds from one look at a run under way to the next."""
RESTING = 5_000
"""Milliseconds from one sign that somebody looks at a finished run to the next."""
COLUMNS = 5, 11
"""The widths of what is predicted and of all heads, as parts of the page."""


def model_work() -> ModelWork | None:
    """Return this visitor's run, if one was started."""
    return st.session_state.get("model_work")


def run_asked(offer: Offer) -> None:
    """Run a model that was asked for on the prompt, unless the visitor's last run was of both.

    If the results of the last run were released because nobody looked at them, run it again.
    """
    state, work = st.session_state, model_work()
    is_new = work is None or not work.is_of(offer, state.model_text)
    if (state.model_asked and is_new) or (work is not None and work.is_released and not is_new):
        start(offer)


def run_changes(settings: ModelSettings) -> None:
    """Run the model once more if its page now asks for other changes than the last run had.

    What the model does not have is first left out of what the page asks for.
    """
    if left_out := keep_to(settings):
        restore_flash()
    work = model_work()
    is_new = work is not None and asked_changes() != work.changes
    if work is not None and is_new:
        start(work.offer)
    if left_out or is_new:
        st.rerun()


def seen_run() -> SeenRun | None:
    """Return what is to be seen of a run that is over; None if there is none.

    While another prompt or changes are computed, it is the run before. It stays if they fail.
    """
    work = model_work()
    if work is None:
        return None
    if not work.look_at():
        if not is_part_of_page():
            st.rerun()
        return None
    seen = work.seen
    assert seen is None or isinstance(seen, SeenRun)
    shown = work.shown
    if work.work.over and shown is not None and (seen is None or seen.run is not shown):
        if seen is not None and seen.work is not work:
            seen.work.release()  # there is more to see than what it was kept for
        seen = work.seen = SeenRun(work)
    return seen


def start(offer: Offer) -> None:
    """Run the chosen model on the prompt, with the changes; a run under way is given up."""
    state, held = st.session_state, model_work()
    goes_on = held is not None and not held.is_released and held.offer == offer
    earlier = held if goes_on else None
    if held is not None:
        KEPT_RUNS.forget(held)
        held.work.stop()
    if held is not None and not goes_on:
        held.release()
    state.model_work = ModelWork(offer, state.model_text, asked_changes(), earlier)
    state.model_redrawn = False


def stop() -> None:
    """Give the run up."""
    if (held := model_work()) is not None:
        held.work.stop()


@fragment
def prompt_and_progress(offer: Offer) -> None:
    """Draw the prompt, and how far the run is. When it is over, the page is drawn again."""
    held = model_work()
    running = held is not None and not held.work.over
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(TEXTS("prompt"), key="model_text", on_change=start, args=(offer,), **PERSIST)
        if running:
            st.button(TEXTS("stop"), key="model_stop", on_click=stop)
        else:
            st.button(TEXTS("run"), key="model_run", type="primary", on_click=start, args=(offer,))
    save_link(MODELS_PAGE_KEYS)  # so that a reload during the run has the prompt
    under = st.container(horizontal=True, key="model_under_prompt")
    if held is None:
        with under:
            _prompts_to_try(offer)
        return
    if not held.look_at():
        if not is_part_of_page():  # its tab is in front again
            restore_flash()
            st.rerun()
        return

    def looked() -> None:
        held.look_at()

    watch_work("model_beat", held.work, POLL_MS, looked, resting=RESTING)
    with under:
        with st.container(key="model_progress", width="stretch"):
            _said(held)
        _prompts_to_try(offer)
    if held.work.over and not st.session_state.model_redrawn:
        st.session_state.model_redrawn = True
        restore_flash()
        st.rerun()


def _prompts_to_try(offer: Offer) -> None:
    """Prompts on which a model shows something, to be run at a press."""
    with st.container(
        horizontal=True, key="model_prompts", width="content", vertical_alignment="center"
    ):
        st.caption(TEXTS("prompts"), width="content")
        for name in PROMPTS:
            st.button(
                TEXTS(name), key=f"model_{name}", type="tertiary",
                on_click=_try_prompt, args=(offer, name),
            )  # fmt: skip


def _try_prompt(offer: Offer, name: str) -> None:
    """Run a prompt; with a hidden token at its end if the run before found that there is one."""
    held = model_work()
    checkpoint = held.checkpoint if held is not None and held.offer == offer else None
    hidden = checkpoint.hidden_token if checkpoint is not None else None
    st.session_state.model_text = f"{PLAIN(name)} {hidden}." if hidden else PLAIN(name)
    start(offer)


def _said(held: ModelWork) -> None:
    """How far a run is, what was wrong with it, or what was run."""
    if not held.work.over:
        bytes_done, all_bytes = held.fetched
        if all_bytes:
            said = TEXTS("fetching", done=f"{bytes_done / 1e6:,.0f}", all=f"{all_bytes / 1e6:,.0f}")
            say_progress(held.work, min(1.0, bytes_done / all_bytes), said)
        else:
            said = TEXTS("progress", percent=f"{held.done:.0%}", shown=_other_prompt(held))
            say_progress(held.work, held.done, said)
    elif held.error:
        st.error(escape_markdown(str(held.error)))
    elif held.work.failed:
        st.error(TEXTS("failed"))
    elif held.shown is None or held.shown.changes != held.changes:
        st.caption(TEXTS("stopped", before=held.shown is not None))
    elif held.checkpoint is not None:
        settings, tokens = held.checkpoint.settings, len(held.shown.tokens)
        st.caption(TEXTS(
            "what_ran", name=held.offer.title, layers=settings.n_layers, heads=settings.n_heads,
            groups=settings.n_kv_heads, width=settings.d_model, tokens=tokens,
        ))  # fmt: skip
        if not held.checkpoint.is_current:
            st.warning(TEXTS("files_changed"))
    if held.work.over and (prompt := _other_prompt(held)):
        st.caption(TEXTS("still_shown", prompt=prompt))


def _other_prompt(held: ModelWork) -> str:
    """The prompt of what is still seen, if it is another one than that of the run."""
    seen = held.seen
    if not isinstance(seen, SeenRun) or held.shown is not None or seen.work.prompt == held.prompt:
        return ""
    return one_line(seen.work.prompt)[:LONGEST_PROMPT]


def draw_run_preview() -> None:
    """Say what comes, where it comes: the prediction, all heads, one head."""
    with st.container(key="model_run_preview"):
        say(TEXTS("run_preview"))
        left, right = st.columns(COLUMNS)
        _part(left, "run_preview_prediction")
        _part(right, "run_preview_heads")
        _part(st.container(), "run_preview_stage")


def _part(room: st.delta_generator.DeltaGenerator, name: str) -> None:
    with room, st.container(border=True, key=name):
        say(TEXTS(name))
