"""Random matrices, printed by each library or by its documented rules, read back as they are.

NumPy, PyTorch, pandas and our own downloads print themselves; the others are printed by short
functions here that follow what their manuals say.
"""

import io
import json

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
import torch

from core import InputError, attention_program, toy_inputs
from core.files.text import parse_matrices, parse_matrix
from tests.core.files.support import refusal_of
from tests.sampling import DEEP

CASES = range(300 if DEEP else 4)
LABELS = ["the", "cat", "sat", "on", "mat", "##ing", "Bär", "猫", "[CLS]", "it's", "a1"]


def drawn(seed, decimals=4):
    """A matrix of a random shape, kind and size, rounded to so many decimals."""
    random = np.random.default_rng(seed)
    shape = random.choice([1, 2, 3, 5, 7, 11], 2)
    matrix = random.normal(0, random.choice([0.1, 1, 30]), shape).round(decimals)
    return np.round(matrix) + 0.0 if seed % 4 == 3 else matrix + 0.0


def rows(matrix, between=" ", row_end="\n", form=repr):
    return row_end.join(between.join(map(form, row)) for row in matrix.tolist())


def fixed(number):
    return f"{number:.4f}"


def columns_of(matrix, width):
    return [(at, matrix[:, at : at + width]) for at in range(0, matrix.shape[1], width)]


def aligned(cells):
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (zip(row, widths, strict=True) for row in cells)
    return "\n".join(" ".join(cell.rjust(width) for cell, width in line) for line in lines)


def r_print(matrix):
    pieces = []
    for at, part in columns_of(matrix, 6):
        head = ["", *(f"[,{at + j + 1}]" for j in range(part.shape[1]))]
        body = [[f"[{i + 1},]", *map(fixed, row)] for i, row in enumerate(part.tolist())]
        pieces.append(aligned([head, *body]))
    return "\n".join(pieces)


def r_code(matrix):
    numbers = ", ".join(map(repr, matrix.T.ravel().tolist()))
    return f"Q <- matrix(c({numbers}), nrow = {len(matrix)})"


def julia_print(matrix):
    size = "×".join(map(str, matrix.shape))
    return f"{size} Matrix{{Float64}}:\n " + rows(matrix, "  ", "\n ")


def matlab_print(matrix):
    if matrix.shape[1] <= 6:
        return f"Q =\n\n   {rows(matrix, '   ', chr(10) + '   ', fixed)}\n\n"
    pieces = []
    for at, part in columns_of(matrix, 6):
        last = at + part.shape[1]
        head = f"Columns {at + 1} through {last}" if last > at + 1 else f"Column {last}"
        pieces.append(f"  {head}\n\n    {rows(part, '   ', chr(10) + '    ', fixed)}\n")
    return "Q =\n\n" + "\n".join(pieces)


def octave_print(matrix):
    pieces = []
    for at, part in columns_of(matrix, 6):
        last, to = at + part.shape[1], "through" if part.shape[1] > 2 else "and"
        head = f"Columns {at + 1} {to} {last}:" if last > at + 1 else f"Column {last}:"
        pieces.append(f" {head}\n\n   {rows(part, '   ', chr(10) + '   ', fixed)}\n")
    return "Q =\n\n" + "\n".join(pieces) + "\n"


