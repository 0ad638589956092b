"""A layer of a real model as a program, its halves by themselves, and one of its heads.

A layer is from the rows that come in, x, to the rows that leave. GPT-2 and Llama:
Z = x + attention(norm(x)), H = Z + net(norm(Z)). BERT: Z = norm(x + attention(x)),
H = norm(Z + net(Z)). Attention is the core's own program with all heads; norms and the feed-forward
net are those of the block chapter. The arrays of the first norm end in 1, those of the second in 2.

A head is from what its layer reads to its part of the output: the attention program with one head.
What is said of the first and the last arrays differs, because here a layer is inside of a model and
a head is one of several.
"""

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from core.attention.layers.biases import BIASES, biased_phase
from core.attention.layers.block import LAYER_AXES
from core.attention.layers.feed_forward import MODEL_UNITS, feed_forward
from core.attention.layers.layer import (
    LayerPart,
    joined_parts,
    opened_attention,
    residual,
    token_feature,
)
from core.attention.layers.queries_and_keys import with_head_norms, with_rotation
from core.attention.layers.row_norms import layer_norm, rms_norm
from core.attention.masks import UPPER_LEFT, rule_of
from core.attention.phases import OPEN
from core.attention.program import attention_program, cached_program
from core.models.transformer.settings import ModelSettings
from core.operations.sums import add
from core.program.described import meaning, phase
from core.program.labels import told_label
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Input, Phase, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS, HEAD_TEXTS = core_texts("model_block"), core_texts("model_head")

NO_ROPE, NEIGHBOURS, HALVES = "none", "neighbours", "halves"

_X = meaning(HEAD_TEXTS, "read", "i m", token="i", feature="m")
_OUTPUT = meaning(HEAD_TEXTS, "part", "i m", token="i", feature="m")
_OF_PHASE = {
    "X": phase(HEAD_TEXTS, "reading", ("X",)),
    "output": phase(HEAD_TEXTS, "joining", ("concat", "output")),
}
"""The phases that are about something else than in a layer by itself, by their last array."""


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
    stops = [_told_phase(one, is_causal, scale) for one in heads.phases[1:-1]]
    opened = opened_attention(str, stops)
    *inner, mixing = opened.phases
    if "b_O" in biases:
        mixing = biased_phase(mixing, ["attn"])
    steps = heads.replaced("output", mixed).steps
    given = [one for one in heads.inputs if one.name != "X"]
    parts, made = [LayerPart(steps, [replace(opened, phases=(*inner, mixing))], given)], "attn"
    if others:
        made = "all_heads"
        parts.append(_rest("other_heads", made, "attn"))
    in_order = ("added", "added", "Z") if settings.is_post_norm else ("Z", "entering", "X")
    result, source, normed = in_order
    parts.append(residual(result, first, made, "added_attention", "add"))
    return _normed(settings, "1", source, normed, joined_parts(*parts))


def _net(settings: ModelSettings, others: bool) -> LayerPart:
    read, result, source, normed = (
        ("Z", "raised", "raised", "H") if settings.is_post_norm else ("N", "H", "Z", "N")
    )
    unit, biases, gated = MODEL_UNITS[settings.activation], settings.biases, settings.is_gated
    net = feed_forward(unit, str, read, drawn=False, biases=biases, gated=gated)
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


@lru_cache(maxsize=64)
def head_program(
    is_causal: bool = True,
    is_scaled: bool = True,
    biases: Collection[str] = (),
    rope: str = NO_ROPE,
    norm_epsilon: float | None = None,
) -> Program:
    """X, W_Q, W_K, W_V and W_O of one head → its weights, its context, its part of the output.

    `biases` are those of b_Q, b_K, b_V that the model has, `rope` which features are pairs.
    `norm_epsilon` is that of the norms of queries and keys, None without such norms. The bias of
    the output belongs to no head, and is left out.
    """
    mask = "causal" if is_causal else "none"
    program = attention_program(heads=1, mask=mask, scale=is_scaled, biases=biases)
    if norm_epsilon is not None:
        program = with_head_norms(program, norm_epsilon)
    if rope != NO_ROPE:
        program = with_rotation(program, halves=rope == HALVES)
    said = {"X": _X, "W_O": _output_weight}
    given = [replace(one, meaning=said.get(one.name, one.meaning)) for one in program.inputs]
    stops = [
        _OF_PHASE.get(one.names[-1], _told_phase(one, is_causal, is_scaled))
        for one in program.phases
    ]
    output = replace(program.step["output"], meaning=_OUTPUT)
    told = program.replaced("output", output)
    return replace(told, inputs=tuple(given), phases=tuple(stops))


def _told_phase(one: Phase, is_causal: bool, is_scaled: bool) -> Phase:
    """Return a phase of attention as it is told of a real model without a mask, or a scale."""
    last = one.names[-1]
    if last == "masked" and not is_causal:
        return OPEN
    if last == "scaled" and not is_scaled:
        return phase(HEAD_TEXTS, "unscaled", ("scaled",))
    return one


def _output_weight(trace: Trace, cell: Cell) -> str:
    c, m = cell
    return HEAD_TEXTS("output_weight", row=c + 1, column=told_label(trace, "m", m))
