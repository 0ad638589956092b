"""What a page of its own calls itself: the sentence that it shows."""

import re
from html import unescape

import pytest

from core.attention.setups import Setup
from stage import show
from stage.hosts.standalone import LONGEST_TITLE, standalone
from tests.core.program.code.test_script import HOSTILE, renamed, toy
from tests.core.support import toy_run
from tests.sampling import some

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


def test_the_sentence_is_as_it_was_typed() -> None:
    setup = Setup(text="Who ,me  (too)?")
    assert called(standalone(setup.trace, OPENING, sentence=setup.sentence))[1] == "Who ,me (too)?"


def test_without_a_sentence_a_page_has_the_name_of_the_product() -> None:
    page = standalone(toy_run("1 2 3", 1, d_model=2), OPENING)
    assert called(page) == (NAME, NAME)
    assert "<p>A view to keep" in page


def test_a_long_sentence_is_cut_in_the_title_alone() -> None:
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
