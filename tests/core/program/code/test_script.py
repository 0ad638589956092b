"""Scripts, notebooks and snippets run alone, compute the same numbers, and notice changes."""

import ast
import codecs
import csv as csv_reader
import io
import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import Inputs, Trace
from core.files.downloads import csv, npz
from core.files.text import parse_matrix
from core.files.uploads import read_matrix_file
from core.program.code.script import notebook, numpy_script, plain_script
from core.program.running import run_program
from core.pytorch.snippet import torch_snippet
from tests.alone import RunAlone
from tests.core.support import cases, random_run, refuses, toy_run
from tests.sampling import DEEP, examples, some

HOSTILE = (
    "<img src=x onerror=alert(1)>", "$\\frac{1}{0}$", "](javascript:alert(1))", '"""', "'''",
    "\\", "a\nimport os\nraise SystemExit(7)\n#", "\r\nraise SystemExit(8)", "\u2028x", "\x00",
    "{0}", "\u202e)1(", "é" + "\u0301" * 2000, "\ud800", "=1+1", "%s",
    "a\u200d\nb", "\u200d#\u200c",
)  # fmt: skip
PRINTED = """
import contextlib, io, sys
said = io.StringIO()
try:
    with contextlib.redirect_stdout(said):
        exec({source!r}, {{}})
except Exception as error:
    print(f"{{type(error).__name__}}: {{error}}", file=said)
print(repr(said.getvalue()), file=sys.stderr)
"""


def printed(run_alone: RunAlone, *sources: str) -> list[list[str]]:
    """The lines that each of these prints alone, and the error with which it ends."""
    ran, said = run_alone([PRINTED.format(source=source) for source in sources])
    assert ran == ["ran"] * len(sources)
    return [eval(line).splitlines() for line in said.splitlines()]


def run_here(source: str) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(compile(source, "export", "exec"), names)
    return names


def toy(
    text: str = "The cat sat on the mat", heads: int = 2, d_model: int = 4, **chosen: Any
) -> Trace:
    return toy_run(text, heads, d_model=d_model, **chosen)


def with_empty_rows() -> Trace:
    drawn = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    return toy("a padded row", heads=1, d_model=3, mask="custom", drawn=drawn)


def large() -> Trace:
    trace = toy("a b", heads=1, d_model=3)
    return run_program(trace.program, {i.name: 4e5 * trace[i.name] for i in trace.program.inputs})


def renamed(trace: Trace, tokens: tuple[str, ...]) -> Trace:
    inputs = {i.name: trace[i.name] for i in trace.program.inputs}
    return run_program(trace.program, Inputs(inputs, tokens))


TRACES = {
    "causal": lambda: toy(),
    "no mask": lambda: toy(mask="none"),
    "window": lambda: toy(mask="window", window=2),
    "prefix": lambda: toy(mask="prefix", prefix=4),
    "unscaled": lambda: toy(scale=False),
    "scaled by a number": lambda: toy(scale=0.37),
    "grouped": lambda: toy(heads=4, kv_heads=2, d_model=8),
    "one key/value head": lambda: toy(heads=4, kv_heads=1, d_model=8),
    "one token": lambda: toy("word", heads=1, d_model=1),
    "empty mask rows": with_empty_rows,
    "numbers near a million": large,
    "scores given": lambda: toy(pinned={"scores": np.arange(72.0).reshape(2, 6, 6) / 7}),
    "Q, K and V given": lambda: toy(
        pinned={name: np.full((2, 6, 2), 0.5) for name in ("Q", "K", "V")}
    ),
    "masked scores given": lambda: toy(
        "a b", pinned={"masked": np.array([[[1, -np.inf], [-np.inf, -np.inf]]] * 2)}
    ),
    "mask given": lambda: toy("a b", pinned={"mask": np.array([[False, False], [True, False]])}),
    "weights given": lambda: toy("a b", pinned={"weights": np.full((2, 2, 2), 0.5)}),
    "output given": lambda: toy("a b", pinned={"output": np.ones((2, 4))}),
    "64 tokens": lambda: toy(" ".join(f"w{n}" for n in range(64)), heads=1),
}


@pytest.fixture(params=TRACES)
def trace(request: pytest.FixtureRequest) -> Trace:
    return TRACES[request.param]()


CASES = cases(longest=7, widest=8)
STEPS = ("Q", "K", "V", "scores", "scaled", "mask", "masked", "weights", "context", "concat",
         "output")  # fmt: skip
PINS = st.none() | st.sampled_from(STEPS)


def pinned_run(case: dict[str, Any], pin: str | None) -> Trace:
    """A run with perhaps one array given."""
    free = random_run(**case)
    inputs = {i.name: free[i.name] for i in free.program.inputs}
    return run_program(free.program, inputs, {n: free[n] for n in free.steps if n == pin})


