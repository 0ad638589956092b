"""By which base the models of the captures rotate queries and keys: RoPE (Su et al. 2021)."""

from collections.abc import Mapping
from types import MappingProxyType

ROTATION_BASES: Mapping[str, int] = MappingProxyType({"SmolLM2-135M-Instruct (Q4_1)": 100_000})
"""b of the angle position · b^(−2p/d_k) of pair p, by a model's name in its captures.

It is `llama.rope.freq_base` of the GGUF file, and `rope_theta` of the model's configuration. A
model that is not here does not rotate. Pairs are neighbours, as in GGUF.
"""