def markdown(matrix):
    names = [f"f{j}" for j in range(matrix.shape[1])]
    lines = [names, ["---:"] * len(names), *[list(map(repr, row)) for row in matrix.tolist()]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def latex(matrix, begin, end):
    return f"Q = {begin}\n{rows(matrix, ' & ', ' ' + chr(92) * 2 + chr(10))}\n{end}"


def numpy_print(matrix, **options):
    return np.array2string(matrix, threshold=10**6, floatmode="unique", **options)


def braces(text):
    return text.replace("[", "{").replace("]", "}")


ALIKE = {
    "TensorFlow print": lambda m: f"tf.Tensor(\n{numpy_print(m)}, shape={m.shape}, dtype=float64)",
    "TensorFlow repr": lambda m: (
        f"<tf.Tensor: shape={m.shape}, dtype=float64, numpy=\n"
        f"array({numpy_print(m, separator=', ')})>"
    ),
    "JAX": lambda m: f"Array({numpy_print(m, separator=', ', prefix='Array(')}, dtype=float32)",
    "MLX": lambda m: f"array({numpy_print(m, separator=', ')}, dtype=float32)",
}
"""Prints of two axes and of three."""
WAYS = ALIKE | {
    "a print with words before": lambda m: f"Attention weights:\n {numpy_print(m)}",
    "a print with a name": lambda m: f"Q: {numpy_print(m)}",
    "MATLAB": lambda m: f"Q = [{rows(m, ' ', '; ')}];",
    "MATLAB with commas": lambda m: f"Q = [{rows(m, ', ', ';' + chr(10))}]; % queries",
    "MATLAB transposed": lambda m: f"[{rows(m.T, ' ', '; ')}]'",
    "MATLAB print": matlab_print,
    "Octave print": octave_print,
    "R print": r_print,
    "R code": r_code,
    "R rows": lambda m: f"rbind({', '.join(f'c({rows(row[None], chr(44))})' for row in m)})",
    "Julia": lambda m: f"Q = [{rows(m, ' ', '; ')}]",
    "Julia print": julia_print,
    "Mathematica": lambda m: braces(str(m.tolist())).replace("e", "*^"),
    "C": lambda m: (
        f"static const float Q[{len(m)}][{m.shape[1]}] = "
        f"{braces(str([[f'{x!r}f' for x in row] for row in m.tolist()])).replace(chr(39), '')};"
    ),
    "tuples": lambda m: str(tuple(map(tuple, m.tolist()))),
    "lists a line": lambda m: "\n".join(map(str, m.tolist())) if len(m) > 1 else str(m.tolist()),
    "comments on rows": lambda m: (
        "Q = [\n"
        + "".join(f"  {row},  # row {n}, [1, 2]\n" for n, row in enumerate(m.tolist()))
        + "]"
    ),
    "JSON with indent": lambda m: json.dumps(m.tolist(), indent=2),
    "decimal commas, tabs": lambda m: rows(m, "\t").replace(".", ","),
    "decimal commas, semicolons": lambda m: (
        f"{';'.join('abcdefghijk'[: m.shape[1]])};\n"
        f"{rows(m, ';', ';' + chr(10)).replace('.', ',')};"
    ),
    "LaTeX pmatrix": lambda m: latex(m, "\\begin{pmatrix}", "\\end{pmatrix}"),
    "LaTeX bmatrix": lambda m: latex(m, "\\left( \\begin{bmatrix}", "\\end{bmatrix} \\right)"),
    "LaTeX array": lambda m: latex(
        m, f"\\left[\\begin{{array}}{{{'r' * m.shape[1]}}}", "\\end{array}\\right]"
    ),
    "Markdown": markdown,
    "HTML": lambda m: (
        f"<table><tr><td>{rows(m, '</td><td>', '</td></tr><tr><td>')}</td></tr></table>"
    ),
    "HTML with names of rows": lambda m: (
        f"<table><tr><th>a<td>{rows(m, '<td>', '<tr><th>b<td>')}</table>"
    ),
    "pandas as HTML": lambda m: pd.DataFrame(m).to_html(),
    "pandas as CSV": lambda m: pd.DataFrame(m).to_csv(),
    "pandas as LaTeX": lambda m: (
        "\\begin{tabular}{l}\n"
        + "\\\\\n".join(
            [" & ".join(["", *map(str, range(m.shape[1]))])]
            + [" & ".join([str(i), *map(repr, row)]) for i, row in enumerate(m.tolist())]
        )
        + "\\\\\n\\end{tabular}"
    ),
    "divided after": lambda m: f"np.array({(m * 8).tolist()}) / 8",
    "transposed after": lambda m: f"torch.tensor({m.T.tolist()}).T",
    "a batch of one": lambda m: f"{[[m.tolist()]]}",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", CASES)
def test_what_is_written_reads_back(way, seed):
    matrix = drawn(seed)
    text = WAYS[way](matrix)
    if _asks(text) or (way == "decimal commas, tabs" and matrix.shape[1] == 1):
        return
    read = parse_matrix(text)
    np.testing.assert_array_equal(read[0] if way == "a batch of one" else read, matrix)


def _asks(text):
    """Whether a text is refused because it means two things."""
    try:
        parse_matrix(text)
    except InputError as error:
        return "two ways" in str(error) or "more than one meaning" in str(error)
    return False


def test_hardly_any_text_is_refused():
    texts = [WAYS[way](drawn(seed)) for way in WAYS for seed in range(8)]
    assert sum(map(_asks, texts)) < len(texts) / 50


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("axes", [2, 3])
def test_prints_of_numpy_read_back(seed, axes):
    random = np.random.default_rng(seed)
    shape = random.choice([2, 3, 5, 7, 13], axes)
    for dtype in (np.float64, np.float32, np.float16, np.int64, bool):
        array = (random.normal(0, 3, shape)).astype(dtype)
        width = int(random.choice([40, 75, 200]))
        with np.printoptions(threshold=10**6, floatmode="unique", linewidth=width):
            for text in (str(array), repr(array), f"Q = {array!r}", f"Q:\n{array}"):
                np.testing.assert_array_equal(parse_matrix(text).astype(dtype), array)


@pytest.mark.parametrize("seed", CASES)
@pytest.mark.parametrize("axes", [2, 3, 4])
def test_prints_of_pytorch_read_back(seed, axes):
    random = np.random.default_rng(seed)
    shape = [1, *random.choice([2, 3, 5], 3)][-axes:] if axes < 4 else [1, 2, 3, 5]
    tensor = torch.tensor(random.normal(0, random.choice([1, 100]), shape).round(3))
    printed = str(tensor)
    within = 0.5001 * 10.0 ** -len(printed.split("]")[0].rpartition(".")[2].partition("e")[0])
    wanted = tensor[0] if axes == 4 else tensor
    for text in (printed, str(torch.nn.Parameter(tensor)), f"attention = {tensor}"):
        np.testing.assert_allclose(parse_matrix(text), wanted, rtol=5e-4, atol=within)
    whole = torch.tensor(random.integers(-9, 9, shape))
    for exact in (whole, whole > 0):
        wanted = exact[0] if axes == 4 else exact
        np.testing.assert_array_equal(parse_matrix(str(exact)), wanted.numpy().astype(float))


@pytest.mark.parametrize("seed", CASES)
def test_frames_of_pandas_read_back_with_their_labels(seed):
    matrix = drawn(seed, decimals=2)
    random = np.random.default_rng(seed)
    names = [random.permutation(LABELS)[:n].tolist() for n in matrix.shape]
    frame = pd.DataFrame(matrix, *names)
    options = "display.width", 60, "display.max_columns", None, "display.max_rows", None
    with pd.option_context(*options):
        texts = [str(frame), frame.to_html(), frame.to_csv(), frame.to_csv(sep="\t")]
        plain = str(pd.DataFrame(matrix))
    for text in texts:
        (parsed,) = parse_matrices(text).values()
        np.testing.assert_array_equal(parsed.array, matrix)
        assert [list(parsed.rows), list(parsed.columns)] == names
    np.testing.assert_array_equal(parse_matrix(plain), matrix)


@pytest.mark.parametrize("exponent", [-3, 2, 3, 5])
@pytest.mark.parametrize("seed", CASES)
def test_a_common_factor_of_matlab_moves_the_point_and_nothing_else(seed, exponent):
    digits = np.random.default_rng(seed).integers(-99_999, 99_999, (3, 2))
    shown = digits / 10_000
    text = f"Q =\n\n   1.0e{exponent:+03d} *\n\n    {rows(shown, '   ', chr(10) + '    ', fixed)}\n"
    wanted = [[float(f"{n}e{exponent - 4}") for n in row] for row in digits.tolist()]
    np.testing.assert_array_equal(parse_matrix(text), wanted)


def pages(stack, head, row=lambda at: "   ", between="\n\n"):
    """A print of three axes: each page under its head."""
    return between.join(
        f"{head(n + 1)}\n\n"
        + "\n".join(row(i) + rows(page[i : i + 1], "   ") for i in range(len(page)))
        for n, page in enumerate(stack)
    )


PAGES = ALIKE | {
    "MATLAB": lambda s: "\n" + pages(s, lambda n: f"Q(:,:,{n}) =", between="\n\n\n"),
    "Octave": lambda s: "Q =\n\n" + pages(s, lambda n: f"ans(:,:,{n}) ="),
    "Julia": lambda s: (
        f"{'×'.join(map(str, (*s.shape[1:], len(s))))} Array{{Float64, 3}}:\n"
        + pages(s, lambda n: f"[:, :, {n}] =")
    ),
    "R": lambda s: pages(
        s,
        lambda n: f", , {n}\n\n     {' '.join(f'[,{j + 1}]' for j in range(s.shape[2]))}",
        row=lambda at: f"[{at + 1},]   ",
    ).replace("]\n\n[", "]\n["),
}


@pytest.mark.parametrize("way", PAGES)
@pytest.mark.parametrize("seed", CASES)
def test_a_print_of_three_axes_is_a_stack(way, seed):
    random = np.random.default_rng(seed)
    shape = random.choice([1, 2, 3, 5], 3)
    stack = random.normal(0, random.choice([0.1, 30]), shape).round(4) + 0.0
    (parsed,) = parse_matrices(PAGES[way](stack)).values()
    np.testing.assert_array_equal(parsed.array, stack)
    assert parsed.name == ("Q" if way in ("MATLAB", "Octave") else "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A(:,:,1) =\n\n 1 2\n\nA(:,:,3) =\n\n 1 2\n", "The pages of the print are not numbered"),
        ("A(:,:,2) =\n\n 1 2\n", "The pages of the print are not numbered"),
        ("A =\n\n 1 2\n\nA(:,:,2) =\n\n 1 2\n", "The pages of the print are not numbered"),
        (", , head1\n\n     [,1]\n[1,]    1\n", "The pages of the print are not numbered"),
        ("A(:,:,1,1) =\n\n 1 2\n\nA(:,:,2,1) =\n\n 1 2\n", "The brackets are nested more than"),
        ("A(:,:,1) =\n\n 1 2\n\nA(:,:,2) =\n\n 1\n", "'A': Matrix 2 is 1 × 1; matrix 1 is 1 × 2"),
    ],
)
def test_pages_that_are_no_stack_are_refused(text, message):
    assert refusal_of(parse_matrices, text).startswith(message)


def test_json_and_savetxt_of_numpy_go_back_in():
    run = attention_program(heads=2).run(toy_inputs("the cat", heads=2, d_model=4))
    arrays = {name: run[name] for name in ("X", "W_Q", "W_K", "W_V", "W_O")}
    pasted = parse_matrices(json.dumps({name: array.tolist() for name, array in arrays.items()}))
    for name, array in arrays.items():
        np.testing.assert_array_equal(pasted[name].array, array)
        stream = io.StringIO()
        np.savetxt(stream, array.reshape(-1, array.shape[-1]), fmt="%.17g")
        np.testing.assert_array_equal(parse_matrix(stream.getvalue()).reshape(array.shape), array)
