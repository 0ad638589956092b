"""A tree over keys that a person merges by hand, and the run of its program on the stage."""

from functools import partial

import streamlit as st

from core.attention.chosen_token import any_token_toggle
from core.attention.tokens import tokenise
from core.chapters.recursive_attention import tree_program as program
from core.chapters.recursive_attention import trees as forests
from core.chapters.recursive_attention.tree_verdict import (
    TreeVerdict,
    key_counts,
    pieces_of,
    tree_verdict,
)
from core.chapters.recursive_attention.trees import Forest
from core.errors import InputError
from core.program.labels import axis_labels, listed_names
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from ui.components.trees import trees
from ui.links.links import Key, Keys
from ui.links.session import place_of_messages
from ui.links.stage_position import go_to_step
from ui.page.prose import cell_number, say
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.toggles import chosen, toggle_keys
from ui.text import Markdown

TEXTS = page_texts("recursive_attention")
_ANY_TREE = program.tree_program(forests.all_at_once(2), 2, 0, "causal")
TREE_KEYS: Keys = {
    "pieces_tree": Key("", forests.check_tree),
    **toggle_keys(any_token_toggle(program.ASKING), program.TREE_MASK),
    **exhibit_keys(_ANY_TREE, "", "pieces_", 1, forests.TREE_LIKE),
}


@fragment
def draw_merging(text: str, given: bool, link: Keys) -> None:
    """Draw the tree over the keys of a sentence, or over four `given` ones, and its run."""
    keys = program.EXAMPLE_KEYS if given else len(tokenise(text))
    forest = _forest_now(keys)
    family = None if given else program.tree_family(text, forest)
    trace = family.run(**chosen(family)) if family else program.example(forest)
    labels = tuple(axis_labels(trace, "s_row")[2])
    verdict = tree_verdict(trace, forest)
    if verdict:
        with st.container(key="beside_verdict"):
            say_verdict(trace, verdict)
    else:
        sets = Markdown(listed_names([forests.set_text(tree) for tree in forest]))
        say(TEXTS("left_over", pieces=len(forest), sets=sets))
    pieces, counts = pieces_of(trace, forest), key_counts(trace, verdict)
    on_forest, on_look = partial(_keep_forest, keys=keys), partial(go_to_step, prefix="pieces_")
    trees("pieces_board", forest, labels, pieces, counts, on_forest, on_look)
    say(TEXTS("try"))
    say(TEXTS("boxes", keys=keys if given else 0))
    opening = f"v_{forests.tree_name(forest[0])}" if len(forest) == 1 else "y_row"
    draw_exhibit(trace, (opening, (0, 0, 0)), link, "pieces_", family=family)


def _default_forest(keys: int) -> Forest:
    return next(iter(forests.SHAPES.values()))(keys)


def _forest_now(keys: int) -> Forest:
    """Return the forest that is asked for if it fits this number of keys, or else the default."""
    state = st.session_state
    forest = _default_forest(keys)
    try:
        forest = forests.read_forest(state.pieces_tree, keys) if state.pieces_tree else forest
    except InputError as refused:
        with place_of_messages():
            shape = next(iter(forests.SHAPES))
            st.warning(TEXTS("refused", refused=str(refused), shape=shape))
    _keep_forest(forest, keys)
    return forest


def _keep_forest(forest: Forest, keys: int) -> None:
    """Put a forest into the link; the forest of an untouched page is left out."""
    untouched = forest == _default_forest(keys)
    st.session_state.pieces_tree = "" if untouched else forests.forest_text(forest)


def say_verdict(trace: Trace, verdict: TreeVerdict) -> None:
    """Compare what was merged with all keys at once, and with the plain mean."""
    off, often = verdict.off, verdict.often
    names = {"merged": verdict.merged, "whole": verdict.whole}
    numbers = {text: cell_number(trace, name, verdict.cell) for text, name in names.items()}
    several = trace["V"].shape[-1] > 1
    feature, gap = verdict.cell[-1] + 1 if several else 0, typeset(verdict.apart) if off else ""
    found = [TEXTS("compared", **numbers, feature=feature, same=not often, gap=gap)]
    if not off and verdict.alike > 1:
        found += [TEXTS("counted_alike", times=verdict.alike)]
    elif often:
        keys, unread = listed_names([str(key) for key in often]), set(often) <= set(verdict.unread)
        found += [TEXTS("counted_often", count=len(often), keys=keys, off=off, unread=unread)]
    elif verdict.mean_differs:
        found += [TEXTS("plain_mean", mean=typeset(verdict.mean))]
    say(" ".join(found))
