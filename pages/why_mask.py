"""What would leak without a mask?

A causal mask keeps every row from what comes after it: edit a token and see which rows move.
"""

from collections.abc import Sequence

import streamlit as st

from core.attention.masks import Rule
from core.attention.setups import DEFAULT_TEXT
from core.attention.tokens import tokenise
from core.chapters.why_mask.causality import (
    CHEAT,
    EDITED,
    GIVEN,
    LARGE,
    MASK,
    Edit,
    about_size,
    additive_difference,
    cheat,
    cheat_family,
    edit_family,
    edit_token,
    examples,
    gallery_family,
    place_in,
    sees_nothing,
    with_word,
    work,
)
from core.chapters.why_mask.questions import MASK_QUESTIONS
from core.program.labels import axis_labels
from core.program.rounding import cell_text, decimal_text
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.why_mask import rows_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.links import SENTENCE, Key, Keys, sentence_of, text_of, whole
from ui.painting import mask_bits, mask_size, paint, painted_mask
from ui.prose import cell_number, say, say_drawn
from ui.session import KEPT, open_link, put, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

GALLERY_TEXT = "The cat sat . A dog ran off"
GALLERY_TOKENS = len(tokenise(GALLERY_TEXT))
CHEATING = cheat_family()
OF_GALLERY: Keys = {
    **toggle_keys(MASK),
    "mask_size": Key(3, whole(1, 8)),
    "mask_drawn": Key("", mask_bits(GALLERY_TOKENS)),
    **exhibit_keys(GIVEN, "masked", "mask_gallery_"),
}
OF_TARGETS: Keys = {
    **toggle_keys(CHEAT),
    "mask_block": Key(8, whole(1, 8)),
    **exhibit_keys(GIVEN, "weights", "mask_cheat_"),
}
KEYS: Keys = {
    "mask_text": Key(DEFAULT_TEXT, sentence_of, SENTENCE),
    "mask_at": Key(4, whole(1, 64)),
    "mask_word": Key("under", text_of),
    **toggle_keys(EDITED),
    **exhibit_keys(GIVEN, "output", "mask_edit_"),
    **OF_GALLERY,
    **OF_TARGETS,
}


EDIT = {"mask_at": "token", "mask_word": "the word", "mask_text": "the sentence"}


def edited(mask_at: int, mask_word: str, mask_text: str) -> tuple[Edit, Edit]:
    """A token replaced, with the causal mask and without. Raises `InputError`."""
    causal, free = (edit_token(mask_text, mask_at, mask_word, masked) for masked in (True, False))
    return causal, free


