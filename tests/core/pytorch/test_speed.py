"""The process that measures: what it tells, and that it ends whenever nobody wants it."""

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event, Thread
from time import monotonic
from typing import IO, Any

import pytest

from core.pytorch import speed
from tests.quotes import proves
from tests.sampling import ROOT

PATIENCE = 30
"""Seconds for what a busy machine may do late."""
ENDLESS = ("--lengths", "16", "--rounds", "1000000", "--budget", "1000")
Child = subprocess.Popen[bytes]
Begun = Callable[..., Child]


@pytest.fixture
def begun() -> Iterator[Begun]:
    """`begun(*arguments)`: the process, which a test ends by what it is about."""
    made: list[Child] = []

    def begin(*arguments: str) -> Child:
        command = [sys.executable, "-m", "core.pytorch.speed", *arguments]
        made.append(
            subprocess.Popen(
                command, cwd=ROOT, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        )
        return made[-1]

    yield begin
    for child in made:
        child.kill()
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            stream.close()
        child.wait()


def told(child: Child) -> Iterator[dict[str, Any]]:
    """Its lines as they come, each heard with a heartbeat.

    Until the first one heartbeats come by themselves, as a page's do: to load PyTorch can take
    longer than the process waits for one.
    """
    assert child.stdin is not None
    assert child.stdout is not None
    begins = Event()

    def beat(heart: IO[bytes]) -> None:
        with suppress(OSError, ValueError):  # it has ended
            while not begins.wait(0.3):
                heart.write(b".")

    Thread(target=beat, args=(child.stdin,), daemon=True).start()
    for line in child.stdout:
        begins.set()
        found = json.loads(line)
        assert isinstance(found, dict)
        yield found
        if child.poll() is None and found["kind"] != "end":
            child.stdin.write(b".")


def until_rounds(child: Child) -> None:
    """Wait until it measures, PyTorch loaded and all."""
    assert next(record for record in told(child) if record["kind"] == "round")


def test_it_tells_its_setup_then_for_each_t_that_results_are_equal_and_every_round(begun):
    child = begun("--lengths", "7", "29", "--rounds", "3", "--silence", "60")
    setup, *found = told(child)
    assert child.wait(PATIENCE) == 0
    assert setup["kind"] == "setup"
    assert setup["lengths"] == [7, 29]
    assert (setup["heads"], setup["d_k"], setup["seed"]) == (speed.HEADS, speed.D_K, speed.SEED)
    assert setup["threads"] == speed.threads()
    assert [(r["kind"], r.get("T")) for r in found] == [
        ("compared", 7), *[("round", 7)] * 3, ("compared", 29), *[("round", 29)] * 3, ("end", None),
    ]  # fmt: skip
    for record in found:
        if record["kind"] == "compared":
            assert record["equal"] is True
            assert record["largest"] < 1e-5
        if record["kind"] == "round":
            assert all(0 < record[way] < PATIENCE for way in ("naive", "fused", "full"))
    assert found[-1]["all"] is True


@proves("""
    Three ways to the same output | Naive: scores, mask, softmax and product, one after the other
""")
def test_a_future_token_changes_nothing_before_it_in_any_of_the_ways():
    import torch

    from core.pytorch.speed import ways

    made = [way() for way in ways(5, torch.Generator().manual_seed(1)).values()]
    assert len(made) == 3
    for output in made[1:]:
        torch.testing.assert_close(output, made[0])
    # The first query sees the first key alone, so it gets that value: the third draw's first row.
    drawn = torch.randn(3, 1, speed.HEADS, 5, speed.D_K, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(made[0][:, :, 0], drawn[2][:, :, 0])


@proves("""
    Fused: scaled_dot_product_attention(is_causal=True) of PyTorch | Fused, mask as a matrix: the
    same with attn_mask
""")
def test_of_the_fused_ways_one_is_told_causal_and_the_other_gets_the_mask(monkeypatch):
    import torch

    from core.pytorch.speed import ways

    told = []
    kernel = "torch.nn.functional.scaled_dot_product_attention"
    monkeypatch.setattr(kernel, lambda *_, **how: told.append([*how]))
    made = ways(5, torch.Generator())
    for name in ("fused", "full"):
        made[name]()
    assert told == [["is_causal"], ["attn_mask"]]


@pytest.mark.deep
def test_without_heartbeats_it_ends_itself_two_seconds_after_the_last(begun):
    child = begun(*ENDLESS)
    until_rounds(child)
    last = monotonic()
    child.stdin.write(b".")
    child.stdout.read()
    assert child.wait(PATIENCE) == speed.UNHEARD
    assert speed.SILENCE <= monotonic() - last < speed.SILENCE + 2


@pytest.mark.deep
def test_heartbeats_keep_it_for_longer_than_two_seconds(begun):
    child = begun(*ENDLESS[:4], "--budget", "2.5")
    until_rounds(child)
    start = monotonic()
    *_, last = told(child)
    assert last == {"kind": "end", "all": False}
    assert monotonic() - start > speed.SILENCE


@pytest.mark.deep
def test_it_ends_where_the_asking_side_is_gone(begun):
    child = begun(*ENDLESS, "--silence", "1000")
    until_rounds(child)
    child.stdin.close()
    assert child.stdout.read() is not None
    assert child.wait(PATIENCE) == speed.ORPHANED


def test_it_ends_when_the_asking_process_is_killed(tmp_path):
    """Nothing is closed in order there: the system closes what a dead process held."""
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    asking = f"""
import subprocess, sys
held = open({str(fifo)!r}, "wb")
child = subprocess.Popen(
    [sys.executable, "-m", "core.pytorch.speed", *{ENDLESS!r}, "--silence", "1000"],
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[held.fileno()])
held.close()
child.stdout.readline()
print("begun", flush=True)
child.wait()
"""
    command = [sys.executable, "-c", asking]
    with (
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as made,
        fifo.open("rb") as alive,  # the measuring process alone holds its other end
    ):
        assert made.stdout is not None
        assert made.stdout.readline() == b"begun\n"
        made.kill()
        assert alive.read() == b""
    assert made.returncode < 0


def test_at_its_budget_it_ends_after_the_round_under_way(monkeypatch, capsys):
    monkeypatch.setattr("torch.set_num_threads", lambda threads: None)  # this process has its own
    speed.measure([16, 64], 1_000_000, budget=0)
    kinds = [json.loads(line)["kind"] for line in capsys.readouterr().out.splitlines()]
    assert kinds == ["setup", "compared", "round", "end"]


@pytest.mark.deep
def test_at_its_limit_it_ends_inside_a_long_product_too():
    """Python does not come to its next line there: only a thread of its own can end it."""
    code = """
import torch
from core.pytorch.speed import end_when_unwanted
large = torch.ones(6000, 6000)
torch.set_num_threads(1)
end_when_unwanted(limit=0.2, silence=1000)
print("begun", flush=True)
for _ in range(100):
    large @ large
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"begun\n"
        start = monotonic()
        assert child.wait(PATIENCE) == speed.OVERDUE
        assert monotonic() - start < 2


@pytest.mark.deep
def test_heartbeats_do_not_carry_it_over_its_limit(begun):
    child = begun(*ENDLESS, "--limit", "4")
    deque(told(child), maxlen=0)  # on a busy machine PyTorch may not have loaded by then
    assert child.wait(PATIENCE) == speed.OVERDUE


def test_half_of_the_processors_are_left_to_the_server():
    assert 1 <= speed.threads() <= max(1, speed.processors() // 2)
    assert speed.threads() <= speed.MOST_THREADS


@pytest.mark.deep
def test_it_steps_back_behind_the_server(begun):
    child = begun(*ENDLESS)
    until_rounds(child)
    assert os.getpriority(os.PRIO_PROCESS, child.pid) >= min(19, os.getpriority(0, 0) + 10)
