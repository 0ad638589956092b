"""A whole tiny language model on a stage: its prompt, its weights, and writing on with it."""

import streamlit as st

from core.attention.language_model import WORDS, likeliest, model_program
from core.chapters.block.tiny_model import (
    LAYERS,
    LIKE,
    PROMPT,
    RUN,
    WEIGHTS,
    copied,
    first_times,
    model_family,
    vocabulary,
    written_on,
)
from core.errors import InputError
from core.program.families import Family
from core.program.labels import listed
from core.program.rounding import cell_text
from core.program.trace import Trace
from ui.edits import edits, edits_of, keep_edit
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import what_works
from ui.links import Key, Keys
from ui.prose import cell_number, say
from ui.session import put, shown_as
from ui.text import markdown_table, token_text
from ui.toggles import chosen, toggle_keys

NUMBERS = "block_numbers"


def prompt_of(key: str, text: str) -> str:
    """A reader of a prompt that is short enough, and of few enough words."""
    vocabulary(text)
    return text


MODEL_KEYS: Keys = {
    "block_prompt": Key(PROMPT, prompt_of),
    NUMBERS: Key("", edits_of),
    **toggle_keys(WEIGHTS, RUN),
    **exhibit_keys(model_program(LAYERS), "probs", "block_model_", 1, LIKE),
}
ASKED = {"block_prompt": "the prompt"}


def tiny_model(keys: Keys) -> None:
    """The model on its prompt, and what it would write next."""
    say(
        "**From a prompt to the next word.** All of a language model, on a vocabulary of the "
        "prompt's own words: [embeddings](#term-embedding) and positions, two blocks with the norm "
        "before, a last norm, a [score](#term-score) for each word, and "
        "[softmax](#term-softmax). Every number that a model learns can be changed: choose a cell "
        "and type."
    )
    st.text_input(
        "Prompt", width=360,
        **shown_as("block_prompt", st.session_state.block_prompt, _other_prompt, is_text=True),
    )  # fmt: skip
    prompt = what_works(ASKED, keys, lambda block_prompt: prompt_of("", block_prompt)).made
    family = model_family(prompt, edits(st.session_state[NUMBERS]))
    trace = family.run(**chosen(family))
    with st.container(horizontal=True):
        st.button(
            "Write the next word", key="block_write", on_click=_write,
            disabled=not _has_room(trace),
        )  # fmt: skip
        if st.session_state[NUMBERS]:
            st.button("Reset the numbers", key="block_reset", on_click=put, kwargs={NUMBERS: ""})
    if not _has_room(trace):
        st.caption(f"The prompt has {len(trace.tokens)} tokens, as many as fit here.")
    words = trace.more_tokens[WORDS]
    names = tuple(one.name for one in trace.program.inputs if not _is_of_the_run(one.name, trace))
    opening = ("probs", (len(trace["probs"]) - 1, words.index(likeliest(trace))))
    draw_exhibit(
        trace, opening, keys, "block_model_", family=family, editable=names,
        on_edit=lambda cell, text: keep_edit(NUMBERS, trace, names, cell, text),
    )  # fmt: skip
    with st.container(key="beside_next"):
        say_next(trace, family)


def _is_of_the_run(name: str, trace: Trace) -> bool:
    """Whether a cell of this input is another one where the model runs on other tokens."""
    return "_kept_" in name or (name in ("one_hot", "P") and len(trace[name]) < len(trace.tokens))


def _has_room(trace: Trace) -> bool:
    try:
        vocabulary(written_on(trace))
    except InputError:
        return False
    return True


def _other_prompt(prompt: str) -> None:
    st.session_state.block_prompt = prompt


def _write() -> None:
    """The likeliest word comes after the prompt as it is now: clicks may be faster than runs."""
    state = st.session_state
    try:
        family = model_family(state.block_prompt, edits(state[NUMBERS]))
        written = written_on(family.run(**chosen(family)))
        vocabulary(written)
    except InputError:
        return  # there is no room, or the prompt is one that the page has refused
    put(block_prompt=written, block_model_cell="")


def say_next(trace: Trace, family: Family) -> None:
    """Which words may come next, and how the weights set by hand find theirs."""
    last = token_text(trace.tokens[-1])
    at = len(trace["probs"]) - 1
    numbers = [cell_number(trace, "probs", (at, w)) for w in range(trace["probs"].shape[1])]
    words = [token_text(word) for word in trace.more_tokens[WORDS]]
    say(f"**What may come after {last}:**")
    say(markdown_table(["word", *words], [["probability", *numbers]], write=str))
    now, edited = chosen(family), bool(st.session_state[NUMBERS])
    if now[WEIGHTS.key] == "random":
        say(
            "**What to notice.** All numbers are drawn at random, so these probabilities mean "
            "nothing yet: training changes the numbers until likely words get large ones."
        )
    else:
        say(_by_hand(trace, edited))
    if now[RUN.key] == "cache" and len(trace.tokens) > 1:
        say(
            "Only the last token went through the model. Keys and values of the tokens before "
            "stood in the [cache](#term-cache) of each layer; the probabilities are those of a run "
            "on all tokens."
        )


def _by_hand(trace: Trace, edited: bool) -> str:
    """What the job is, and what comes of it here."""
    job = (
        "**What to notice.** These matrices were set by hand, to do one job: *after a word that "
        "has stood before, write the word that came after it there.* In layer 1 each token reads "
        "the one before it and keeps its name. In layer 2 it looks for a token before which its "
        "own word stood, and reads that one. The feed-forward nets hold zeros, and each norm's "
        "gain and bias undo the norm: this job needs neither. Models that are trained find such "
        "[heads](#term-head) by themselves; they are called induction heads. "
    )
    if edited:
        return job + "Here numbers were changed by hand since, so see what it does now."
    told, word = token_text(trace.tokens[-1]), copied(trace.tokens)
    words = trace.more_tokens[WORDS]
    if word is None:
        copies = f"The last word, {told}, has not stood before, so there is nothing to copy."
    else:
        copies = (
            f"The last word, {told}, has stood before, and after it came {token_text(word)}: that "
            "word gets "
            f"{cell_number(trace, 'probs', (len(trace['probs']) - 1, words.index(word)))}."
        )
    return f"{job}{copies}{_first_times(trace)}"


def _first_times(trace: Trace) -> str:
    """What rows say whose word has not stood before, where the stage shows any."""
    labels, least = first_times(trace)
    if not labels:
        return ""
    do = "does" if len(labels) == 1 else "do"
    return (
        f" When a word stands for the first time, as {listed(list(map(token_text, labels)))} {do} "
        "here, no key of layer 2 matches it. Its token then reads itself, and gives its own word "
        f"{cell_text(least)}."
    )
