"""Naive against fused attention, timed on this machine: `python -m core.pytorch.speed`.

A process of its own, so that whoever serves pages goes on serving them. What it finds goes to
standard output as it comes, one JSON object a line (`core.pytorch.measured` reads them). It lives
only while somebody wants it: a byte on its standard input is a heartbeat, and it ends when none
comes for `SILENCE` seconds, at the end of that input (who asked is gone), and in any case after
`TIME_LIMIT` seconds. So nothing is left behind, however the asking side ends.

Q, K and V are (1, `HEADS`, T, `D_K`) in float32. At the longest T the naive form holds two matrices
of `HEADS`·T·T numbers at a time: 2 · 128 MiB at T = 2,048.
"""

import argparse
import json
import math
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic, perf_counter
from typing import Any

HEADS, D_K = 8, 64
MEASURED_LENGTHS = (64, 128, 256, 512, 1024, 2048)
ROUNDS = 9
SEED = 0
BUDGET = 20.0
"""Seconds for measuring; past them it ends after the round under way."""
TIME_LIMIT = 30.0
"""Seconds after which it ends wherever it is, inside a product too."""
SILENCE = 2.0
"""Seconds without a heartbeat after which nobody is there."""
LATE = 0.1
"""For a heartbeat that came in time, while Python was held up and could not take it."""
LEAST = 0.01
"""Seconds that one timing of the naive form takes at least: a short call is repeated."""
MOST_THREADS = 4
TOLERANCE = 1e-5
"""Results of float32 are equal up to this, absolutely and relatively."""

UNHEARD, ORPHANED, OVERDUE = 41, 42, 43
"""How the process exits when it ends itself: no heartbeat, end of input, its limit."""


def naive(Q: Any, K: Any, V: Any, hidden: Any) -> Any:
    """softmax(QKᵀ/√d_k, hidden keys at −∞) V, step by step: each matrix is written to memory."""
    import torch

    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    masked = scores.masked_fill(hidden, -math.inf)
    del scores  # as soon as a plain implementation would be done with it
    return torch.softmax(masked, dim=-1) @ V


def ways(length: int, generator: Any) -> dict[str, Callable[[], Any]]:
    """Three ways to one result for a drawn Q, K and V.

    `fused` knows of the causal mask and skips blocks of hidden pairs; `full` is the same kernel
    with the mask as a matrix, so that it multiplies for every pair, as `naive` does.
    """
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    Q, K, V = torch.randn(3, 1, HEADS, length, D_K, generator=generator)
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
    bias = torch.zeros(length, length).masked_fill(hidden, -math.inf)
    return {
        "naive": lambda: naive(Q, K, V, hidden),
        "fused": lambda: scaled_dot_product_attention(Q, K, V, is_causal=True),
        "full": lambda: scaled_dot_product_attention(Q, K, V, attn_mask=bias),
    }


def measure(lengths: Sequence[int], rounds: int, budget: float) -> None:
    """Tell the times of all ways, T after T, in turns: what disturbs the machine meets each."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    torch.set_num_threads(threads())
    generator = torch.Generator().manual_seed(SEED)
    tell(
        "setup", lengths=list(lengths), rounds=rounds, heads=HEADS, d_k=D_K, seed=SEED,
        threads=torch.get_num_threads(), processors=processors(), torch=torch.__version__,
    )  # fmt: skip
    end = monotonic() + budget
    # Where this kernel cannot run, that is an error, and no slower one is measured in its name.
    with torch.inference_mode(), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        for length in lengths:
            made = ways(length, generator)
            expected, *others = (way() for way in made.values())  # and so all are warm
            near = (torch.allclose(o, expected, rtol=TOLERANCE, atol=TOLERANCE) for o in others)
            largest = max(float((other - expected).abs().max()) for other in others)
            tell("compared", T=length, equal=all(near), largest=largest)
            repeats = math.ceil(LEAST / seconds(made["naive"], 1))
            for _ in range(rounds):
                tell("round", T=length, **{n: seconds(way, repeats) for n, way in made.items()})
                if monotonic() > end:
                    return tell("end", all=False)
    tell("end", all=True)


def seconds(way: Callable[[], Any], repeats: int) -> float:
    """What one call takes, over so many."""
    start = perf_counter()
    for _ in range(repeats):
        way()
    return (perf_counter() - start) / repeats


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads() -> int:
    """Half of the processors, and no more than a few: the others go on serving pages."""
    return max(1, min(MOST_THREADS, processors() // 2))


def tell(kind: str, **found: Any) -> None:
    print(json.dumps({"kind": kind, **found}), flush=True)


def end_when_unwanted(limit: float, silence: float) -> None:
    """End this process when nobody wants it any more, whatever it computes.

    PyTorch lets other threads run while it computes, so a thread can. No cleaning up: there is
    nothing but memory to give back.
    """
    beats: SimpleQueue[bytes] = SimpleQueue()

    def listen() -> None:
        while beat := os.read(sys.stdin.fileno(), 64):
            beats.put(beat)
        os._exit(ORPHANED)

    def heard(within: float) -> bool:
        try:
            return bool(beats.get(timeout=within))
        except Empty:
            return False

    def judge() -> None:
        end = monotonic() + limit
        while (left := end - monotonic()) > 0:
            if not heard(min(silence, left)) and not heard(LATE):
                break
        os._exit(UNHEARD if monotonic() < end else OVERDUE)

    for task in (listen, judge):
        Thread(target=task, daemon=True).start()


def step_back() -> None:
    """Let everything else go first, and be the first to go where memory ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, and that ends this
    with suppress(AttributeError, OSError):
        os.nice(10)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m core.pytorch.speed", description=__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=MEASURED_LENGTHS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--budget", type=float, default=BUDGET)
    parser.add_argument("--limit", type=float, default=TIME_LIMIT)
    parser.add_argument("--silence", type=float, default=SILENCE)
    options = parser.parse_args(arguments)
    end_when_unwanted(options.limit, options.silence)
    step_back()
    measure(options.lengths, options.rounds, options.budget)


if __name__ == "__main__":
    main()
