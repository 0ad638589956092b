"""Programs and notebooks: written arrays are read, the code around them is looked at, not run."""

import json
import time

import numpy as np
import pytest

from core.errors import InputError
from core.files.dialects.scripts import MAX_NOTEBOOK_CELLS
from core.files.text import parse_matrices, parse_matrix, parse_text
from core.files.uploads import read_matrix_file
from tests.core.files.support import file_refusal, refusal_of
from tests.core.support import refuses
from tests.sampling import DEEP, paired

SCRIPT = '''
"""Attention, with X = [[9]] in its docstring and a <td>cell</td>."""
import numpy as np
from math import sqrt

np.random.seed(0)
X = np.array([[1.0, 2.0], [3.0, 4.0]])   # [[5, 6]]
W_Q, W_K = np.eye(2), np.random.randn(2, 2)
{around}

def attention(q, k):
    scores = q @ k.T / sqrt(q.shape[-1])
    scores[scores > 1] = 0
    return scores

if __name__ == "__main__":
    W_V = [[1, 0], [0, -1]]
    for name in ("X", "W_V"):
        print(name, X.shape)
    print(attention(X, X))
'''


def read(around: str) -> dict[str, np.ndarray]:
    return read_matrix_file("a.py", SCRIPT.replace("{around}", around).encode())


KEEPS = [
    "assert X.shape == (2, 2)",
    "scores = X @ X.T\nscores[0, 1] = -np.inf",
    "masked = X.copy()\nmasked[0] = 0\nmasked += 1",
    "Q = X[..., None]",
    "print(f'{X}', X.sum())",
    "for row in X:\n    total = row.sum()",
    "plt.imshow(X)\nnp.savez('x.npz', X=X)",
    "with torch.no_grad():\n    out = attention(X, X)",
    "h = X * 2\nh = h + 1\nh = np.tanh(h)",
    "rows = [row @ W_K for row in X]",
    "expected = {'X': [[7, 7], [7, 7]]}",
    "shape: tuple[int, int] = X.shape",
    "np.testing.assert_allclose(X, X)",
    "class Head:\n    def __init__(self, w):\n        self.w = w\nhead = Head(X)",
    "class Head:\n    def __init__(self, w):\n        self.seen[0] = w\nhead = Head(X)",
    "cache = {}\ncache['x'] = X\ncache['y'] = 1",
    "seen = []\nseen.append(X)\nseen.append(X + 1)\nprint(seen)",
    "seen = []\ndef look(a):\n    seen.append(1)\n    return a\nlook(X)",
    "import torch\nassert torch.allclose(torch.tensor(X), torch.tensor(X))",
    "x = np.zeros_like(X)\nx[0] = 1\nnp.fill_diagonal(x, 0)",
    "y = np.negative(X)\nz = np.add(X, 1)",
    "model.eval()\nn = globals().get('n')",
]
CHANGES = [
    "X = X / 2", "X /= 2", "X[0, 0] = 9", "X[0][0] = 9", "X.T[0] = 9", "X.sort()", "X.data.zero_()",
    "X.shape = (1, 4)", "del X", "Y = X\nY[0] = 9", "Y = X.T\nY += 1",
    "Y = np.asarray(X)\nY[0] = 9", "Y = np.array(X, copy=False)\nY[0] = 9",
    "Y = Z = X.reshape(4)\nZ[0] = 9", "both = [X, W_K]\nboth[0][0] = 9",
    "both = {'X': X}\nboth['X'][0] = 9", "np.fill_diagonal(X, 0)", "nothing = np.copyto(X, 0)",
    "np.add(X, 1, out=X)", "total = np.add(X, 1, out=X)", "np.add.at(X, 0, 1)", "rng.shuffle(X)",
    "torch.nn.init.zeros_(X)", "y = torch.nn.init.zeros_(X)", "normalise(X)",
    "for row in X:\n    row[0] = 9", "for row in X:\n    row *= 2", "[row.fill(0) for row in X]",
    "if True:\n    X = 0", "while (X := 0):\n    pass", "with open('x') as X:\n    pass",
    "def change():\n    X[0] = 9\nchange()", "def change(a):\n    a[0] = 9\nchange(X)",
    "def change(a):\n    b = a\n    b += 1\n    return b\ny = change(X)",
    "def change(a):\n    a = a.view()\n    a[0] = 9\ny = change(X)",
    "def inner(a):\n    a[0] = 9\ndef outer(a):\n    inner(a)\nouter(X)",
    "def outer(a):\n    inner(a)\ndef inner(a):\n    a[0] = 9\nouter(X)",
    "def change():\n    global X\n    X = 0\nchange()", "def X():\n    pass",
    "exec('X[0] = 9', {'X': X})",
    "class Head:\n    def __init__(self, w):\n        self.w = w\n        self.w[0] = 9\nHead(X)",
    "class Head:\n    def __init__(self, w):\n        self.w = w\nhead = Head(X)\nhead.w[0] = 9",
    "class Head:\n    def __init__(self, w):\n        w += 1\nhead = Head(X)",
    "head.w = X\nhead.w[0] = 9", "head.w = X\nhead.change()", "cache['x'] = X\ncache['x'][0] = 9",
    "cache['x'] = X\nfor key in cache:\n    cache[key] += 1",
    "seen = []\nseen.append(X)\nseen[0][0] = 9",
    "seen = []\nseen.append(X)\nfor one in seen:\n    one[0] = 9",
    "seen = []\nseen.append(X)\nclear_all(seen)", "y = np.negative(X, X)", "out = np.add(X, 1, X)",
    "y = F.relu(X, inplace=True)", "globals()['X'] = 3", "globals().update(X=3)", "exec('X = 3')",
    "exec(code)",
]  # fmt: skip


