"""The runs that are told ahead come in the order in which a person can reach them."""

from unittest.mock import patch

from core.attention.setups import Setup
from stage import alternatives as module
from stage.alternatives import alternatives
from stage.document import document


def told(setup: Setup, most: int) -> list[dict[str, str]]:
    """The choices of the documents that are told, in their order, where so many bytes may be."""
    family, options = setup.family, setup.options

    def made(chosen: object) -> dict[str, object]:
        run = family.run(**chosen)  # type: ignore[arg-type]
        return document(run, ("scores", (0, 0, 0)), family=family, options=chosen)  # type: ignore[arg-type]

    with patch.object(module, "MOST_BYTES", most):
        found = alternatives(made(options), family, options, made)
    return [one["rest"]["options"] for one in found["documents"]]


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
