"""A row through many layers of one matrix: powers, with what came in kept or not; P12."""

import numpy as np

from core.chapters.block import depth


def test_what_came_in_is_gone_without_a_residual_and_kept_with_one() -> None:
    """What the chart argues for: ten small layers lose a row, and with sums they change it."""
    found = depth.depths(depth.MATRICES["tenth"])
    assert found.dropped[10] < 1e-9
    assert found.kept[0] < found.kept[10] < 2 * found.kept[0]
    row = depth.depth_family().run(**{depth.RESIDUAL.key: "kept"})[f"x_{depth.DEEPEST}"]
    np.testing.assert_allclose(row, [[(1.1**10 + 0.9**10) / 2, (1.1**10 - 0.9**10) / 2]])


def test_the_power_method_by_hand() -> None:
    """P12: (1, 0) times [[2, 1], [1, 2]], again and again; the features differ by 1 each time."""
    trace = depth.depth_family().run(**{depth.RESIDUAL.key: "dropped", depth.MATRIX.key: "by_hand"})
    rows = [(1, 0), (2, 1), (5, 4), (14, 13), (41, 40)]
    for n, row in enumerate(rows):
        np.testing.assert_array_equal(trace[f"x_{n}"], [row])
    assert depth.power_rows("dropped") == [f"({a}, {b})" for a, b in rows]
    assert depth.power_rows("kept") == ["(1, 0)", "(3, 1)", "(10, 6)", "(36, 28)", "(136, 120)"]
    assert depth.MATRIX.options["by_hand"] == "[[2, 1], [1, 2]]"


def test_a_link_without_a_matrix_means_what_it_meant() -> None:
    np.testing.assert_array_equal(depth.depth_family().run()["J"], [[0, 0.1], [0.1, 0]])


def test_what_is_said_of_sizes_tells_the_matrices_apart() -> None:
    found = {name: depth.depths(matrix) for name, matrix in depth.MATRICES.items()}
    assert [name for name in found if found[name].lost] == ["tenth", "half"]
    assert [name for name in found if found[name].gentle] == ["tenth"]