def mutations(source: str) -> list[tuple[str, str]]:
    """The script with one number of one given array changed, for every number."""
    changed = []
    lines = source.split("\n")
    for node in ast.parse(source).body:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        target, call = node.targets[0], node.value
        if isinstance(target, ast.Name) and ast.unparse(call.func) == "np.array":
            for number in ast.walk(call.args[0]):
                if isinstance(number, ast.Constant):
                    before = number.value
                    assert isinstance(before, int | float)
                    after = 1 - before if isinstance(before, int) else before + 0.1
                    changed.append((target.id, _with_number(lines, number, repr(after))))
    return changed


def _with_number(lines: list[str], number: ast.Constant, text: str) -> str:
    """The lines with that text in place of the number, which is written on one of them."""
    row = number.lineno - 1
    line = lines[row].encode()  # Python counts columns in bytes
    before, after = line[: number.col_offset], line[number.end_col_offset :]
    changed = (before + text.encode() + after).decode()
    return "\n".join([*lines[:row], changed, *lines[row + 1 :]])


def test_scripts_and_notebooks_run_alone_and_say_what_they_checked(run_alone: RunAlone) -> None:
    for make in TRACES.values():
        trace = make()
        cells = json.loads(notebook(trace))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        said = f"{len(trace.steps)} steps agree with the run: {', '.join(trace.steps)}"
        for lines in printed(run_alone, numpy_script(trace), "\n".join(code)):
            assert lines[-1] == said


def test_script_imports_numpy_and_math_only(trace: Trace) -> None:
    tree = ast.parse(numpy_script(trace))
    names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    assert names == {"numpy", "math"}
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]


@given(CASES, PINS)
@examples(10)
def test_script_holds_the_numbers_of_the_run(case: dict[str, Any], pin: str | None) -> None:
    trace = pinned_run(case, pin)
    names = run_here(numpy_script(trace))
    assert set(trace.steps) <= set(names)
    for array in trace.keys() & names.keys():
        values, wanted = names[array], trace[array]
        assert isinstance(values, np.ndarray)
        assert values.dtype == wanted.dtype
        if array in trace.steps:
            np.testing.assert_allclose(values, wanted, rtol=1e-12, atol=1e-12)
        else:
            np.testing.assert_array_equal(values, wanted)


@pytest.mark.parametrize(
    "name",
    ["causal", "one token", "grouped", "empty mask rows", "numbers near a million",
     "scores given", "mask given"],
)  # fmt: skip
def test_changing_any_single_input_entry_stops_the_script(name: str) -> None:
    changed = mutations(numpy_script(TRACES[name]()))
    held = {target for target, _ in changed}
    assert held >= {"X", "W_Q", "W_K", "W_V", "W_O"}
    assert len(changed) == sum(TRACES[name]()[array].size for array in held)
    for target, mutated in some(changed, 4, len(name) % 4):
        with pytest.raises(AssertionError, match=f"{target} was changed"):
            run_here(mutated)


