"""A whole tiny language model on a stage: its prompt, its weights, and writing on with it."""

import streamlit as st

from core.attention.layers.language_model import MODEL_LIKE, MODEL_WORDS, likeliest, model_program
from core.chapters.block import tiny_model as small_model
from core.errors import InputError, input_error
from core.files.text import parse_matrix
from core.limits import LARGEST
from core.models.trained.tasks import SYMBOLS
from core.program.families import Family
from core.program.labels import cell_id, cell_name
from core.program.patterns import Cell
from core.program.trace import Trace
from stage.document.places import is_inside
from ui.links.links import Key, Keys, checked_text, parse_cell
from ui.links.session import controlled_widget, set_if_changed
from ui.page.fold import fold
from ui.page.last_valid import what_works
from ui.page.prose import cell_number, say
from ui.page_texts import page_texts, plain_ui_texts
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.toggles import chosen, toggle_keys
from ui.text import Markdown, markdown_table, token_text

MESSAGES = plain_ui_texts("messages")
MOST_EDITS = 60
"""More would not fit into a link."""

Edits = dict[tuple[str, Cell], float]
TEXTS = page_texts("block")
NUMBERS = "block_numbers"
ASKED = {"block_prompt": TEXTS("the_prompt")}


def edits_of(key: str, text: str) -> str:
    """A reader for links; "" where nothing has been edited."""
    edits(text, key)
    return text


def edits(text: str, key: str = "numbers") -> Edits:
    """The numbers by cell. Raises `InputError`."""
    found: Edits = {}
    for one in filter(None, text[: 40 * MOST_EDITS].split(";")):
        name, _, number = one.partition("=")
        cell = parse_cell(name)
        value = _number(number) if cell else None
        if cell is None or value is None:
            raise input_error(MESSAGES, "no_edit", key=key, text=repr(one[:30]))
        found[cell] = value
    if len(found) > MOST_EDITS:
        raise input_error(MESSAGES, "many_edits", key=key, count=len(found), limit=MOST_EDITS)
    return found


def keep_edit(key: str, trace: Trace, names: tuple[str, ...], cell: str, text: str) -> str:
    """Take a number typed into a cell of one of these arrays; why not, where it cannot be taken."""
    found = parse_cell(cell)
    if not found or found[0] not in names or not is_inside(trace, *found):
        return ""
    try:
        number = parse_matrix(text)
        if number.size != 1:
            raise input_error(MESSAGES, "no_number", text=repr(text[:20]))
        kept = edits(st.session_state[key]) | {found: number.item()}
        if len(kept) > MOST_EDITS:
            raise input_error(MESSAGES, "edits_full", count=MOST_EDITS)
        numbers = (f"{cell_id(*at)}={value:.12g}" for at, value in kept.items())
        st.session_state[key] = ";".join(numbers)
    except InputError as error:
        return MESSAGES("cell_stays", cell=cell_name(trace, *found), error=str(error))
    return ""


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST else None


prompt_of = checked_text(small_model.prompt_vocabulary)
"""A reader of a prompt that is short enough, and of few enough words."""
_MODEL = model_program(small_model.MODEL_LAYERS)
MODEL_KEYS: Keys = {
    "block_prompt": Key(small_model.PROMPT, prompt_of),
    NUMBERS: Key("", edits_of),
    **toggle_keys(small_model.WEIGHTS, legacy_default=small_model.HAND),
    **toggle_keys(small_model.RUN),
    **exhibit_keys(_MODEL, "probs", "block_model_", small_model.MODEL_HEADS, MODEL_LIKE),
}


