"""The programs and families of this chapter."""

from core.attention.program import attention_program
from core.chapters.heads.heads import heads_family, split_family, split_program
from core.chapters.heads.real_model import sharing_program
from core.sample import SMALL_SIZES, Sample

PROGRAMS = {
    "four heads": Sample(attention_program(heads=4), {**SMALL_SIZES, "c": 4}),
    "shared among 8": Sample(attention_program(heads=8, kv_heads=2), {**SMALL_SIZES, "c": 8}),
    "split right": Sample(split_program(right=True), {"m": 4, "c": 4}),
    "two heads on one key": Sample(sharing_program()),
    "split wrong": Sample(split_program(right=False), {"m": 4, "c": 4}),
}
FAMILIES = {"heads": heads_family("a b c"), "split": split_family()}
