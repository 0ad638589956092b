"""Numbers as people have them: the entries of a list outside, and those that we added.

`refuse` of the list outside says what the message asks; of ours it is a part of the message.
"""

import json

import numpy as np
import pytest

from core.attention.given.matrix_set import setup_with
from core.attention.setups import Setup
from core.files.text import parse_matrices, parse_matrix, parse_text
from tests.core.files.support import refusal_of
from tests.sampling import ROOT

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