def tiny_model(keys: Keys) -> None:
    """The model on its prompt, and what it would write next."""
    say(TEXTS("model"))
    say(TEXTS("try_model"))
    asked = "block_prompt", st.session_state.block_prompt, _other_prompt
    st.text_input(TEXTS("prompt"), width=360, **controlled_widget(*asked, is_text=True))
    prompt = what_works(ASKED, keys, lambda block_prompt: prompt_of("", block_prompt)).made
    family = small_model.model_family(prompt, edits(st.session_state[NUMBERS]))
    trace = family.run(**chosen(family))
    with st.container(horizontal=True):
        st.button(TEXTS("write"), key="block_write", on_click=_write, disabled=not _has_room(trace))
        if st.session_state[NUMBERS]:
            none = {NUMBERS: ""}
            st.button(TEXTS("reset"), key="block_reset", on_click=set_if_changed, kwargs=none)
    if not _has_room(trace):
        st.caption(TEXTS("full", tokens=len(trace.tokens)))
    words = trace.more_tokens[MODEL_WORDS]
    inputs = (one.name for one in trace.program.inputs)
    names = tuple(name for name in inputs if not _depends_on_tokens(name, trace))
    opening = ("probs", (len(trace["probs"]) - 1, words.index(likeliest(trace))))
    draw_exhibit(
        trace, opening, keys, "block_model_", family=family, editable=names,
        on_edit=lambda cell, text: keep_edit(NUMBERS, trace, names, cell, text),
    )  # fmt: skip
    with st.container(key="beside_next"):
        say_next(trace, family, keys)


def _depends_on_tokens(name: str, trace: Trace) -> bool:
    """Whether a cell of this input is another one where the model runs on other tokens."""
    return "_kept_" in name or (name in ("one_hot", "P") and len(trace[name]) < len(trace.tokens))


def _has_room(trace: Trace) -> bool:
    try:
        small_model.prompt_vocabulary(small_model.written_on(trace))
    except InputError:
        return False
    return True


def _other_prompt(prompt: str) -> None:
    st.session_state.block_prompt = prompt


def _write() -> None:
    """The likeliest word comes after the prompt as it is now: clicks may be faster than runs."""
    state = st.session_state
    try:
        family = small_model.model_family(state.block_prompt, edits(state[NUMBERS]))
        written = small_model.written_on(family.run(**chosen(family)))
        small_model.prompt_vocabulary(written)
    except InputError:
        return  # there is no room, or the prompt is one that the page has refused
    set_if_changed(block_prompt=written, block_model_cell="")


def say_next(trace: Trace, family: Family, keys: Keys) -> None:
    """Which words may come next, and how the weights set by hand find theirs."""
    at = len(trace["probs"]) - 1
    numbers = [cell_number(trace, "probs", (at, w)) for w in range(trace["probs"].shape[1])]
    words = [token_text(word) for word in trace.more_tokens[MODEL_WORDS]]
    say(TEXTS("may_come", last=token_text(trace.tokens[-1])))
    head = [TEXTS("word"), *words]
    say(markdown_table(head, [[TEXTS("probability"), *numbers]], write=str))
    now, edited = chosen(family), bool(st.session_state[NUMBERS])
    weights = now[small_model.WEIGHTS.key]
    if weights == small_model.RANDOM:
        say(TEXTS("random"))
    else:
        is_learned = weights == small_model.LEARNED
        say(TEXTS("learned_job" if is_learned else "job"))
        say(TEXTS("edited") if edited else _copied(trace))
        with fold(TEXTS("more"), "model", keys):
            if is_learned:
                heads = {kind: head + 1 for kind, head in small_model.learned_heads().items()}
                say(TEXTS("how_learned", edited=edited, symbols=len(SYMBOLS), **heads))
            else:
                say(TEXTS("how", edited=edited))
    if now[small_model.RUN.key] == "cache" and len(trace.tokens) > 1:
        say(TEXTS("cached"))


def _copied(trace: Trace) -> Markdown:
    """Which word comes after the last earlier occurrence of the last word."""
    last, word = token_text(trace.tokens[-1]), small_model.copied(trace.tokens)
    if word is None:
        return TEXTS("nothing_to_copy", last=last)
    cell = len(trace["probs"]) - 1, trace.more_tokens[MODEL_WORDS].index(word)
    number = cell_number(trace, "probs", cell)
    return TEXTS("copies", last=last, word=token_text(word), number=number)
