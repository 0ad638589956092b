"""Why do words need their neighbours?

What a token is, one-hot and learned rows of numbers, and why one row for a word is not enough.
"""

import streamlit as st

from core.chapters.words.average import MOST, drawn_mean, mean_family, mean_of, mean_program
from core.chapters.words.context import LOVES, Loves, bank_family, bank_rows, loves
from core.chapters.words.neighbours import (
    NEIGHBOUR,
    pair_with,
    reading_family,
    reading_program,
    readings,
)
from core.chapters.words.pieces import (
    CORPUS,
    learned,
    short_text,
    split,
    stages,
    unknown,
    vocabulary,
)
from core.chapters.words.questions import WORD_QUESTIONS
from core.chapters.words.vectors import (
    BANK,
    FEATURES,
    ORDER,
    TABLE,
    distances,
    lookup_of,
    one_hot,
    table,
    table_program,
)
from core.program.labels import listed
from core.program.rounding import cell_text, typeset
from core.pytorch.word2vec import train
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.words import mean_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys, stage_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold, fold_for_later
from ui.fragments import fragment
from ui.frame import frame
from ui.learned_words import LEARNED_KEYS, learned_words
from ui.links import SENTENCE, Key, Keys, sentence_of, whole
from ui.prose import cell_number, say
from ui.readings import draw_readings
from ui.session import KEPT, open_link, save_link, say_messages
from ui.text import escape_markdown, markdown_table, token_text
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

DIALS = {"words_dial_1": 6, "words_dial_2": 2, "words_dial_3": 1, "words_dial_4": 1}
LOOKED_UP = "money bank river"
DRAWS = 1_000
KEYS: Keys = {
    **toggle_keys(NEIGHBOUR),
    **exhibit_keys(reading_program(), "X", "words_read_", 1),
    "words_text": Key("The judge has no prejudice", sentence_of, SENTENCE),
    "words_merges": Key(len(learned()), whole(0, len(learned()))),
    **exhibit_keys(table_program(), "X", "words_", 1),
    **LEARNED_KEYS,
    **toggle_keys(ORDER),
    **exhibit_keys(bank_family().built().program, "output", "words_bank_", 1),
    **{name: Key(dial, whole(0, MOST)) for name, dial in DIALS.items()},
    **exhibit_keys(mean_program(), "average", "words_mean_", 1),
}
FITTING = {"words_text": "the text"}


def fits(words_text: str) -> str:
    """A text that is short enough to be seen in pieces. Raises `InputError`."""
    return short_text(words_text)


def pieces_text(pieces: tuple[str, ...]) -> str:
    """Pieces with bars between them; a space is a raised dot."""
    return " | ".join(escape_markdown(piece.replace(" ", "·")) for piece in pieces)


def no_row(strange: list[str]) -> str:
    """Which pieces of a text are not in the vocabulary, if any."""
    if not strange:
        return ""
    named = listed([f"**{pieces_text((piece,))}**" for piece in strange])
    none, they = ("none of", "these get") if len(strange) > 1 else ("no", "this piece gets")
    return (
        f"The corpus has {none} {named}, so {they} no row. Real tokenisers begin with bytes, so "
        "they have pieces for every text. "
    )


def two_sentences(neighbour: str) -> None:
    """The message as a picture: one word, two neighbours, two rows."""
    pair = pair_with(neighbour)
    shown = readings(pair)
    draw_readings("words", shown)
    turns = " and ".join(
        f"**{one.features[one.largest]}** after {token_text(word)}"
        for word, one in zip(pair, shown, strict=True)
    )
    say(
        f"**Notice.** Before it reads, {token_text(BANK)} is the same row of numbers in both "
        f"sentences. After it has read, its largest number is {turns}."
    )
    say(
        f"**Try it.** Below the numbers, choose another word before {token_text(BANK)}. Then go "
        "through the three steps to its new row."
    )


@fragment
def reading() -> None:
    """What the word reads, and how its new row is made: a mean of rows, with weights."""
    family = reading_family()
    now = chosen(family)
    two_sentences(now[NEIGHBOUR.key])
    trace = family.run(**now)
    at = trace.tokens.index(BANK)
    draw_exhibit(trace, ("X", (at, 0)), KEYS, "words_read_", family=family)