@pytest.mark.parametrize("around", KEEPS)
def test_code_that_only_uses_an_array_leaves_it_as_it_is_written(around: str) -> None:
    found = read(around)
    np.testing.assert_array_equal(found["X"], [[1, 2], [3, 4]])
    np.testing.assert_array_equal(found["W_V"], [[1, 0], [0, -1]])
    assert not found.keys() & {"W_Q", "W_K", "scores", "Y"}


@pytest.mark.parametrize("around", CHANGES)
def test_code_that_may_change_an_array_is_refused_with_its_name(around: str) -> None:
    refuses("The code changes 'X' after its numbers; nothing in a ", read, around)


def test_what_would_have_to_be_computed_is_named() -> None:
    text = SCRIPT.replace("{around}", "K = X @ W_K")
    refuses("more than one matrix: X, W_V, W_Q, W_K, K and name", parse_matrix, text)
    text = "import numpy as np\nK = np.random.randn(2, 2)"
    refuses("'K' would have to be computed", parse_matrices, text)


def test_a_name_that_is_computed_and_then_written_has_the_numbers_that_are_written() -> None:
    text = "import numpy as np\nX = np.zeros((2, 2))\nX = np.array([[1, 2]])"
    np.testing.assert_array_equal(parse_matrix(text), [[1, 2]])


def test_signs_in_strings_and_comments_are_no_brackets() -> None:
    text = f"import re\nsigns = '{'[(' * 40}'  # {'{' * 40}\nX = [[1, 2]]\nmore = '''{'[' * 40}'''"
    np.testing.assert_array_equal(parse_matrices(text)["X"].array, [[1, 2]])


def notebook(*cells: object, **more: object) -> bytes:
    return json.dumps({"cells": cells, "nbformat": 4, "metadata": {}, **more}).encode()


def code(source: object) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": [], "metadata": {}}


def test_the_code_cells_of_a_notebook_are_one_program() -> None:
    data = notebook(
        {"cell_type": "markdown", "source": "X = [[9, 9]]"},
        code(
            ["%matplotlib inline\n", "!pip install numpy\n", "import numpy as np\n", "X = [[1, 2]]"]
        ),
        code("%%bash\necho X = [[3]]"),
        code("W_Q = np.array([[1],\n  [0.5]])\nX @ W_Q"),
    )
    found = read_matrix_file("a.ipynb", data)
    np.testing.assert_array_equal(found["X"], [[1, 2]])
    np.testing.assert_array_equal(found["W_Q"], [[1], [0.5]])
    assert len(found) == 2
    with pytest.raises(InputError, match="The code changes 'X'"):
        read_matrix_file("a.ipynb", notebook(code("X = [[1, 2]]"), code("X[0] = 3")))


NO_NOTEBOOKS = (
    b"", b"[]", b'"cells"', b'{"cells": 7}', b'{"cells": [7]}', b'{"cells": [{}]}',
    b'{"cells": ' + b"[" * 900 + b"]" * 900 + b"}", b'{"cells": [], "a": ' + b"9" * 9_000 + b"}",
    notebook(code(7)), notebook(code([7])), notebook(code({"a": 1})),
)  # fmt: skip


