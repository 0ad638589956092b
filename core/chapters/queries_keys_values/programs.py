"""The programs and families of this chapter."""

from core.chapters.queries_keys_values.ladder import RUNGS, ladder_family, ladder_program
from core.chapters.queries_keys_values.lookup import lookup_family, lookup_program
from core.sample import Sample

PROGRAMS = {f"ladder, rung {n}": Sample(ladder_program(n)) for n in range(2, len(RUNGS) + 1)}
PROGRAMS["ladder, rung 1"] = Sample(ladder_program(1), {"k": 4, "v": 4})
PROGRAMS["lookup"] = Sample(lookup_program(2.0))
FAMILIES = {"ladder": ladder_family("a b c"), "lookup": lookup_family()}
