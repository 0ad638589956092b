"""A model whose numbers are in memory: a run of it, layer by layer, and what it predicts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Float, Int

from core.errors import input_error
from core.limits import MOST_MODEL_BYTES, MOST_POSITIONS
from core.models.checkpoints.opening import Checkpoint
from core.models.memory import check_model_size, check_room
from core.models.transformer import numpy_parts
from core.models.transformer.changes import UNCHANGED, ModelChanges
from core.models.transformer.settings import ModelSettings
from core.texts import core_texts

TEXTS = core_texts("checkpoints")

DType = Literal["float32", "float64"]


@dataclass(frozen=True, eq=False)
class LayerRun:
    """What one layer computed: `rows` come in, X is what attention reads, after its norm if the
    norm comes before; Z is what attention made of the rows, with its residual, after its norm if
    the norm comes after.

    Q and K are as they are compared, after RoPE. The context of a head that is switched off is 0.
    """

    layer: int
    rows: Float[np.ndarray, "T d_model"]
    X: Float[np.ndarray, "T d_model"]
    Q: Float[np.ndarray, "H T d_head"]
    K: Float[np.ndarray, "G T d_head"]
    V: Float[np.ndarray, "G T d_head"]
    weights: Float[np.ndarray, "H T T"]
    context: Float[np.ndarray, "H T d_head"]
    Z: Float[np.ndarray, "T d_model"]
    output: Float[np.ndarray, "T d_model"]
    """What the layer passes on, its residuals included."""


class TransformerModel:
    """The model of a checkpoint. Its parts are read when a run first needs them, and kept.

    So the first run is also the loading: whoever asks for layers can show how far it is, and stop
    between two. Raises `InputError` if its numbers would take more than `most_bytes`.
    """

    def __init__(
        self, checkpoint: Checkpoint, dtype: DType = "float32", most_bytes: int = MOST_MODEL_BYTES
    ) -> None:
        self.checkpoint = checkpoint
        self.dtype = np.dtype(dtype)
        self._parts: dict[str, np.ndarray] = {}
        check_model_size(checkpoint.name, self.byte_count, most_bytes)

    @property
    def settings(self) -> ModelSettings:
        """What the model is, apart from its numbers."""
        return self.checkpoint.settings

    @property
    def byte_count(self) -> int:
        """How many bytes all its numbers take once they are read."""
        return self.checkpoint.size * self.dtype.itemsize

    def part(self, name: str) -> np.ndarray:
        """Return a part by its name in `part_sources`. Raises `InputError` if it cannot be read."""
        found = self._parts.get(name)
        if found is None:
            numbers = self.checkpoint.parts[name].numbers()
            found = self._parts[name] = numbers.astype(self.dtype, copy=False)
        return found

    def forget_parts(self) -> None:
        """Give up the parts that were read. A run that goes on reads again what it needs."""
        self._parts.clear()

    def check_room(self) -> None:
        """Raise `InputError` if there is no room for the numbers that are not read yet."""
        read = sum(part.nbytes for part in self._parts.values())
        check_room(self.checkpoint.name, self.byte_count - read)

    def check_room_of_layer(self) -> None:
        """Raise `InputError` if there is no room for the numbers of one layer, the largest one."""
        sizes: dict[str, int] = {}
        for name, part in self.checkpoint.parts.items():
            layer, dot, _ = name.partition(".")
            if dot:
                sizes[layer] = sizes.get(layer, 0) + part.size
        check_room(self.checkpoint.name, max(sizes.values()) * self.dtype.itemsize)

    def run(self, ids: Sequence[int], changes: ModelChanges = UNCHANGED) -> Iterator[LayerRun]:
        """Run the model on tokens and give each layer as it is done.

        Raises `InputError` for too many tokens, numbers that are none of its vocabulary, and heads
        that it does not have, and if there is no room for its numbers, before the first layer.
        """
        self._check(ids)
        changes.check(self.settings)
        self.check_room()
        return self._layers(ids, changes)

    def embedded(self, ids: Sequence[int]) -> Float[np.ndarray, "T d_model"]:
        """Return what enters the first layer: the embeddings of tokens and of their positions."""
        rows: np.ndarray = self.part("E_tokens")[list(ids)]
        if "E_positions" in self.checkpoint.parts:
            rows = rows + self.part("E_positions")[self._positions(ids)]
        if "E_segments" in self.checkpoint.parts:
            rows = rows + self.part("E_segments")[0]
        return self._norm(rows, "norm_0") if self.settings.is_post_norm else rows

    def layer_run(
        self, layer: int, rows: Float[np.ndarray, "T d_model"], changes: ModelChanges = UNCHANGED
    ) -> LayerRun:
        """Return what one layer makes of the rows that enter it. Raises `InputError` if these
        become too large for the type of numbers.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            made = self._layer(layer, rows, changes)
        if not np.isfinite(made.output).all():
            raise input_error(TEXTS, "overflow", layer=layer + 1, index=layer, type=str(self.dtype))
        return made

    def probabilities(
        self, rows: Float[np.ndarray, "T d_model"]
    ) -> Float[np.ndarray, "T vocabulary"] | None:
        """Return the probability of each token of the vocabulary, for rows of the last output.

        For GPT-2 and Llama it is that of the next token, for BERT that of the token at this place,
        if it is masked. None if the checkpoint has no such head.
        """
        if not self.checkpoint.has_head:
            return None
        if self.settings.is_causal:
            rows = self._norm(rows, "last_norm")
        else:
            rows = numpy_parts.activate(
                self.settings.activation, rows @ self.part("W_head") + self.part("b_head")
            )
            rows = self._norm(rows, "head_norm")
        logits = rows @ (self.part("E_tokens").T if self.settings.is_tied else self.part("W_U"))
        return numpy_parts.softmax_of_rows(
            logits if self.settings.is_causal else logits + self.part("b_U")
        )

    def units(self, layer: int, Z: Float[np.ndarray, "T d_model"]) -> Float[np.ndarray, "T d_ff"]:
        """Return what each unit of a layer's feed-forward net makes of the rows after attention."""
        start = f"{layer}."
        rows = Z if self.settings.is_post_norm else self._norm(Z, f"{start}norm_2")
        is_gated = self.settings.is_gated
        entering = self._times(rows, start + ("gate" if is_gated else "up"))
        units = numpy_parts.activate(self.settings.activation, entering)
        return units * self._times(rows, f"{start}up") if is_gated else units

    def _check(self, ids: Sequence[int]) -> None:
        most = min(MOST_POSITIONS, self.settings.n_positions)
        if not 1 <= len(ids) <= most:
            raise input_error(TEXTS, "token_count", count=len(ids), most=most)
        for id in ids:
            if not 0 <= id < self.settings.n_vocabulary:
                size = f"{self.settings.n_vocabulary:,}"
                raise input_error(TEXTS, "no_id", token=str(id), vocabulary=size)

    def _positions(self, ids: Sequence[int]) -> Int[np.ndarray, "T"]:
        """The row of each token in the table of positions.

        RoBERTa's first token has the row after the number of its padding token; padding has the row
        of that number.
        """
        padding = self.settings.padding_id
        if padding is None:
            return np.arange(len(ids))
        is_text = np.asarray(ids) != padding
        rows: np.ndarray = padding + np.cumsum(is_text) * is_text
        return rows

    def _layers(self, ids: Sequence[int], changes: ModelChanges) -> Iterator[LayerRun]:
        rows = self.embedded(ids)
        for layer in range(self.settings.n_layers):
            made = self.layer_run(layer, rows, changes)
            rows = made.output
            yield made

    def _layer(self, layer: int, rows: np.ndarray, changes: ModelChanges) -> LayerRun:
        is_post_norm, start = self.settings.is_post_norm, f"{layer}."
        X = rows if is_post_norm else self._norm(rows, f"{start}norm_1")
        Q, K, V, weights, context = self._attention(layer, X, changes)
        Z = rows + self._times(numpy_parts.heads_side_by_side(context), f"{start}O")
        if is_post_norm:
            Z = self._norm(Z, f"{start}norm_1")
        output = Z + self._times(self.units(layer, Z), f"{start}down")
        if is_post_norm:
            output = self._norm(output, f"{start}norm_2")
        return LayerRun(layer, rows, X, Q, K, V, weights, context, Z, output)

    def _attention(
        self, layer: int, X: np.ndarray, changes: ModelChanges
    ) -> tuple[np.ndarray, ...]:
        """Q, K, V, weights and context of every head."""
        H, G, T = self.settings.n_heads, self.settings.n_kv_heads, len(X)
        Q, K, V = (
            numpy_parts.heads_of_rows(self._times(X, f"{layer}.{name}"), count)
            for name, count in (("Q", H), ("K", G), ("V", G))
        )
        if self.settings.has_head_norms:
            Q, K = (self._norm(rows, f"{layer}.norm_{n}") for rows, n in ((Q, "Q"), (K, "K")))
        if rope := self.settings.rope:
            angles = np.outer(np.arange(T), numpy_parts.feature_frequencies(rope))
            Q, K = (numpy_parts.rotated(vectors, angles, rope.halves) for vectors in (Q, K))
        is_masked = self.settings.is_causal and changes.mask
        visible = np.tri(T, dtype=bool) if is_masked else None
        weights = numpy_parts.attention_weights(Q, K, visible, changes.scale)
        context = weights @ np.repeat(V, H // G, axis=0)
        for off_layer, head in changes.heads_off:
            if off_layer == layer:
                context[head] = 0
        return Q, K, V, weights, context

    def _times(self, rows: np.ndarray, name: str) -> np.ndarray:
        """Rows times a matrix of a layer, plus its bias if it has one."""
        layer, _, own = name.rpartition(".")
        product: np.ndarray = rows @ self.part(f"{layer}.W_{own}")
        bias = f"{layer}.b_{own}"
        return product + self.part(bias) if bias in self.checkpoint.parts else product

    def _norm(self, rows: np.ndarray, name: str) -> np.ndarray:
        layer, dot, own = name.rpartition(".")
        gain, bias = (self.part(f"{layer}{dot}g_{own}"), f"{layer}{dot}b_{own}")
        if self.settings.is_gated:
            return numpy_parts.rms_normed(rows, gain, self.settings.eps)
        return numpy_parts.layer_normed(rows, gain, self.part(bias), self.settings.eps)
