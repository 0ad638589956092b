"""The programs and families of this chapter."""

from core.chapters.words.neighbours import bank_family, reading_family, reading_program
from core.chapters.words.vectors import mean_family, mean_program, table_program
from core.sample import Sample

PROGRAMS = {
    "words looked up": Sample(table_program(), {"l": 4, "m": 3}),
    "a mean with dials": Sample(mean_program(), {"j": 4, "v": 2}, positive=("dials",)),
    "a mean with weights": Sample(reading_program(), positive=("weights",)),
}
FAMILIES = {
    "a mean with dials": mean_family([1, 2, 3, 4]),
    "bank": bank_family(),
    "reading": reading_family(),
}
