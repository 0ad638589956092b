"""The chart of a measurement shows its medians and their spread."""

import numpy as np

from core.pytorch.measured import Length, Quartiles
from ui.charts.framing import alt_of
from ui.measuring import measured_figure

MS = 1e-3
LENGTHS = tuple(
    Length(
        T, 9, Quartiles(3 * t, 4 * t, 6 * t), Quartiles(t, 2 * t, 2 * t), Quartiles(t, t, 3 * t),
        Quartiles(1.9, 2.0, 3.0), Quartiles(3.0, 4.0, 5.0),
    )
    for T, t in ((64, 1 * MS), (128, 4 * MS))
)  # fmt: skip


def test_each_way_is_a_line_of_medians_with_its_quartiles_as_bars() -> None:
    naive, fused, full = measured_figure(LENGTHS, (64, 128, 256)).data
    assert naive.x == fused.x == full.x == (64, 128)
    np.testing.assert_allclose(naive.y, [4 * MS, 16 * MS])
    np.testing.assert_allclose(naive.error_y.array, [2 * MS, 8 * MS])
    np.testing.assert_allclose(naive.error_y.arrayminus, [1 * MS, 4 * MS])
    np.testing.assert_allclose(full.error_y.arrayminus, [0, 0])
    assert len({line.line.dash for line in (naive, fused, full)}) == 3
    assert naive.text[0] == "naive, T = 64: 4.00 ms<br>half of 9 rounds: 3.00 ms to 6.00 ms"


def test_both_axes_are_logarithmic_with_ticks_that_can_be_read() -> None:
    layout = measured_figure(LENGTHS, (64, 128, 256)).layout
    assert (layout.xaxis.type, layout.yaxis.type) == ("log", "log")
    assert layout.xaxis.ticktext == ("64", "128", "256")
    low, high = layout.xaxis.range
    assert 10**low < 64
    assert 10**high > 256
    ticks = dict(zip(layout.yaxis.tickvals, layout.yaxis.ticktext, strict=True))
    assert [ticks[s] for s in (1e-6, 1e-4, 1e-3, 0.1, 1.0)] == [
        "1 µs", "100 µs", "1 ms", "100 ms", "1 s",
    ]  # fmt: skip


def test_its_description_says_every_number() -> None:
    said = alt_of(measured_figure(LENGTHS, (64, 128))).replace("\u2060", "")
    assert "T = 64: naive 4.00 ms, fused 2.00 ms" in said
    assert "T = 128: naive 16.0 ms, fused 8.00 ms, fused with the mask as a matrix 4.00 ms" in said
    assert "naive over fused 2.0 (1.9–3.0)" in said
    assert "nothing is measured yet" in alt_of(measured_figure((), (64, 128)))
