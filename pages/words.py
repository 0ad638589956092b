"""Why do words need their neighbours?

What a token is, one-hot and learned rows of numbers, and why one row for a word is not enough.
"""

import streamlit as st

from core.chapters.words import neighbours, vectors
from core.chapters.words import pieces as byte_pairs
from core.chapters.words.vectors import MOST_VECTORS, drawn_mean, mean_family, mean_of, mean_program
from core.program.labels import listed_names
from core.program.numbers.rounding import cell_text
from core.program.trace import Trace
from core.pytorch.word2vec import train
from ui.chapters.words.charts import mean_figure
from ui.chapters.words.learned_words import LEARNED_KEYS, learned_words
from ui.charts.framing import draw_chart
from ui.components.readings import draw_readings
from ui.links.links import SENTENCE_KEY, Key, Keys, sentence_of, whole_number_reader
from ui.links.session import PERSIST, opens_covered, save_link
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.fold import fold, fold_for_later
from ui.page.last_valid import link_that_fits, of_one, what_works
from ui.page.prose import cell_number, say, typeset_decimal
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys, stage_keys
from ui.stage.toggles import chosen, toggle_keys
from ui.text import Markdown, escape_markdown, markdown_table

TEXTS = page_texts("words")
DIALS = {"words_dial_1": 6, "words_dial_2": 2, "words_dial_3": 1, "words_dial_4": 1}
LOOKED_UP = ("money", vectors.BANK, "river")
DRAWS, MERGES = 1_000, len(byte_pairs.learned())
KEYS: Keys = {
    **toggle_keys(neighbours.NEIGHBOUR),
    **exhibit_keys(neighbours.reading_program(), "X", "words_read_", 1),
    "words_text": Key(str(TEXTS("example")), sentence_of, SENTENCE_KEY),
    "words_merges": Key(MERGES, whole_number_reader(0, MERGES)),
    **exhibit_keys(vectors.table_program(), "X", "words_", 1),
    **LEARNED_KEYS,
    **toggle_keys(vectors.ORDER),
    **exhibit_keys(neighbours.bank_family().built().program, "output", "words_bank_", 1),
    **{name: Key(dial, whole_number_reader(0, MOST_VECTORS)) for name, dial in DIALS.items()},
    **exhibit_keys(mean_program(), "average", "words_mean_", 1),
}
FITTING = {"words_text": "the sentence"}
fits = of_one(byte_pairs.short_text)


def pieces_text(pieces: tuple[str, ...]) -> str:
    """Return pieces with bars between them, as plain text; a space is a raised dot."""
    return " | ".join(piece.replace(" ", "·") for piece in pieces)


def in_bold(pieces: tuple[str, ...]) -> Markdown:
    """Return the same in bold."""
    return Markdown(f"**{escape_markdown(pieces_text(pieces))}**")


def two_sentences(neighbour: str) -> None:
    """The message as a picture: one word, two neighbours, two rows."""
    pair = neighbours.pair_with(neighbour)
    shown = neighbours.readings(pair)
    first, second = (one.features[one.largest] for one in shown)
    features = {"first_feature": first, "second_feature": second}
    room = "after_cover_readings" if opens_covered("words_read_") else "readings"
    # It shows what a cover of the stage hides.
    with st.container(key=room), st.container(key="beside_readings"):
        draw_readings("words", shown)
        say(TEXTS("notice", bank=vectors.BANK, first_word=pair[0], second_word=pair[1], **features))
    say(TEXTS("try"))
    st.caption(TEXTS("whole_rows"))


@fragment
def reading() -> None:
    """What the word reads, and how its new row is made: a mean of rows, with weights."""
    family = neighbours.reading_family()
    now = chosen(family)
    two_sentences(now[neighbours.NEIGHBOUR.key])
    trace = family.run(**now)
    at = trace.tokens.index(vectors.BANK)
    draw_exhibit(trace, ("X", (at, 0)), KEYS, "words_read_", family=family)


