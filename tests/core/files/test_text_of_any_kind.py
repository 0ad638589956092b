"""Texts as people have them, and any other: a matrix or a refusal, and none of it is run.

Entries of the list outside, and those that we added. `refuse` of the list outside says what the
message asks; of ours it is a part of the message.
"""

import builtins
import json
import os

import numpy as np
import pytest

from core.attention.given.matrix_set import setup_with
from core.attention.setups import Setup
from core.files.text import parse_matrices, parse_matrix, parse_text
from tests.core.files.support import read_or_refused, refusal_of
from tests.sampling import DEEP, ROOT

TEXTS = [
    entry["text"]
    for file in ("formats.json", "more_formats.json")
    for entry in json.loads((ROOT / "tests/fixtures" / file).read_text("utf-8")).values()
]
PIECES = [
    *"[]{}(),;:='\"|&\\\n\t -+*/%#*$", "\\\\", "...", "nan", "-inf", "1e999", "9" * 400, "\0",
    "\u202e", "\u0663", "１", "½", "∞", "<td>", "</table>", "\\begin{bmatrix}", "\\end{bmatrix}",
    "^T", ".T", "array(", "np.float64(", "lambda: ", "9**9**9", "[0]", "0x", "1_0", "True", "None",
    "c(", "if ",
]  # fmt: skip


def assert_read_or_refused(text):
    for read in (parse_matrix, parse_matrices):
        read_or_refused(read, text)


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_a_text_that_is_mutated_or_cut_short_is_read_or_refused(number):
    for length in range(0, len(TEXTS[number]), 1 if DEEP else 11):
        assert_read_or_refused(TEXTS[number][:length])
    random = np.random.default_rng(number)
    for _ in range(120 if DEEP else 2):
        text = TEXTS[number]
        for _ in range(random.integers(1, 5)):
            start = random.integers(0, len(text) + 1)
            end = start + random.choice([0, 0, 1, 3, 10])
            text = text[:start] + str(random.choice(PIECES)) * random.choice([1, 1, 2]) + text[end:]
        assert_read_or_refused(text)


HOSTILE = "__import__('os').environ.__setitem__('PASTED', '1')"


@pytest.mark.parametrize(
    "text",
    ["{}", "[{}]", "[[1, {}]]", "np.array([[1, 2]]).reshape({})", "np.array({})", "X = {}",
     "X: {} = [[1]]", "[[1, 2]] / {}", "@{}\ndef f(): pass\nX = [[1]]", "f'{{{}}}'",
     "[[x for x in [{}]]]", "matrix(c(1, 2), nrow = {})", "tensor([[1]], dtype={})",
     "pd.DataFrame([[1]], columns=[{}])", "import os; {}\nX = [[1]]", "lambda: {}",
     "\\begin{{bmatrix}}{}\\end{{bmatrix}}", "<td>{}</td>", "| {} |"],
)  # fmt: skip
def test_nothing_in_a_text_is_run(text, monkeypatch):
    def fail(*_, **__):
        raise AssertionError("code was run")

    monkeypatch.delenv("PASTED", raising=False)
    monkeypatch.setattr(builtins, "eval", fail)
    monkeypatch.setattr(builtins, "exec", fail)
    assert_read_or_refused(text.format(HOSTILE))
    assert "PASTED" not in os.environ


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, "[" * 199_999, "(" * 100_000 + "1" + ")" * 99_999, "9" * 200_000,
     "-" * 200_000, f"[{'9' * 100_000}]", "[1e" + "9" * 100_000 + "]", "9**9**9", "[[9**9**9]]",
     "[٣]", "[１]", "1\0 2", "\u202e[1, 2]", "[[1, 2]] * " + "9" * 5_000,
     "[[1]]" + ".T" * 50_000, "1+" * 99_999 + "1", "[1]" + "*1" * 90_000, "not " * 50_000,
     "1if 1else " * 19_000, "a." * 99_999, "x = " * 49_999 + "[[1]]",
     "np.array([1]).reshape(" + "9" * 4_000 + ", -1)", "np.array([1]).reshape(-1, -1)",
     "np.array([1]).reshape(0)", "np.array([1, 2]).reshape(1, 1, 1, 2)",
     "matrix(c(1), nrow = 1000000000000)", "[[1, 2]] / 1e-400", "[[1e6]] * 1e300", "\ud800",
     "[\ud800]"],
)  # fmt: skip
def test_what_is_long_deep_or_strange_is_refused_soon(text):
    assert_read_or_refused(text)


OUTSIDE = ROOT.parent / "shared" / "formats.json"
FIXTURES = ROOT / "tests" / "fixtures"
GIVEN = json.loads((FIXTURES / "formats.json").read_text("utf-8"))
OURS = json.loads((FIXTURES / "more_formats.json").read_text("utf-8"))
ASKED = {
    "csv of a frame, header of numbers": ["first row", "header"],
    "a comma of two meanings": ["decimal comma", "thousands"],
    "nan": ["not finite"],
    "code that would have to be run": ["nothing", "evaluated"],
}
ENTRIES = GIVEN | OURS
READ = [name for name, entry in ENTRIES.items() if "array" in entry]
NAMED = [name for name, entry in ENTRIES.items() if "arrays" in entry]
REFUSED = [name for name, entry in ENTRIES.items() if "refuse" in entry]


def read(entry):
    return (mask_of if entry.get("into") == "mask" else parse_matrix)(entry["text"])


def mask_of(text):
    """What a run shows that takes it as the mask of its tokens."""
    (parsed,) = parse_text(text, is_bounded=lambda name: False).matrices.values()
    setup = Setup(text=" ".join("abcdefgh"[: parsed.array.shape[-1]]))
    return setup_with(setup, {"mask": parsed.array}).setup.trace["mask"]


def test_our_copy_is_the_list_outside():
    if OUTSIDE.exists():
        assert json.loads(OUTSIDE.read_text("utf-8")) == GIVEN
    assert not GIVEN.keys() & OURS.keys()
    assert len(READ) + len(NAMED) + len(REFUSED) == len(ENTRIES)


@pytest.mark.parametrize("name", READ)
def test_an_entry_gives_its_array_and_labels_beside_it(name):
    entry = ENTRIES[name]
    wanted = np.array(entry["array"], dtype=bool if entry.get("into") == "mask" else float)
    np.testing.assert_array_equal(read(entry), wanted, strict=True)
    if "into" not in entry:
        (parsed,) = parse_matrices(entry["text"]).values()
        found = {"rows": list(parsed.rows), "columns": list(parsed.columns)}
        assert {side: names for side, names in found.items() if names} == entry.get("labels", {})


@pytest.mark.parametrize("name", NAMED)
def test_several_matrices_are_read_by_name_and_none_is_chosen(name):
    entry = ENTRIES[name]
    found = parse_matrices(entry["text"])
    assert found.keys() == entry["arrays"].keys()
    for key, parsed in found.items():
        assert parsed.name == key
        np.testing.assert_array_equal(parsed.array, entry["arrays"][key])
    assert "more than one matrix: Q and K" in refusal_of(parse_matrix, entry["text"])


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_or_means_two_things_is_refused(name):
    entry = ENTRIES[name]
    said = refusal_of(read, entry)
    assert all(part in said for part in ASKED.get(name, [entry["refuse"]])), said
    if "into" not in entry and "more than one" not in entry["refuse"]:
        assert refusal_of(parse_matrices, entry["text"]), "with others either"
