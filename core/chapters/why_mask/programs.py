"""The programs and families of this chapter."""

import numpy as np

from core.attention.masks import Rule
from core.attention.program import cached_program
from core.chapters.why_mask.causality import (
    cheat_family,
    edit_family,
    gallery_family,
    with_additive_mask,
)
from core.sample import Sample

PROGRAMS = {"additive mask": Sample(with_additive_mask(cached_program(1, 1, Rule("causal")), 5.0))}
FAMILIES = {
    "gallery": gallery_family("a b c", (2,), np.tri(3, dtype=bool)),
    "edit": edit_family("a b c"),
    "cheat": cheat_family(),
}
