"""Examples in the session: how one is chosen, changed, left and found; one's sentence waits."""

from collections.abc import Mapping

import streamlit as st

from core.attention.examples.presets import OPENING, Preset
from core.attention.examples.two_meanings import OWN, TwoMeanings
from core.attention.masks import OFFERED_SIZES
from core.attention.setups import OWN_KEYS, Setup
from core.errors import InputError
from ui.chapters.walkthrough.keys import DEFAULTS, example_of
from ui.chapters.walkthrough.view import OF_SENTENCE, PRESET_SETTINGS, link_keys
from ui.links.session import set_if_changed
from ui.links.stage_position import reset_position
from ui.page_texts import chart_texts

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
    was, now = example_named(state.settings_of), example_named(state.preset)
    if was and was.lexicon:
        if state.settings_of == OWN or not _has_its_own_words(was):
            state.own_sentence |= {key: state[key] for key in ("text", *OWN_KEYS)}
            state.own_sentence["preset"] = state.settings_of
        if not (now and now.lexicon):
            set_if_changed(**{key: state.own_sentence[key] for key in OF_SENTENCE})
    elif now and now.lexicon:
        own = {key: state[key] for key in (*OF_SENTENCE, *OWN_KEYS)}
        state.own_sentence = own | {"preset": None}
    state.settings_of = state.preset
    state.left = None
    show_as_it_opens()
    if now and now.two:
        reset_position(step=state.step)


def example_named(name: str | None) -> Preset | None:
    """The example of that id; a person's own is the one that the session has."""
    own = {key: st.session_state[key] for key in OWN_KEYS}
    return example_of({"preset": name, **own})


def takes_text(name: str | None) -> bool:
    """Whether the example of that id takes any sentence."""
    example = example_named(name)
    return example is not None and example.lexicon is not None


def _has_its_own_words(example: Preset) -> bool:
    """Whether an example shows its own sentence, with the one cue or with the other."""
    text = st.session_state.text
    return text == example.text or bool(example.two and example.two.flipped(example.text) == text)


def word_on_show() -> TwoMeanings | None:
    """What the example on show is about, if that is a word with two meanings."""
    state, example = st.session_state, example_of(st.session_state)
    return example.two if example and not set(state.edits) - {"mask"} else None


def can_flip() -> tuple[str, str] | None:
    """The cue of the sentence and the other one, if one press can change it."""
    if not (two := word_on_show()):
        return None
    try:
        found = two.cues_of(st.session_state.text)
    except InputError:  # too many tokens: what worked last is shown
        return None
    return (found[0], two.other_cue(found[0])) if len(found) == 1 else None


def flip() -> None:
    """Change the cue of the sentence to the other one."""
    example = example_of(st.session_state)
    if example and example.two:
        st.session_state.text = example.two.flipped(st.session_state.text)


def take_own(own: Mapping[str, str], text: str) -> None:
    """Show a person's own word with two meanings, on a sentence."""
    state = st.session_state
    state.preset = OWN
    state.update(own)
    take_preset()
    state.text = text


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
    example = example_of(state)
    return str(state.text) if example is None or example.lexicon else example.text


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
    example, own = example_of(state), link_keys()["heads"].default
    assert example is not None
    named = {key: state[key] for key in ("preset", "text", *OWN_KEYS)}
    setup = Setup(**named, mask=state.mask, edits=state.edits).left()
    kept = named | {key: state[key] for key in ("edits", "undo", *PRESET_SETTINGS)}
    state.left = left = kept | {"heads": own}
    if example.lexicon:
        left |= {"kv_heads": None, "d_model": example.sizes["d_model"]}
    state.text = setup.text if text is None else text
    state.edits = setup.edits if text is None else {}
    state.undo = []
    if text is not None and state.mask == "custom":
        state.mask = "causal"
    state.preset = state.settings_of = None
    lost = bool(set(left["edits"]) - set(state.edits))
    state.messages = [TEXTS("left_example", title=example.title, lost=lost, own=is_own)]


def take_numbers_by_hand(name: str = OPENING) -> None:
    """An example's numbers, for the words that are there and under the same rules."""
    state = st.session_state
    own = {key: state[key] for key in OWN_KEYS}
    kept = {key: state[key] for key in ("text", "mask", *OFFERED_SIZES, "scale")}
    try:
        _ = Setup(preset=name, text=state.text, edits=state.edits, **own).trace
    except InputError:  # numbers of one's own that are of other sizes
        state.edits, state.undo = {}, []
    state.preset = name
    take_preset()
    set_if_changed(**kept)


def example_to_return_to() -> Preset | None:
    """The example that was left, or is shown with another sentence than its own."""
    state = st.session_state
    if _has_other_words():
        return example_of(state)
    return example_named(state.left["preset"]) if state.get("left") else None


def _has_other_words() -> bool:
    example = example_of(st.session_state)
    if example is None or example.lexicon is None or example.id == OWN:
        return False
    return not _has_its_own_words(example)


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
    own, by_hand = _own_sentence(), state.own_sentence["preset"]
    words = {key: state.own_sentence[key] for key in OWN_KEYS}
    if state.preset is None:
        state.edits, state.undo = {}, []
    if takes_text(state.preset or state.left["preset"]):
        set_if_changed(**{key: state.own_sentence[key] for key in OF_SENTENCE})
    state.left = state.preset = None
    state.settings_of = None
    show_as_it_opens()
    state.text = own
    if by_hand:
        state.update(words)
        take_numbers_by_hand(by_hand)


def has_own_sentence() -> bool:
    """Whether there is a sentence of one's own to go back to: an example of one's own shows it."""
    state = st.session_state
    name = state.preset or (state.get("left") or {}).get("preset")
    if name in (None, OWN):
        return False
    return _own_sentence() not in (shown_sentence(), DEFAULTS["text"])


def _own_sentence() -> str:
    """One's own sentence from before the example that is on show, or was left."""
    state = st.session_state
    if takes_text(state.preset or state.left["preset"]):
        return str(state.own_sentence["text"])
    return str((state if state.preset else state.left)["text"])
