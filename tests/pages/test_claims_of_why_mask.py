"""Every sentence of 'why mask', at the ends of its controls."""

import re
from collections.abc import Mapping

import numpy as np
from streamlit.testing.v1 import AppTest

from core.attention.masks import GALLERY, KINDS
from core.chapters.why_mask.causality import (
    additive_difference,
    cheat,
    cheat_family,
    edit_token,
    examples,
    first_if_equal,
    gallery_family,
    sink_of,
)
from core.models.captures import load_capture
from core.program.families import Built
from tests.core.chapters.why_mask import test_causality
from tests.facts import test_of_terms
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, only, row_of
from tests.ui.claims import RANDOM_WEIGHTS, Inventory, chosen_sizes, drawn_with, sentences
from tests.ui.real_heads import OF_A_HEAD, arrays_of, maps_of
from tests.ui.support import charts, prose, values

LARGE = 1e9


def gallery(page: AppTest) -> Built:
    """The chosen mask, by its rule or as it is drawn."""
    state, painted = page.session_state, np.tri(8, dtype=bool)
    if state.mask_drawn:
        painted = np.array([bit == "1" for bit in state.mask_drawn]).reshape(8, 8)
    family = gallery_family(
        "The cat sat . A dog ran off", chosen_sizes(state, "mask_size"), painted
    )
    return family.built(mask_kind=state.mask_kind)


