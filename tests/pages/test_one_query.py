"""The chapter on generation: what its page shows, and what follows from its controls."""

from functools import partial

import numpy as np
import pytest

from core.attention.chosen_token import LAST_TOKEN
from core.chapters.one_query.cached import difference, writing_family, writing_work
from tests.sampling import paired
from tests.ui.support import charts, opened_by, prose, stage, stages, untouched, warned

TEXT = "The cat sat on the mat"
opened = partial(opened_by, "one_query")


def test_the_untouched_page_shows_the_last_token_and_its_cache() -> None:
    page = untouched("one_query")
    main, row = stages(page)
    assert (main.step, main.selected, row.selected) == ("K", "K.0.5.0", "y_t.0.0.0")
    assert main.labels("K")[0] == TEXT.split()
    assert "**Token 6, *mat*:** one row of X comes in. It meets 6 rows of K and of V" in prose(page)


@pytest.mark.parametrize(("token", "cache"), paired(["1", "2", "4", LAST_TOKEN], ["again", "kept"]))
def test_each_token_is_on_the_stage_with_its_own_cache(token: str, cache: str) -> None:
    page = opened(token=token, cache=cache)
    count = 6 if token == LAST_TOKEN else int(token)
    data = stage(page)
    assert data.labels("K")[0] == TEXT.split()[:count]
    assert ("K_kept" in data.document["arrays"]) == (cache == "kept" and count > 1)
    link = {} if token == LAST_TOKEN else {"query_token": token}
    link |= {} if cache == "kept" else {"query_cache": cache}
    assert dict(page.query_params) == link


def test_a_number_that_is_the_last_token_is_the_last() -> None:
    page = opened(token="6")
    assert page.session_state["query_token"] == LAST_TOKEN
    assert stage(page).document["options"]["query_token"] == LAST_TOKEN


def test_another_sentence_is_looked_at_from_its_end() -> None:
    page = opened(token="2", row="3")
    page.text_input(key="query_text").set_value("red green").run()
    assert not page.error
    assert page.session_state["query_token"] == page.session_state["query_row"] == LAST_TOKEN
    assert stage(page).labels("K")[0] == ["red", "green"]


def test_a_token_beyond_the_sentence_is_refused_and_said() -> None:
    page = opened(text="red green", token="5")
    assert any("Token '5' is not there; there are 2: choose 1 to 2" in w for w in warned(page))
    assert stage(page).labels("K")[0] == ["red", "green"]
    assert "query_token is 'ten'; it must be last" in warned(opened(token="ten"))[0]


def test_the_work_is_drawn_as_it_is_counted() -> None:
    without, with_cache = charts(opened(text="a b c d"))[0]["data"]
    assert (without["name"], with_cache["name"]) == ("without a cache", "with a cache")
    assert (without["y"], with_cache["y"]) == (writing_work(4).without, writing_work(4).with_cache)


@pytest.mark.parametrize("part", ["row", "corner", "grow", "recurrent", "bytes"])
def test_a_link_opens_its_part_and_only_that_one(part: str) -> None:
    page = opened(part=part)
    assert page.segmented_control(key="query_part").value == part
    assert len(stages(page)) == (1 if part == "bytes" else 2)
    assert dict(page.query_params) == ({} if part == "row" else {"query_part": part})


def test_the_chart_of_influence_is_the_stages_column() -> None:
    page = opened(part="recurrent", factor="0.7", weight="0.8")
    state = [float(t) for t in stages(page)[1].texts("state")[:, 0]]
    recurrent, attention = charts(page)[1]["data"]
    np.testing.assert_allclose(recurrent["y"][:8], state, atol=0.0051)
    np.testing.assert_allclose(attention["y"][1:], 0.8)


def test_what_is_said_to_differ_by_rounding_does() -> None:
    for token in ("1", "3", LAST_TOKEN):
        assert difference(writing_family(TEXT).run(query_token=token), TEXT) < 1e-12
