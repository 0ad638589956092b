"""'In code': a page's program as functions that compute what its stage shows."""

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.attention.setups import DEFAULT_TEXT, Setup
from core.chapters.attention_graph.messages import graph_family
from core.chapters.debug_lab.lab import lab_runs
from core.chapters.dot_products.vector_pair import two_keys
from core.chapters.one_query.cached import writing_family
from core.chapters.recursive_attention.tree_program import example
from core.chapters.recursive_attention.trees import in_parts
from core.chapters.why_mask.causality import gallery_family
from core.path import PATH
from core.program.code.function import numpy_function
from core.program.trace import Trace
from core.pytorch.snippet import fused_function, torch_function
from stage.document.document import document
from tests.sampling import ROOT, some, three
from tests.ui.support import PAGES, changed, opened, stage, untouched
from ui.links.question_link import keys_of_question

OF_FAMILIES = {
    "walkthrough": "walkthrough", "words": "reading", "softmax": "shares", "why_scale": "scale",
    "queries_keys_values": "ladder", "heads": "heads", "cost": "batch", "word_order": "shuffled",
    "block": "block", "other_kinds": "linear",
}  # fmt: skip
RUNS: dict[str, Callable[[], Trace]] = {
    **{page: PATH[page].families[name].run for page, name in OF_FAMILIES.items()},
    "why_mask": lambda: gallery_family("a b c", [3], np.tri(3, dtype=bool)).run(),
    "dot_products": two_keys,
    "debug_lab": lambda: lab_runs(DEFAULT_TEXT).right,
    "one_query": lambda: writing_family(DEFAULT_TEXT).run(),
    "recursive_attention": lambda: example(in_parts(2, 2)),
    "attention_graph": lambda: graph_family(DEFAULT_TEXT, [3], np.tri(6, dtype=bool)).run(),
}
"""What each page's code is that of, as it opens; the sentence plays no part in it."""


def with_code(page: str, **link: str) -> AppTest:
    """A page with its code open."""
    made = opened(page, **link)
    assert not made.code
    return changed(made, in_code=True)


def codes(page: AppTest) -> list[str]:
    return [block.value for block in page.code]


def functions(trace: Trace) -> list[str]:
    """In order: numpy, PyTorch written out, and fused where that can be."""
    written = [numpy_function(trace, "attention"), torch_function(trace, "attention")]
    fused = fused_function(trace, "attention")
    return [*written, fused] if fused else written


TO_WALKTHROUGH = re.compile(r"\((?:\./|/)?\?([^)]*)\)")
"""A link to the walkthrough with keys, in Markdown."""


@pytest.mark.parametrize("page", three(list(RUNS)))
def test_a_link_to_the_walkthrough_opens_the_example_of_a_bare_address(page: str) -> None:
    links = [
        link for text in with_code(page).markdown for link in TO_WALKTHROUGH.findall(text.value)
    ]
    for link in links:
        asked = dict(parse_qsl(link))
        shown = opened("walkthrough", **asked)
        assert not shown.warning
        assert shown.session_state.preset == untouched("walkthrough").session_state.preset
        assert shown.session_state.step == asked["step"]


def test_no_text_links_to_the_walkthrough_without_an_example() -> None:
    texts = [path for room in ("core", "pages", "ui") for path in (ROOT / room).rglob("*.md")]
    links = [link for path in texts for link in TO_WALKTHROUGH.findall(path.read_text("utf-8"))]
    assert links
    assert all(link.startswith("preset=") for link in links), links
    calls = [path.read_text("utf-8") for path in PAGES.glob("*.py")]
    names_a_step = r'\n    end_chapter\("\w+", KEYS, (\w+|\[[^\]]*\]),\s+"\w+"'
    assert sum(bool(re.search(names_a_step, call)) for call in calls) >= 8


def test_a_question_of_the_walkthrough_is_linked_with_the_example() -> None:
    makers = [maker.name for maker in PATH["walkthrough"].questions.values()]
    asked = keys_of_question("walkthrough", f"{makers[0]}.0")
    assert opened("walkthrough", **asked).session_state.preset == "river-bank"
    assert keys_of_question("softmax", "x.0") == {"question": "x.0"}


