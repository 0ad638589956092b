"""The server's part of an interaction: how long the page's script runs.

Taken inside the process, around the function in which Streamlit runs a script, under its own
AppTest; a script of three lines is run in turns with it, to show what Streamlit itself takes.
"""

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from typing import Any

from streamlit.testing.v1 import AppTest

from benchmarks import APPS
from benchmarks.timing import Row, alternating, clocked
from core.attention.family import SCALE_TOGGLE
from core.attention.setups import Setup
from stage.document.document import document
from stage.document.other_runs import alternatives
from tools.browser import ROOT
from ui.server.server_startup import collect_seldom

TEXT = "one two three four five six seven eight nine ten eleven twelve"
SHARE, CHAPTER, DOCUMENT = 20, 75, 10
"""At most so many times a script of three lines, run in turns with it."""
BARE = "three-line script"


def rows(quick: bool) -> list[Row]:
    collect_seldom()  # as the server does
    ours = AppTest.from_function(_exhibit)
    for key, value in {"text": TEXT, "heads": "4", "step": "weights"}.items():
        ours.query_params[key] = value
    bare = AppTest.from_file(str(APPS / "bare.py"))

    def toggle() -> None:
        now = ours.session_state["mask"]
        ours.session_state["mask"] = other = "none" if now == "causal" else "causal"
        ours.run()
        assert not ours.exception, ours.exception
        assert ours.query_params.get("mask", "causal") == other

    with _script_times() as times:

        def timed(act: Callable[[], object]) -> Callable[[], float]:
            def run() -> float:
                act()
                return times[-1]

            return run

        ours.run()
        assert not ours.exception, ours.exception
        unseen = (
            Setup(text=f"{TEXT.rsplit(' ', 1)[0]} {n}", heads=4, seed=n) for n in itertools.count(1)
        )
        latest: dict[str, Any] = {}

        def told_of_another() -> float:
            """The document of a sentence and a seed that nobody has seen."""
            made = next(unseen)
            _ = made.trace
            return clocked(lambda: latest.update(told=_told(made), of=made))()

        actions = {
            "ours": timed(toggle),
            "bare": timed(lambda: bare.run()),
            "document": told_of_another,
            "alternative": clocked(lambda: _beside(latest["told"], latest["of"])),
        }
        found = alternating(actions, rounds=5 if quick else 20)
    size = "T=12, d_model=8, H=4"
    three = found["bare"]
    return [
        _row(f"server's part of a toggle, {size}", found["ours"], three, SHARE),
        _row(f"the document of {size}", found["document"], three, DOCUMENT),
        Row(f"an alternative of {size}", found["alternative"], "the document", found["document"],
            "≤ 1×", found["alternative"] <= found["document"]),
    ]  # fmt: skip


def _told(made: Setup) -> dict[str, Any]:
    """The document of a setup's run, which is there."""
    return document(made.trace, ("scores", (0, 2, 1)), family=made.family, options=made.options)


def _beside(told: dict[str, Any], made: Setup) -> None:
    """What of one other run differs: here without the scale."""
    one = replace(made.family, toggles=(replace(SCALE_TOGGLE, options={"off": "off"}),))
    options = {SCALE_TOGGLE.key: "on"}
    found = alternatives(
        told, one, options, lambda now: document(made.family.run(**{**made.options, **now}),
        ("scores", (0, 2, 1)), family=made.family, options={**made.options, **now}),
    )  # fmt: skip
    assert len(found["documents"]) == 1


def _row(what: str, ours: float, bare: float, most: int) -> Row:
    return Row(what, ours, BARE, bare, f"≤ {most}×", ours <= most * bare)


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
        pages[BARE] = AppTest.from_file(str(APPS / "bare.py"))
        actions = {name: rerun(page) for name, page in pages.items()}
        found = alternating(actions, rounds=5 if quick else 20)
    bare = found.pop(BARE)
    return [_row(f"server's part of {n}, all of it", ms, bare, CHAPTER) for n, ms in found.items()]


def _exhibit() -> None:
    """What a change of a control reruns: the fragment of controls, stage and "this number"."""
    from ui.chapters.walkthrough.walkthrough_page import walkthrough

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
