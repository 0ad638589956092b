"""Thirty people ask for long work at once: each sees a place that only falls, and has a turn."""

import asyncio

import pytest

from benchmarks.waiting import PEOPLE, waits
from tests.browser.conftest import ROOT, ColdServer
from tests.browser.test_class_of_sixty import Begin, begin

__all__ = ["begin"]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("page", "button"), [("words", "Train"), ("cost", "Measure on this server")]
)
def test_each_of_thirty_sees_a_place_that_falls_and_who_stays_has_a_turn(
    cold_server: ColdServer, begin: Begin, page: str, button: str
) -> None:
    url, ready = cold_server(ROOT), asyncio.Barrier(PEOPLE)
    found = begin(*(waits(url, page, button, n, ready) for n in range(PEOPLE))).result()
    assert not sum(one.silent_looks for one in found)
    assert [one.places for one in found if one.places != sorted(one.places, reverse=True)] == []
    assert all(one.had_a_turn for n, one in enumerate(found) if n % 3 != 2)
