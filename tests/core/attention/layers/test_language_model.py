"""The tiny model beside the same model in PyTorch, and writing with a cache beside without one."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import Inputs, Trace
from core.attention.layers import language_model
from core.program.labels import axis_labels
from tests.core.properties import real_inputs
from tests.pytorch_block import encoder_layer
from tests.sampling import examples

VOCABULARY = ("the", "cat", "sat", "on", "mat")
SIZES = {"l": 5, "m": 6, "c": 6, "f": 7, "o": 1, "i": 8, "j": 8}


def inputs_of(tokens: list[str], layers: int, heads: int, seed: int) -> Inputs:
    """Real numbers everywhere, on these tokens."""
    T = len(tokens)
    width = 6 // heads
    program = language_model.model_program(layers, heads)
    arrays = real_inputs(program, SIZES | {"k": width, "v": width}, seed=seed)
    arrays |= {"one_hot": language_model.one_hot(tokens, VOCABULARY), "P": arrays["P"][:T]}
    return Inputs(arrays, tuple(tokens), {language_model.MODEL_WORDS: VOCABULARY})


class Model(torch.nn.Module):
    """GPT-2 in small, of PyTorch's own modules."""

    def __init__(self, arrays: dict[str, np.ndarray], layers: int) -> None:
        super().__init__()
        words, d_model = arrays["E"].shape
        self.words = torch.nn.Embedding.from_pretrained(torch.from_numpy(arrays["E"]))
        self.places = torch.nn.Embedding.from_pretrained(torch.from_numpy(arrays["P"]))
        self.layers = torch.nn.ModuleList(
            encoder_layer(language_model.KIND, arrays, layer) for layer in range(1, layers + 1)
        )
        self.norm = torch.nn.LayerNorm(d_model, dtype=torch.float64)
        self.unembedding = torch.nn.Linear(d_model, words, bias=False, dtype=torch.float64)
        with torch.no_grad():
            self.norm.weight.copy_(torch.from_numpy(arrays[f"g_{language_model.FINAL}"]))
            self.norm.bias.copy_(torch.from_numpy(arrays[f"b_{language_model.FINAL}"]))
            self.unembedding.weight.copy_(torch.from_numpy(arrays["W_U"]).T)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        T = ids.shape[-1]
        rows = self.words(ids) + self.places(torch.arange(T))
        hidden = ~torch.ones(T, T).tril().bool()
        for layer in self.layers:
            rows = layer(rows, src_mask=hidden)
        return self.unembedding(self.norm(rows))


@given(
    st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8), st.integers(1, 2),
    st.sampled_from([1, 2]), st.integers(0, 999),
)  # fmt: skip
@examples(12)
def test_it_is_the_model_in_pytorch(tokens: list[str], layers: int, heads: int, seed: int) -> None:
    inputs = inputs_of(tokens, layers, heads, seed)
    trace = language_model.model_program(layers, heads).run(inputs)
    ids = torch.tensor([[VOCABULARY.index(token) for token in tokens]])
    with torch.no_grad():
        logits = Model({name: np.array(a) for name, a in inputs.items()}, layers)(ids)[0]
    np.testing.assert_allclose(trace["logits"], logits, rtol=0, atol=1e-12)
    np.testing.assert_allclose(trace["probs"], torch.softmax(logits, -1), rtol=0, atol=1e-12)
    np.testing.assert_allclose(trace["probs"].sum(1), 1)


@given(
    st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3),
    st.integers(1, 2),
    st.integers(0, 999),
)
@examples(12)
def test_writing_with_a_cache_is_as_without(tokens: list[str], layers: int, seed: int) -> None:
    """Each step keeps what the steps before have kept, and its own rows."""
    cached: Trace | None = None
    for _ in range(5):
        inputs = inputs_of(tokens, layers, 2, seed)
        whole = language_model.model_program(layers, 2).run(inputs)
        if cached is None:
            cached = whole
        else:
            program = language_model.model_program(layers, 2, kept=len(tokens) - 1)
            cached = program.run(language_model.cached_inputs(inputs, cached))
            for name in ("X", "H_1", "N", "logits", "probs"):
                np.testing.assert_allclose(cached[name][-1], whole[name][-1], rtol=0, atol=1e-12)
            for name in ("K_1", "V_1"):
                np.testing.assert_allclose(cached[name], whole[name], rtol=0, atol=1e-12)
            assert cached["X"].shape[0] == 1
            assert language_model.likeliest(cached) == language_model.likeliest(whole)
        tokens = [*tokens, language_model.likeliest(cached)]


def test_words_and_tokens_name_the_rows_and_columns() -> None:
    inputs = inputs_of(["the", "cat", "the"], 1, 1, 0)
    trace = language_model.model_program(1).run(inputs)
    assert axis_labels(trace, "probs") == [["the\u2081", "cat", "the\u2082"], list(VOCABULARY)]
    assert axis_labels(trace, "E")[0] == list(VOCABULARY)
    assert list(language_model.probabilities(trace)) == list(VOCABULARY)
    before = language_model.model_program(1).run(inputs_of(["the", "cat"], 1, 1, 0))
    kept = language_model.cached_inputs(inputs, before)
    cached = language_model.model_program(1, kept=2).run(kept)
    assert axis_labels(cached, "probs")[0] == ["the\u2082"]
    assert axis_labels(cached, "K_kept_1")[1] == ["the\u2081", "cat"]
    queries, keys = axis_labels(cached, "weights_1")[1:]
    assert (queries, keys) == (["the\u2082"], ["the\u2081", "cat", "the\u2082"])
