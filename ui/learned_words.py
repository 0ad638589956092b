"""Word2Vec, trained while one looks on."""

import streamlit as st

from core.limits import MAX_SEED
from core.program.rounding import cell_text
from core.pytorch.reference import available
from core.pytorch.word2vec import (
    CBOW,
    MOST_WINDOW,
    SENTENCES,
    SHOWN,
    SKIP_GRAM,
    STEPS,
    WIDTH,
    in_their_topic,
    untrained,
)
from core.pytorch.word2vec import vocabulary as guessed_words
from ui.chart import draw_chart
from ui.charts.words import learned_figure
from ui.links import Key, Keys, one_of, whole
from ui.prose import say
from ui.session import KEPT
from ui.training import Training
from ui.watching import say_progress, watch

KINDS = {CBOW: "CBOW: the word from its neighbours", SKIP_GRAM: "skip-gram: neighbours from a word"}
EVERY = 400  # milliseconds from one look at what is learned to the next
PACE = 0.01  # seconds between two steps, so that there is something to look at
LEARNED_KEYS: Keys = {
    "words_kind": Key(CBOW, one_of(*KINDS)),
    "words_window": Key(2, whole(1, MOST_WINDOW)),
    "words_seed": Key(16, whole(0, MAX_SEED)),
    "words_steps": Key(0, whole(0, STEPS)),
}


def learned_words() -> None:
    """Draw the words as they are learned, and what one may ask of the training."""
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "What is guessed", list(KINDS), key="words_kind", format_func=KINDS.__getitem__,
            width=330, on_change=_forget, **KEPT,
        )  # fmt: skip
        st.number_input(
            "Neighbours on each side", 1, MOST_WINDOW, key="words_window", width=190,
            on_change=_forget, **KEPT,
        )  # fmt: skip
        st.number_input("Seed", 0, MAX_SEED, key="words_seed", width=130, on_change=_forget, **KEPT)
        training = _training()
        running = training is not None and training.running
        if running:
            st.button("Stop", key="words_stop", on_click=_stop)
        else:
            st.button(
                "Train again" if training else "Train", key="words_train", type="primary",
                on_click=_start, disabled=not available(),
            )  # fmt: skip
    watch("words_beat", training.work if training else None, EVERY)
    now = training.now if training else untrained(st.session_state.words_seed)
    if not available():
        st.info("PyTorch is not installed on this server, so nothing can be learned here.")
    if training:
        say_progress(training.work, now.step / STEPS, f"Step {now.step} of {STEPS}")
        if training.work.failed:
            st.error("The training failed on the server. Try again later.")
        if not running:
            state.words_steps = now.step
    figure = learned_figure(now)
    draw_chart(figure, "words_learned")
    surprise = (
        f"After {now.step} steps the mean surprise of a guess is **{cell_text(now.loss)}** nats. "
        if now.step
        else f"So far all vectors are drawn at random{'' if training else ': press Train'}. "
    )
    say(
        f"{surprise}Of {SHOWN} words {in_their_topic(now.vectors)} have their closest one (by "
        "[cosine](#term-cosine)) in the same topic. Nobody tells the training what a topic is: it "
        f"sees {len(SENTENCES)} sentences, and words with the same neighbours come to lie together."
    )
    say(
        "**Smaller than the original.** Here each guess is a full [softmax](#term-softmax) over "
        f"{len(guessed_words())} words, with a bias for each word. Vectors have {WIDTH} features, "
        "and Adam sets the steps. Word2Vec has vectors of some hundred features and no bias. "
        "It avoids the full softmax: its authors used a tree of words (hierarchical softmax), "
        "later a few wrong words drawn at random (negative sampling)."
    )


def _asked() -> tuple[str, int, int]:
    state = st.session_state
    return state.words_kind, state.words_window, state.words_seed


def _training() -> Training | None:
    """This visitor's training; one that the link tells of is done again, to where it was."""
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
    """Other settings: what was learned with the old ones is not theirs."""
    _stop()
    st.session_state.pop("words_training", None)
    st.session_state.words_steps = 0
