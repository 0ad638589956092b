"""Thirty people ask for long work at once: each sees a place that only falls, and has a turn."""

import asyncio
import fcntl
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchmarks.waiting import PEOPLE, Waiter, waits
from tests.browser.conftest import ROOT, ColdServer
from tests.browser.test_class_of_sixty import Begin, begin
from tests.core.models.tiny_models import made_checkpoint, made_tokeniser

__all__ = ["begin"]


def crowd(url: str, page: str, button: str) -> tuple[list[Waiter], list[Coroutine[Any, Any, Any]]]:
    """Thirty people, and what they do. Every third leaves."""
    found, ready = [Waiter() for _ in range(PEOPLE)], asyncio.Barrier(PEOPLE)
    doing = [waits(one, url, page, button, ready, leaves=n % 3 == 2) for n, one in enumerate(found)]
    return found, doing


def each_had_a_turn(found: list[Waiter]) -> None:
    """Who stayed; and the place that each saw fell, or was the same, at every look."""
    assert not sum(one.silent_looks for one in found)
    assert [one.places for one in found if one.places != sorted(one.places, reverse=True)] == []
    assert all(one.had_a_turn for n, one in enumerate(found) if n % 3 != 2)
    assert {max(one.places) for one in found if one.places} >= {1, PEOPLE - 1}


@pytest.mark.deep
@pytest.mark.parametrize(
    ("page", "button"), [("words", "Train"), ("cost", "Measure on this server")]
)
def test_each_of_thirty_sees_a_place_that_falls_and_who_stays_has_a_turn(
    cold_server: ColdServer, begin: Begin, page: str, button: str
) -> None:
    found, doing = crowd(cold_server(ROOT), page, button)
    begin(*doing).result()
    each_had_a_turn(found)


@pytest.mark.deep
def test_each_of_thirty_who_run_a_model_has_a_turn(
    cold_server: ColdServer, begin: Begin, tmp_path: Path
) -> None:
    """No run goes on before those who leave have given up their places."""
    folder, gate = tmp_path / "models" / "gpt2", tmp_path / "gate"
    folder.mkdir(parents=True)
    made_checkpoint("gpt2", folder)
    made_tokeniser(folder)
    gate.touch()
    offered = {"ATTENTION_MODELS": str(folder.parent), "GATE": str(gate)}
    url = cold_server(ROOT, changed="gated", environment=offered)
    found, doing = crowd(url, "models", "Run")
    with gate.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = begin(*doing)
        while not waiting.done() and not places_are_given_up(found):
            with suppress(TimeoutError):
                waiting.result(0.1)
    waiting.result()
    each_had_a_turn(found)


def places_are_given_up(found: list[Waiter]) -> bool:
    """Whether those who wait and stay have the first places: all who leave have left."""
    wait = [one for n, one in enumerate(found) if n % 3 != 2 and not one.had_a_turn]
    return sorted(one.places[-1] for one in wait if one.places) == [*range(1, len(wait) + 1)]
