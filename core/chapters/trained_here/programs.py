"""The programs of this chapter: trained models, at each step whose weights are kept."""

from core.models.trained.shipped import SHIPPED, shipped_training, snapshot_family

FAMILIES = {f"trained: {name}": snapshot_family(shipped_training(name)) for name in SHIPPED}
