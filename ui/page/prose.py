"""What a page says: Markdown in which symbols are typeset, each in the colour of its role.

Authors write symbols as plain text (d_k, W_Q, QKᵀ); a term of the glossary is a link to it, as
[softmax](#term-softmax). What is not ours comes escaped and stays as it is.
"""

import re
from functools import lru_cache

import streamlit as st

from core.attention.examples import river_bank_story
from core.attention.examples.river_bank import drawn_words
from core.attention.inputs import SEED
from core.attention.tokens import spaceless
from core.program.labels import (
    as_prose,
    listed_names,
    marked_token,
    sentence_parts,
    split_cell,
    told_number,
)
from core.program.numbers.rounding import decimal_text, typeset
from core.program.patterns import Cell
from core.program.trace import Trace
from ui.page_texts import ui_texts
from ui.text import Markdown, escape_markdown, escape_prose, token_text

TEXTS = ui_texts("prose")
_COLOURS = {"Q": "blue", "K": "red", "V": "green"}
"""By the letter in a name, as on the stage: query blue, key red, value green."""
TURNED = "^\\top"
_ALREADY = re.compile(r"(\\.|\$[^$\n]+\$|`[^`\n]+`|\]\([^)\s]*\))")
_SYMBOLS = re.compile(
    r"(?<![\w\\])(?:"
    r"(?P<over>1/)?√(?P<root>d_[a-z]+)"
    r"|(?P<product>QKᵀ)"
    r"|(?P<weight>W_[QKVO])(?P<turned>ᵀ)?"
    r"|(?P<unit>[QK])_hat"
    r"|(?P<size>d_[a-z]+)(?P<squared>²)?"
    r"|(?P<matrix>X X|[AX])ᵀ"
    r")(?![\w])"
)


NOTICE = "**Notice.**"
"""How a text begins that says what to see in a picture: it stands out from the rest."""


def say(text: str) -> None:
    """Markdown on the page."""
    st.markdown(("> " if text.startswith(NOTICE) else "") + typeset_symbols(text))


def say_drawn(trace: Trace, text: str = "") -> None:
    """Draw the sizes and the seed of a page's run: they need not be the walkthrough's.

    It also says when characters are tokens. `text` names another sentence than the page's.
    """
    sentence = TEXTS(
        "random_weights", text=Markdown(text), width=trace.sizes["m"], heads=trace.sizes["h"],
        seed=SEED, characters=spaceless(trace.tokens),
    )  # fmt: skip
    st.caption(typeset_symbols(sentence))


def say_made(trace: Trace, about: str = river_bank_story.BY_HAND) -> None:
    """Say of a run with the opening example's weights that they are made by hand.

    Its words that have no row made by hand are named; `about` says what is made.
    """
    words, most = drawn_words(trace.tokens), river_bank_story.MOST_NAMED
    named = set_off(listed_names([marked_token(word) for word in words[:most]]))
    sentence = TEXTS(
        "made_by_hand", drawn=named, more=len(words) - most, characters=spaceless(trace.tokens)
    )
    st.caption(typeset_symbols(f"{about} {sentence}"))


def set_off(sentence: str) -> Markdown:
    """What the core says, as Markdown: tokens set off, symbols typeset, the rest as it is.

    A cell's number is a link to it: the stage lights that cell, and covers the two together.
    """
    pieces = enumerate(sentence_parts(sentence))
    return Markdown(
        "".join(_part(piece) if at % 2 else typeset_prose(piece) for at, piece in pieces)
    )


def cell_number(trace: Trace, array: str, cell: Cell) -> Markdown:
    """A cell's number as Markdown: a link to the cell."""
    return set_off(told_number(trace, array, cell))


def typeset_decimal(value: float, decimals: int = 2) -> str:
    """A number of so many decimals as prose has it, with a minus sign that is one."""
    return typeset(decimal_text(float(value), decimals))


def decimals(**values: float) -> dict[str, str]:
    """Numbers of two decimals as prose has them, each under its name."""
    return {name: typeset_decimal(value) for name, value in values.items()}


def gap_text(gap: float) -> str:
    """A difference as prose has it; "" if there is none."""
    return typeset_decimal(gap) if gap else ""


def typeset_count(value: float) -> str:
    """A number that is exact, as prose and controls have it: −1,000."""
    return typeset(f"{value:,}")


def _part(piece: str) -> str:
    text, cell = split_cell(piece)
    return f"[{escape_markdown(text)}](#stage-{cell})" if cell else token_text(text)


def typeset_prose(prose: str) -> str:
    """Prose as it is, its symbols typeset."""
    found, at = "", 0
    for symbol in _SYMBOLS.finditer(prose):
        found += escape_prose(prose[at : symbol.start()]) + _typeset(symbol)
        at = symbol.end()
    return found + escape_prose(prose[at:])


@lru_cache(maxsize=1024)
def typeset_symbols(text: str) -> str:
    """The same with its symbols typeset; formulas, code and links' targets stay as they are."""
    parts = _ALREADY.split(text)
    return "".join(
        part if at % 2 else _SYMBOLS.sub(_typeset, part) for at, part in enumerate(parts)
    )


def symbols_marked(prose: str) -> str:
    """Prose as it is with a question's marks: its symbols are mathematics, and nothing else is."""
    found, at = "", 0
    for symbol in _SYMBOLS.finditer(prose):
        formula = "".join(_latex(symbol))
        found += as_prose(prose[at : symbol.start()]) + f"${formula}$"
        at = symbol.end()
    return found + as_prose(prose[at:])


def _typeset(found: re.Match[str]) -> str:
    return "".join(map(_coloured, _latex(found)))


def _latex(found: re.Match[str]) -> list[str]:
    """The LaTeX of a symbol, each matrix by itself."""
    if root := found["root"]:
        return [f"{found['over'] or ''}\\sqrt{{{_size(root)}}}"]
    if found["product"]:
        return ["Q", f"K{TURNED}"]
    if weight := found["weight"]:
        return [weight + (TURNED if found["turned"] else "")]
    if unit := found["unit"]:
        return [f"{unit}_{{\\text{{hat}}}}"]
    if size := found["size"]:
        return [_size(size) + ("^2" if found["squared"] else "")]
    return [found["matrix"].replace(" ", "") + TURNED]


def _size(name: str) -> str:
    """d_k as d_k, d_model with its word upright."""
    letter, _, index = name.partition("_")
    return f"{letter}_{index}" if len(index) == 1 else f"{letter}_{{\\text{{{index}}}}}"


def _coloured(latex: str) -> str:
    """A symbol as Markdown: W_Q and Q are in the colour of their role."""
    colour = _COLOURS.get(latex.removeprefix("W_")[0])
    return f":{colour}[${latex}$]" if colour else f"${latex}$"
