"""Caches of the real TransformerLens: memory, a file of its arrays, and a file of ours.

`make test-models` collects it. TransformerLens is no requirement: `pip install transformer-lens`.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from core.models import open_recording, read_hook_cache, save_recording

IDS, LAYERS, HEADS = [[1, 2, 3, 4, 5, 6, 7]], 2, 4


@pytest.fixture(scope="module")
def cache() -> Any:
    """A random model's cache."""
    reason = "TransformerLens is not installed: pip install transformer-lens"
    bridges = pytest.importorskip("transformer_lens.model_bridge", reason=reason)
    configs = pytest.importorskip("transformer_lens.config", reason=reason)
    sizes = {"d_model": 20, "d_head": 5, "n_heads": HEADS, "n_layers": LAYERS, "d_mlp": 32}
    config = configs.TransformerBridgeConfig(**sizes, n_ctx=16, d_vocab=31, act_fn="gelu", seed=3)
    model = bridges.TransformerBridge.boot_native(config)
    with torch.inference_mode():
        return model.run_with_cache(torch.tensor(IDS))[1]


def check(recording: Any, cache: Any) -> None:
    """Every head is what the library says: queries, keys, values, pattern and context."""
    assert [call.name for call in recording.calls] == [f"blocks.{n}.attn" for n in range(LAYERS)]
    for layer in range(LAYERS):
        for head in range(HEADS):
            trace = recording.trace(layer, head)
            assert "scores" in trace.program.names  # it begins at Q, K and V
            for name, hook in (("Q", "q"), ("K", "k"), ("V", "v"), ("context", "z")):
                theirs = cache[f"blocks.{layer}.attn.hook_{hook}"][0, :, head]
                np.testing.assert_allclose(trace[name][0], theirs, rtol=0, atol=1e-6)
            theirs = cache[f"blocks.{layer}.attn.hook_pattern"][0, head]
            np.testing.assert_allclose(trace["weights"][0], theirs, rtol=0, atol=1e-6)


def test_a_cache_in_memory_is_the_librarys(cache: Any) -> None:
    check(read_hook_cache(cache), cache)


def test_a_cache_that_is_saved_as_the_docs_say_is_the_librarys(cache: Any, tmp_path: Path) -> None:
    save_recording(read_hook_cache(cache), str(tmp_path / "run.safetensors"))
    check(open_recording(tmp_path / "run.safetensors"), cache)


def test_arrays_of_a_cache_in_a_file_are_the_librarys(cache: Any, tmp_path: Path) -> None:
    """Some of its arrays share their memory, which the library that writes refuses."""
    path = tmp_path / "cache.safetensors"
    save_file({name: array.clone() for name, array in cache.items()}, path)
    check(open_recording(path), cache)
