"""What a cell's colour says."""

import re

from stage.component import style_sheet


def test_violet_belongs_to_the_cells_of_weights_alone() -> None:
    violet = re.findall(r"([^{}]*){[^{}]*var\(--share\)[^{}]*}", style_sheet())
    cells = {name.strip() for rule in violet for name in rule.split(",")}
    assert cells
    assert all(re.fullmatch(r"\.w\d+", name) for name in cells), cells
