"""Each step that says it does it, in every program."""

from importlib import import_module
from pathlib import Path

import pytest

from tests.facts.steps import STEPS, Check, places

for file in sorted(Path(__file__).parent.glob("test_steps_of_*.py")):
    import_module(f"tests.facts.{file.stem}")


@pytest.mark.parametrize("check", dict.fromkeys(STEPS.values()), ids=lambda check: check.__name__)
def test_what_a_step_says_is_so_wherever_it_is_said(check: Check) -> None:
    tried = set()
    for quote in (quote for quote, proof in STEPS.items() if proof is check):
        found = [*places(quote)]
        assert found, f"no step says {quote!r}"
        for one in found:
            where = f"{quote!r}, {one.phase.title} of {one.run}"
            if (one.run, one.phase.title, *one.values.values()) in tried:
                continue
            tried.add((one.run, one.phase.title, *one.values.values()))
            try:
                check(one)
            except AssertionError as failed:
                raise AssertionError(f"{where}: {failed}") from failed