@fragment
def causality() -> None:
    """The experiment: one token becomes another."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Sentence", key="mask_text", width=360, **KEPT)
        st.number_input("Replace token", 1, 64, key="mask_at", step=1, width=130, **KEPT)
        st.text_input("by", key="mask_word", width=160, **KEPT)
        about = st.container()
    working = what_works(EDIT, KEYS, edited)
    causal, free = working.made
    with about:
        say_drawn(causal.after)
    labels = axis_labels(causal.after, "output")[0]
    left, right = st.columns([3, 2])
    with left:
        say("**Which rows move** when that token changes")
        figure = rows_figure(labels, causal.moved(), free.moved(), causal.position)
        draw_chart(figure, "mask_rows")
    with right:
        say("**Try it.** Replace another token: with the mask, no row above it moves.")
        which_rows(causal, free, labels)
    place, word, text = (working.values[key] for key in EDIT)
    family = edit_family(with_word(text, place, word))
    shown = causal if chosen(family)[EDITED.key] == "causal" else free
    draw_exhibit(
        shown.after, ("output", (shown.row_before, 0)), KEYS, "mask_edit_", other=shown.before,
        family=family,
    )  # fmt: skip


def which_rows(causal: Edit, free: Edit, labels: Sequence[str]) -> None:
    """What the edit moves, with the mask and without."""
    above, were = f"rows 1 to {causal.position} move", "they were"
    if causal.position == 1:
        above, were = "row 1 moves", "it was"
    kept = "no row is above it"
    if causal.position:
        same = f", bit for bit what {were}" if causal.same_above else ""
        kept = f"{above} by {cell_text(causal.moved_above)}{same}"
    moved = f"{free.rows_moved} of {len(labels)} rows of the output"
    if len(labels) == 1:
        moved = f"the one row of the output {'moves' if free.rows_moved else 'stays'}"
    else:
        moved += " moves" if free.rows_moved == 1 else " move"
    say(
        f"**Notice.** Token {causal.position + 1} is {token_text(labels[causal.position])} in the "
        f"edited sentence. With the [causal](#term-causal) mask {kept}. Without a mask {moved}."
    )


@fragment
def gallery() -> None:
    """Which cells a mask leaves, by rule or painted."""
    state = st.session_state
    mask_size("mask_size", GALLERY_TOKENS, state[MASK.key])
    T = GALLERY_TOKENS
    family = gallery_family(GALLERY_TEXT, state.mask_size, painted_mask("mask_drawn", T))
    built = family.built(**chosen(family))
    trace = built.run()
    counted = work(trace["mask"])
    differences = [additive_difference(built, amount) for amount in (float("inf"), LARGE)]
    are = "is visible and has" if counted.computed == 1 else "are visible and have"
    blind = (
        f" A row that sees no key has weights of 0 here. With −{LARGE:,.0f} softmax shares out 1 "
        "among its hidden keys all the same."
    )
    say(
        f"**{counted.computed}** of {trace['mask'].size} cells {are} to be "
        f"computed, {decimal_text(counted.percent, 0)} %; **{counted.skipped}** can be skipped. "
        "The same mask can also be **added** to the [scores](#term-score), 0 where a "
        "[key](#term-key) is visible and −∞ where it is not: the [weights](#term-weight) then "
        f"differ by {cell_text(differences[0])} at most. With −{LARGE:,.0f} in place of −∞ they "
        f"differ by {cell_text(differences[1])} at most."
        + (blind if sees_nothing(trace["mask"]) else "")
        + about_size(chosen(family)[MASK.key], state.mask_size)
    )
    draw_exhibit(
        trace, ("masked", (0, 3, 1)), KEYS, "mask_gallery_", family=family,
        on_paint=lambda stroke: paint("mask_drawn", T, stroke),
    )  # fmt: skip


@fragment
def targets() -> None:
    """Next-token targets, and the head that would cheat."""
    state = st.session_state
    left, right = st.columns(2)
    with left:
        st.slider("Tokens in the window", 1, 8, key="mask_block", **KEPT)
        shown = examples(state.mask_block)
        say(
            "Here a token is one character, and its id is its number in a vocabulary. Tokens in "
            f"the window: {len(shown)}, with the ids {shown[-1].ids}. Examples in it: "
            f"**{len(shown)}**."
        )
        say(
            markdown_table(
                ["sees", "is to predict", "id"],
                [[f"“{e.text}”", f"“{e.character}”", str(e.target)] for e in shown],
            )
        )
    with right:
        say(
            "**A [head](#term-head) made to look for the next token** is on the stage below. "
            "Without a mask the next token stands in the input, so training would teach the model "
            "to copy it. When the model writes text, there is no next token yet. With the causal "
            "mask the tokens it looks for are hidden, and the head reads the mean of those up to "
            "its own. The last token has no next one: its row reads the mean of all. A model that "
            "may see both sides of a token, such as BERT, instead hides most of the tokens that it "
            "has to predict."
        )
    trace = CHEATING.run(**chosen(CHEATING))
    draw_exhibit(trace, ("weights", (0, 1, 2)), KEYS, "mask_cheat_", family=CHEATING)
    found = cheat(trace)
    read = ", ".join(cell_number(trace, "context", (0, i, 0)) for i in range(len(trace.tokens)))
    wanted = ", ".join(map(str, found.wanted))
    say(
        f"It reads {read}, token by token. The ids of the next tokens are {wanted}: "
        f"**{found.hits} of {len(found.wanted)}** are read off."
    )


frame(
    "why_mask",
    "Why mask: what would leak?",
    "A model such as GPT is trained at every position of a text at once: at each it has to predict "
    "the next [token](#term-token). Without a [mask](#term-mask) every position but the last could "
    "read the very token it has to predict.",
)
if "mask_text" in open_link("why_mask", KEYS, link_that_fits(EDIT, KEYS, edited)):
    put(mask_at=place_in(st.session_state.mask_text, st.session_state.mask_at))
say_messages()
causality()
with fold("What follows for the other rows", "mask_more", KEYS):
    say(
        "With the causal mask the rows before the edited token are exactly what "
        "they were, to the last bit. So a text can be extended without computing its beginning "
        "again. The last row sees every token with the causal mask too: the mask takes nothing "
        "from it."
    )
with fold("A gallery of masks", "mask_gallery", KEYS, OF_GALLERY):
    gallery()
with fold("What is predicted, and a head that would cheat", "mask_targets", KEYS, OF_TARGETS):
    targets()
ask_each(MASK_QUESTIONS, "mask")
in_code(
    Rule.mask,
    edit_token,
    origin="Masking: Vaswani et al. (2017), section 3.2.3. Prefix: Raffel et al. (2020). Sliding "
    "and dilated windows and global tokens: see Beltagy et al., *Longformer* (2020); the rules "
    "here are simpler than theirs, and causal.",
    step="masked",
    exhibit="mask_gallery_",
)
way_on(
    "why_mask",
    "A hidden score becomes −∞ before [softmax](#term-softmax), so its weight is exactly 0; in "
    "every row that sees a key the weights still add up to 1. With the causal mask no row depends "
    "on a later token, so one pass over a text trains a model at every position at once.",
)
save_link(KEYS)
