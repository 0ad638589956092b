"""The weights of the opening example: which feature asks for which, and no other."""

import numpy as np
import pytest

from core.attention.lexicon import FEATURE_NAMES
from core.attention.setups import Setup

MEANING = {
    "water": {"water"}, "money": {"money"}, "thing": {"thing", "small word"},
    "small word": {"thing", "small word"}, "open": {"water", "money", "thing", "small word"},
}  # fmt: skip
DOING = {
    "action": {"person"}, "person": {"action"}, "thing": {"action"}, "small word": {"action"},
    "place": {"action"},
}  # fmt: skip


@pytest.mark.parametrize(("head", "asks"), [(0, MEANING), (1, DOING)])
def test_a_feature_asks_for_those_it_is_said_to_and_no_other(
    head: int, asks: dict[str, set[str]]
) -> None:
    trace = Setup(preset="river-bank").trace
    scores = trace["W_Q"][head] @ trace["W_K"][head].T
    found = {
        asking: {FEATURE_NAMES[key] for key in np.flatnonzero(row > 0)}
        for asking, row in zip(FEATURE_NAMES, scores, strict=True)
        if row.any()
    }
    assert found == asks
    less = {(FEATURE_NAMES[q], FEATURE_NAMES[k]) for q, k in np.argwhere(scores < 0)}
    assert less == ({("open", "open")} if head == 0 else set()), "an open word reads no other"
