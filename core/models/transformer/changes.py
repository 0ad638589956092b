"""What a person changes in a model to see what depends on it."""

from dataclasses import dataclass

from core.errors import input_error
from core.models.head_places import Place, is_place_of
from core.models.transformer.settings import ModelSettings
from core.texts import core_texts

TEXTS = core_texts("checkpoints")


@dataclass(frozen=True)
class ModelChanges:
    """Heads that are switched off, as (layer, head) from 0: their context is 0. The mask dropped:
    every token reads every other. The scale dropped: scores are not divided by √d_k.
    """

    heads_off: frozenset[Place] = frozenset()
    mask: bool = True
    scale: bool = True

    def fitting(self, settings: ModelSettings) -> "ModelChanges":
        """Return the changes without those that say nothing of a model: heads that it does not
        have, and a mask that it does not have.
        """
        L, H = settings.n_layers, settings.n_heads
        there = frozenset(place for place in self.heads_off if is_place_of(place, L, H))
        return ModelChanges(there, self.mask or not settings.is_causal, self.scale)

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
