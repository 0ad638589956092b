"""A whole layer of a real model as a program, from the rows that come in to the rows that leave.

GPT-2 and Llama, with x the rows that come in: Z = x + attention(norm(x)), H = Z + net(norm(Z)).
BERT: Z = norm(x + attention(x)), H = norm(Z + net(Z)). Attention is the core's own program with all
heads; norms and the feed-forward net are those of the block chapter. The arrays of the first norm
end in 1, those of the second in 2.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache

from core.attention.description_helpers import token_feature
from core.attention.layers.biases import BIASES, biased_phase
from core.attention.layers.block import LAYER_AXES
from core.attention.layers.feed_forward import (
    MODEL_UNITS,
    feed_forward,
    feed_forward_inputs,
    feed_forward_phases,
)
from core.attention.layers.head_norms import with_head_norms
from core.attention.layers.rotation import with_rotation
from core.attention.layers.row_norms import (
    layer_norm,
    norm_inputs,
    norm_phase,
    rms_inputs,
    rms_norm,
    rms_phase,
)
from core.attention.layers.sublayers import opened_attention, residual, residual_phase
from core.attention.masks import UPPER_LEFT, rule_of
from core.attention.program import cached_program
from core.models.transformer.head_program import told_phase
from core.models.transformer.settings import ModelSettings
from core.operations.sums import add
from core.program.described import meaning, phase
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.texts import core_texts

TEXTS = core_texts("model_block")


@dataclass(frozen=True)
class _Half:
    """One half of a layer, attention or the net: what it is given, its steps and its phases."""

    inputs: Collection[Input]
    steps: Collection[Step]
    phases: Collection[Phase]


@lru_cache(maxsize=64)
def model_block_program(
    settings: ModelSettings, mask: bool = True, scale: bool = True, others: bool = False
) -> Program:
    """entering (X if norms come after) and the parts of a layer → H, the rows that leave it.

    Without `mask` or `scale` attention has none, as a person asks. With `others` the net has some
    of its units, and what the others add is given.
    """
    entering, opening, first = _entering(settings)
    halves = (_attention(settings, mask, scale, first), _net(settings, others))
    return _program(settings, entering, opening, halves)


@lru_cache(maxsize=64)
def attention_part_program(
    settings: ModelSettings, mask: bool = True, scale: bool = True
) -> Program:
    """The first half of a layer with one of its heads: what the others add is given.

    entering (X if norms come after) and the parts of the head → Z, the rows after attention.
    """
    one = replace(settings, n_heads=1, n_kv_heads=1)
    given, opening, first = _entering(settings)
    return _program(one, given, opening, (_attention(one, mask, scale, first, others=True),))


@lru_cache(maxsize=64)
def feed_forward_program(settings: ModelSettings, others: bool = False) -> Program:
    """Z, the rows after attention, and the parts of the net → H, the rows that leave the layer."""
    between = Input("Z", "i m", meaning(TEXTS, "between", "i m", token="i", feature="m"))
    opening = phase(TEXTS, "between", ("Z",))
    return _program(settings, between, opening, (_net(settings, others),))


def _entering(settings: ModelSettings) -> tuple[Input, Phase, str]:
    """The rows that come into a layer, their phase and their name."""
    first = "X" if settings.is_post_norm else "entering"
    given = Input(first, "i m", meaning(TEXTS, "entering", "i m", token="i", feature="m"))
    return given, phase(TEXTS, "entering", (first,)), first


def _program(
    settings: ModelSettings, given: Input, opening: Phase, halves: Collection[_Half]
) -> Program:
    return Program(
        (given, *(one for half in halves for one in half.inputs)),
        tuple(step for half in halves for step in half.steps),
        (opening, *(one for half in halves for one in half.phases)),
        {"h": settings.n_heads, "g": settings.n_kv_heads, "o": 1},
        LAYER_AXES,
    )


def _attention(
    settings: ModelSettings, mask: bool, scale: bool, first: str, others: bool = False
) -> _Half:
    is_causal = settings.is_causal and mask
    rule = rule_of("causal" if is_causal else "none", {}, UPPER_LEFT)
    biases = tuple(name for name in BIASES if name in settings.biases)
    heads = cached_program(settings.n_heads, settings.n_kv_heads, rule, scale, biases)
    if settings.has_head_norms:
        heads = with_head_norms(heads, settings.eps)
    if settings.rope:
        heads = with_rotation(heads, settings.rope.halves)
    mixed = replace(
        heads.step["output"], name="attn", meaning=token_feature("attention_result", "i m")
    )
    stops = [told_phase(one, is_causal, scale) for one in heads.phases[1:-1]]
    opened = opened_attention(_itself, stops)
    *inner, mixing = opened.phases
    if "b_O" in biases:
        mixing = biased_phase(mixing, ["attn"])
    given = [one for one in heads.inputs if one.name != "X"]
    sum_of_both = "added" if settings.is_post_norm else "Z"
    made, steps, phases = "attn", list[Step](), [replace(opened, phases=(*inner, mixing))]
    if others:
        made = "all_heads"
        unseen, every = (
            meaning(TEXTS, id, "i m", token="i", feature="m") for id in ("other_heads", made)
        )
        given.append(Input("other_heads", "i m", unseen))
        steps.append(Step(made, add("i m, i m -> i m"), ("attn", "other_heads"), every))
        phases.append(phase(TEXTS, "other_heads", (made,), defines=True))
    added = residual(sum_of_both, first, made, "added_attention")
    return _normed(
        settings, "1", "added" if settings.is_post_norm else "entering",
        "Z" if settings.is_post_norm else "X",
        _Half(
            given,
            [*heads.replaced("output", mixed).steps, *steps, added],
            [*phases, residual_phase(sum_of_both, "add")],
        ),
    )  # fmt: skip


def _net(settings: ModelSettings, others: bool) -> _Half:
    unit, gated = MODEL_UNITS[settings.activation], settings.is_gated
    read, result = ("Z", "raised") if settings.is_post_norm else ("N", "H")
    inputs = feed_forward_inputs(_itself, settings.biases, gated)
    steps = feed_forward(unit, _itself, read, biases=settings.biases, gated=gated)
    phases = [*feed_forward_phases(unit, _itself, drawn=False, biases=settings.biases, gated=gated)]
    made = "down"
    if others:
        made = "net"
        unseen, every = (
            meaning(TEXTS, id, "i m", token="i", feature="m") for id in ("others", "net")
        )
        inputs.append(Input("others", "i m", unseen))
        steps.append(Step(made, add("i m, i m -> i m"), ("down", "others"), every))
        phases.append(phase(TEXTS, "others", (made,), defines=True))
    steps.append(residual(result, "Z", made, "added_net"))
    phases.append(residual_phase(result, "add_again"))
    return _normed(
        settings, "2", *(("raised", "H") if settings.is_post_norm else ("Z", "N")),
        _Half(inputs, steps, phases),
    )  # fmt: skip


def _normed(settings: ModelSettings, norm: str, source: str, result: str, half: _Half) -> _Half:
    """A half with its norm, before it or after it."""
    if settings.is_gated:
        inputs, phases = rms_inputs(norm), [rms_phase(norm, result, settings.eps)]
        steps = rms_norm(norm, source, result, settings.eps)
    else:
        inputs, phases = norm_inputs(norm), [norm_phase(norm, result, settings.eps)]
        steps = layer_norm(norm, source, result, epsilon=settings.eps)
    if settings.is_post_norm:
        return _Half([*half.inputs, *inputs], [*half.steps, *steps], [*half.phases, *phases])
    return _Half([*inputs, *half.inputs], [*steps, *half.steps], [*phases, *half.phases])


def _itself(name: str) -> str:
    """An array's name in a program of one layer."""
    return name
