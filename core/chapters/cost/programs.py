"""The programs and families of this chapter."""

from core.chapters.cost.batch import PACKED, PADDED, Packed, Padded, batch_family, batch_program
from core.sample import SMALL_SIZES, Sample

_SIZES = {**SMALL_SIZES, "i": 4, "j": 4, "k": 1, "c": 2}
PROGRAMS = {
    "padded": Sample(batch_program(Padded(PADDED, real=2), 0, 2), _SIZES),
    "packed": Sample(batch_program(Packed(PACKED, lengths=(1, 3)), 1, 3), _SIZES),
}
FAMILIES = {"batch": batch_family("a b c d")}