@pytest.mark.parametrize(
    ("data", "message"),
    [
        *((data, "The file is not a Jupyter notebook") for data in NO_NOTEBOOKS),
        (notebook(code("print(1)")), "The input holds no numbers"),
        (b"[" * 100_000, "The brackets are nested more than three deep"),
        (notebook(*[code("x")] * (MAX_NOTEBOOK_CELLS + 1)), "The notebook has 1,001 cells; the "),
        (notebook(code("X = [[1]]" + " " * 200_000)), "The text has 200,009 characters"),
        (notebook(code("import os\nX = " + "[" * 40 + "]" * 40)), "The brackets are nested more"),
    ],
)
def test_what_is_no_notebook_or_too_large_is_refused(data: bytes, message: str) -> None:
    assert file_refusal("a.ipynb", data).startswith(message)


@pytest.mark.parametrize("text", ["import a\nx = a! = 1\n", "def f(x):\n  pass)\n1 2\n"])
def test_a_program_that_python_cannot_parse_is_no_table(text: str) -> None:
    said = "would have to be computed; nothing in a text is evaluated"
    assert said in refusal_of(parse_matrices, text)


def test_a_row_with_the_label_import_is_no_program() -> None:
    (parsed,) = parse_matrices("import 0.5 1.5\nfrom 2.5 3.5\n").values()
    np.testing.assert_array_equal(parsed.array, [[0.5, 1.5], [2.5, 3.5]])
    assert parsed.rows == ("import", "from")


LENGTH = 190_000 if DEEP else 60_000
LONG = [
    "x = y\n", "a.b.c.d.e.f.g = x\n", "x.append(x)\n", "for i in i:\n  i[0] = i\n", "y = [y, y]\n"
]  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "opening"), paired(LONG, ["import a\n", "import a\ndef f(x):\n  "])
)
def test_a_long_program_is_refused_soon(unit: str, opening: str) -> None:
    indented = unit.replace("\n", "\n  ")
    lines = (indented if "def" in opening else unit) * (LENGTH // len(indented))
    started = time.process_time()
    with pytest.raises(InputError, match="statements; the limit is 2,000: paste only the lines"):
        parse_matrices(f"{opening}{lines}\nX = [[1]]\n")
    assert time.process_time() - started < 1


@pytest.mark.parametrize("words", [["ok", "|"], ["ok", "c|d"], ["ok", "1"], ["–", "<td>"]])
@pytest.mark.parametrize("opening", ["", "tokens = "])
def test_a_list_of_words_may_have_any_signs(words: list[str], opening: str) -> None:
    found = parse_text(f"\n{opening}{words!r}\n")
    assert found.lists == {"tokens" if opening else "": tuple(words)}
    assert not found.matrices


def test_words_that_spell_numbers_are_tokens_only_under_that_name() -> None:
    assert parse_text('tokens = ["1", "2"]').lists == {"tokens": ("1", "2")}
    np.testing.assert_array_equal(parse_text('["1", "2"]').matrices[""].array, [[1, 2]])


@pytest.mark.parametrize(
    ("second", "wanted"),
    [
        ("x = torch.tensor(x, dtype=torch.float32)", [[1, 2], [3, 4]]),
        ("x = np.array(x).astype(float)\nx = torch.tensor(x)", [[1, 2], [3, 4]]),
        ("x = np.array(x).reshape(4, 1)", [[1], [2], [3], [4]]),
    ],
)
def test_an_array_that_is_converted_under_its_own_name_is_read(second: str, wanted: object) -> None:
    np.testing.assert_array_equal(parse_matrix(f"x = [[1, 2], [3, 4]]\n{second}"), wanted)


@pytest.mark.parametrize("second", ["x = f(x)", "x = x.pop()", "x = np.array(x)\nx[0] = 1"])
def test_what_changes_an_array_under_its_own_name_is_refused(second: str) -> None:
    with pytest.raises(InputError, match="The code changes 'x' after its numbers"):
        parse_matrix(f"x = [[1, 2], [3, 4]]\n{second}")


TENSOR = "tensor([[1., 2.],\n        [3., 4.]], requires_grad=True)"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("W_q.weight = Parameter containing:\n{}\nW_k.weight = Parameter containing:\n{}",
         ["W_q.weight", "W_k.weight"]),
        ("W_q: Parameter containing:\n{}\nW_k: Parameter containing:\n{}", ["W_q", "W_k"]),
        ("W_q: Parameter containing:\n{}", ["W_q"]),
        ("self.W_q = {}\nself.W_k = {}", ["W_q", "W_k"]),
        ("W_q.weight.data = {}", ["W_q.weight"]),
        ("OrderedDict([('W_Q', {}), ('W_K', {})])", ["W_Q", "W_K"]),
        ("OrderedDict({{'W_Q': {}, 'W_K': {}}})", ["W_Q", "W_K"]),
        (">>> Q\n{}\n>>> K\n{}", ["Q", "K"]),
        (">>> print(Q)\n{}\n>>> print(K)\n{}", ["Q", "K"]),
        ("In [1]: Q\nOut[1]:\n{}\n\nIn [2]: K\nOut[2]: {}", ["Q", "K"]),
        (">>> Q\n>>> K\n{}", ["K"]),
        ("# Q\n1 2\n3 4\n# K\n1 2\n3 4", ["Q", "K"]), ("Q\n1 2\n3 4\nK\n1 2\n3 4", ["Q", "K"]),
        ("```\nQ = [[1, 2], [3, 4]]\nK = [[1, 2], [3, 4]]\n```", ["Q", "K"]),
        ("Q (2x2):\n1 2\n3 4\nK (2x2):\n1 2\n3 4", ["Q", "K"]),
    ],
)  # fmt: skip
def test_prints_are_read_by_the_names_beside_them(text: str, names: list[str]) -> None:
    found = parse_matrices(text.format(TENSOR, TENSOR))
    assert list(found) == names
    for parsed in found.values():
        np.testing.assert_array_equal(parsed.array, [[1, 2], [3, 4]])


