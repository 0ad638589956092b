"""Attention under each mask of the gallery: the program, and what the masks are called."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from core.attention import cell_descriptions as describe
from core.attention.masks import Rule
from core.attention.phases import phases
from core.attention.program import attention_program
from core.operations.masking import visible
from core.program.program import Program
from core.texts import core_texts

TEXTS = core_texts("masks")
GALLERY_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "causal": TEXTS("causal"),
        "window": TEXTS("sliding_window"),
        "dilated": TEXTS("dilated"),
        "prefix": TEXTS("prefix"),
        "blocks": TEXTS("blocks"),
        "global": TEXTS("global_tokens"),
        "none": TEXTS("none"),
    }
)
"""What each rule is called on a page."""
SIZED = ("window", "dilated", "prefix", "blocks", "global")
"""The masks of the gallery that have a size."""


def masked_program(rule: Rule) -> Program:
    """Attention of one head under any rule."""
    base = attention_program(heads=1)
    mask = replace(base.step["mask"], operation=visible(rule), meaning=describe.mask(rule))
    masked = replace(base.step["masked"], meaning=describe.masked(rule))
    made = base.replaced("mask", mask).replaced("masked", masked)
    return replace(made, phases=phases(rule, heads=1))
