"""The check against PyTorch on the page: what is equal gets a tick, what is not says where."""

from functools import partial

import numpy as np
import pytest

from core.program.trace import Trace
from core.pytorch import reference
from tests.ui import support

opened = partial(support.opened, "walkthrough")


def test_a_difference_gets_a_cross_and_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = reference.torch_trace

    def wrong(trace: Trace) -> dict[str, np.ndarray]:
        arrays = {name: np.array(array) for name, array in honest(trace).items()}
        arrays["weights"][0, 2, 1] += 0.25
        return arrays

    monkeypatch.setattr(reference, "torch_trace", wrong)
    page = opened(text="the <b>cat</b> $sat$ *on*")
    page.button(key="torch_check").click().run()
    assert not [c.value for c in page.caption if "✓" in c.value]
    (said,) = [error.value for error in page.error]
    assert said.startswith("✗ differs from PyTorch")
    assert r"\<" in said
    assert "|Δ| 0.25" in said.replace("\\", "")


def test_rows_without_a_visible_key_are_spoken_of() -> None:
    page = opened(preset="P9b")
    page.button(key="torch_check").click().run()
    (said,) = [c.value.replace("\\", "") for c in page.caption if "✓" in c.value]
    assert "Row PAD sees no key: PyTorch's softmax gives NaN" in said
