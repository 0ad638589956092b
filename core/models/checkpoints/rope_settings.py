"""The rotary positions of a Llama-like model, from a folder's settings or from a GGUF file.

The frequencies of a model for longer texts are the usual ones, each divided by a number. A scaling
whose frequencies depend on the prompt, or that changes more than frequencies, is refused.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from core.errors import input_error
from core.models.checkpoints.config import Config, not_run_here, printable
from core.models.checkpoints.gguf_headers import GGUFHeader
from core.models.checkpoints.stored_tensor import check_tensor
from core.models.transformer.settings import (
    MOST_CONTEXT,
    Divisors,
    Rope,
    llama3_divisors,
    pair_frequencies,
)
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

ROPE_DIVISORS = "rope_freqs.weight"
"""GGUF's tensor of the divisors: one for each pair of features."""
_LENGTH = "original_max_position_embeddings"
_USUAL_BASE = 10_000.0


def rope_of_config(config: Config, d_head: int) -> Rope:
    """Return the rotary positions of a config.json. Raises `InputError` if they are not built here.

    Where a file says a setting twice, the one that counts is the one that counts in the library.
    """
    given = config.values.get("rope_scaling") or config.values.get("rope_parameters") or {}
    is_flat = isinstance(given, dict) and not any(isinstance(one, dict) for one in given.values())
    scaling = given.get("rope_type", given.get("type", "default")) if is_flat else given
    if not is_flat or not isinstance(scaling, str) or scaling not in _DIVISORS:
        values = {"given": printable(scaling), "known": ", ".join(_DIVISORS)}
        raise not_run_here("scaled_rope", file=config.file, **values)
    usual = {"rope_theta": "rope_theta", _LENGTH: "max_position_embeddings"}
    values = {name: config.values.get(outer) for name, outer in usual.items()} | given
    if config.values.get(_LENGTH) is not None:
        values[_LENGTH] = config.values[_LENGTH]
    within = Config(config.file, values)
    within.must_be(partial_rotary_factor=1.0)
    base = within.number("rope_theta", _USUAL_BASE)
    divisors = _DIVISORS[scaling](within, base, d_head)
    return Rope(pair_frequencies(base, d_head, divisors), halves=True)


def rope_of_gguf(config: Config, header: GGUFHeader, d_head: int, halves: bool) -> Rope:
    """Return the rotary positions of a GGUF file. Raises `InputError`, as for a folder.

    Unless the file says “none”, every frequency is divided by the factor, which is 1 if the file
    has none. Each is also divided by its number in `ROPE_DIVISORS`, if the file has that tensor.
    """
    config.must_be(**{"rope.scale_linear": 1.0, "rope.scaling.attn_factor": 1.0})
    scalings = {name: name for name in ("none", "linear")}
    scaling = config.one_of("rope.scaling.type", scalings, "linear")
    divisors: Divisors = 1.0
    if scaling == "linear":
        divisors = divisors * config.number("rope.scaling.factor", 1.0)
    if tensor := header.tensors.get(ROPE_DIVISORS):
        check_tensor(tensor, (d_head // 2,))
        of_pairs = tensor.numbers().astype(np.float64)
        if (least := of_pairs.min(initial=np.inf)) <= 0:
            raise input_error(TEXTS, "divisor", name=ROPE_DIVISORS, given=f"{least:g}")
        divisors = divisors * of_pairs
    base = config.number("rope.freq_base", _USUAL_BASE)
    return Rope(pair_frequencies(base, d_head, divisors), halves)


def _unscaled(config: Config, base: float, d_head: int) -> Divisors:
    return 1.0


def _linear(config: Config, base: float, d_head: int) -> Divisors:
    """Positions divided by the factor, which is the same."""
    return config.number("factor")


def _llama3(config: Config, base: float, d_head: int) -> Divisors:
    low = config.number("low_freq_factor")
    high = config.number("high_freq_factor", above=low)
    length = config.count(_LENGTH, MOST_CONTEXT)
    return llama3_divisors(base, d_head, config.number("factor"), low, high, length)


_DIVISORS: Mapping[str, Callable[[Config, float, int], Divisors]] = MappingProxyType(
    {"default": _unscaled, "linear": _linear, "llama3": _llama3}
)
"""The divisors by the names of scalings in a config.json."""
