"""Many people at once on one process: from each one's change to the end of the script's run.

Every person is a browser session over WebSocket on loopback, speaking Streamlit's own messages,
and types another sentence about every three seconds. Bounded in count and time.
"""

import asyncio
import random
import time
from pathlib import Path

from benchmarks import APPS
from benchmarks.timing import Row
from benchmarks.visitor import visiting
from tools.browser import ROOT, serving

PAUSE = 3.0
SENTENCE = "Sentence"
"""What the field is called that everybody types into."""
BARE = APPS / "sentence.py"
CROWDS = {30: 4, 60: 8}
"""So many people, and how many times a page of three lines may take under the same load."""
LONGEST = 300.0
"""The milliseconds that the most people may wait, on a quiet machine."""
WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "saw",
    "ran",
    "on",
    "in",
    "one",
    "two",
    "red",
    "old",
    "mat",
    "hat",
    "sun",
]


def rows(quick: bool) -> list[Row]:
    found = []
    for people, most in CROWDS.items():
        ours, bare = (_p95(script, people, quick) for script in (ROOT / "app.py", BARE))
        what = f"{people} people, a change each {PAUSE:g} s: p95"
        found.append(Row(what, ours, "three-line page", bare, f"≤ {most}×", ours <= most * bare))
        if people == max(CROWDS):
            kept = ours <= LONGEST
            found.append(Row(f"{what}, by itself", ours, budget=f"≤ {LONGEST:g} ms", kept=kept))
    return found


def _p95(script: Path, people: int, quick: bool) -> float:
    with serving(script) as url:
        times = sorted(asyncio.run(_crowd(url, people, clicks=3 if quick else 15)))
    return times[int(0.95 * len(times))]


async def _crowd(url: str, people: int, clicks: int) -> list[float]:
    found = await asyncio.gather(*(_person(url, n, people, clicks) for n in range(people)))
    return [time for times in found for time in times]


async def _person(url: str, number: int, people: int, clicks: int) -> list[float]:
    draw = random.Random(number)
    await asyncio.sleep(number * PAUSE / people)
    times = []
    async with visiting(url) as visitor:
        for click in range(clicks):
            await asyncio.sleep(PAUSE * draw.uniform(0.8, 1.2))
            unheard = f"word{click}of{number}"
            start = time.perf_counter()
            answers = await visitor.type(SENTENCE, " ".join([*draw.choices(WORDS, k=5), unheard]))
            times.append(1000 * (time.perf_counter() - start))
            if not any(unheard.encode() in answer for answer in answers):
                raise RuntimeError(f"{url} did not answer with the sentence that was typed")
    return times
