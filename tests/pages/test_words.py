"""The page on words before attention in its starting state, with bad links and odd texts."""

from functools import partial

import numpy as np
import pytest

from core.attention.setups import Setup
from core.chapters.words.pieces import MAX_CHARACTERS
from tests.quotes import proves
from tests.ui import support
from tests.ui.support import prose, refused, stages, told, untouched

opened = partial(support.opened, "words")


def test_the_untouched_page_cuts_prejudice_and_draws_its_three_stages() -> None:
    page = untouched("words")
    assert "·pre | jud | ice" in prose(page)
    assert [shown.step for shown in stages(page)] == ["X", "X", "average"]


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "a|b `c` $d$ *e*", "我爱北京", "😀 é"]
)
def test_any_text_is_text(text: str) -> None:
    page = opened(words_text=text)
    assert "Joined, the pieces are the text again" in prose(page)
    assert page.text_input(key="words_text").value == text


def test_a_text_that_is_too_long_is_said_and_the_last_one_stays() -> None:
    page = opened()
    before = prose(page)
    page.text_input(key="words_text").set_value("x" * (MAX_CHARACTERS + 1)).run()
    assert f"the limit here is {MAX_CHARACTERS}" in " ".join(refused(page))
    assert "·pre | jud | ice" in prose(page)
    assert before.split("Here ")[1].split(".")[0] in prose(page)


@proves("All dials are 0, so there is nothing to take a mean of. Turn one up")
def test_no_dial_turned_up_is_said_and_not_divided_by() -> None:
    page = opened(**{f"words_dial_{n}": "0" for n in range(1, 5)})
    assert len(stages(page)) == 2
    assert "All dials are 0" in page.info[0].value


@pytest.mark.parametrize(("at", "word"), [(0, "river"), (1, "money")])
def test_words_show_what_bank_reads_and_its_row_before_and_after(at: int, word: str) -> None:
    [[readings]] = told(opened(), "word_readings")
    shown = readings[at]
    trace = Setup(preset="river-bank", text=f"we sat by the {word} bank", heads=2).trace
    weights, X = trace["weights"][0, -1], trace["X"]
    assert tuple(shown["tokens"]) == trace.tokens
    assert shown["reads"] == [f"{100 * weight:.0f}" for weight in weights]
    for row, values in (("before", X[-1]), ("after", weights @ X)):
        texts = np.array([float(text) for text, _ in shown[row]])
        np.testing.assert_allclose(texts, values, atol=0.0051)
    assert shown["features"][shown["largest"]] == {"river": "water", "money": "money"}[word]
