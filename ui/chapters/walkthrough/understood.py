"""What was understood of numbers that were given, as a table, before they are used."""

from collections.abc import Mapping

import numpy as np

from core.attention.given.matrix_set import PINNED, GivenSetup
from core.attention.given.model_names import RESULTS, our_name
from core.attention.given.starting_points import TOKEN_LISTS
from core.attention.layers.biases import BIASES
from core.attention.setups import EDITABLE
from core.files.text import ParsedText
from core.program.numbers.display import shape_text
from ui.chapters.walkthrough.given_numbers import READ_MATRICES
from ui.page.prose import say
from ui.page_texts import chart_texts
from ui.text import markdown_table, token_text

PLAIN = chart_texts("walkthrough")
FEW = 8
"""So many tokens are listed."""


def list_understood(named: Mapping[str, np.ndarray], taken: GivenSetup, given: ParsedText) -> None:
    """Draw a table of the matrices that were given and of those that stand for missing ones.

    Code that would have to be run is named, if it makes one of them.
    """
    trace = taken.setup.trace
    rows = [
        [name, shape_text(array.shape), _from(name, array, taken)]
        for name, array in named.items()
        if name not in TOKEN_LISTS
    ]
    for name in TOKEN_LISTS:
        if name in named:
            first = ", ".join(map(token_text, named[name][:FEW].tolist()))
            more = "" if len(named[name]) <= FEW else ", …"
            rows.append([PLAIN(name), str(len(named[name])), f"{first}{more}"])
    if taken.identity:
        rows.append(["W_O", shape_text(trace["W_O"].shape), PLAIN("identity")])
    rows += [[name, shape_text(trace[name].shape), PLAIN("random_weights")] for name in taken.drawn]
    if {"W_Q", "W_K", "W_V"} <= set(named) and not set(BIASES) & set(named):
        rows.append([PLAIN("biases"), "–", PLAIN("no_biases")])
    left_out = [
        ours
        for name in given.computed
        if (ours := our_name(name)) in (*READ_MATRICES, *TOKEN_LISTS) and ours not in named
    ]
    rows += [[name, "–", PLAIN("follows")] for name in given.matrices if name in RESULTS]
    rows += [[name, "–", PLAIN("not_computed")] for name in left_out]
    header = [PLAIN("matrix"), PLAIN("size"), PLAIN("source")]
    say(markdown_table(header, rows, _in_one_line))


def _from(name: str, array: np.ndarray, taken: GivenSetup) -> str:
    """Return what was made of a matrix that was given."""
    trace = taken.setup.trace
    if name in taken.following:
        return PLAIN("follows")
    if name in taken.before_start:
        return PLAIN("starts_later")
    place = name.removeprefix(PINNED)
    if place in EDITABLE and len(trace[place]) > 1 and array.shape == trace[place].shape[1:]:
        return PLAIN("of_head")
    if name == "mask":
        if "bias" in trace:
            return PLAIN("added_to_scores")
        return PLAIN("hides", hidden=int((~trace["mask"]).sum()), pairs=trace["mask"].size)
    return PLAIN("added_to_scores") if name == "bias" else PLAIN("as_given")


def _in_one_line(text: str) -> str:
    """A text in a cell, whose size is not broken; all of them are ours, or escaped."""
    return text.replace(" × ", "\u00a0×\u00a0")
