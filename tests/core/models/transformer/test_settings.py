"""Frequencies of RoPE: those of the real library, in each region, and on the stage."""

import math
from pathlib import Path

import numpy as np
import pytest

from core.models.checkpoints.opening import open_checkpoint
from core.models.transformer.block_trace import attention_part_trace, block_trace
from core.models.transformer.head_trace import head_trace
from core.models.transformer.settings import Rope, llama3_divisors, pair_frequencies
from tests.by_torch import torch_steps
from tests.core.models.support import TOKENS, opened_model
from tests.core.models.tiny_models import IDS, LINEAR, made_checkpoint, near
from tests.core.program.test_explanations import check
from tests.core.support import refuses

SCALED = "llama, scaled as Llama 3.1"
OF_MODELS = {"llama 3.1": (500_000.0, 128, 8.0, 8_192), "llama 3.2": (500_000.0, 64, 32.0, 8_192)}


def by_wavelength(frequency: float, factor: float, low: float, high: float, length: int) -> float:
    """The rule by the length of a pair's wave: three cases."""
    wave = 2 * math.pi / frequency
    if wave < length / high:
        return frequency
    if wave > length / low:
        return frequency / factor
    part = (length / wave - low) / (high - low)
    return (1 - part) * frequency / factor + part * frequency


@pytest.mark.parametrize("name", OF_MODELS)
def test_the_frequencies_of_llama_3_by_its_rule_in_three_cases(name: str) -> None:
    base, d, factor, length = OF_MODELS[name]
    divisors = llama3_divisors(base, d, factor, 1.0, 4.0, length)
    found = pair_frequencies(base, d, divisors)
    for p in range(d // 2):
        expected = by_wavelength(base ** (-2 * p / d), factor, 1.0, 4.0, length)
        assert math.isclose(found[p], expected, rel_tol=1e-14)
    regions = [np.isclose(divisors, 1.0), np.isclose(divisors, factor)]
    assert [bool(region.any()) for region in (*regions, ~regions[0] & ~regions[1])] == [True] * 3
    assert (np.diff(divisors) >= 0).all()


@pytest.mark.parametrize(
    ("name", "kept", "between"), [("llama", 7, 0), ("llama, scaled evenly", 0, 0), (SCALED, 2, 2)]
)
def test_frequencies_are_the_librarys(tmp_path: Path, name: str, kept: int, between: int) -> None:
    theirs = made_checkpoint(name, tmp_path)
    settings = open_checkpoint(tmp_path).settings
    assert settings.rope is not None
    found, usual = np.array(settings.rope.frequencies), np.array(pair_frequencies(500.0, 14))
    near(found, theirs.model.rotary_emb.inv_freq.double().numpy(), 1e-15)
    divisors, factor = usual / found, float(LINEAR["factor"] if "evenly" in name else 8)
    assert np.isclose(divisors, 1).sum() == kept
    assert (~np.isclose(divisors, 1) & ~np.isclose(divisors, factor)).sum() == between


def test_on_the_stage_an_angle_is_the_position_times_the_true_frequency(tmp_path: Path) -> None:
    model, theirs = opened_model(SCALED, tmp_path)
    layer, frequencies = next(model.run(IDS)), theirs.model.rotary_emb.inv_freq.double().numpy()
    for trace in (
        head_trace(model, layer, 3, TOKENS),
        block_trace(model, layer, TOKENS),
        attention_part_trace(model, layer, 3, TOKENS),
    ):
        for i in range(len(IDS)):
            for k in range(14):
                angle = i * frequencies[k % 7]
                near(trace["angles"][i, k], -angle if k < 7 else angle, 1e-14)
        for k in range(14):
            check(trace, "angles", (6, k))
        for array, expected in torch_steps(trace).items():
            near(trace[array], expected, 1e-11)


@pytest.mark.parametrize("frequency", [-1e-9, 6.3, math.inf, math.nan])
def test_a_pair_that_turns_back_or_more_than_once_a_position_is_refused(frequency: float) -> None:
    Rope((1.0, 0.0), halves=True)
    refuses(r"pair 2 by .* radians.*a full turn", Rope, (1.0, frequency), halves=True)
