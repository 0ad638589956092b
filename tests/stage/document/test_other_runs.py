"""The runs that are told ahead come in the order in which a person can reach them."""

from functools import partial
from typing import Any
from unittest.mock import patch

import pytest

from core.attention.mistakes.hand_mistakes import KNOWN_MISTAKES
from core.attention.setups import Setup
from core.chapters.other_kinds.scores import scored_family
from core.program.families import Family, Options
from core.program.numbers.display import shown_texts
from stage.document import other_runs as module
from stage.document.document import document
from stage.document.other_runs import alternatives, mistaken
from tests.registry import REGISTRY
from tests.sampling import some


def told(setup: Setup, most: int) -> list[dict[str, str]]:
    """The choices of the documents that are told, in their order, where so many bytes may be."""
    family, options = setup.family, setup.options
    with patch.object(module, "MOST_BYTES", most):
        found = alternatives(made(family, options), family, options, partial(made, family))
    return [one["rest"]["options"] for one in found["documents"]]


def made(family: Family, chosen: Options) -> dict[str, Any]:
    return document(family.run(**chosen), ("X", (0, 0)), family=family, options=chosen)


def test_what_one_toggle_leads_to_is_told_before_what_takes_two() -> None:
    setup = Setup()
    every = told(setup, 10**9)
    apart = [sum(one[key] != setup.options[key] for key in one) for one in every]
    assert apart == sorted(apart)
    assert apart.count(1) >= 8
    assert 2 in apart
    assert setup.options not in every


def test_where_not_all_may_be_told_it_is_the_nearest_that_are() -> None:
    setup = Setup()
    every, few = told(setup, 10**9), told(setup, 40_000)
    assert 0 < len(few) < len(every)
    assert few == every[: len(few)]
    for one in few:
        assert sum(one[key] != setup.options[key] for key in one) == 1


def test_what_the_page_draws_for_several_stages_is_no_toggle_of_one() -> None:
    family = scored_family("a b c")
    whole = made(family, family.defaults)
    assert [toggle["key"] for toggle in whole["toggles"]] == ["kinds_score"]
    ahead = alternatives(whole, family, family.defaults, partial(made, family))["documents"]
    (other,) = (one["rest"]["options"] for one in ahead)
    assert other == {**family.defaults, "kinds_score": "dot"}


@pytest.mark.parametrize("name", some(list(REGISTRY), 8, 1))
def test_every_mistake_fits_a_program_or_is_left_out(name: str) -> None:
    trace = REGISTRY[name].run()
    for found in mistaken(trace, KNOWN_MISTAKES):
        assert found["why"]
        assert found["arrays"]
        for array, texts in found["arrays"].items():
            assert len(texts.split(" ")) == len(shown_texts(trace, array))
            assert array in trace.steps


def test_the_walkthrough_s_own_mistakes_are_found() -> None:
    names = {found["name"] for found in mistaken(REGISTRY["attention"].run(), KNOWN_MISTAKES)}
    assert {"Q and K are swapped", "the divisor is √d_model"} <= names
