"""The parts that a model is made of, by this product's names, and the shape of each.

The first letter says what a part is: a table E whose rows are looked up, a matrix W, a bias b, or
the gain g of a norm. A matrix is (inputs, outputs): rows are multiplied from the left, X W. Parts
of layer 3 begin with "3.".
"""

from collections.abc import Mapping

from core.models.transformer.settings import BERT, LLAMA, ModelSettings
from core.program.patterns import Shape

JOINED = "QKV"


def model_part_shapes(settings: ModelSettings) -> Mapping[str, Shape]:
    """Return the shape of every part that a model of these settings must have."""
    d = settings.d_model
    shapes: dict[str, Shape] = {"E_tokens": (settings.n_vocabulary, d)}
    if settings.kind != LLAMA:
        before = 0 if settings.padding_id is None else settings.padding_id + 1
        shapes["E_positions"] = (before + settings.n_positions, d)
    if settings.n_segments:
        shapes["E_segments"] = (settings.n_segments, d)
    if settings.kind == BERT:
        shapes |= _norm("norm_0", settings)
    for layer in range(settings.n_layers):
        of_layer = _layer_shapes(settings)
        shapes |= {f"{layer}.{name}": shape for name, shape in of_layer.items()}
    if settings.kind != BERT:
        shapes |= _norm("last_norm", settings)
    return shapes


def head_part_shapes(settings: ModelSettings) -> Mapping[str, Shape]:
    """Return the shapes of the parts that turn rows into probabilities of tokens.

    A checkpoint may lack them. Tied weights are the token embeddings, and no part of their own.
    """
    d, vocabulary = settings.d_model, settings.n_vocabulary
    shapes: dict[str, Shape] = {}
    if settings.kind == BERT:
        shapes |= {"W_head": (d, d), "b_head": (d,), **_norm("head_norm", settings)}
        shapes["b_U"] = (vocabulary,)
    if not settings.is_tied:
        shapes["W_U"] = (d, vocabulary)
    return shapes


def _layer_shapes(settings: ModelSettings) -> dict[str, Shape]:
    d, d_ff = settings.d_model, settings.d_ff
    of_queries = settings.n_heads * settings.d_head
    of_keys = settings.n_kv_heads * settings.d_head
    matrices = {
        "Q": (d, of_queries),
        "K": (d, of_keys),
        "V": (d, of_keys),
        "O": (of_queries, d),
        "up": (d, d_ff),
        **({"gate": (d, d_ff)} if settings.is_gated else {}),
        "down": (d_ff, d),
    }
    shapes: dict[str, Shape] = {f"W_{name}": shape for name, shape in matrices.items()}
    biased = {f"b_{name}": (columns,) for name, (_, columns) in matrices.items()}
    shapes |= {name: shape for name, shape in biased.items() if name in settings.biases}
    if settings.has_head_norms:
        shapes |= {"g_norm_Q": (settings.d_head,), "g_norm_K": (settings.d_head,)}
    return {**shapes, **_norm("norm_1", settings), **_norm("norm_2", settings)}


def _norm(name: str, settings: ModelSettings) -> dict[str, Shape]:
    letters = "g" if settings.kind == LLAMA else "gb"
    return {f"{letter}_{name}": (settings.d_model,) for letter in letters}
