"""What captured runs do not say of their models, each with its source: sizes, and rotation."""

from collections.abc import Mapping

from core.attention.configurations import Configuration

MODEL_FACTS: Mapping[str, Configuration] = {
    "SmolLM2-135M-Instruct (Q4_1)": Configuration(
        "SmolLM2-135M",
        "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
        layers=30,
        d_model=576,
        heads=9,
        kv_heads=3,
        d_head=64,
        context=8192,
        d_ff=1536,
        vocabulary=49152,
        matrices=3,
    )
}
"""By the model's name in `CapturedRun.model`.

The sizes are those of `config.json` at the source. The header of the GGUF file has the same.
"""
ROTATION_BASES: Mapping[str, int] = {"SmolLM2-135M-Instruct (Q4_1)": 100_000}
"""b of the angle position · b^(−2p/d_k) of pair p, by a model's name in its captures.

It is `llama.rope.freq_base` of the GGUF file, and `rope_theta` of the model's configuration. A
model that is not here does not rotate. Pairs are neighbours, as in GGUF.
"""