@proves("""
    Largest change of each row of the output when token {place} changes. Rows that do not change at
    all: {causal} of {rows} with the causal mask, {free} without a mask | {computed} of {cells}
    cells {?} visible, {percent} %. The other {skipped} can be skipped | With a window of {size}, a
    token reads itself and at most {?} before it | On the stage, the head reads {read}. The next ids
    are {wanted}: it finds {hits} of {targets} | Row 1 sees one token, so its weight is always 1.
    The other rows of this head give token 1 {percent} %, on average. Its value is short (length
    {own}, others {others}), so little is passed on | Bars of {layers} layers. The mean weight on
    token 1 is {low} in layer {lowest} and {high} in layer {highest}. Layer {layer}, of the head
    below, has {own}. With equal weights it would be {equal} | Notice. [above == 0] No row is above
    token 1. [same] With the causal mask, {?} not change at all. [else] With the causal mask, the
    rows above token {above} change by at most {largest} (rounding). Without a mask, {moved} of
    {rows} {?} | The mask can also be added to the scores: 0 if a key is visible, −∞ if it is
    hidden. [infinite == "0.00"] The weights stay the same. [else] The weights then differ by at
    most {infinite}. With −{large} instead of −∞, [finite == "0.00"] they stay the same too [else]
    they differ by at most {finite} | The ids {ids} and the next one give {examples}
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, place = page.session_state, page.session_state.mask_at
    causal, free = (
        edit_token(state.mask_text, place, state.mask_word, causal=mask) for mask in (True, False)
    )
    T = len(causal.before["output"])
    built, kind = gallery(page), state.mask_kind
    mask = built.run()["mask"]
    ids = [each.target for each in examples(8)]
    looked = cheat_family().run(mask_cheat=state.mask_cheat)
    found, sink = cheat(looked), sink_of(load_capture("smollm2-first-token"))
    means = maps_of("smollm2-repeat")[:, :, 1:, 0].mean(axis=(1, 2))
    blind = not mask.any(axis=1).all()
    return {
        "rows": {
            "above": place - 1, "same": causal.same_above, "largest": causal.moved_above,
            "moved": free.rows_moved, "rows": T,
        },
        "change_alt": {
            "place": place, "rows": T, "causal": T - causal.rows_moved, "free": T - free.rows_moved,
        },
        "cells": {
            "computed": mask.sum(), "cells": 64, "percent": 100 * mask.sum() / 64,
            "skipped": (~mask).sum(),
        },
        "added": {
            "infinite": additive_difference(built), "large": LARGE,
            "finite": additive_difference(built, LARGE),
        },
        "blind": only(blind, large=LARGE),
        "window": only(kind == "window", size=mask.sum(axis=1).max()),
        "blocks": only(kind == "blocks", size=mask.sum(axis=1).max()),
        "examples": {
            "ids": lambda said: [*map(int, said.split())] == [24, *ids][: state.mask_block],
            "examples": state.mask_block,
        },
        "read": {
            "read": looked["context"][0, :, 0], "wanted": [43, 58, 5, 57], "hits": found.hits,
            "targets": 4,
        },
        "real_notice": {
            "percent": sink.percent, "own": sink.length, "others": sink.other_length,
        },
        "layers_alt": {
            "layers": len(means), "layer": 19, "own": means[18], "equal": first_if_equal(19),
            "low": means.min(), "lowest": means.argmin() + 1, "high": means.max(),
            "highest": means.argmax() + 1,
        },
    }  # fmt: skip


proves("""
    With the mask, no row above it changes | With the causal mask, no row depends on a later token,
    so one pass trains every position | With the causal mask, rows above the edited token stay the
    same (up to rounding)
""")(test_causality.test_rows_before_an_edit_are_bit_identical)
proves("""
    A row that sees no key has weights of 0 here. With −{large}, softmax gives the hidden keys of
    that row weights that add up to 1
""")(test_causality.test_under_a_finite_number_a_query_that_sees_no_key_still_shares_out_1)
proves("""
    A model such as GPT learns to predict the next token | Without a mask, every position but the
    last could simply read the answer | The head below looks for the next token | With the causal
    mask, this head finds nothing: each row reads the mean of all values up to its own. The last row
    always does so
""")(test_causality.test_the_cheat_hits_every_next_token_unless_it_is_masked)
proves("""
    The causal mask hides nothing from the last row | A hidden score becomes −∞ before softmax, so
    its weight is exactly 0
""")(test_of_terms.test_causal_is_what_pytorch_calls_causal)
proves("""
    The mask acts before softmax, so the weights of a row still add up to 1. A row that sees no key
    has only weights of 0 | Each row of weights adds up to 1
""")(test_of_terms.test_weights_of_a_query_add_up_to_1_or_to_0)


def no_token(match: re.Match[str], page: AppTest) -> None:
    """Said where the link's number is beyond the sentence it names, or else the first one."""
    counts = {"1 token": 1, "6 tokens": 6}
    assert int(match[1]) > counts[match[2]]
    assert match[3] == ("choose 1" if match[2] == "1 token" else "choose 1 to 6")


@proves("""
    A block holds one text, here of at most {size}. Several texts can be packed into one sequence,
    and no text reads another | With a window of {size}, a token reads itself and at most {?} before
    it. In the library FlashAttention this is window_size=({size}, 0)
""")
def cells(said: Values, page: AppTest) -> None:
    """What is said of rows that see nothing, of a window and of blocks is said where they are."""
    drawn, mask = "\n".join(one.value for one in page.markdown), gallery(page).run()["mask"]
    assert ("A row that sees no key" in drawn) == (not mask.any(axis=1).all())
    if page.session_state.mask_kind == "window":
        assert f"`window_size=({mask.sum(axis=1).max() - 1}, 0)`" in drawn
    for kind, words in (("window", "With a window of"), ("blocks", "A block holds")):
        assert (words in drawn) == (page.session_state.mask_kind == kind)


def examples_(said: Values, page: AppTest) -> None:
    rows = [text for text in sentences(page) if text.startswith("| “")]
    assert said["examples"] == len(rows)


def example(page: AppTest, seen: str) -> list[object]:
    (made,) = (each for each in examples(8) if each.text == seen)
    return [f"“{made.character}”", made.target]


def real_try(said: Values, page: AppTest) -> None:
    """Whichever is chosen on the stage: it reads token 1 most."""
    weights = arrays_of("smollm2-repeat", "smollm2-first-token")["weights"]
    assert (weights.argmax(axis=1) == 0).all()


@proves("So a head with nothing to read still has to put its weight somewhere")
def real_sink(said: Values, page: AppTest) -> None:
    assert "still has to put its weight somewhere: on an *attention sink*" in prose(page)


@proves("Mean weight on token 1 by layer, without row 1. Dashed: equal weights")
def real_chart(said: Values, page: AppTest) -> None:
    """The chart's bars and its dashed line."""
    drawn = charts(page)[-1]
    (line,) = drawn["layout"]["shapes"]
    assert line["line"]["dash"] == "dash"
    np.testing.assert_allclose([line["y0"], line["y1"]], first_if_equal(19))
    means = maps_of("smollm2-repeat")[:, :, 1:, 0].mean(axis=(1, 2))
    np.testing.assert_allclose(values(drawn["data"][0]["y"]), means)
    noted = [one for one in drawn["layout"]["annotations"] if one.get("showarrow", True)]
    assert [note["x"] for note in noted] == [19], "the layer of the head below"


INVENTORY = Inventory(
    "why_mask",
    claims={
        r"Token (\d+) is not there; the sentence has (\d+ tokens?): (.*)\.$": no_token,
        RANDOM_WEIGHTS: drawn_with,
        r"\| “(.*)” \| (“.” \| \d+) \|$": row_of(example),
        **OF_A_HEAD,
    },
    module=globals(),
    texts={
        "try more": test_causality.test_rows_before_an_edit_are_bit_identical,
        "cheat": test_causality.test_the_cheat_hits_every_next_token_unless_it_is_masked,
        "takeaway": test_of_terms.test_causal_is_what_pytorch_calls_causal,
    },
    others=[
        {"mask_kind": kind, "mask_size": size}
        for kind in GALLERY
        if KINDS[kind].sizes
        for size in ("1", "8")
    ],
    panels=["fold_mask_real"],
)
