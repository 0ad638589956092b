"""Texts of every dialect and every download, mutated: refused, or read as a strict reader does.

The strict readers are Python's own: `float` for a cell, `ast.literal_eval` for a script's arrays,
`csv` for our tables, `np.load` for an archive.
"""

import ast
import csv as strict_csv
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest

from core import attention_program, toy_inputs
from core.files.downloads import csv, npz
from core.files.text import parse_matrices
from core.files.uploads import read_matrix_file
from core.limits import LARGEST
from core.program.code.exercise import exercise_script
from core.program.code.script import notebook, numpy_script, plain_script
from core.pytorch.snippet import torch_snippet
from tests.core.files.support import read_or_refused
from tests.core.files.test_text_of_any_kind import HOSTILE, PIECES
from tests.core.files.test_text_round_trips import WAYS, drawn
from tests.sampling import DEEP

TRIES = 600 if DEEP else 8
"""Mutations of each text."""
RUN = attention_program(heads=2).run(toy_inputs("the cat's [sat]", heads=2, d_model=4))
SCRIPTS: Mapping[str, Callable[[], str]] = {
    "attention.py": lambda: numpy_script(RUN),
    "attention_plain.py": lambda: plain_script(RUN),
    "attention_torch.py": lambda: torch_snippet(RUN),
    "attention_yourself.py": lambda: exercise_script(RUN, ()),
    "attention.ipynb": lambda: notebook(RUN),
}
WORDS = [
    "-0.0", "1e5", "-2.5E-3", ".5", "7.", "0012", "+3", "1_000", "0x1F", "1e", "--1", "1.2.3",
    "nan", "inf", "1e999", "٣", "１", "1j", "5f", "?", "None", "-", "2e7", "1/2", "50%", "1,5",
    "...", "x", "0b1", "1e-400", "1 2", "", "9" * 320,
]  # fmt: skip
"""What a cell is replaced by: numbers, what some languages take for one, and what is none."""


def mutated(text: str, random: np.random.Generator) -> str:
    for _ in range(random.integers(1, 4)):
        at = int(random.integers(0, len(text) + 1))
        end = at + int(random.choice([0, 0, 1, 2, 8]))
        piece = random.choice([*PIECES, HOSTILE, text[at : at + 30], text[-9:]])
        text = text[:at] + str(piece) + text[end:]
    return text


def reading(name: str, data: str | bytes) -> dict[str, np.ndarray] | None:
    if isinstance(data, str):
        return read_or_refused(parse_matrices, data)
    return read_or_refused(read_matrix_file, name, data)


@pytest.fixture(autouse=True)
def nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("PASTED", raising=False)
    yield
    assert "PASTED" not in os.environ


