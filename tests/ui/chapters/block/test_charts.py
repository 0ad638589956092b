"""The chart of many layers: its ticks and what is said of it follow the numbers."""

import re

import numpy as np
import pytest

from core.chapters.block.one_row import MATRICES, depths
from ui.chapters.block.charts import depth_figure
from ui.charts.framing import alt_of


@pytest.mark.parametrize("name", MATRICES)
def test_ticks_are_powers_of_ten_over_all_sizes(name: str) -> None:
    found = depths(MATRICES[name])
    axis = depth_figure(found.dropped, found.kept).layout.yaxis
    sizes = [*found.dropped, *found.kept]
    assert len(axis.tickvals) >= 3
    assert min(axis.tickvals) <= 100 * min(sizes)
    assert max(axis.tickvals) >= max(sizes) / 100
    for value, text in zip(axis.tickvals, axis.ticktext, strict=True):
        plain = re.sub("10<sup>(.+)</sup>", r"1e\1", text)
        assert float(plain.replace("−", "-").replace(",", "")) == pytest.approx(value)
        assert np.log10(value) % 2 == 0


def test_what_is_said_of_the_chart_follows_its_ends() -> None:
    for name, told in (("tenth", "falls to ≈ 0"), ("by_hand", "grows to 59049.00")):
        found = depths(MATRICES[name])
        assert alt_of(depth_figure(found.dropped, found.kept)).endswith(f"dropped, it {told}")
