"""A head of a model as a trace: the core's own attention program on its true numbers."""

from collections.abc import Sequence

import numpy as np

from core.models.transformer.changes import UNCHANGED, ModelChanges, check_head
from core.models.transformer.model import LayerRun, TransformerModel
from core.models.transformer.model_programs import HALVES, NEIGHBOURS, NO_ROPE, head_program
from core.models.transformer.numpy_parts import feature_frequencies, heads_of_rows
from core.models.transformer.settings import QKV_BIASES, Rope
from core.program.inputs import Inputs
from core.program.trace import Trace


def head_trace(
    model: TransformerModel,
    layer: LayerRun,
    head: int,
    tokens: Sequence[str],
    changes: ModelChanges = UNCHANGED,
) -> Trace:
    """Return the run of one head from X on, in float64: Q, K, V, scores, weights, context, and its
    part of the output, which is its context times its rows of W_O.

    `layer` is from a run with the same changes; the keys and values are those of the head's group.
    A head that is switched off is shown as it would be. Raises `InputError` for a head that the
    model does not have.
    """
    settings = model.settings
    check_head(settings, layer.layer, head)
    biases = tuple(name for name in QKV_BIASES if name in settings.biases)
    W_O = model.part(f"{layer.layer}.W_O")[features_of_head(head, settings.d_head)]
    arrays = {"X": layer.X, "W_O": W_O} | projections(model, layer.layer, head)
    rope = NO_ROPE
    if settings.rope:
        rope = HALVES if settings.rope.halves else NEIGHBOURS
        arrays |= rotation_arrays(settings.rope, len(layer.X))
    is_causal = settings.is_causal and changes.mask
    epsilon = settings.eps if settings.has_head_norms else None
    program = head_program(is_causal, changes.scale, biases, rope, epsilon)
    return program.run(Inputs(arrays, tuple(tokens)))


def projections(
    model: TransformerModel, layer: int, head: int | None = None
) -> dict[str, np.ndarray]:
    """Return W_Q, W_K and W_V of a layer's heads, their biases, and the gains of their norms.

    Of one head it is its own matrices, and those of its group for keys and values. Biases and gains
    are there if the model has them.
    """
    settings = model.settings
    H, G = settings.n_heads, settings.n_kv_heads
    counts = {"Q": H, "K": G, "V": G}
    own = {n: slice(None) for n in counts}
    if head is not None:
        places = {"Q": head, "K": head * G // H, "V": head * G // H}
        own = {n: slice(at, at + 1) for n, at in places.items()}
    arrays = {
        f"W_{n}": heads_of_rows(model.part(f"{layer}.W_{n}"), count)[own[n]]
        for n, count in counts.items()
    }
    for n, count in counts.items():
        if f"b_{n}" in settings.biases:
            arrays[f"b_{n}"] = model.part(f"{layer}.b_{n}").reshape(count, -1)[own[n]]
    if settings.has_head_norms:
        arrays |= {f"g_{n}": model.part(f"{layer}.g_norm_{n}") for n in "QK"}
    return arrays


def features_of_head(head: int, d_head: int) -> slice:
    """Return where the features of a head are among those of all, side by side."""
    return slice(head * d_head, (head + 1) * d_head)


def rotation_arrays(rope: Rope, count: int) -> dict[str, np.ndarray]:
    """Return the places of so many tokens and the frequency of each feature, as RoPE's inputs."""
    places = np.arange(float(count))[:, None]
    return {"places": places, "frequency": feature_frequencies(rope)[None]}
