"""A training of one's own: what is trained, how far it is, and what it came to."""

from typing import Any

import streamlit as st

from core.errors import InputError
from core.limits import MAX_SEED
from core.models.trained.own_training import (
    HEADS_OFFERED,
    LEAST_STEPS,
    MOST_LAYERS,
    MOST_LETTERS,
    MOST_STEPS,
    WIDTHS_OFFERED,
)
from core.models.trained.shipped import LAST, NONE
from core.models.trained.tasks import AGREEMENT, LETTERS, PERIOD, REPEATS
from core.models.trained.training_file import TrainedModel, training_bytes
from core.models.trained.training_script import training_notebook, training_script
from core.pytorch.reference import available
from core.pytorch.training import TrainingSettings
from ui.chapters.trained_here import trained_model as parts
from ui.chapters.trained_here.own_training import DONE, KILLED, LEFT, STOPPED, OwnTraining
from ui.links.links import Key, Keys, among, one_of, whole_number_reader
from ui.links.session import PERSIST, set_if_changed
from ui.links.stage_position import reset_position
from ui.page.controls import choose_one, slide_along
from ui.page.prose import say, typeset_symbols
from ui.page_texts import page_texts
from ui.server.watching import say_progress, watch_work
from ui.text import escape_markdown
from ui.trained.training_picture import say_forming

TEXTS = page_texts("trained_here")
LOOK_MILLISECONDS = 500
"""From one look at a training under way to the next."""
ENDINGS = {STOPPED: "ended_stopped", LEFT: "ended_left", KILLED: "ended_killed"}
MASKED, UNMASKED = "yes", "no"
TASKS = {
    LETTERS: TEXTS("learns_letters"),
    REPEATS: TEXTS("learns_repeats"),
    PERIOD: TEXTS("learns_period"),
    AGREEMENT: TEXTS("learns_agreement"),
}
MASK_WORDS = {MASKED: TEXTS("with_mask"), UNMASKED: TEXTS("without_mask")}
TRAINING_KEYS: Keys = {
    "trained_what": Key(LETTERS, one_of(*TASKS)),
    "trained_masked": Key(MASKED, one_of(*MASK_WORDS)),
    "trained_layers": Key(2, whole_number_reader(1, MOST_LAYERS)),
    "trained_own_heads": Key(2, among(*HEADS_OFFERED)),
    "trained_width": Key(32, among(*WIDTHS_OFFERED)),
    "trained_steps": Key(300, whole_number_reader(LEAST_STEPS, MOST_STEPS)),
    "trained_seed": Key(1, whole_number_reader(0, MAX_SEED)),
}


def own_training(keys: Keys) -> None:
    """Draw what is trained, and the training: waiting, under way or over."""
    state = st.session_state
    _controls()
    if not available():
        st.info(TEXTS("no_torch"))
    training: OwnTraining | None = state.get("trained_own")
    watch_work("trained_beat", training.work if training else None, LOOK_MILLISECONDS)
    if fault := state.get("trained_fault"):
        st.warning(escape_markdown(fault))
    if training is None:
        say(TEXTS("not_trained"))
        return
    _say_state(training)
    if (model := training.model) is None:
        return
    step = parts.picture({"": model}, () if training.ended else training.losses)
    if not training.ended:
        return
    if len(model.weights) > 1:
        say_forming([model])
    with st.container(key="beside_trained_measures"):
        parts.say_measures(model, step)
    parts.model_on_stage(model, step, keys)
    parts.switching_off(model, step, keys)
    _downloads(model, training.asked[1])


def _controls() -> None:
    """What the training is asked for, and its button."""
    look: dict[str, Any] = {"on_change": _forget, **PERSIST}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            TEXTS("learns"), list(TASKS), key="trained_what", format_func=TASKS.__getitem__,
            width=260, **look,
        )  # fmt: skip
        choose_one(TEXTS("mask"), MASK_WORDS, "trained_masked", on_change=_forget)
        layers = range(1, MOST_LAYERS + 1)
        choose_one(TEXTS("layers"), layers, "trained_layers", on_change=_forget)
        choose_one(TEXTS("heads"), HEADS_OFFERED, "trained_own_heads", on_change=_forget)
        slide_along(
            typeset_symbols(TEXTS("width")),
            WIDTHS_OFFERED,
            "trained_width",
            width=160,
            on_change=_forget,
        )
        st.number_input(
            TEXTS("steps"), LEAST_STEPS, MOST_STEPS, key="trained_steps", step=50, width=130,
            **look,
        )  # fmt: skip
        st.number_input(TEXTS("seed"), 0, MAX_SEED, key="trained_seed", width=110, **look)
    if st.session_state.trained_what == LETTERS:
        st.text_area(
            TEXTS("own_text"), key="trained_text", height=100, placeholder=TEXTS("any_text"),
            help=TEXTS("text_limits", most=f"{MOST_LETTERS:,}"), **look,
        )  # fmt: skip
    training: OwnTraining | None = st.session_state.get("trained_own")
    if training is not None and not training.ended:
        st.button(TEXTS("stop"), key="trained_stop", on_click=training.stop)
    else:
        label = TEXTS("train_again") if training else TEXTS("train")
        st.button(
            label, key="trained_train", type="primary", on_click=_start, disabled=not available()
        )


def _asked() -> tuple[str, str, TrainingSettings]:
    """The task, its text, and the settings."""
    state = st.session_state
    text = state.get("trained_text") or "" if state.trained_what == LETTERS else ""
    settings = TrainingSettings(
        state.trained_masked == MASKED, state.trained_layers, state.trained_own_heads,
        state.trained_width, state.trained_steps, state.trained_seed,
    )  # fmt: skip
    return state.trained_what, text, settings


def _start() -> None:
    _forget()
    state = st.session_state
    try:
        state.trained_own = OwnTraining(*_asked())
    except InputError as error:
        state.trained_fault = str(error)


def _forget() -> None:
    """Drop what was trained with other settings."""
    state = st.session_state
    if (held := state.pop("trained_own", None)) is not None:
        held.stop()
    state.pop("trained_fault", None)
    set_if_changed(trained_at=LAST, trained_off=NONE)
    reset_position("trained_")


def _say_state(training: OwnTraining) -> None:
    """How far a training is, or how it ended."""
    done, steps = len(training.losses), training.settings.steps
    if training.is_loading:
        text = TEXTS("loading")
    elif training.seconds_left is None:
        text = TEXTS("begins")
    else:
        text = TEXTS("progress", step=done, steps=steps, left=round(training.seconds_left))
    if not training.ended and training.work is not None:
        say_progress(training.work, min(1.0, done / (steps + 1)), text)
    elif training.ended not in ("", DONE):
        st.warning(TEXTS(ENDINGS[training.ended], step=max(done - 1, 0)))


def _downloads(model: TrainedModel, text: str) -> None:
    """The weights of a training, and what trains them again."""
    with st.container(horizontal=True):
        for label, data, file in (
            ("download_weights", training_bytes(model), "training.safetensors"),
            ("download_script", training_script(model, text), "train.py"),
            ("download_notebook", training_notebook(model, text), "train.ipynb"),
        ):
            st.download_button(TEXTS(label), data, file, on_click="ignore")
