"""How the axes and cells of a trace are named: by tokens along positions, elsewhere by the names
that came with the inputs, or by numbers from 1."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from core.program.axes import HEAD, POSITION
from core.program.formulas import symbol_text
from core.program.numbers.display import shown
from core.program.numbers.rounding import typeset
from core.program.patterns import Cell
from core.program.trace import Trace


def axis_labels(trace: Trace, array: str) -> list[list[str]]:
    """One list of labels for each axis of an array."""
    letters = zip(trace.program.letters[array], trace[array].shape, strict=True)
    return [[axis_label(trace, letter, at) for at in range(size)] for letter, size in letters]


def axis_label(trace: Trace, letter: str, at: int) -> str:
    """A place of an axis: its token or its name, or its number from 1 where it has none."""
    names = place_names(trace, letter)
    return names[at] if at < len(names) else str(at + 1)


def is_random(trace: Trace, array: str, cell: Cell) -> bool:
    """Whether a cell's row comes of one drawn at random: its column's name says nothing of it."""
    return len(cell) > 1 and cell[-2] in trace.random_rows.get(array, ())


def cell_labels(
    trace: Trace, array: str, cell: Cell, label: Callable[[Trace, str, int], str] = axis_label
) -> list[str]:
    """A label for each place of a cell. In a row drawn at random the last one is a number."""
    letters = zip(trace.program.letters[array], cell, strict=True)
    labels = [label(trace, letter, at) for letter, at in letters]
    return [*labels[:-1], str(cell[-1] + 1)] if is_random(trace, array, cell) else labels


def place_names(trace: Trace, letter: str) -> Sequence[str]:
    """The tokens or the names of a letter's places; none where they are numbered.

    Names are used only where there is one for each place. A letter that is `of` another one has
    the names of that one.
    """
    axis = trace.program.axis(letter)
    if axis.kind == POSITION:
        return position_labels(trace, letter)
    names = trace.labels.get(letter) or trace.labels.get(axis.of, ())
    return names if len(names) == trace.sizes[letter] else ()


def head_name(trace: Trace, letter: str, at: int) -> str:
    """A head as a sentence says it: head 1, or head 1 (its name)."""
    names = place_names(trace, letter)
    numbered = f"{trace.program.axis(letter).word} {at + 1}"
    return f"{numbered} ({names[at]})" if names else numbered


_OPEN, _SHUT, _AT = "\ufdd0", "\ufdd1", "\ufdd2"
"""Some of Unicode's noncharacters, which are for a program's own use: no token has them."""
_NUMBER = re.compile(f"{_OPEN}[^{_AT}{_SHUT}]*{_AT}([^{_SHUT}]*){_SHUT}")
_MARKS = re.compile(f"[{_OPEN}{_SHUT}{_AT}]")
MARKED_TOKEN = f"{_OPEN}([^{_SHUT}]*){_SHUT}"
"""The regular expression of a `marked_token`, whose group is the token."""

_BEGIN, _END = "\ufdd3", "\ufdd4"
MARKED_PROSE = f"{_BEGIN}([^{_END}]*){_END}"
"""The regular expression of what `as_prose` returns, whose group is the text."""


def told_label(trace: Trace, letter: str, at: int) -> str:
    """`axis_label` for a sentence, where a token, a name or a row's number is a `marked_token`."""
    label, axis = axis_label(trace, letter, at), trace.program.axis(letter)
    is_named = at < len(place_names(trace, letter))
    is_given = axis.kind == POSITION and letter in trace.given_sizes
    return marked_token(label) if is_named or is_given else label


def marked_token(token: str) -> str:
    """A token for a sentence: `sentence_parts` can tell it from the rest."""
    return f"{_OPEN}{_MARKS.sub('', token)}{_SHUT}"


def as_prose(text: str) -> str:
    """A text of a person's for a sentence: no mark in it means anything."""
    return f"{_BEGIN}{re.sub(f'[{_BEGIN}{_END}]', '', text)}{_END}"


