"""The programs and families of this chapter."""

from core.chapters.one_query.cached import corner_family, writing_family
from core.chapters.one_query.growing import FIXED, fixed_family
from core.chapters.one_query.one_row import one_row_family, one_row_program
from core.chapters.one_query.through_time import influence_family, influence_program
from core.sample import SMALL_SIZES, Sample

_BOTH = tuple(step.name for step in one_row_program(0).steps if step.name != "difference")
PROGRAMS = {
    "a map of fixed size": Sample(FIXED, {"m": 2, "p": 6, "q": 6}),
    **{f"one query, {t}": Sample(one_row_program(t), moves=_BOTH) for t in (0, 2)},
    **{
        f"influence, {factor}": Sample(influence_program(factor), {**SMALL_SIZES, "i": 4, "j": 4})
        for factor in (0.5, 1.1)
    },
}
FAMILIES = {
    "writing": writing_family("a b c"),
    "one row": one_row_family("a b c"),
    "corner": corner_family(),
    "fixed": fixed_family(),
    "influence": influence_family(),
}