@given(CASES)
@examples(3)
def test_the_steps_alone_notice_a_changed_input(case: dict[str, Any]) -> None:
    """Without the check of the inputs, where every cell of X and the weights reaches a step."""
    trace = random_run(**case)
    lines = numpy_script(trace).splitlines()
    source = "\n".join(line for line in lines if not line.startswith("given("))
    run_here(source)
    every = mutations(source)
    for target, mutated in every[:: 1 + len(every) // (40 if DEEP else 20)]:
        if target != "W_O" or trace["weights"].any():
            with pytest.raises(AssertionError):
                run_here(mutated)


def test_inputs_that_feed_nothing_are_left_out_and_named() -> None:
    source = numpy_script(TRACES["Q, K and V given"]())
    said = "# Left out, because nothing here uses them: X, W_Q, W_K, W_V. (Given: Q, K, V.)"
    assert said in source
    assert {target for target, _ in mutations(source)} == {"Q", "K", "V", "W_O"}


def test_a_wrong_line_of_code_stops_the_script() -> None:
    source = numpy_script(toy())
    for right, wrong in (
        ("/ np.sqrt(K.shape[-1])", "/ K.shape[-1]"),
        ("np.tri(6, 6, dtype=bool)", "np.ones((6, 6), dtype=bool)"),
        ("= softmax(masked)", "= softmax(scaled)"),
        (".swapaxes(0, 1)", ""),
    ):
        broken = source.replace(right, wrong)
        assert broken != source
        with pytest.raises(AssertionError):
            run_here(broken)


def test_the_last_line_says_which_array_was_changed(run_alone: RunAlone) -> None:
    source = numpy_script(toy())
    row, line = "[0.5, 0.1, 0.5, -0.4],  # The", "\nK = X @ W_K"
    assert source.count(row) == 1
    rows = row.replace("0.5", "1.5"), row.replace("0.5, 0.1", "0.1, 0.5")
    given = [source.replace(row, other) for other in rows]
    made = [source.replace(line, other) for other in (f"{line} + 0.1", "\nK = (X @ W_K)[0]")]
    said = [lines[-1] for lines in printed(run_alone, *given, *made)]
    for last in said[:2]:
        assert last.startswith("AssertionError: X was changed: its entries ")
    for last in said[2:]:
        assert last.startswith("AssertionError: K differs from the run, so its line was changed: ")


@pytest.mark.parametrize("view", some(list(TRACES), 3))
def test_the_plain_script_computes_the_run_and_checks_nothing(view: str) -> None:
    trace = TRACES[view]()
    source = plain_script(trace)
    names = run_here(source)
    for name in trace.steps:
        values = names[name]
        assert isinstance(values, np.ndarray)
        np.testing.assert_allclose(values, trace[name], rtol=1e-12, atol=1e-12)
    assert not re.search(r"\b(check|given)\(|\b(expected|assert)\b", source)
    assert len(source) < len(numpy_script(trace))
    for _, changed in mutations(source)[:3]:
        run_here(changed)


def test_each_step_stands_as_its_line_of_numpy() -> None:
    lines = numpy_script(toy(heads=2, kv_heads=1)).splitlines()
    assert "scores = Q @ K.repeat(2, axis=0).swapaxes(-1, -2)  # Q Kᵀ; 2 × 6 × 6" in lines
    assert "scaled = scores / np.sqrt(K.shape[-1])  # scores / √d_k; 2 × 6 × 6" in lines
    assert "output = concat @ W_O  # concat W_O; 6 × 4" in lines
    assert "    [0.5, 0.1, 0.5, -0.4],  # The" in lines


@pytest.mark.parametrize("token", HOSTILE)
def test_hostile_tokens_stay_inert(token: str) -> None:
    plain = toy("a b", heads=1, d_model=2)
    trace = renamed(plain, (token, token + "b"))
    assert ast.dump(ast.parse(numpy_script(trace))) == ast.dump(ast.parse(numpy_script(plain)))
    assert ast.dump(ast.parse(torch_snippet(trace))) == ast.dump(ast.parse(torch_snippet(plain)))
    numpy_script(trace).encode("utf-8")
    cells = json.loads(notebook(trace))["cells"]
    ours = json.loads(notebook(plain))["cells"]
    prose = [[c for c in made if c["cell_type"] == "markdown"] for made in (cells, ours)]
    assert prose[0] == prose[1]
    run_here(numpy_script(trace))
    run_here(plain_script(trace))


def test_notebook_is_nbformat_4_and_shows_each_formula() -> None:
    trace = toy()
    made = json.loads(notebook(trace))
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in made["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in made["cells"]:
        keys = {"cell_type", "id", "metadata", "source"}
        code = cell["cell_type"] == "code"
        assert set(cell) == (keys | {"execution_count", "outputs"} if code else keys)
    cells = [cell for cell in made["cells"] if cell["cell_type"] == "markdown"]
    prose = "\n".join("".join(cell["source"]) for cell in cells)
    assert r"= Q K^{\top}$$" in prose
    assert r"\sqrt{d_{k}}" in prose
    for phase in trace.program.phases[1:]:
        assert f"## {phase.title}" in prose


def test_torch_snippet_computes_the_same_output(trace: Trace) -> None:
    output = run_here(torch_snippet(trace))["output"]
    assert isinstance(output, torch.Tensor)
    largest = max(1.0, float(np.abs(trace["output"]).max()))
    np.testing.assert_allclose(output.numpy(), trace["output"], rtol=0, atol=1e-11 * largest)


@given(CASES, PINS)
@examples(10)
def test_torch_snippet_agrees_for_any_toggles(case: dict[str, Any], pin: str | None) -> None:
    run_here(torch_snippet(pinned_run(case, pin)))


def test_torch_snippet_uses_pytorchs_own_causal_attention() -> None:
    line = "context = F.scaled_dot_product_attention(Q, K, V, is_causal=True)"
    assert line in torch_snippet(toy())
    assert "K, V, attn_mask=mask, scale=0.5" in torch_snippet(toy(mask="window", scale=0.5))
    assert "is_causal=True, enable_gqa=True" in torch_snippet(toy(heads=2, kv_heads=1))
    assert "# A query that sees no key gets zeros" in torch_snippet(with_empty_rows())


def test_torch_snippet_stops_at_a_changed_weight() -> None:
    source = torch_snippet(toy())
    assert source.count("[0.0, -0.7],") == 1
    with pytest.raises(AssertionError) as error:
        run_here(source.replace("[0.0, -0.7],", "[0.1, -0.7],"))
    last = str(error.value).splitlines()[-1]
    assert last == "output differs from the run: something above was changed"


def test_npz_gives_back_every_array_without_pickle(trace: Trace) -> None:
    with np.load(io.BytesIO(npz(trace)), allow_pickle=False) as loaded:
        assert set(loaded) == {*trace, "tokens", *(f"pinned.{name}" for name in trace.pinned)}
        assert tuple(loaded["tokens"].tolist()) == trace.tokens
        for name in trace:
            np.testing.assert_array_equal(loaded[name], trace[name])
            assert loaded[name].dtype == trace[name].dtype


def rows_of(text: str) -> list[list[str]]:
    """The rows of a table, as a program reads it that takes bytes with a mark for UTF-8."""
    return list(csv_reader.reader(io.StringIO(text.encode().decode("utf-8-sig"), newline="")))


def test_csv_labels_rows_and_columns_and_keeps_every_digit() -> None:
    trace = toy()
    head, *rows = rows_of(csv(trace, "masked"))
    assert head == ["head", "query position", "The", "cat", "sat", "on", "the", "mat"]
    assert [row[:2] for row in rows[5:8]] == [["1", "mat"], ["2", "The"], ["2", "cat"]]
    numbers = np.array([[float(n) for n in row[2:]] for row in rows])
    np.testing.assert_array_equal(numbers.reshape(2, 6, 6), trace["masked"])
    assert rows_of(csv(trace, "mask"))[2] == ["cat", "1", "1", "0", "0", "0", "0"]
    assert rows_of(csv(trace, "W_O"))[0] == ["joined feature", "1", "2", "3", "4"]


def test_only_where_queries_meet_keys_rows_are_called_queries() -> None:
    trace = toy()
    heads = {"Q": ["head"], "K": ["key/value head"], "V": ["key/value head"], "context": ["head"]}
    for array in ("X", "Q", "K", "V", "context", "concat", "output"):
        names = [*heads.get(array, []), "token"]
        assert rows_of(csv(trace, array))[0][: len(names)] == names
    for array in ("scores", "scaled", "masked", "weights"):
        assert rows_of(csv(trace, array))[0][:2] == ["head", "query position"]


@pytest.mark.parametrize("token", ["\u200d", "\u200c", "a\u202eb", "a\u2060b", "a\u200bb"])
def test_what_is_not_seen_is_written_as_its_escape(token: str) -> None:
    trace = renamed(toy("a b", heads=1, d_model=2), (token, "b"))
    assert "\\u20" in rows_of(csv(trace, "X"))[1][0]


def test_a_spreadsheet_takes_a_table_for_utf_8_and_so_do_we() -> None:
    trace = toy("the cat the", heads=1, d_model=3)
    text = csv(trace, "X")
    assert text.encode().startswith(codecs.BOM_UTF8)
    assert [row[0] for row in rows_of(text)] == ["token", "the₁", "cat", "the₂"]
    numbers = "\n".join(",".join(row[1:]) for row in rows_of(text)[1:])
    ours = read_matrix_file("x.csv", codecs.BOM_UTF8 + numbers.encode())
    np.testing.assert_array_equal(ours[""], trace["X"])
    np.testing.assert_array_equal(parse_matrix(f"\ufeff{numbers}"), trace["X"])


@pytest.mark.parametrize(
    "token",
    ["=1+1", "+1", "-1", "@SUM(A1)", "\u200d=1", "＝1", "−1", " =1", "\t=1", "=cmd|' /C calc'!A0"],
)
def test_csv_labels_are_no_formulas(token: str) -> None:
    trace = renamed(toy("a b", heads=1, d_model=2), (token, "b"))
    head, first, _ = rows_of(csv(trace, "scores"))
    for label in (head[2], first[1]):
        assert label.lstrip(" \t\u200d")[0] not in "=+-@−＝"
    assert float(first[2]) == trace["scores"][0, 0, 0]


def test_csv_keeps_quotes_commas_and_line_breaks_inside_their_cell() -> None:
    for token in ('a,"b"', "a\nb", "a\r=1", "a;b"):
        text = csv(renamed(toy("a b", heads=1, d_model=2), (token, "b")), "X")
        assert [len(row) for row in rows_of(text)] == [3, 3, 3]
        assert len(text.splitlines()) == 3


def test_csv_of_an_unknown_array_says_which_there_are() -> None:
    refuses("'scorse' is not an array of this run; the run has X, ", csv, toy(), "scorse")
