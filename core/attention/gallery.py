"""Attention under each mask of the gallery: the program, and what the masks are called."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from core.attention import cell_descriptions as describe
from core.attention.masks import GALLERY, KINDS, Rule
from core.attention.phases import phases
from core.attention.program import attention_program
from core.operations.masking import visible
from core.program.program import Program

GALLERY_WORDS: Mapping[str, str] = MappingProxyType({name: KINDS[name].word for name in GALLERY})
"""What each rule is called on a page."""


def masked_program(rule: Rule) -> Program:
    """Attention of one head under any rule."""
    base = attention_program(heads=1)
    mask = replace(base.step["mask"], operation=visible(rule), meaning=describe.mask(rule))
    masked = replace(base.step["masked"], meaning=describe.masked(rule))
    made = base.replaced("mask", mask).replaced("masked", masked)
    return replace(made, phases=phases(rule, heads=1))
