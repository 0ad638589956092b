"""What a person changes in a model to see what depends on it."""

from dataclasses import dataclass

from core.errors import input_error
from core.models.transformer.settings import ModelSettings
from core.texts import core_texts

TEXTS = core_texts("checkpoints")


@dataclass(frozen=True)
class ModelChanges:
    """Heads that are switched off, as (layer, head) from 0: their context is 0. The mask dropped:
    every token reads every other. The scale dropped: scores are not divided by √d_k.
    """

    heads_off: frozenset[tuple[int, int]] = frozenset()
    mask: bool = True
    scale: bool = True

    def check(self, settings: ModelSettings) -> None:
        """Raise `InputError` for a head that the model does not have."""
        for layer, head in sorted(self.heads_off):
            check_head(settings, layer, head)


def check_head(settings: ModelSettings, layer: int, head: int) -> None:
    """Raise `InputError` unless a model has this head of this layer, both counted from 0."""
    L, H = settings.n_layers, settings.n_heads
    if not (0 <= layer < L and 0 <= head < H):
        raise input_error(TEXTS, "no_head", layer=layer, head=head, layers=L, heads=H)


UNCHANGED = ModelChanges()
