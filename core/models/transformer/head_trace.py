"""A head of a model as a trace: the core's own attention program on its true numbers."""

from collections.abc import Sequence

import numpy as np

from core.models.transformer.changes import UNCHANGED, ModelChanges, check_head
from core.models.transformer.model import LayerRun, TransformerModel
from core.models.transformer.model_programs import HALVES, NEIGHBOURS, NO_ROPE, head_program
from core.models.transformer.numpy_parts import feature_frequencies
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
    arrays = {"X": layer.X, "W_O": W_O} | head_weights(model, layer.layer, head)
    rope = NO_ROPE
    if settings.rope:
        rope = HALVES if settings.rope.halves else NEIGHBOURS
        arrays |= rotation_arrays(settings.rope, len(layer.X))
    is_causal = settings.is_causal and changes.mask
    epsilon = settings.eps if settings.has_head_norms else None
    program = head_program(is_causal, changes.scale, biases, rope, epsilon)
    return program.run(Inputs(arrays, tuple(tokens)))


def head_weights(model: TransformerModel, layer: int, head: int) -> dict[str, np.ndarray]:
    """Return W_Q, W_K and W_V of one head, its biases, and the gains of its norms if it has them.

    Its keys and values are its group's.
    """
    settings = model.settings
    group = head // (settings.n_heads // settings.n_kv_heads)
    at = {"Q": head, "K": group, "V": group}
    own = {name: features_of_head(place, settings.d_head) for name, place in at.items()}
    arrays = {f"W_{n}": model.part(f"{layer}.W_{n}")[None, :, own[n]] for n in own}
    biases = [name for name in QKV_BIASES if name in settings.biases]
    arrays |= {name: model.part(f"{layer}.{name}")[None, own[name[-1]]] for name in biases}
    return arrays | head_norm_gains(model, layer)


def head_norm_gains(model: TransformerModel, layer: int) -> dict[str, np.ndarray]:
    """Return the gains of the norms of queries and keys; nothing if the model has no such norms."""
    if not model.settings.has_head_norms:
        return {}
    return {f"g_{name}": model.part(f"{layer}.g_norm_{name}") for name in "QK"}


def features_of_head(head: int, d_head: int) -> slice:
    """Return where the features of a head are among those of all, side by side."""
    return slice(head * d_head, (head + 1) * d_head)


def rotation_arrays(rope: Rope, count: int) -> dict[str, np.ndarray]:
    """Return the places of so many tokens and the frequency of each feature, as RoPE's inputs."""
    places = np.arange(float(count))[:, None]
    return {"places": places, "frequency": feature_frequencies(rope)[None]}
