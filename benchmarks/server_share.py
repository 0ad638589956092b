"""The server's share of an interaction: how long the page's script runs.

Taken inside the process, around the function in which Streamlit runs a script, under its own
AppTest; a script of three lines is run in turns with it, to show what Streamlit itself takes.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from streamlit.testing.v1 import AppTest

from benchmarks.browser import APPS, ROOT
from benchmarks.timing import Row, alternating

TEXT = "one two three four five six seven eight nine ten eleven twelve"
LIMIT = 15.0
CHAPTER_LIMIT = 50.0


def rows(quick: bool) -> list[Row]:
    ours = AppTest.from_function(_exhibit)
    for key, value in {"text": TEXT, "heads": "4", "step": "weights"}.items():
        ours.query_params[key] = value
    bare = AppTest.from_file(str(APPS / "bare.py"))

    def toggle() -> None:
        now = ours.session_state["mask"]
        ours.session_state["mask"] = "none" if now == "causal" else "causal"
        ours.run()

    with _script_times() as times:

        def timed(act: Callable[[], object]) -> Callable[[], float]:
            def run() -> float:
                act()
                return times[-1]

            return run

        ours.run()
        assert not ours.exception, ours.exception
        actions = {"ours": timed(toggle), "bare": timed(lambda: bare.run())}
        found = alternating(actions, rounds=5 if quick else 20)
    what = "server's share of a toggle, T=12, d_model=8, H=4"
    return [Row(what, found["ours"], "three-line script", found["bare"], f"< {LIMIT:g} ms",
                found["ours"] < LIMIT)]  # fmt: skip


def chapters(quick: bool) -> list[Row]:
    """A rerun of each chapter's whole page, which no interaction exceeds."""
    pages = {
        path.stem: AppTest.from_file(str(path), default_timeout=60)
        for path in sorted((ROOT / "pages").glob("*.py"))
        if path.stem != "walkthrough"
    }
    with _script_times() as times:

        def rerun(page: AppTest) -> Callable[[], float]:
            def run() -> float:
                page.run()
                return times[-1]

            return run

        for page in pages.values():
            page.run()
            assert not page.exception, page.exception
        actions = {name: rerun(page) for name, page in pages.items()}
        found = alternating(actions, rounds=5 if quick else 20)
    return [
        Row(f"server's share of {name}, all of it", ms, "", None, f"< {CHAPTER_LIMIT:g} ms",
            ms < CHAPTER_LIMIT)
        for name, ms in found.items()
    ]  # fmt: skip


def _exhibit() -> None:
    """What a change of a control reruns: the fragment of controls, stage and "this number"."""
    from ui.walkthrough.walk import walkthrough

    walkthrough()


@contextmanager
def _script_times() -> Iterator[list[float]]:
    """The ms that each script takes from now on."""
    times: list[float] = []
    runner: Any = import_module("streamlit.runtime.scriptrunner.script_runner")
    run_script = runner.exec_func_with_error_handling

    def timed(*arguments: Any, **named: Any) -> Any:
        start = time.perf_counter()
        try:
            return run_script(*arguments, **named)
        finally:
            times.append(1000 * (time.perf_counter() - start))

    runner.exec_func_with_error_handling = timed
    try:
        yield times
    finally:
        runner.exec_func_with_error_handling = run_script