def test_tables_below_prompts_have_their_names() -> None:
    page = "     [,1] [,2]\n[1,]    1    2\n[2,]    3    4\n"
    assert list(parse_matrices(f"> Q\n{page}> K\n{page}")) == ["Q", "K"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{TENSOR}\n{TENSOR}", "The text has two matrices without a name; each needs its own"),
        ("<table><td>1</table><table><td>1</table>", "The text has two matrices without a name"),
        ("Q: [[1, 2]]\nQ: [[3, 4]]", "The text has two matrices named 'Q'; each needs its own"),
    ],
)
def test_two_matrices_that_cannot_be_told_apart_are_refused(text: str, message: str) -> None:
    assert refusal_of(parse_matrices, text).startswith(message)


@pytest.mark.parametrize("kind", ["uint8", "int8", "int16"])
def test_a_whole_number_that_its_type_cannot_hold_is_refused(kind: str) -> None:
    for array in ("np.array([[{}]]).astype(np.{})", "np.array([[{}]], dtype=np.{})"):
        for number in (-1, 0, 127, 300, 70_000):
            text = array.format(number, kind)
            if np.iinfo(kind).min <= number <= np.iinfo(kind).max:
                np.testing.assert_array_equal(parse_matrix(text), [[number]])
            else:
                assert "some of the numbers would change" in refusal_of(parse_matrix, text)


def test_a_function_alone_would_have_to_be_computed() -> None:
    for opening in ("def f(): ", "class F: "):
        assert "would have to be computed" in refusal_of(parse_matrices, f"{opening}X = [[1, 2]]")


def test_a_long_chain_of_attributes_is_refused() -> None:
    text = "import a\nx = [[1]]\nx = np.array(x)" + ".T" * 20_000 + ".copy()"
    assert refusal_of(parse_matrices, text)


def test_a_print_may_number_its_columns_from_0_and_its_rows_from_1() -> None:
    np.testing.assert_array_equal(parse_matrix("   0  1\n1  5  2\n2  1  3"), [[5, 2], [1, 3]])


def test_a_sign_before_a_matrix_of_latex_is_read_and_a_difference_is_not() -> None:
    matrix = r"\begin{bmatrix} 1 & 2 \end{bmatrix}"
    np.testing.assert_array_equal(parse_matrix(f"-{matrix}"), [[-1, -2]])
    np.testing.assert_array_equal(parse_matrix(f"Q = -{matrix}"), [[-1, -2]])
    refuses("would have to be computed", parse_matrices, f"Q = {matrix} - {matrix}")
