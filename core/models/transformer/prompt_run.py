"""A whole run of a model on a prompt: the weights of every head, and what the model predicts.

Of each layer only the rows that enter it are kept, from which the layer can be computed again.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from jaxtyping import Float

from core.errors import input_error
from core.models.checkpoints.tokeniser import Encoded
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.model import LayerRun, TransformerModel
from core.models.transformer.settings import ModelSettings
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("checkpoints")
MOST_RUN_BYTES = 200_000_000
"""Of the rows and weights of one run."""
SHOWN_TOKENS = 8
"""Of those that a model predicts."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """The probability of each token of the vocabulary at one position of a prompt.

    After the last token for a causal model; in place of the first mask token for BERT.
    """

    position: int
    probabilities: Float[np.ndarray, "vocabulary"]


@dataclass(frozen=True, eq=False)
class PromptRun:
    """What a model computed on a prompt, with the changes that were made to it."""

    tokens: tuple[str, ...]
    labels: tuple[str, ...]
    """The tokens as matrices name them."""
    changes: ModelChanges
    rows: Float[np.ndarray, "L T d_model"]
    """What enters each layer."""
    weights: Float[np.ndarray, "L H T T"]
    prediction: Prediction | None
    """None if the checkpoint predicts no tokens, or if BERT's prompt has no mask token."""

    def arrays(self) -> Iterator[np.ndarray]:
        """Return all arrays of the run."""
        yield from (self.rows, self.weights)
        if self.prediction is not None:
            yield self.prediction.probabilities

    def layer(self, model: TransformerModel, layer: int) -> LayerRun:
        """Return one layer, computed again from the rows that enter it."""
        return model.layer_run(layer, self.rows[layer], self.changes)


def run_prompt(
    model: TransformerModel, encoded: Encoded, changes: ModelChanges = UNCHANGED
) -> Generator[int, None, PromptRun]:
    """Run a model on a prompt: give how many layers are done, after each, and return the run.

    Raises `InputError` for what the model cannot read, and a run of more than `MOST_RUN_BYTES`.
    """
    settings, T = model.settings, len(encoded.ids)
    layers = model.run(encoded.ids, changes)
    if (needed := run_bytes(model, T)) > MOST_RUN_BYTES:
        given, most = (f"{size / 1e6:,.0f} MB" for size in (needed, MOST_RUN_BYTES))
        raise input_error(TEXTS, "large_run", tokens=T, needed=given, most=most)
    rows, weights = (np.empty(shape, model.dtype) for shape in _shapes(settings, T))
    entering = model.embedded(encoded.ids)
    for made in layers:
        rows[made.layer], weights[made.layer] = entering, made.weights
        entering = made.output
        yield made.layer + 1
    for array in (rows, weights):
        array.flags.writeable = False
    prediction = _predicted(model, encoded.ids, entering)
    tokens, labels = tuple(encoded.tokens), tuple(encoded.labels)
    return PromptRun(tokens, labels, changes, rows, weights, prediction)


def run_bytes(model: TransformerModel, T: int) -> int:
    """Return the bytes of the rows and weights of a run on T tokens."""
    return sum(map(prod, _shapes(model.settings, T))) * model.dtype.itemsize


def leading_tokens(*predictions: Prediction) -> list[int]:
    """Return the numbers of the most probable tokens of the first prediction, best first, and then
    those of each further one that are not among them.
    """
    found: dict[int, None] = {}
    for prediction in predictions:
        order = np.argsort(-prediction.probabilities, kind="stable")
        found |= dict.fromkeys(order[:SHOWN_TOKENS].tolist())
    return list(found)


def _shapes(settings: ModelSettings, T: int) -> tuple[Shape, Shape]:
    """The shapes of the rows and of the weights of a run on T tokens."""
    L, H = settings.n_layers, settings.n_heads
    return (L, T, settings.d_model), (L, H, T, T)


def _predicted(
    model: TransformerModel, ids: Sequence[int], rows: Float[np.ndarray, "T d_model"]
) -> Prediction | None:
    position = len(ids) - 1
    if not model.settings.is_causal:
        mask = model.checkpoint.tokeniser.mask_id
        if mask is None or mask not in ids:
            return None
        position = list(ids).index(mask)
    found = model.probabilities(rows[position : position + 1])
    return None if found is None else Prediction(position, found[0])
