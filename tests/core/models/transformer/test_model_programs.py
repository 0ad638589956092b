"""What is said of a head inside of a model: where its walk begins, and where it ends."""

from typing import Any

import numpy as np
import pytest

from core import explain
from core.attention.layers.biases import BIASES
from core.models.transformer import numpy_parts, settings
from core.models.transformer.model_programs import HALVES, NEIGHBOURS, NO_ROPE, head_program
from core.pytorch.reference import largest_difference
from tests.core.properties import real_inputs
from tests.sampling import DEEP

SIZES = {"i": 4, "j": 4, "m": 5, "k": 6, "v": 6, "c": 6, "o": 1}
ALL = [
    (causal, scaled, biases, rope, epsilon)
    for causal in (True, False)
    for scaled in (True, False)
    for biases in ((), BIASES[:3])
    for rope in (NO_ROPE, NEIGHBOURS, HALVES)
    for epsilon in (None, 1e-3)
]


@pytest.mark.parametrize("options", ALL if DEEP else ALL[::5])
def test_pytorch_agrees_with_every_kind_of_head(options: tuple[Any, ...]) -> None:
    program, rope = head_program(*options), options[3]
    arrays = real_inputs(program, SIZES)
    if rope != NO_ROPE:
        turning = settings.Rope(settings.pair_frequencies(500.0, SIZES["k"]), rope == HALVES)
        arrays["frequency"] = numpy_parts.feature_frequencies(turning)[None]
    found = largest_difference(program.run(arrays))
    assert found.equal, found


def test_the_walk_begins_at_what_the_layer_reads_and_ends_at_the_heads_part() -> None:
    program = head_program(rope=HALVES, biases=BIASES[:3])
    trace = program.run(real_inputs(program, SIZES))
    titles = [phase.title for phase in program.phases]
    assert titles[0] == "What the layer reads"
    assert titles[2:4] == ["Angles", "Turn Q and K"]
    assert titles[-1] == "The part of this head"
    assert "what this layer reads" in explain(trace, "X", (1, 2)).words
    assert "what this head adds" in explain(trace, "output", (1, 2)).words
    assert "part of the output" in explain(trace, "W_O", (1, 2)).words
    np.testing.assert_allclose(trace["output"], trace["context"][0] @ trace["W_O"])


def test_without_a_mask_or_a_scale_the_words_say_so() -> None:
    program = head_program(is_causal=False, is_scaled=False)
    said = {phase.names[-1]: phase for phase in program.phases}
    assert said["masked"].summary == "Nothing is hidden."
    assert said["scaled"].summary.startswith("Off")
    assert "trained" in said["scaled"].words
