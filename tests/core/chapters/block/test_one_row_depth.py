"""A row through many layers of one matrix: powers, with what came in kept or not; P12."""

import numpy as np

from core.chapters.block import one_row
from core.chapters.block.one_row import MATRICES
from tests.quotes import proves


@proves("Without a residual, $n$ layers turn a row $x$ into $x J^n$; with it, into $x (I + J)^n$")
def test_what_came_in_is_gone_without_a_residual_and_kept_with_one() -> None:
    """What the chart argues for: ten small layers lose a row, and with sums they change it."""
    found = one_row.depths(one_row.MATRICES["tenth"])
    assert found.dropped[10] < 1e-9
    assert found.kept[0] < found.kept[10] < 2 * found.kept[0]
    row = one_row.depth_family().run(**{one_row.RESIDUAL.key: "kept"})[f"x_{one_row.DEEPEST}"]
    np.testing.assert_allclose(row, [[(1.1**10 + 0.9**10) / 2, (1.1**10 - 0.9**10) / 2]])


@proves("""
    each row is nearer to the direction (1, 1), which belongs to the largest eigenvalue | These rows
    turn the same way, only more slowly. So keeping the input does not stop equal layers from
    turning rows alike. The row (1, −1) keeps its direction in both cases
""")
def test_the_power_method_by_hand() -> None:
    """P12: (1, 0) times [[2, 1], [1, 2]], again and again; the features differ by 1 each time."""
    trace = one_row.depth_family().run(
        **{one_row.RESIDUAL.key: "dropped", one_row.MATRIX.key: "by_hand"}
    )
    rows = [(1, 0), (2, 1), (5, 4), (14, 13), (41, 40)]
    for n, row in enumerate(rows):
        np.testing.assert_array_equal(trace[f"x_{n}"], [row])
    assert one_row.power_rows("dropped") == [f"({a}, {b})" for a, b in rows]
    assert one_row.power_rows("kept") == ["(1, 0)", "(3, 1)", "(10, 6)", "(36, 28)", "(136, 120)"]
    assert one_row.MATRIX.options["by_hand"] == "[[2, 1], [1, 2]]"
    J, both = np.array(MATRICES["by_hand"]), np.array([(1, 1), (1, -1)])
    np.testing.assert_array_equal(both @ J, [(3, 3), (1, -1)])
    np.testing.assert_array_equal(both @ (J + np.eye(2)), [(4, 4), (2, -2)])
    apart = [[abs(1 - b / a) for a, b in made] for made in (rows, [(3, 1), (10, 6), (136, 120)])]
    assert apart[0] == sorted(apart[0], reverse=True)
    assert apart[1] == sorted(apart[1], reverse=True)
    assert apart[0][-1] < apart[1][-1]


def test_a_link_without_a_matrix_means_what_it_meant() -> None:
    np.testing.assert_array_equal(one_row.depth_family().run()["J"], [[0, 0.1], [0.1, 0]])


def test_what_is_said_of_sizes_tells_the_matrices_apart() -> None:
    found = {name: one_row.depths(matrix) for name, matrix in one_row.MATRICES.items()}
    assert [name for name in found if found[name].lost] == ["tenth", "half"]
    assert [name for name in found if found[name].gentle] == ["tenth"]
