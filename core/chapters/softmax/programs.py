"""The programs and families of this chapter."""

from core.chapters.softmax.normalising import OVER, over_family, program_over
from core.chapters.softmax.shares import MADE, shares_family, shares_program
from core.sample import Sample

PROGRAMS = {
    f"shares, {made}, {temperature}{', moved' if adds else ''}": Sample(
        shares_program(made, temperature, adds),
        {"j": 4},
        moves=("moved",) if adds else ("weights",),
        largest=100.0,
    )
    for made in MADE.options
    for temperature in (1.0, 2.0)
    for adds in (False, True)
}
PROGRAMS |= {
    f"softmax over {over}": Sample(program_over(over), largest=2.0) for over in OVER.options
}
FAMILIES = {"shares": shares_family([2, 1, 0, -1]), "over which sum": over_family("a b c")}
