"""A whole layer of a real model as a program, from the rows that come in to the rows that leave.

GPT-2 and Llama, with x the rows that come in: Z = x + attention(norm(x)), H = Z + net(norm(Z)).
BERT: Z = norm(x + attention(x)), H = norm(Z + net(Z)). Attention is the core's own program with all
heads; norms and the feed-forward net are those of the block chapter. The arrays of the first norm
end in 1, those of the second in 2.
"""

from dataclasses import replace
from functools import lru_cache

from core.attention.description_helpers import token_feature
from core.attention.layers.biases import BIASES, biased_phase
from core.attention.layers.block import LAYER_AXES
from core.attention.layers.feed_forward import MODEL_UNITS, feed_forward
from core.attention.layers.layer import LayerPart, joined_parts, opened_attention, residual
from core.attention.layers.queries_and_keys import with_head_norms, with_rotation
from core.attention.layers.row_norms import layer_norm, rms_norm
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


@lru_cache(maxsize=64)
def model_block_program(
    settings: ModelSettings, mask: bool = True, scale: bool = True, others: bool = False
) -> Program:
    """entering (X if norms come after) and the parts of a layer → H, the rows that leave it.

    Without `mask` or `scale` attention has none, as a person asks. With `others` the net has some
    of its units, and what the others add is given.
    """
    entering, opening, first = _entering(settings)
    layer = joined_parts(_attention(settings, mask, scale, first), _net(settings, others))
    return _program(settings, entering, opening, layer)


@lru_cache(maxsize=64)
def attention_part_program(
    settings: ModelSettings, mask: bool = True, scale: bool = True
) -> Program:
    """The first half of a layer with one of its heads: what the others add is given.

    entering (X if norms come after) and the parts of the head → Z, the rows after attention.
    """
    one = replace(settings, n_heads=1, n_kv_heads=1)
    given, opening, first = _entering(settings)
    return _program(one, given, opening, _attention(one, mask, scale, first, others=True))


@lru_cache(maxsize=64)
def feed_forward_program(settings: ModelSettings, others: bool = False) -> Program:
    """Z, the rows after attention, and the parts of the net → H, the rows that leave the layer."""
    between = Input("Z", "i m", meaning(TEXTS, "between", "i m", token="i", feature="m"))
    opening = phase(TEXTS, "between", ("Z",))
    return _program(settings, between, opening, _net(settings, others))


def _entering(settings: ModelSettings) -> tuple[Input, Phase, str]:
    """The rows that come into a layer, their phase and their name."""
    first = "X" if settings.is_post_norm else "entering"
    given = Input(first, "i m", meaning(TEXTS, "entering", "i m", token="i", feature="m"))
    return given, phase(TEXTS, "entering", (first,)), first


def _program(settings: ModelSettings, given: Input, opening: Phase, part: LayerPart) -> Program:
    return Program(
        (given, *part.inputs),
        tuple(part.steps),
        (opening, *part.phases),
        {"h": settings.n_heads, "g": settings.n_kv_heads, "o": 1},
        LAYER_AXES,
    )


def _attention(
    settings: ModelSettings, mask: bool, scale: bool, first: str, others: bool = False
) -> LayerPart:
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
    steps = heads.replaced("output", mixed).steps
    given = [one for one in heads.inputs if one.name != "X"]
    parts, made = [LayerPart(steps, [replace(opened, phases=(*inner, mixing))], given)], "attn"
    if others:
        made = "all_heads"
        parts.append(_rest("other_heads", made, "attn"))
    result, source, normed = (
        ("added", "added", "Z") if settings.is_post_norm else ("Z", "entering", "X")
    )
    parts.append(residual(result, first, made, "added_attention", "add"))
    return _normed(settings, "1", source, normed, joined_parts(*parts))


def _net(settings: ModelSettings, others: bool) -> LayerPart:
    read, result, source, normed = (
        ("Z", "raised", "raised", "H") if settings.is_post_norm else ("N", "H", "Z", "N")
    )
    net = feed_forward(
        MODEL_UNITS[settings.activation],
        _itself,
        read,
        drawn=False,
        biases=settings.biases,
        gated=settings.is_gated,
    )
    parts, made = [net], "down"
    if others:
        made = "net"
        parts.append(_rest("others", made, "down"))
    parts.append(residual(result, "Z", made, "added_net", "add_again"))
    return _normed(settings, "2", source, normed, joined_parts(*parts))


def _rest(given: str, made: str, shown: str) -> LayerPart:
    """What is not shown of a sum, given as one matrix, and the whole sum."""
    unseen, every = (meaning(TEXTS, id, "i m", token="i", feature="m") for id in (given, made))
    return LayerPart(
        [Step(made, add("i m, i m -> i m"), (shown, given), every)],
        [phase(TEXTS, given, (made,), defines=True)],
        [Input(given, "i m", unseen)],
    )


def _normed(
    settings: ModelSettings, name: str, source: str, result: str, part: LayerPart
) -> LayerPart:
    """A half of a layer with its norm, before it or after it."""
    if settings.is_gated:
        norm = rms_norm(name, source, result, settings.eps)
    else:
        norm = layer_norm(name, source, result, epsilon=settings.eps)
    return joined_parts(part, norm) if settings.is_post_norm else joined_parts(norm, part)


def _itself(name: str) -> str:
    """An array's name in a program of one layer."""
    return name
