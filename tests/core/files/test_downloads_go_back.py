"""Every download of every program is read again, and the program gives the same run on it.

Bit for bit, −0 and all; of what a matrix is copied as in LaTeX, the digits that are shown. A
worksheet has blanks to be filled in, and is not read.
"""

import re
from collections.abc import Mapping
from unittest.mock import patch

import numpy as np
import pytest

from core import InputError, Trace
from core.files.downloads import csv, npz
from core.files.text import parse_matrices, parse_matrix, parse_text
from core.files.uploads import read_matrix_file
from core.limits import LARGEST
from core.program.code.exercise import exercise_notebook, exercise_script
from core.program.code.script import notebook, numpy_script, plain_script
from core.program.numbers.display import shown_matrix
from core.program.running import run_program
from core.pytorch.snippet import torch_snippet
from stage.hosts import standalone as standalone_page
from tests.core.program.code.test_script import HOSTILE, TRACES, renamed, toy
from tests.core.support import refuses
from tests.registry import REGISTRY, TO_COME
from tests.sampling import paired, some

RUNS = {name: entry.run for name, entry in REGISTRY.items()}
"""What has four axes is of no page: neither text nor a file of ours may hold it."""
WITH_FOUR_AXES = {
    name
    for name, entry in REGISTRY.items()
    if any(len(letters) > 3 for letters in entry.program.letters.values())
}
OF_FOUR_AXES_GIVEN = {
    name
    for name in WITH_FOUR_AXES
    if any(len(REGISTRY[name].program.letters[i.name]) > 3 for i in REGISTRY[name].program.inputs)
}
NAMES = [name for name in RUNS if name not in OF_FOUR_AXES_GIVEN]
PINNED = [name for name in TRACES if name.endswith("given") or name == "numbers near a million"]
SOME = [*some(NAMES, 12), *PINNED]
SCRIPTS = {
    "attention.py": numpy_script,
    "attention_plain.py": plain_script,
    "attention.txt": plain_script,
    "attention.ipynb": notebook,
    "attention_yourself.py": lambda trace: exercise_script(trace, ()),
    "attention_yourself.ipynb": lambda trace: exercise_notebook(trace, ()),
}


def run_of(name: str) -> Trace:
    return RUNS[name]() if name in RUNS else TRACES[name]()


def as_given(trace: Trace, name: str, array: np.ndarray) -> np.ndarray:
    """An array with the axes that the program asks for: a list was read as one row."""
    axes = len(trace.program.letters[name])
    assert set(array.shape[:-axes]) <= {1}
    return array.reshape(array.shape[-axes:])


def assert_runs_alike(trace: Trace, read: Mapping[str, np.ndarray], pins: str = "") -> None:
    """Run the program on what was read: `pins` is what stands before the names of results."""
    found = {
        name.removeprefix(pins): as_given(trace, name.removeprefix(pins), array)
        for name, array in read.items()
        if name.removeprefix(pins) in trace.program.letters
    }
    inputs = {given.name for given in trace.program.inputs}
    used = {operand for bound in trace.steps.values() for operand in bound.step.operands}
    assert set(found) >= used & (inputs | trace.pinned)
    # What no step reads may be missing: it changes nothing else.
    taken = {name: found.get(name, trace[name]) for name in inputs}
    pinned = {name: found.get(name, trace[name]) for name in trace.pinned}
    again = run_program(trace.program, taken, pinned)
    assert list(again) == list(trace)
    for name in trace:
        assert_same_bits(again[name], trace[name])


def assert_same_bits(found: np.ndarray, wanted: np.ndarray) -> None:
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert found.tobytes() == wanted.tobytes()


def results_out_of_range(trace: Trace) -> list[str]:
    """The results with NaN, or beyond what may be given: two mistakes of the debug lab."""
    finite = {n: np.where(np.isneginf(a), 0, a) for n, a in trace.items() if a.dtype != bool}
    return [name for name, a in finite.items() if not np.all(np.abs(a) <= LARGEST)]


@pytest.mark.parametrize("name", SOME)
def test_a_saved_page_gives_the_same_run(name: str) -> None:
    trace = run_of(name)
    wanted = [one.name for one in trace.program.inputs]
    wanted += [f"pinned.{one}" for one in trace.pinned]
    opening = (next(iter(trace)), (0,) * trace[next(iter(trace))].ndim)
    with patch.object(standalone_page, "everything", lambda *args: {}):  # what takes its time
        page = standalone_page.standalone(trace, opening)
    read = read_matrix_file("attention.html", page.encode(), wanted=wanted)
    assert_runs_alike(trace, read, pins="pinned.")


@pytest.mark.parametrize("name", SOME)
def test_an_npz_gives_the_same_run(name: str) -> None:
    trace = run_of(name)
    given = [one.name for one in trace.program.inputs]
    pins = [f"pinned.{one}" for one in trace.pinned]
    read = read_matrix_file("attention.npz", npz(trace), wanted=[*given, *pins])
    assert set(read) == {*given, *pins}
    assert_runs_alike(trace, read, pins="pinned.")


@pytest.mark.parametrize("name", [name for name in SOME if name not in WITH_FOUR_AXES])
def test_an_npz_gives_every_array_and_leaves_the_tokens_out(name: str) -> None:
    trace = run_of(name)
    if results_out_of_range(trace):
        refuses(r"is not finite|is too large", read_matrix_file, "attention.npz", npz(trace))
        return
    read = read_matrix_file("attention.npz", npz(trace))
    assert set(read) == {*trace, *(f"pinned.{one}" for one in trace.pinned)}
    for array in trace:
        assert_same_bits(as_given(trace, array, read[array]), trace[array])


