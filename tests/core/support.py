"""What the tests of the core share: random runs of attention, every question, how a call ends."""

import math
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import jaxtyping
import numpy as np
import pytest
from hypothesis import strategies as st

from core import InputError, Trace, attention_program, toy_inputs
from core.attention.masks import KINDS, SIZES
from core.path import PATH
from core.questions.engine import Question, QuestionMaker
from tests.sampling import SEEDS


def random_run(
    seed: int,
    *,
    T: int = 5,
    d_model: int = 7,
    heads: int = 2,
    kv_heads: int = 2,
    d_k: int = 3,
    d_v: int = 2,
    size: float = 1.0,
    mask: str = "causal",
    **settings: Any,
) -> Trace:
    """Real-valued inputs of about `size`; a custom mask may have empty rows."""
    draw = np.random.default_rng(seed)
    spread = size * d_model**-0.5 if size == 1.0 else size
    inputs = {
        "X": size * draw.normal(size=(T, d_model)),
        "W_Q": spread * draw.normal(size=(heads, d_model, d_k)),
        "W_K": spread * draw.normal(size=(kv_heads, d_model, d_k)),
        "W_V": spread * draw.normal(size=(kv_heads, d_model, d_v)),
        "W_O": spread * draw.normal(size=(heads * d_v, d_model)),
    }
    if mask == "custom":
        inputs["mask"] = draw.random((T, T)) < 0.5
    return attention_program(heads=heads, kv_heads=kv_heads, mask=mask, **settings).run(inputs)


def toy_run(
    text: str = "the cat sat",
    heads: int = 2,
    kv_heads: int | None = None,
    *,
    d_model: int = 8,
    drawn: np.ndarray | None = None,
    pinned: Mapping[str, np.ndarray] | None = None,
    **settings: Any,
) -> Trace:
    """Attention on a sentence with toy inputs; `drawn` is a custom mask."""
    inputs = toy_inputs(text, heads=heads, kv_heads=kv_heads, d_model=d_model, mask=drawn)
    return attention_program(heads, kv_heads, **settings).run(inputs, pinned=pinned)


def refuses(said: str, act: Callable[..., object], *given: Any, **how: Any) -> InputError:
    """Assert that a call is refused, in words that a pattern is found in."""
    with pytest.raises(InputError, match=said or None) as caught:
        act(*given, **how)
    return caught.value


@st.composite
def cases(
    draw: st.DrawFn, *, longest: int = 64, widest: int = 64, sizes: tuple[float, ...] = (1.0,)
) -> dict[str, Any]:
    """What `random_run` takes: any toggles, any sizes up to the limits."""
    heads = draw(st.integers(1, 8))
    return {
        "seed": draw(st.integers(0, 2**32 - 1)),
        "T": draw(st.integers(1, longest)),
        "d_model": draw(st.integers(1, widest)),
        "heads": heads,
        "kv_heads": draw(st.sampled_from([g for g in range(1, heads + 1) if heads % g == 0])),
        "d_k": draw(st.integers(1, max(1, widest // heads))),
        "d_v": draw(st.integers(1, max(1, widest // heads))),
        "size": draw(st.sampled_from(sizes)),
        "mask": draw(st.sampled_from([*KINDS])),
        "scale": draw(st.sampled_from([True, False, 0.3])),
        **{key: draw(st.integers(1, 5)) for key in SIZES},
    }


CHAPTERS = tuple(sorted(PATH))
MAKERS = {maker.name: maker for name in CHAPTERS for maker in PATH[name].questions.values()}
"""Every maker of every chapter, by its name."""
every_maker = pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)


@cache
def asked(maker: QuestionMaker) -> list[Question]:
    """A question for each seed, once for all files; shapes are checked in the first hundred."""
    first = [maker(seed) for seed in SEEDS[:100]]
    jaxtyping.config.update("jaxtyping_disable", True)
    try:
        return first + [maker(seed) for seed in SEEDS[100:]]
    finally:
        jaxtyping.config.update("jaxtyping_disable", False)


_SPELT = (
    (r"\\sqrt\{([^{}]*)\}", r"√\1"), (r"d_\{\\text\{model\}\}", "d_model"),
    (r"\\(?:text|mathrm)\{([^{}]*)\}", r"\1"), (r" \\times 10\^\{(-?\d+)\}", r"e\1"),
    (r"\^\\top", "ᵀ"), (r" ?\\cdot ?", "·"), (r"\\times", "×"), (r"\\infty", "∞"),
    (r"\\approx", "≈"), (r"\\(ln|exp|max|sum|theta|le)\b", r"\1"), ("-", "−"),
)  # fmt: skip


def read(text: str) -> str:
    """What a question says, as a person reads it: without dollars, LaTeX, stars or backticks."""

    def spelt(part: re.Match[str]) -> str:
        latex = part[1]
        for pattern, put in _SPELT:
            latex = re.sub(pattern, put, latex)
        return latex

    text = re.sub(r"\$([^$]+)\$", spelt, text)
    return re.sub(r"[*`]([^*`]+)[*`]", r"\1", text)


def causal_weights(Q: np.ndarray, K: np.ndarray, *, divisor: float = 8) -> np.ndarray:
    """Softmax of the scores by plain loops, each query over the keys up to its own; √64 divides."""
    found = np.zeros((len(Q), len(K)))
    for i, q in enumerate(Q):
        scores = [sum(a * b for a, b in zip(q, k, strict=True)) / divisor for k in K[: i + 1]]
        powers = [math.exp(score - max(scores)) for score in scores]
        found[i, : i + 1] = [power / sum(powers) for power in powers]
    return found


def figure(text: str) -> float:
    """A number as a person reads it in a text."""
    return float(text.rstrip(".,;:").replace("−", "-").replace("∞", "inf"))
