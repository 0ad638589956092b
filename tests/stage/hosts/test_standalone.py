"""What a page of its own calls itself, and its explanations: all of the core's, in less room."""

import re
from html import unescape

import numpy as np
import pytest

from core import attention_from, explain
from core.attention.setups import Setup
from stage import show
from stage.hosts.standalone import LONGEST_TITLE, Data, Packer, explained_arrays, standalone
from tests.core.program.code.test_script import HOSTILE, renamed, toy
from tests.core.support import toy_run
from tests.sampling import DEEP, some
from tests.stage.document.test_number_tiles import head

NAME = "Attention, step by step"
OPENING = ("scores", (0, 0, 0))


def called(page: str) -> tuple[str, str]:
    """The text of a page's title and of its heading."""
    (title,) = re.findall(r"<title>(.*?)</title>", page, re.DOTALL)
    (heading,) = re.findall(r'<h1 dir="auto">(.*?)</h1>', page, re.DOTALL)
    assert "<" not in title + heading
    return unescape(title), unescape(heading)


@pytest.mark.parametrize("text", ["The cat sat", "Who, me?", "我爱你", "a & b"])
def test_a_page_is_called_by_its_sentence(text: str) -> None:
    trace = toy_run(text, 1, d_model=2)
    for page in (standalone(trace, OPENING), show(trace).html):
        assert called(page) == (f"{text} – {NAME}", text)
        assert f"<p>{NAME}. A view to keep" in page


def test_a_page_is_called_as_its_sentence_cut_in_the_title_or_as_the_product() -> None:
    setup = Setup(text="Who ,me  (too)?")
    assert called(standalone(setup.trace, OPENING, sentence=setup.sentence))[1] == "Who ,me (too)?"
    page = standalone(toy_run("1 2 3", 1, d_model=2), OPENING)
    assert called(page) == (NAME, NAME)
    assert "<p>A view to keep" in page
    text = " ".join(["unbelievable"] * 12)
    title, heading = called(standalone(toy_run(text, 1, d_model=2), OPENING))
    assert heading == text
    assert title == f"{text[: LONGEST_TITLE - 1]}… – {NAME}"


@pytest.mark.parametrize("token", some(HOSTILE, 2))
def test_a_hostile_token_is_text_in_the_title(token: str) -> None:
    page = standalone(renamed(toy("a b", heads=1, d_model=2), (token, "b")), OPENING)
    page.encode("utf-8")
    title, heading = called(page)
    assert heading.endswith("b")
    assert all(c.isprintable() for c in title.replace("\u200d", "").replace("\u200c", ""))


def plain_lines(shared: Data, packed: Data, at: int) -> list[str]:
    """The plain lines of a cell, written out with loops."""
    found = []
    for line in packed["lines"][at]:
        if isinstance(line, int):
            found.append(shared["lines"][line][0])
            continue
        first, second, exact, result = line
        factors = zip(*(shared["lists"][n].split(" ") for n in (first, second)), strict=True)
        terms = [f"{a}*{b}" for a, b in factors]
        left = " + ".join(f"({term})" for term in terms) if len(terms) > 1 else terms[0]
        found.append(f"{left} {'=' if exact else '≈'} {result}")
    return found


def test_every_cell_is_explained_as_the_core_explains_it() -> None:
    trace, packer = head(20 if DEEP else 9, 18), Packer()
    for name, values in trace.items():
        packed = packer.array(trace, name)
        for at, cell in enumerate(np.ndindex(values.shape)):
            explained = explain(trace, name, cell)
            assert plain_lines(packer.shared(), packed, at) == explained.plain
            assert packed["said"][at] == explained.said
            assert packed["feeds"][at] == explained.feeds


def test_what_cells_share_is_written_once() -> None:
    trace, packer = head(9, 18), Packer()
    for name in trace:
        packer.array(trace, name)
    shared = packer.shared()
    lines = [plain for plain, _ in shared["lines"]]
    for once in (shared["lists"], lines):
        assert len(set(once)) == len(once)
    assert len(lines) < sum(len(explain(trace, "weights", (0, 8, j)).plain) for j in range(9)) * 9


def test_of_a_large_run_what_comes_from_the_scores_on_is_explained() -> None:
    whole, values = np.full((64, 64), 1 / 64), np.zeros((64, 64))
    given = attention_from(weights=whole, V=values, tokens=["a"] * 64)
    late = {"scores", "scaled", "mask", "masked", "weights", "context"}
    for trace, explained in (
        (head(20, 18), {*head(20, 18)}),
        (head(40, 64), late),
        (head(80, 8), set()),  # too much even of that
        (given, {"context"}),
    ):
        assert {*explained_arrays(trace)} == explained