@fragment
def tokens() -> None:
    """A text cut into pieces, merge by merge."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Text", key="words_text", **KEPT)
        known = learned()
        st.slider("Merges learned", 0, len(known), key="words_merges", width=300, **KEPT)
    text = what_works(FITTING, KEYS, fits).made
    merges = known[: st.session_state.words_merges]
    pieces = split(text, merges)
    say(f"**{pieces_text(pieces)}**")
    several = "token" if len(pieces) == 1 else "tokens"
    size = len(vocabulary(merges))
    same = "Joined, they are the text again, character by character." * (text == "".join(pieces))
    strange = unknown(pieces, merges)
    say(
        f"A [token](#term-token) is what a model reads as one. Here {len(text)} characters have "
        f"become **{len(pieces)}** {several}; the raised dot is a space. {same} The vocabulary has "
        f"{size} different pieces, and each of them gets a row of numbers. {no_row(strange)}A "
        "model reads so many tokens at a time and no more (its block): the fewer a text has, the "
        "more of it fits."
    )
    with st.expander("Steps"):
        rows = [
            [
                "characters" if merge is None else pieces_text(merge.pair),
                "" if merge is None else str(merge.count),
                pieces_text(after),
            ]
            for merge, after in stages(text, merges)
        ]
        say(markdown_table(["merged", "times in the corpus", "the text then"], rows))
        say(
            "**How they were learned.** In a small corpus the two neighbours that stand side by "
            "side most often become one piece, again and again: byte-pair encoding. No merge goes "
            f"over the end of a word. The corpus, written for this page: *{CORPUS}*"
        )
    save_link(KEYS)


@fragment
def numbers() -> None:
    """One-hot rows and rows of a table, and how far words are apart in each."""
    trace = lookup_of(LOOKED_UP)
    draw_exhibit(trace, ("X", (1, 0)), KEYS, "words_")
    words = list(TABLE)
    left, right = st.columns(2)
    hot, given = distances(one_hot(words)), distances(table())
    for column, title, apart in (
        (left, "How far one-hot rows are apart", hot),
        (right, "How far rows of E are apart", given),
    ):
        with column:
            rows = [
                [word, *(typeset(cell_text(x)) for x in line)]
                for word, line in zip(words, apart, strict=True)
            ]
            say(f"**{title}**\n\n{markdown_table(['distance', *words], rows)}")
    bank = given[words.index(BANK), 0]
    say(
        f"**What to notice.** Between one-hot rows of two words the distance is always √2 ≈ "
        f"{cell_text(hot[0, 1])}: no word is closer to one than to another. Rows with "
        f"{len(FEATURES)} features ({', '.join(FEATURES)}) can say more: *{BANK}* is "
        f"{cell_text(bank)} from each of the others, and they are {cell_text(given.max())} "
        "apart. These were chosen by hand; real ones are learned."
    )


@fragment
def learning() -> None:
    """Word2Vec, trained while one looks on."""
    learned_words()
    save_link(KEYS)


@fragment
def context() -> None:
    """The same word before and after attention."""
    family = bank_family()
    trace = family.run(**chosen(family))
    at = trace.tokens.index(BANK)
    draw_exhibit(trace, ("output", (at, 0)), KEYS, "words_bank_", family=family)
    goes_in, comes_out = bank_rows(trace)
    printed = [
        ", ".join(cell_number(trace, array, (at, m)) for m in range(len(FEATURES)))
        for array in ("X", "output")
    ]
    moved = not (goes_in == comes_out).all()
    say(
        f"Into attention {token_text(BANK)} goes as ({printed[0]}), "
        "whatever stands beside it. It "
        f"comes out as ({printed[1]}): "
        + (
            "it has read itself and what comes before it."
            if moved
            else "nothing comes before it, and the [mask](#term-mask) hides what comes after."
        )
    )
    found = loves()
    rows = [
        [
            LOVES[sentence], str(place + 1),
            typeset(cell_text(found.from_first(found.before, n))),
            typeset(cell_text(found.from_first(found.after, n))),
        ]
        for n, (sentence, place) in enumerate(zip(found.sentence, found.place, strict=True))
    ]  # fmt: skip
    say(
        "**The same for *love***, in one [head](#term-head) with weights drawn at "
        "random (seed 0). How far is each *love* from the first one?\n\n"
        + markdown_table(["sentence", "place", "before attention", "after"], rows)
    )
    say(
        f"Before attention they are at most {cell_text(Loves.apart(found.before))} apart: one row "
        f"serves every shade of the word. After it they are up to "
        f"{cell_text(Loves.apart(found.after))} apart: only those that stand after the "
        "same words are still equal. Rows that stand for a word alone are called static, rows "
        "that have read contextual."
    )


@fragment
def average() -> None:
    """A mean with weights that a person sets."""
    for column, name in zip(st.columns(len(DIALS)), DIALS, strict=True):
        column.slider(f"Dial {name[-1]}", 0, MOST, key=name, **KEPT)
    dials = [st.session_state[name] for name in DIALS]
    if not any(dials):
        st.info("All dials are 0: there is nothing to take a mean of. Turn one up.")
        save_link(KEYS)
        return
    trace = mean_family(dials).run()
    left, right = st.columns((3, 2), vertical_alignment="center")
    with left:
        draw_exhibit(trace, ("average", (0, 0)), KEYS, "words_mean_")
    weights, mean = trace["weights"][0], mean_of(trace)
    with right:
        figure = mean_figure(weights, mean)
        draw_chart(figure, "words_hull")
    came_up = drawn_mean(weights, DRAWS, seed=0)
    lucky = ", ".join(typeset(cell_text(float(x))) for x in came_up)
    told = ", ".join(cell_number(trace, "average", (0, v)) for v in range(2))
    say(
        f"**What to notice.** The mean of the [values](#term-value) is ({told}). Draw one of the "
        f"four values at random, with the [weights](#term-weight) as chances, {DRAWS:,} times "
        f"(seed 0): the plain mean of what came up is ({lucky}). That is what an expectation "
        "is, and what [attention](#term-attention) computes for each token: "
        r"$\mathbb{E}[v]=\sum_j p_j v_j$, with weights that come from the words themselves. "
        "Weights that are not negative and add up to 1 never lead out of the hull of the values."
    )


frame(
    "words",
    "Words before attention: why do they need their neighbours?",
    "A model computes with numbers. So a text is cut into pieces, each piece gets a row of "
    "numbers, and then *bank* beside *river* must become another *bank* than beside *money*.",
)
open_link("words", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
reading()
with fold("What is a token?", "token", KEYS, ("words_text", "words_merges")):
    tokens()
with fold("A row of numbers for each token", "rows", KEYS, stage_keys("words_")):
    numbers()
with fold("Where such rows come from", "learned", KEYS, LEARNED_KEYS):
    learning()
with fold("A mean with weights that you set", "mean", KEYS, [*DIALS, *stage_keys("words_mean_")]):
    average()
later = fold_for_later(
    "The same in attention, step by step", "attention", KEYS,
    [ORDER.key, *stage_keys("words_bank_")], after="walkthrough",
)  # fmt: skip
if later.open:
    with later:
        context()
ask_each(WORD_QUESTIONS, "words")
in_code(
    split,
    learned,
    distances,
    train,
    origin="Byte-pair encoding: Gage (1994), Sennrich et al. (2016). Word2Vec: Mikolov et al., "
    "*Efficient Estimation of Word Representations in Vector Space* (2013), with a hierarchical "
    "softmax; negative sampling: Mikolov et al., *Distributed Representations of Words and Phrases "
    "and their Compositionality* (2013). Adam: Kingma and Ba (2015).",
    step="output",
    exhibit="words_read_",
)
way_on(
    "words",
    "A token is a piece of text, and gets a row of numbers that training finds. That row is the "
    "same wherever the piece stands; attention makes of it a mean with weights over the tokens "
    "that it may read, itself among them, so that it says what the word means there.",
)
save_link(KEYS)
