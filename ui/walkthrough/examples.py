"""Examples in the session: how one is chosen, changed, left and found; one's sentence waits."""

import streamlit as st

from core.attention.masks import SIZES
from core.attention.presets import OPENING, preset, takes_text
from core.attention.setups import Setup
from core.errors import InputError
from ui.page_texts import chart_texts
from ui.session import set_if_changed
from ui.stage_position import reset_position
from ui.walkthrough.keys import DEFAULTS
from ui.walkthrough.view import OF_SENTENCE, PRESET_SETTINGS, link_keys

TEXTS = chart_texts("walkthrough")


def take_preset() -> None:
    """If another preset was chosen since, begin with its own settings.

    Without one, go on with those from before the first; and from one that was left, with its words.
    """
    state = st.session_state
    if has_left_by_heads():
        leave_example()
    if state.preset == state.settings_of:
        return
    if not state.settings_of:
        state.own_settings = {key: state[key] for key in PRESET_SETTINGS}
        state.own_sentence = {**state.own_sentence, "preset": None}
    was, now = (bool(name) and takes_text(name) for name in (state.settings_of, state.preset))
    if now and not was:
        state.own_sentence = {key: state[key] for key in OF_SENTENCE} | {"preset": None}
    elif was and not now:
        if state.text != preset(state.settings_of).text:
            state.own_sentence |= {"text": state.text, "preset": state.settings_of}
        set_if_changed(**{key: state.own_sentence[key] for key in OF_SENTENCE})
    state.settings_of = state.preset
    state.left = None
    show_as_it_opens()


def show_as_it_opens() -> None:
    """Set the settings to those of an untouched view of the chosen preset."""
    state = st.session_state
    if not state.preset:
        set_if_changed(**state.own_settings)
        return
    keys = link_keys()
    set_if_changed(**{key: keys[key].default for key in PRESET_SETTINGS})
    if takes_text(state.preset):
        set_if_changed(**{key: keys[key].default for key in OF_SENTENCE})


def open_again() -> None:
    """Show the chosen example as it opens: its settings, and where it begins."""
    show_as_it_opens()
    if st.session_state.preset == OPENING:
        reset_position()
        set_if_changed(step="X", head=1)


def shown_sentence() -> str:
    """Return the words on show: one's own, or those of an example that takes no others."""
    state = st.session_state
    own_words = not state.preset or takes_text(state.preset)
    return str(state.text) if own_words else preset(state.preset).text


def take_sentence(words: str) -> None:
    """Show other words, without the example that is on show if it takes no others."""
    state = st.session_state
    if state.preset and not takes_text(state.preset):
        leave_example(words)
    else:
        state.text = words


def has_left_by_heads() -> bool:
    """Whether a number of heads was chosen for which the example has no matrices."""
    state = st.session_state
    settled = bool(state.preset) and state.preset == state.settings_of
    return settled and state.heads != link_keys()["heads"].default


def leave_example(text: str | None = None, is_own: bool = False) -> None:
    """Go on from an example with other words, or with its own words and drawn matrices.

    `is_own` says that no matrix is drawn: all that is needed is given.

    What was set and edited there is kept, so that `return_to_example` finds it as it was.
    """
    state = st.session_state
    example, own = preset(state.preset), link_keys()["heads"].default
    setup = Setup(
        preset=state.preset, text=state.text, mask=state.mask, edits=state.edits
    ).left()  # fmt: skip
    kept = {key: state[key] for key in ("preset", "text", "edits", "undo", *PRESET_SETTINGS)}
    state.left = left = kept | {"heads": own}
    if takes_text(example.id):
        left |= {"kv_heads": None, "d_model": example.sizes["d_model"]}
    state.text = setup.text if text is None else text
    state.edits = setup.edits if text is None else {}
    state.undo = []
    if text is not None and state.mask == "custom":
        state.mask = "causal"
    state.preset = state.settings_of = None
    lost = bool(set(left["edits"]) - set(state.edits))
    state.messages = [TEXTS("left_example", title=example.title, lost=lost, own=is_own)]


def take_numbers_by_hand() -> None:
    """The opening example's numbers, for the words that are there and under the same rules."""
    state = st.session_state
    kept = {key: state[key] for key in ("text", "mask", *SIZES, "scale")}
    try:
        _ = Setup(preset=OPENING, text=state.text, edits=state.edits).trace
    except InputError:  # numbers of one's own that are of other sizes
        state.edits, state.undo = {}, []
    state.preset = OPENING
    take_preset()
    set_if_changed(**kept)


def can_return_to_example() -> bool:
    """Whether an example was left, or is shown with another sentence than its own."""
    state = st.session_state
    return bool(state.get("left")) or _has_other_words()


def _has_other_words() -> bool:
    state = st.session_state
    example = preset(state.preset) if state.preset else None
    return bool(example and takes_text(example.id) and state.text != example.text)


def return_to_example() -> None:
    """Back to the example that was left, as it was; to its own sentence if it has not been left."""
    state = st.session_state
    if _has_other_words():
        return open_again()
    left = state.left
    state.left = None
    state.update(left)
    state.settings_of = left["preset"]


def return_to_sentence() -> None:
    """Back to one's own sentence from before the example, and to what was set then."""
    state = st.session_state
    own, by_hand = _own_sentence(), state.own_sentence["preset"] == OPENING
    if state.preset is None:
        state.edits, state.undo = {}, []
    if takes_text(state.preset or state.left["preset"]):
        set_if_changed(**{key: state.own_sentence[key] for key in OF_SENTENCE})
    state.left = state.preset = None
    state.settings_of = None
    show_as_it_opens()
    state.text = own
    if by_hand:
        take_numbers_by_hand()


def has_own_sentence() -> bool:
    """Whether there is a sentence of one's own to go back to."""
    state = st.session_state
    if not (state.preset or state.get("left")):
        return False
    shown = (
        preset(state.preset).text if state.preset and not takes_text(state.preset) else state.text
    )
    return _own_sentence() not in (shown, DEFAULTS["text"])


def _own_sentence() -> str:
    """One's own sentence from before the example that is on show, or was left."""
    state = st.session_state
    if takes_text(state.preset or state.left["preset"]):
        return str(state.own_sentence["text"])
    return str((state if state.preset else state.left)["text"])