@pytest.mark.parametrize("page", some(list(RUNS), 3, 1))
def test_the_code_of_a_page_is_that_of_its_program(page: str) -> None:
    shown, expected = codes(with_code(page)), functions(RUNS[page]())
    ours = shown[len(expected) :]
    assert shown[: len(expected)] == expected
    assert ours
    assert not any(text.startswith("import") for text in ours)


def test_it_follows_what_is_chosen() -> None:
    page = with_code("walkthrough", mask="window", window="2", heads="4", kv_heads="2")
    trace = Setup(mask="window", sizes={"window": 2}, heads=4, kv_heads=2).trace
    assert codes(page)[:3] == functions(trace)
    changed(page, mask="none")
    assert codes(page)[:3] == functions(Setup(mask="none", heads=4, kv_heads=2).trace)


def test_the_lab_tells_no_code_of_its_broken_program() -> None:
    lab, others = (stage(untouched(page)) for page in ("debug_lab", "walkthrough"))
    assert not any("code" in array for array in lab.document["arrays"].values())
    assert "code" in others.document["arrays"]["weights"]


def test_a_document_has_the_lines_of_what_is_computed_alone() -> None:
    run = Setup().trace
    inputs = {i.name: run[i.name] for i in run.program.inputs}
    trace = run.program.run(inputs, pinned={"scores": np.array(run["scores"])})  # type: ignore[attr-defined]
    plain, coded = (document(trace, ("X", (0, 0)), code=code) for code in (False, True))
    assert plain["id"] != coded["id"]
    found = {name: array.pop("code", None) for name, array in coded["arrays"].items()}
    assert coded["arrays"] == plain["arrays"]
    assert {name for name in found if found[name]} == set(trace.steps)
    for name, bound in trace.steps.items():
        numpys, torchs = found[name]
        assert numpys.endswith(f"{name} = {bound.code}")
        assert numpys.startswith(bound.operation.helper.strip())
        assert torchs == f"{name} = {bound.torch_code}"
        assert len(json.dumps(found[name])) < 600


def test_blanks_that_would_be_too_many_are_said_to_be() -> None:
    text = " ".join(f"w{n}" for n in range(64))
    page = with_code("walkthrough", text=text, heads="4")
    trace = Setup(text=text, heads=4).trace
    size = sum(trace[name].size for name in trace.steps)
    assert [info.value.replace("\\", "") for info in page.info] == [
        f"This view has {size:,} numbers to compute; an exercise compares at most 40,000: "
        "choose fewer tokens or heads."
    ]
    assert blanks(page) == []


def blanks(page: AppTest) -> list[tuple[str, str]]:
    """The keys and labels of what downloads blanks."""
    found = [(str(b.key), b.proto.label) for b in page.get("download_button")]
    return [one for one in found if one[0].startswith("yourself")]


@pytest.mark.parametrize(
    ("page", "panel", "where"),
    [
        ("walkthrough", "in_code", "code"),
        ("debug_lab", "in_code", "lab"),
        ("walkthrough", "download_panel", "panel"),
    ],
)
def test_the_run_can_be_taken_away_as_blanks(page: str, panel: str, where: str) -> None:
    shown = changed(opened(page), **{panel: True})
    assert any("**Implement it yourself**" in said.value for said in shown.caption)
    keys, labels = zip(*blanks(shown), strict=True)
    assert keys == (f"yourself_{where}_ipynb", f"yourself_{where}_py")
    assert panel != "in_code" or labels == ("Blanks as a notebook", "Blanks as a script")


def test_the_walkthroughs_code_computes_the_output_that_it_shows() -> None:
    page = with_code("walkthrough", step="output")
    names: dict[str, Any] = {}
    exec(page.code[0].value, names)
    trace = Setup().trace
    made = names["attention"](*(trace[name] for name in ("X", "W_Q", "W_K", "W_V", "W_O")))
    shown = stage(page).texts("output").astype(float)
    np.testing.assert_allclose(made, shown, atol=0.005 + 1e-9)