@pytest.mark.parametrize("name", SOME)
def test_the_csv_of_each_array_gives_its_bits_and_the_same_run(name: str) -> None:
    trace = run_of(name)
    out_of_range = results_out_of_range(trace)
    read: dict[str, np.ndarray] = {}
    for array, values in trace.items():
        if values.ndim > 3:
            continue
        if array in out_of_range:
            with pytest.raises(InputError, match=r"is not finite|is too large"):
                read_matrix_file(f"{array}.csv", csv(trace, array).encode())
            continue
        file = read_matrix_file(f"{array}.csv", csv(trace, array).encode())
        (parsed,) = parse_matrices(csv(trace, array)).values()
        np.testing.assert_array_equal(file[""], parsed.array)
        read[array] = as_given(trace, array, file[""])
        assert_same_bits(read[array].astype(values.dtype), values)
    assert_runs_alike(trace, read)


@pytest.mark.parametrize(("name", "file"), paired(SOME, list(SCRIPTS)))
def test_a_script_or_notebook_gives_the_same_run(name: str, file: str) -> None:
    trace = run_of(name)
    try:
        text = SCRIPTS[file](trace)
    except InputError:  # an exercise without a blank, or with too many
        assert "yourself" in file
        return
    assert_runs_alike(trace, read_matrix_file(file, text.encode()))


@pytest.mark.parametrize("name", SOME)
def test_a_pytorch_snippet_gives_what_leads_to_its_last_step(name: str) -> None:
    trace = run_of(name)
    last = trace.program.last
    if last in results_out_of_range(trace) or trace[last].ndim > 3:
        refuses("", parse_matrices, torch_snippet(trace))
        return
    read = dict(read_matrix_file("attention_torch.py", torch_snippet(trace).encode()))
    expected = as_given(trace, last, read.pop("expected"))
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    np.testing.assert_allclose(expected, trace[last], rtol=0, atol=1e-11 * largest)
    inputs = {i.name: trace[i.name] for i in trace.program.inputs}
    found = {n: as_given(trace, n, array) for n, array in read.items()}
    pinned = {n: found.get(n, trace[n]) for n in trace.pinned}
    again = run_program(trace.program, {n: found.get(n, a) for n, a in inputs.items()}, pinned)
    assert found or last in trace.pinned
    for array in (*found, last):
        assert_same_bits(again[array], trace[array])


def latex(rows: list[list[str]]) -> str:
    """What the stage copies of the texts that its cells show, as copying.js does."""
    cells = [[_in_latex(text) for text in row] for row in rows]
    body = " \\\\\n".join(" & ".join(row) for row in cells)
    if len(rows[0]) <= 10:
        return f"\\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}"
    columns = "r" * len(rows[0])
    return f"\\left[\\begin{{array}}{{{columns}}}\n{body}\n\\end{{array}}\\right]"


def _in_latex(text: str) -> str:
    if scientific := re.fullmatch(r"(.+)e([+-]?\d+)", text):
        return f"{scientific[1]} \\cdot 10^{{{int(scientific[2])}}}"
    return text.replace("inf", "\\infty").replace("nan", "\\mathrm{NaN}")


def unbounded(text: str) -> np.ndarray:
    (read,) = parse_text(text, is_bounded=lambda name: False).matrices.values()
    return read.array


@pytest.mark.parametrize("name", SOME)
def test_a_copy_as_latex_gives_the_digits_that_are_shown(name: str) -> None:
    trace = run_of(name)
    matrices = [(array, outer) for array in trace for outer in np.ndindex(trace[array].shape[:-2])]
    for array, outer in matrices:
        rows = shown_matrix(trace, array, outer)
        wanted = np.array([[float(text) for text in row] for row in rows])
        if np.isnan(wanted).any():
            refuses(r"not a number|not finite", unbounded, latex(rows))
            continue
        np.testing.assert_array_equal(unbounded(latex(rows)), wanted)
        if np.all(np.abs(wanted) <= LARGEST):
            np.testing.assert_array_equal(parse_matrix(latex(rows)), wanted)


def test_only_programs_of_tests_have_arrays_of_four_axes() -> None:
    assert set(TO_COME) >= WITH_FOUR_AXES


@pytest.mark.parametrize("token", some(HOSTILE, 2))
def test_whatever_a_token_holds_its_run_goes_back_in(token: str) -> None:
    trace = renamed(toy("a b", heads=2), (token, "[[9, 9], [9, 9]]\n"))
    for file, write in SCRIPTS.items():
        assert_runs_alike(trace, read_matrix_file(file, write(trace).encode()))
    for array in ("X", "scores", "masked"):
        (parsed,) = parse_matrices(csv(trace, array)).values()
        assert_same_bits(parsed.array, trace[array])


@pytest.mark.parametrize(
    "token",
    ["=1", "'=1", "''-x", "-", "+1", "@a", "'", "'quoted'", "–", "−2", "<td>", "|", "[1",
     "\\begin{array}", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
     "\u0645\u06cc\u200c\u0631\u0648\u0645"],
)  # fmt: skip
def test_a_label_of_a_csv_is_the_token_that_it_was(token: str) -> None:
    """Also a family that is one emoji, and Persian: "I go"."""
    trace = renamed(toy("a b", heads=2), (token, "b"))
    assert f"# {token}\n" in numpy_script(trace)
    (parsed,) = parse_matrices(csv(trace, "scores")).values()
    assert parsed.rows == parsed.columns == (token, "b")