def strictly(word: str) -> float | None:
    """The number that a word is in every language; None for any other word."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if set(word) <= set("0123456789+-.eE") and abs(value) <= LARGEST else None


@pytest.mark.parametrize("way", WAYS)
def test_a_cell_that_is_replaced_is_that_number_or_refused(way: str) -> None:
    random = np.random.default_rng(len(way))
    marked = 0.1234567890123
    for seed in range(TRIES):
        matrix = drawn(seed)
        at = tuple(int(random.integers(0, n)) for n in matrix.shape)
        matrix[at] = marked / 8 if way == "divided after" else marked
        word = str(random.choice(WORDS))
        spelled = str(marked).replace(".", ",") if way.startswith("decimal commas") else str(marked)
        text = WAYS[way](matrix)
        if text.count(spelled) != 1:
            continue  # a print that rounds
        found = reading("", text.replace(spelled, word))
        if found is None:
            continue
        (array,) = found.values()
        value = strictly(word)
        if array.size == matrix.size and value is not None:
            matrix[at] = value / 8 if way == "divided after" else value
            np.testing.assert_array_equal(array.reshape(matrix.shape), matrix)
        elif array.size == matrix.size:
            assert word in ("1/2", "50%", "1e-400", "1,5", "5f", "1 2", "", "-", "1e5"), (way, word)


@pytest.mark.parametrize("file", SCRIPTS)
def test_a_mutated_script_is_read_as_python_reads_its_literals(file: str) -> None:
    random = np.random.default_rng(len(file))
    text = SCRIPTS[file]()
    for _ in range(TRIES // 2):
        changed = mutated(text, random)
        found = reading(file, changed.encode("utf-8", "replace"))
        if found is None:
            continue
        literals = written_arrays(code_of(file, changed))
        for name in found.keys() & literals.keys():
            if (literal := literals[name]) is not None:
                np.testing.assert_array_equal(found[name].ravel(), literal.ravel())


def code_of(file: str, text: str) -> str:
    if file.endswith(".py"):
        return text
    cells = json.loads(text)["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")


def written_arrays(code: str) -> dict[str, np.ndarray | None]:
    """The last literal that each name is given at the top of a program; None if it has several."""
    found: dict[str, np.ndarray | None] = {}
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError):
        return found
    for node in body:
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            continue
        name, value = node.targets[0].id, node.value
        if isinstance(value, ast.Call):
            if not (value.args and ast.unparse(value.func).endswith(("array", "tensor"))):
                continue
            value = value.args[0]
        try:
            array = np.array(ast.literal_eval(value), dtype=float)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        found[name] = None if name in found else array
    return found


@pytest.mark.parametrize("array", ["X", "scores", "masked", "mask"])
def test_a_mutated_csv_is_read_as_the_csv_module_reads_it(array: str) -> None:
    random = np.random.default_rng(len(array))
    text = csv(RUN, array)
    for _ in range(TRIES):
        changed = mutated(text, random)
        found = reading("a.csv", changed.encode("utf-8", "replace"))
        numbers = strict_numbers(changed)
        if found is not None and numbers is not None:
            (read,) = found.values()
            np.testing.assert_array_equal(read.ravel(), numbers)


def strict_numbers(text: str) -> np.ndarray | None:
    """The numbers of a table of ours; None where it is no longer one."""
    lines = io.StringIO(text.removeprefix("\ufeff"))
    try:
        rows = list(strict_csv.reader(lines, quoting=strict_csv.QUOTE_NONNUMERIC, strict=True))
    except (strict_csv.Error, ValueError):
        return None
    if not rows or not all(isinstance(cell, str) for cell in rows[0]):
        return None
    body = [[cell for cell in row if isinstance(cell, float)] for row in rows[1:] if row]
    is_table = bool(body) and len({len(row) for row in body}) == 1
    ours = all(len(row) == len(rows[0]) for row in rows[1:] if row)
    return np.array(body).ravel() if is_table and ours and body[0] else None


def test_a_mutated_archive_is_read_as_numpy_reads_it() -> None:
    random = np.random.default_rng(0)
    whole = npz(RUN)
    read = 0
    for _ in range(10 * TRIES):
        data = bytearray(whole)
        for _ in range(random.integers(1, 4)):
            data[random.integers(0, len(data))] = random.integers(0, 256)
        found = reading("a.npz", bytes(data))
        if found is None:
            continue
        read += 1
        with np.load(io.BytesIO(bytes(data)), allow_pickle=False) as theirs:
            for name, array in found.items():
                np.testing.assert_array_equal(array, theirs[name])
    assert read


def test_the_strict_readers_see_a_wrong_number() -> None:
    numbers = strict_numbers(csv(RUN, "X"))
    assert numbers is not None
    np.testing.assert_array_equal(numbers, RUN["X"].ravel())
    literals = written_arrays(plain_script(RUN))
    assert set(literals) == {"X", "W_Q", "W_K", "W_V", "W_O"}
    for name, literal in literals.items():
        np.testing.assert_array_equal(literal, RUN[name])