def told_number(trace: Trace, array: str, cell: Cell, text: str = "") -> str:
    """A cell's number for a sentence, which `sentence_parts` finds again together with its cell.

    `text` writes it in another way than the cell does.
    """
    number = typeset(text or shown(trace, array, cell))
    return f"{_OPEN}{cell_id(array, cell)}{_AT}{number}{_SHUT}"


def cell_id(array: str, cell: Cell) -> str:
    """A cell as a link writes it: scores.0.2.1."""
    return ".".join([array, *map(str, cell)])


def parse_cell(text: str) -> tuple[str, Cell] | None:
    """`scores.0.2.1` as an array's name and a cell; None where it is no such thing."""
    name, *index = text.split(".")
    if not index or not all(part.isascii() and part.isdigit() and len(part) < 6 for part in index):
        return None
    return name, tuple(int(part) for part in index)


def sentence_parts(sentence: str) -> list[str]:
    """A sentence cut up: what is said, a token or a cell's number, what is said, and so on."""
    return re.split(f"[{_OPEN}{_SHUT}]", sentence)


def split_cell(part: str) -> tuple[str, str]:
    """Of a part that is a cell's number the number and the cell; of a token it and ""."""
    cell, is_number, number = part.partition(_AT)
    return (number, cell) if is_number else (part, "")


def off_stage(sentence: str) -> str:
    """A sentence about a run that is not on show: its numbers lead to no cell."""
    return _NUMBER.sub(r"\1", sentence)


def plainly(sentence: str) -> str:
    """A sentence without its marks."""
    return "".join(split_cell(part)[0] for part in sentence_parts(sentence))


def listed_names(names: Sequence[str]) -> str:
    """Names as a sentence lists them: "Q", "Q and K", "Q, K and V"; "" for none."""
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def position_labels(trace: Trace, letter: str) -> list[str]:
    """The tokens of an axis of positions from its first place on; none for another axis.

    None either where rows were given that are not as many: nothing says which token each is of.
    """
    axis = trace.program.axis(letter)
    if axis.kind != POSITION:
        return []
    tokens = trace.more_tokens.get(axis.tokens, ()) if axis.tokens else trace.tokens
    labels = _labels(tokens)[axis.offset :]
    return labels if trace.given_sizes.get(letter, set()) <= {len(labels)} else []


@lru_cache(maxsize=64)
def _labels(tokens: tuple[str, ...]) -> list[str]:
    return token_labels(tokens)


def cell_name(trace: Trace, array: str, cell: Cell) -> str:
    """A cell as people say it: scores[sat, cat]; the head is said only where there are several."""
    return plainly(told_cell(trace, array, cell))


def told_cell(trace: Trace, array: str, cell: Cell) -> str:
    """`cell_name` for a sentence: its tokens are marked, as by `told_label`."""
    inside, heads = [], ""
    places = zip(trace.program.letters[array], cell, trace[array].shape, strict=True)
    labels = cell_labels(trace, array, cell, told_label)
    for (letter, at, size), label in zip(places, labels, strict=True):
        axis = trace.program.axis(letter)
        if axis.kind != HEAD:
            inside.append(label)
        elif size > 1:
            heads = f" of {head_name(trace, letter, at)}{heads}"
    return f"{symbol_text(array)}[{', '.join(inside)}]{heads}"


LABEL_LENGTH = 14
"""Longer tokens are shortened in labels; the token itself stays whole."""
_AT_AN_END = re.compile(r"^ +| +$|[\n\t\r]")
VISIBLE_SPACES = str.maketrans({" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍"})
"""What is shown for white space, for `str.translate`."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def token_labels(tokens: Sequence[str]) -> list[str]:
    """A label for each position: the token, shortened, with a subscript where it occurs twice.

    A space at either end of a token is seen as ␣, the end of a line as ⏎.
    """
    tokens = [_AT_AN_END.sub(lambda spaces: spaces[0].translate(VISIBLE_SPACES), t) for t in tokens]
    short = [t if len(t) <= LABEL_LENGTH else t[: LABEL_LENGTH - 1] + "…" for t in tokens]
    total, seen, labels = Counter(short), Counter[str](), []
    for label in short:
        seen[label] += 1
        number = str(seen[label]).translate(_SUBSCRIPTS)
        labels.append(label + number if total[label] > 1 else label)
    return labels
