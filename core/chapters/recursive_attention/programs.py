"""The programs and families of this chapter.

Maxima and factors move with the largest score only.
"""

from core.chapters.recursive_attention.schedules import (
    ring_family,
    streaming_family,
    tiles_family,
    workers_family,
)
from core.chapters.recursive_attention.shared_prefix import shared_program
from core.chapters.recursive_attention.tile_schedule import Schedule
from core.chapters.recursive_attention.tiles import tiles_program
from core.chapters.recursive_attention.tree_program import given_program, tree_family, tree_program
from core.chapters.recursive_attention.trees import read_forest
from core.sample import Sample

FAMILIES = {
    "tree": tree_family("a b", read_forest("(1 2)", 2)),
    "streaming": streaming_family("a b"),
    "tiles": tiles_family("a b"),
    "workers": workers_family("a b"),
    "ring": ring_family("a b"),
}


def _of_pieces(text: str) -> Sample:
    """The pieces of 4 keys that are given."""
    program = given_program(read_forest(text, 4), 4)
    moves = tuple(name for name in program.step if name != "difference")
    return Sample(program, {"j": 4, "x": 1}, moves)


def _in_tiles(schedule: Schedule) -> Sample:
    largest = ("m_", "c_", "P_", "l_", "kept_", "new_", "difference")
    program = tiles_program(schedule)
    return Sample(program, moves=tuple(n for n in program.step if not n.startswith(largest)))


_SCHEDULES = {
    "whole": Schedule((3,), (3,), (((0, 0),),), "Block"),
    "by keys": Schedule((3,), (1, 1, 1), (((0, 0),), ((0, 1),), ((0, 2),)), "Block"),
    "backwards": Schedule((3,), (1, 1, 1), (((0, 2),), ((0, 1),), ((0, 0),)), "Block"),
    "2 and 1": Schedule((3,), (2, 1), (((0, 0),), ((0, 1),)), "Block"),
    "1 and 2": Schedule((3,), (2, 1), (((0, 1),), ((0, 0),)), "Block"),
    "square": Schedule((2, 1), (2, 1), (((0, 0),), ((0, 1),), ((1, 0),), ((1, 1),))),
    "square, causal": Schedule((2, 1), (2, 1), (((0, 0),), ((1, 0),), ((1, 1),))),
    "a ring": Schedule((2, 1), (2, 1), (((0, 0), (1, 1)), ((0, 1), (1, 0))), "Tick"),
}
PROGRAMS = {
    f"a tree, {text}": _of_pieces(text)
    for text in ("((1 2) (3 4))", "((1 2) (2 3 4))", "(1 2) 3 4")
}
PROGRAMS["a tree of a sentence"] = Sample(
    tree_program(read_forest("((1 2) 3)", 3), 3, 1, "causal"),
    moves=("s_row", "y_row", "s_12", "v_12", "s_123"),
)
PROGRAMS |= {
    f"a tree of a sentence, {mask}, token {at + 1}": Sample(
        tree_program(read_forest("(1 2 3)", 3), 3, at, mask), moves=("s_row", "y_row")
    )
    for mask in ("causal", "none")
    for at in range(3)
}
PROGRAMS |= {f"tiles, {name}": _in_tiles(schedule) for name, schedule in _SCHEDULES.items()}
PROGRAMS |= {
    f"{name} of 2 tokens": Sample(
        FAMILIES[name].built().program, {"i": 2, "j": 2}, moves=("Q", "K", "V")
    )
    for name in ("tree", "ring")
}
PROGRAMS["a shared beginning"] = Sample(shared_program(), {"x": 2, "y": 2})
