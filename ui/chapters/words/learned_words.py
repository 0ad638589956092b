"""Word2Vec, trained while a person watches."""

from collections.abc import Iterator
from itertools import islice

import streamlit as st

from core.limits import MAX_SEED
from core.program.numbers.rounding import cell_text
from core.pytorch.reference import available
from core.pytorch.word2vec import (
    CBOW,
    MOST_WINDOW,
    SENTENCES,
    SHOWN,
    SKIP_GRAM,
    STEPS,
    VECTOR_SIZE,
    in_their_topic,
    train,
    untrained,
)
from core.pytorch.word2vec import learned_vocabulary as guessed_words
from ui.chapters.words.charts import learned_figure
from ui.charts.framing import draw_chart
from ui.links.links import Key, Keys, one_of, whole_number_reader
from ui.links.session import PERSIST
from ui.page.prose import say
from ui.page_texts import page_texts
from ui.server.fragments import run_lock
from ui.server.queue import Queue
from ui.server.watching import say_progress, watch_work

LEARNING = Queue()
"""Everybody's trainings: while one pauses, the others make their steps."""
STEPS_OF_A_PART = 20
"""Steps of a part: some milliseconds, in one turn. Beside a page's run each step would take 10."""
TEXTS = page_texts("words")
KINDS = {CBOW: TEXTS("cbow"), SKIP_GRAM: TEXTS("skip_gram")}
LOOK_MILLISECONDS = 400  # milliseconds from one look at what is learned to the next
PACE = 0.01  # seconds between two steps, so that there is something to look at
LEARNED_KEYS: Keys = {
    "words_kind": Key(CBOW, one_of(*KINDS)),
    "words_window": Key(2, whole_number_reader(1, MOST_WINDOW)),
    "words_seed": Key(16, whole_number_reader(0, MAX_SEED)),
    "words_steps": Key(0, whole_number_reader(0, STEPS)),
}


class Training:
    """One training: waiting, under way or over, after its steps or when it is stopped.

    It pauses for `pace` seconds a step, so that a person can watch.
    """

    def __init__(self, kind: str, window: int, seed: int, steps: int, pace: float = 0.0) -> None:
        self.asked = (kind, window, seed)
        self.steps = steps
        self.pace = pace
        self.now = untrained(seed)
        self.work = LEARNING.enter(self._parts())

    @property
    def running(self) -> bool:
        return not self.work.over

    def _parts(self) -> Iterator[float]:
        learning = train(*self.asked, self.steps)
        while self.now.step < self.steps:
            with run_lock():
                *_, self.now = islice(learning, STEPS_OF_A_PART)
            yield STEPS_OF_A_PART * self.pace


def learned_words() -> None:
    """Draw the words as they are learned, and the controls of the training."""
    state = st.session_state
    _controls()
    training = _training()
    watch_work("words_beat", training.work if training else None, LOOK_MILLISECONDS)
    now = training.now if training else untrained(state.words_seed)
    if not available():
        st.info(TEXTS("no_torch"))
    if training:
        say_progress(training.work, now.step / STEPS, TEXTS("progress", step=now.step, steps=STEPS))
        if training.work.failed:
            st.error(TEXTS("failed"))
        if not training.running:
            state.words_steps = now.step
    figure = learned_figure(now)
    draw_chart(figure, "words_learned")
    if now.step:
        say(TEXTS("surprise", steps=now.step, surprise=cell_text(now.loss)))
    else:
        say(TEXTS("untrained", can_train=not training and available()))
    read = {"words": SHOWN, "sentences": len(SENTENCES)}
    say(TEXTS("topics", together=in_their_topic(now.vectors), **read))
    with st.expander(TEXTS("more")):
        say(TEXTS("word2vec", words=len(guessed_words()), width=VECTOR_SIZE))


def _controls() -> None:
    """What the training is asked for, and its button."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            TEXTS("task"), list(KINDS), key="words_kind", format_func=KINDS.__getitem__,
            width=330, on_change=_forget, **PERSIST,
        )  # fmt: skip
        st.number_input(
            TEXTS("window"), 1, MOST_WINDOW, key="words_window", width=190, on_change=_forget,
            **PERSIST,
        )  # fmt: skip
        st.number_input(
            TEXTS("seed"), 0, MAX_SEED, key="words_seed", width=130, on_change=_forget, **PERSIST
        )
        training = _training()
        if training is not None and training.running:
            st.button(TEXTS("stop"), key="words_stop", on_click=_stop)
        else:
            label = TEXTS("train_again") if training else TEXTS("train")
            st.button(
                label, key="words_train", type="primary", on_click=_start, disabled=not available()
            )


def _asked() -> tuple[str, int, int]:
    state = st.session_state
    return state.words_kind, state.words_window, state.words_seed


def _training() -> Training | None:
    """Return this visitor's training; one that the link has is done again, up to its step."""
    state = st.session_state
    held: Training | None = state.get("words_training")
    if held is None and state.words_steps and available():
        held = state.words_training = Training(*_asked(), state.words_steps)
    return held


def _start() -> None:
    _stop()
    st.session_state.words_training = Training(*_asked(), STEPS, PACE)


def _stop() -> None:
    held = st.session_state.get("words_training")
    if held is not None:
        held.work.stop()


def _forget() -> None:
    """Drop what was learned with other settings."""
    _stop()
    st.session_state.pop("words_training", None)
    st.session_state.words_steps = 0
