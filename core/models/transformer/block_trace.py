"""A layer of a model as a trace, whole, or with the strongest units of its net if that is large."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod

import numpy as np
from jaxtyping import Float

from core.errors import input_error
from core.models.transformer.changes import UNCHANGED, ModelChanges, check_head
from core.models.transformer.head_trace import features_of_head, projections, rotation_arrays
from core.models.transformer.model import LayerRun, TransformerModel
from core.models.transformer.model_programs import (
    TEXTS,
    attention_part_program,
    feed_forward_program,
    model_block_program,
)
from core.models.transformer.numpy_parts import heads_side_by_side
from core.models.transformer.settings import ModelSettings
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.trace import Trace

MOST_NUMBERS = 3_000_000
"""Numbers of one trace: a byte each, they are 4 MB as the stage gets them."""
STRONGEST = 64
"""Units of the net that are shown if all of them are too many and a person has not chosen."""


def block_trace(
    model: TransformerModel,
    layer: LayerRun,
    tokens: Sequence[str],
    changes: ModelChanges = UNCHANGED,
    units: Sequence[int] | None = None,
) -> Trace:
    """Return the run of a whole layer, in float64: from the rows that come in to those that leave.

    `layer` is from a run with the same changes. `units` are those of the feed-forward net to show,
    from 0; None: all, or the `STRONGEST` if the trace would have more than `MOST_NUMBERS`. What the
    others add is given as one matrix, so H is the layer's in any case. The rows of W_O of a head
    that is switched off are 0. Raises `InputError` if the trace is too large with so few units, and
    for units that the net does not have.
    """
    settings = model.settings
    program = partial(model_block_program, settings, changes.mask, changes.scale)
    shown = _shown(model, layer.layer, layer.Z, program, units, "large_block")
    arrays = _attention_arrays(model, layer, changes)
    arrays |= _net_arrays(model, layer.layer, layer.Z, shown)
    return _run(settings, program, shown, arrays, tokens)


def fits_whole(model: TransformerModel, T: int, changes: ModelChanges = UNCHANGED) -> bool:
    """Return whether a whole layer on T tokens can be a trace, with few units of its net."""
    program = model_block_program(model.settings, changes.mask, changes.scale, True)
    units = min(STRONGEST, model.settings.d_ff)
    return _number_count(program, model.settings, T, units) <= MOST_NUMBERS


def attention_part_trace(
    model: TransformerModel,
    layer: LayerRun,
    head: int,
    tokens: Sequence[str],
    changes: ModelChanges = UNCHANGED,
) -> Trace:
    """Return the first half of a layer as a run, with one head: norm, attention and residual.

    `head` counts from 0. What the other heads add is given as one matrix, so Z is the layer's.
    Raises `InputError` for a head that the model does not have.
    """
    settings = model.settings
    check_head(settings, layer.layer, head)
    arrays = _attention_arrays(model, layer, changes, head)
    program = attention_part_program(settings, changes.mask, changes.scale)
    return program.run(Inputs(arrays, tuple(tokens)))


def feed_forward_trace(
    model: TransformerModel,
    layer: LayerRun,
    tokens: Sequence[str],
    token: int | None = None,
    units: Sequence[int] | None = None,
) -> Trace:
    """Return the second half of a layer as a run: from the rows after attention to H.

    The net takes each row by itself: with `token`, from 0, the run is that of this row only.
    `units` as in `block_trace`. Raises `InputError` if the trace is too large, for a token that
    there is not, and for units that the net does not have.
    """
    Z = layer.Z
    if token is not None:
        if not 0 <= token < len(tokens):
            raise input_error(TEXTS, "no_token", token=str(token), count=len(tokens))
        Z, tokens = Z[token : token + 1], [tokens[token]]
    program = partial(feed_forward_program, model.settings)
    shown = _shown(model, layer.layer, Z, program, units, "large_net")
    arrays = {"Z": Z, **_net_arrays(model, layer.layer, Z, shown)}
    return _run(model.settings, program, shown, arrays, tokens)


def strongest_units(
    model: TransformerModel, layer: int, Z: Float[np.ndarray, "T d_model"], count: int
) -> list[int]:
    """Return so many units of a layer's net, in order, that add most to one of the rows Z.

    What a unit adds to a row is its number times its row of W_down.
    """
    lengths = np.linalg.norm(model.part(f"{layer}.W_down"), axis=1)
    strengths = np.abs(model.units(layer, Z)).max(axis=0) * lengths
    strongest: list[int] = np.sort(np.argsort(-strengths, kind="stable")[:count]).tolist()
    return strongest


def _run(
    settings: ModelSettings,
    program: Callable[[bool], Program],
    shown: Sequence[int],
    arrays: Mapping[str, np.ndarray],
    tokens: Sequence[str],
) -> Trace:
    """The program on these arrays; units that are some of all have their numbers, from 1."""
    some = len(shown) < settings.d_ff
    labels = {"f": tuple(str(unit + 1) for unit in shown)} if some else {}
    return program(some).run(Inputs(arrays, tuple(tokens), labels=labels))


def _shown(
    model: TransformerModel,
    layer: int,
    Z: np.ndarray,
    program: Callable[[bool], Program],
    units: Sequence[int] | None,
    too_large: str,
) -> Sequence[int]:
    """Which units to show; `too_large` is the text for a trace in which few have no room."""
    d_ff, T = model.settings.d_ff, len(Z)
    if units is None and _number_count(program(False), model.settings, T, d_ff) <= MOST_NUMBERS:
        return range(d_ff)
    without, with_one = (_number_count(program(True), model.settings, T, n) for n in (0, 1))
    fitting = (MOST_NUMBERS - without) // (with_one - without)
    if fitting < min(STRONGEST, d_ff):
        raise input_error(TEXTS, too_large, count=f"{without:,}", most=f"{MOST_NUMBERS:,}")
    if units is None:
        return strongest_units(model, layer, Z, STRONGEST)
    for unit in units:
        if not 0 <= unit < d_ff:
            raise input_error(TEXTS, "no_unit", unit=str(unit), units=d_ff)
    shown = sorted(set(units))
    if not 1 <= len(shown) <= fitting:
        raise input_error(TEXTS, "unit_count", count=len(shown), fitting=min(fitting, d_ff))
    return shown


def _number_count(program: Program, settings: ModelSettings, T: int, units: int) -> int:
    """How many numbers the arrays of a run have together."""
    d_head, sizes = settings.d_head, {**program.sizes, "m": settings.d_model, "f": units}
    sizes |= {"i": T, "j": T, "k": d_head, "v": d_head, "c": settings.n_heads * d_head}
    return sum(prod(sizes[letter] for letter in letters) for letters in program.letters.values())


def _attention_arrays(
    model: TransformerModel, layer: LayerRun, changes: ModelChanges, head: int | None = None
) -> dict[str, np.ndarray]:
    """What the first half of a layer is given; with a head, what the other heads add is given."""
    settings, at = model.settings, layer.layer
    arrays = {"X" if settings.is_post_norm else "entering": layer.rows}
    arrays |= projections(model, at, head)
    if "b_O" in settings.biases:
        arrays["b_O"] = model.part(f"{at}.b_O")
    W_O = np.array(model.part(f"{at}.W_O"))
    for off_layer, off in changes.heads_off:
        if off_layer == at:
            W_O[features_of_head(off, settings.d_head)] = 0
    if head is not None:
        own, read = features_of_head(head, settings.d_head), heads_side_by_side(layer.context)
        others = np.delete(W_O, own, axis=0).astype(np.float64)
        arrays["other_heads"] = np.delete(read, own, axis=1) @ others
        W_O = W_O[own]
    arrays["W_O"] = W_O
    if settings.rope:
        arrays |= rotation_arrays(settings.rope, len(layer.rows))
    return arrays | _norm_arrays(model, at, "1")


def _net_arrays(
    model: TransformerModel, layer: int, Z: np.ndarray, shown: Sequence[int]
) -> dict[str, np.ndarray]:
    """The matrices and biases of the units to show, and what the others add if there are any."""
    settings, start = model.settings, f"{layer}."
    widening = ["gate", "up"] if settings.is_gated else ["up"]
    arrays = {f"W_{name}": model.part(f"{start}W_{name}")[:, shown] for name in widening}
    arrays["W_down"] = model.part(f"{start}W_down")[shown]
    for name in (f"b_{n}" for n in (*widening, "down") if f"b_{n}" in settings.biases):
        given = model.part(start + name)
        arrays[name] = given if name == "b_down" else given[shown]
    unseen = np.delete(np.arange(settings.d_ff), shown)
    if len(unseen):
        units = model.units(layer, Z)[:, unseen].astype(np.float64)
        arrays["others"] = units @ model.part(f"{start}W_down")[unseen]
    return arrays | _norm_arrays(model, layer, "2")


def _norm_arrays(model: TransformerModel, layer: int, norm: str) -> dict[str, np.ndarray]:
    letters = "g" if model.settings.is_gated else "gb"
    return {f"{a}_{norm}": model.part(f"{layer}.{a}_norm_{norm}") for a in letters}
