"""Which rows one token moves, box by box: attention mixes rows, all else works row by row (K10)."""

import numpy as np
import pytest

from core.attention.layers.block import POST, PRE, BlockKind, block_inputs, block_program
from core.chapters.block.stack import boxes, moved_rows

TEXT = "the cat sat down"


@pytest.mark.parametrize("norm", [POST, PRE])
def test_a_box_has_every_tokens_run(norm: str) -> None:
    kind = BlockKind(norm, "gelu")
    for changed in range(4):
        for box, part in zip(boxes(kind, TEXT), moved_rows(kind, TEXT, changed), strict=True):
            assert (box.alone[changed], box.inside[changed]) == (part.alone, part.inside)


@pytest.mark.parametrize("norm", [POST, PRE])
def test_a_sum_adds_the_box_that_its_numbers_come_from(norm: str) -> None:
    trace = block_program(BlockKind(norm, "relu"), 1).run(block_inputs(TEXT, 1))
    found = boxes(BlockKind(norm, "relu"), TEXT)
    for at, box in enumerate(found):
        assert (box.adds is not None) == (box.name == "Sum")
        if box.adds is not None:
            came = trace["X" if box.adds < 0 else found[box.adds].array]
            np.testing.assert_array_equal(trace[box.array], came + trace[found[at - 1].array])
