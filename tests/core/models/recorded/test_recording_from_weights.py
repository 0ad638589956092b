"""A run that begins at the weights says why, and its reason is what the numbers show."""

import re
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import torch
import transformers
from torch import nn

from core import Trace, explain
from core.models import Recording, capture
from tests.core.models.tiny_models import with_normal_weights

SIZES = {
    "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 4, "vocab_size": 20, "pad_token_id": 0,
    "attn_implementation": "eager",
}  # fmt: skip
IDS = torch.tensor([[1, 2, 3, 4, 5]])


def recorded(model: nn.Module, path: Path | None = None) -> Recording:
    with torch.no_grad(), capture(path) as found:
        with_normal_weights(model)(IDS)
    return found


def with_sinks(path: Path | None = None) -> Recording:
    """A learned number for each head that softmax counts next to the scores."""
    config = transformers.GptOssConfig(**SIZES, num_local_experts=2, num_experts_per_tok=1)
    return recorded(transformers.GptOssForCausalLM(config), path)


def with_cap() -> Recording:
    config = transformers.Gemma2Config(**SIZES, attn_logit_softcapping=0.5)
    return recorded(transformers.Gemma2ForCausalLM(config))


def plain() -> Recording:
    return recorded(transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES)))


def heads_of(found: Recording) -> list[tuple[Trace, str]]:
    """The run of each head, and why it begins where it does."""
    return [found.trace_and_reason(0, head) for head in range(4)]


def test_a_learned_sink_takes_what_the_rows_lack() -> None:
    for trace, reason in heads_of(with_sinks()):
        totals = trace["weights"][0].sum(axis=1)
        assert trace.program.names[0] == "weights"
        assert totals.max() < 0.99
        assert "such as a learned sink" in reason
        said = re.search(r"The rows add up to (\S+) to (\S+), not to 1", reason)
        assert said
        least, most = map(float, said.groups())
        assert (least, most) == pytest.approx((totals.min(), totals.max()), abs=6e-3)


def test_a_cap_changes_scores_and_leaves_rows_of_1() -> None:
    for trace, reason in heads_of(with_cap()):
        assert trace.program.names[0] == "weights"
        np.testing.assert_allclose(trace["weights"].sum(axis=-1), 1, atol=1e-5)
        assert "The rows add up to 1" in reason
        assert "such as a cap" in reason


def test_a_run_from_queries_keys_and_values_needs_no_reason() -> None:
    for trace, reason in heads_of(plain()):
        assert (trace.program.names[0], reason) == ("Q", "")


def test_weights_that_were_changed_after_softmax_say_so() -> None:
    found = plain()
    arrays = cast(dict[str, np.ndarray], found.calls[0].arrays)
    arrays["weights"] = np.minimum(1, 1.5 * arrays["weights"])
    assert "the weights were changed after softmax" in found.trace_and_reason(0, 0)[1]


def test_numbers_that_no_run_can_have_are_named() -> None:
    found = plain()
    arrays = cast(dict[str, np.ndarray], found.calls[0].arrays)
    arrays["Q"] = np.float32(1e30) * arrays["Q"]
    trace, reason = found.trace_and_reason(0, 0)
    assert trace.program.names[0] == "weights"
    assert reason.startswith("The run begins at the weights, because it cannot begin at the")


def test_each_cell_of_a_row_that_lacks_weight_says_where_the_rest_is() -> None:
    """And none of a row that adds up to 1."""
    for made, lacks in ((with_sinks(), True), (with_cap(), False)):
        trace = made.trace(0, 1)
        for i, row in enumerate(trace["weights"][0]):
            words = explain(trace, "weights", (0, i, 0)).words
            assert f"add up to {row.sum():.2f}." in words
            tells_the_rest = "The rest of 1 is on no key that is shown" in words
            assert tells_the_rest == lacks == (row.sum() < 0.995)
