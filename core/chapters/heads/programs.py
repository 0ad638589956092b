"""The programs and families of this chapter."""

from core.chapters.heads.heads import grouped_program, heads_family, split_family, split_program
from core.chapters.heads.real_model import sharing_program
from core.sample import SMALL_SIZES, Sample

PROGRAMS = {
    "four heads": Sample(grouped_program(4, 4), {**SMALL_SIZES, "c": 4}),
    "shared among 8": Sample(grouped_program(8, 2), {**SMALL_SIZES, "c": 8}),
    "split right": Sample(split_program(right=True), {"m": 4, "c": 4}),
    "two heads on one key": Sample(sharing_program()),
    "split wrong": Sample(split_program(right=False), {"m": 4, "c": 4}),
}
FAMILIES = {"heads": heads_family("a b c"), "split": split_family()}