@fragment
def tokens() -> None:
    """A text cut into pieces, merge by merge."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(TEXTS("text"), key="words_text", **PERSIST)
        known = byte_pairs.learned()
        st.slider(TEXTS("merges"), 0, len(known), key="words_merges", width=300, **PERSIST)
    text = what_works(FITTING, KEYS, fits).made
    merges = known[: st.session_state.words_merges]
    pieces = byte_pairs.split(text, merges)
    say(in_bold(pieces))
    say(TEXTS("pieces", characters=len(text), tokens=len(pieces)))
    say(TEXTS("rows_of_pieces", size=len(byte_pairs.piece_vocabulary(merges))))
    if strange := byte_pairs.unknown(pieces, merges):
        named = Markdown(listed_names([in_bold((piece,)) for piece in strange]))
        say(TEXTS("no_row", pieces=named, number=len(strange)))
    with st.expander(TEXTS("learning_title")):
        say(TEXTS("byte_pairs"))
        rows = [
            [pieces_text(merge.pair), str(merge.count)]
            for merge, _ in byte_pairs.stages(text, merges)
            if merge
        ]
        if rows:
            say(markdown_table([TEXTS("merged"), TEXTS("times")], rows))
        say(TEXTS("corpus", corpus=byte_pairs.CORPUS))
    save_link(KEYS)


@fragment
def numbers() -> None:
    """One-hot rows and rows of a table, and the distances between words in each."""
    say(TEXTS("one_hot"))
    trace = vectors.lookup_of(" ".join(LOOKED_UP))
    draw_exhibit(trace, ("X", (1, 0)), KEYS, "words_")
    words = list(vectors.TABLE)
    tables = vectors.one_hot_rows(words), vectors.embedding_table()
    hot, given = map(vectors.distances, tables)
    titled = {"hot_distances": hot, "row_distances": given}
    for column, (title, apart) in zip(st.columns(2), titled.items(), strict=True):
        lines = zip(words, apart, strict=True)
        rows = [[word, *map(typeset_decimal, line)] for word, line in lines]
        with column:
            header = [TEXTS("distance"), *words]
            say(f"**{TEXTS(title)}**\n\n{markdown_table(header, rows)}")
    features = {"features": len(vectors.FEATURES), "names": ", ".join(vectors.FEATURES)}
    bank = words.index(vectors.BANK)
    found = {"hot": hot[0, 1], "near": given[bank, 0], "far": given.max()}
    printed = {name: cell_text(value) for name, value in found.items()}
    say(TEXTS("distances", bank=vectors.BANK, **features, **printed))


@fragment
def learning() -> None:
    """Word2Vec, trained while one looks on."""
    learned_words()
    save_link(KEYS)


@fragment
def context() -> None:
    """The same word before and after attention."""
    family = neighbours.bank_family()
    trace = family.run(**chosen(family))
    at = trace.tokens.index(vectors.BANK)
    draw_exhibit(trace, ("output", (at, 0)), KEYS, "words_bank_", family=family)
    goes_in, comes_out = neighbours.bank_rows(trace)
    row = at, len(vectors.FEATURES)
    before, after = (row_numbers(trace, array, row) for array in ("X", "output"))
    moved = not (goes_in == comes_out).all()
    say(TEXTS("bank_rows", bank=vectors.BANK, before=before, after=after, moved=moved))
    found = neighbours.loves()
    header = [TEXTS("sentence"), TEXTS("position"), TEXTS("before"), TEXTS("after")]
    rows = []
    for n, (sentence, place) in enumerate(zip(found.sentence, found.place, strict=True)):
        moved_by = (found.from_first(each, n) for each in (found.before, found.after))
        rows.append([neighbours.LOVES[sentence], str(place + 1), *map(typeset_decimal, moved_by)])
    say(TEXTS("loves"))
    say(markdown_table(header, rows))
    say(TEXTS("loves_apart", loves=len(found.place)))


@fragment
def average() -> None:
    """A mean with weights that a person sets."""
    for column, name in zip(st.columns(len(DIALS)), DIALS, strict=True):
        column.slider(TEXTS("dial", number=name[-1]), 0, MOST_VECTORS, key=name, **PERSIST)
    dials = [st.session_state[name] for name in DIALS]
    if not any(dials):
        st.info(TEXTS("no_dials"))
        save_link(KEYS)
        return
    trace = mean_family(dials).run()
    left, right = st.columns((3, 2), vertical_alignment="center")
    with left:
        draw_exhibit(trace, ("average", (0, 0)), KEYS, "words_mean_")
    weights, mean = trace["weights"][0], mean_of(trace)
    with right:
        draw_chart(mean_figure(weights, mean), "words_hull")
    x, y = (cell_number(trace, "average", (0, v)) for v in range(2))
    say(TEXTS("mean", x=x, y=y))
    with st.expander(TEXTS("more")):
        lucky = [typeset_decimal(at) for at in drawn_mean(weights, DRAWS, seed=0)]
        say(TEXTS("expectation", draws=f"{DRAWS:,}", lucky_x=lucky[0], lucky_y=lucky[1]))
        say(TEXTS("of_attention"))


def row_numbers(trace: Trace, array: str, row: tuple[int, int]) -> Markdown:
    """Return the numbers of a row, given by its place and its length, as links to their cells."""
    at, size = row
    return Markdown(", ".join(cell_number(trace, array, (at, m)) for m in range(size)))


if __name__ == "__main__":
    begin_chapter("words", KEYS, link_that_fits(FITTING, KEYS, fits))
    reading()
    with fold(TEXTS("tokens_title"), "token", KEYS, ("words_text", "words_merges")):
        tokens()
    with fold(TEXTS("rows_title"), "rows", KEYS, stage_keys("words_")):
        numbers()
    with fold(TEXTS("learned_title"), "learned", KEYS, LEARNED_KEYS):
        learning()
    with fold(TEXTS("mean_title"), "mean", KEYS, [*DIALS, *stage_keys("words_mean_")]):
        average()
    of_bank = [vectors.ORDER.key, *stage_keys("words_bank_")]
    fold_for_later(TEXTS("later_title"), "attention", KEYS, of_bank, context, after="walkthrough")
    code = (byte_pairs.split, byte_pairs.learned, vectors.distances, train)
    end_chapter("words", KEYS, code, "output", exhibit="words_read_")
