"""The page in its starting state and through its controls."""

from functools import partial
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from core.chapters.why_scale.variance import DIMENSIONS, sample
from tests.ui import support
from tests.ui.support import changed, charts, link_of, stage, untouched, values

opened = partial(support.opened, "why_scale")
CHARTS = ("spread", "row_weights", "variance", "grid", "saturation")


def specs(page: AppTest) -> dict[str, Any]:
    """What each chart shows."""
    return dict(zip(CHARTS, charts(page), strict=True))


def test_the_first_charts_show_the_draws() -> None:
    shown = specs(opened(scale_d="16", scale_draws="1000", scale_seed="7"))
    drawn = sample(1000, 7)
    _, _, plain, scaled = shown["variance"]["data"]
    np.testing.assert_allclose(values(plain["y"]), drawn.variances)
    np.testing.assert_allclose(values(scaled["y"]), drawn.scaled_variances)
    assert np.argmax(plain["marker"]["size"]) == DIMENSIONS.index(16)
    np.testing.assert_allclose(values(shown["spread"]["data"][0]["y"]).sum(), 1)
    cells = [float(t.replace("−", "-")) for row in shown["grid"]["data"][0]["text"] for t in row]
    np.testing.assert_allclose(cells, drawn.grid.ravel(), rtol=0, atol=0.005 + 1e-9)


def test_a_control_changes_its_exhibit_and_nothing_else() -> None:
    page = opened()
    before = specs(page)
    for control, moved in (
        ({"scale_d": 4}, {"spread", "variance"}),
        ({"scale_seed": 1}, {"spread", "variance", "grid"}),
        ({"scale_divisor": 64}, {"row_weights"}),
        ({"scale_row": 5}, {"row_weights", "saturation"}),
        ({"scale_d_k": "4"}, set()),
    ):
        after = specs(changed(page, **control))
        assert {name for name in before if before[name] != after[name]} == moved, control
        before = after


def test_the_divisor_flattens_the_row() -> None:
    page = opened()
    sharp, even = [], []
    for divisor in (1, 8, 64):
        undivided, divided = specs(changed(page, scale_divisor=divisor))["row_weights"]["data"]
        sharp.append(values(undivided["y"]).max())
        even.append(values(divided["y"]).max())
    assert len(set(sharp)) == 1
    assert sharp[0] == even[0] > even[1] > even[2] > 1 / 8


def test_the_stage_compares_the_same_sentence_with_the_scale_and_without() -> None:
    with_scale, without = (stage(page) for page in (untouched("why_scale"), opened(scale_on="off")))
    assert (with_scale.step, with_scale.selected) == ("weights", "weights.0.2.1")
    own, other, moved = (
        float(text[2, 1])
        for text in (with_scale.texts("weights"), without.texts("weights"), moves(with_scale))
    )
    assert abs(other + moved - own) < 0.011
    assert float(moves(without)[2, 1]) == -moved


def moves(shown: support.Told) -> np.ndarray:
    """The differences of the weights from the other run."""
    changes = shown.changes("weights")
    assert changes is not None
    return changes


def test_a_longer_head_is_moved_further() -> None:
    page = opened()
    moved = [float(stage(changed(page, scale_d_k=d_k)).compared.split()[-1]) for d_k in ("4", "64")]
    assert moved[0] < moved[1]


def test_what_is_changed_is_in_the_link_and_found_again() -> None:
    page = changed(opened(), scale_d=8, scale_divisor=4, scale_d_k="16")
    assert link_of(page) == {"scale_d": "8", "scale_divisor": "4", "scale_d_k": "16"}
    assert specs(opened(**link_of(page))) == specs(page)
