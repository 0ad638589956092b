"""The order of the pages, and what comes along on it."""

import re

import numpy as np
import pytest

from core.attention.inputs import embedding, toy_inputs
from core.attention.program import attention_program
from core.path import PATH
from tests.sampling import three
from tests.ui.claims import RANDOM_WEIGHTS
from tests.ui.support import PAGES, opened, opened_whole, stage, untouched
from ui.links.path import BESIDE, HOME, UNLISTED
from ui.page.path_navigation import chapter_line
from ui.text import Markdown


def test_every_page_has_its_place_after_those_that_it_needs() -> None:
    assert {path.stem for path in PAGES.glob("*.py")} == {*PATH, *BESIDE, *UNLISTED}
    before: set[str] = set()
    for name, chapter in PATH.items():
        assert set(chapter.needs) <= before
        assert chapter.knows or chapter.needs
        before.add(name)


def test_what_to_know_before_names_everything_once() -> None:
    for name, chapter in PATH.items():
        said = chapter_line(name)
        for need in (*[PATH[other].title for other in chapter.needs], chapter.knows):
            assert said.count(need) == 1 or not need
        assert f"· {chapter.minutes} min ·" in said


@pytest.mark.parametrize("page", ["dot_products", "why_mask"])
def test_a_sentence_that_comes_along_is_drawn_as_the_page_says(page: str) -> None:
    """The same embeddings on every page; the walkthrough's numbers where the sizes are its own."""
    shown = opened_whole(page)
    found = next(found for c in shown.caption if (found := re.match(RANDOM_WEIGHTS, c.value)))
    width, heads = int(found[1]), 1 if found[2] == "one" else int(found[2])
    drawn = toy_inputs("The cat sat on the mat", heads=heads, d_model=width, seed=int(found[3]))
    told = stage(shown)
    words = [[f"{x:.2f}".replace("-", "−") for x in embedding(w, width)] for w in drawn.tokens]
    on_stage = [[t.replace("-", "−") for t in row] for row in told.texts("X").tolist()]
    before = {"why_mask": 3}.get(page)  # the token that is replaced there
    for at, (ours, theirs) in enumerate(zip(on_stage, words, strict=True)):
        assert at == before or ours == theirs
    if page != "why_mask":
        run = attention_program(heads=heads, mask="causal").run(drawn)
        queries = np.array([[float(t.replace("−", "-")) for t in row] for row in told.texts("Q")])
        assert np.abs(queries - run["Q"][0]).max() < 0.0051


# The front page says it of its own sentence, the first chapter is about tokens, and real heads read
# the texts that they were captured on.
@pytest.mark.parametrize(
    "page", three([name for name in PATH if name not in (HOME, "words", "real_heads")])
)
def test_every_page_says_that_characters_are_tokens_where_there_are_no_spaces(page: str) -> None:
    drawn = {"queries_keys_values": {"qkv_numbers": "drawn"}}.get(page, {})

    def said(text: str) -> str:
        shown = opened(page, **{f"{PATH[page].key}_text": text}, **drawn)
        return " ".join(caption.value for caption in shown.caption)

    assert "each character is a token" in said("我爱北京")
    assert "each character" not in said("I love it")


@pytest.mark.parametrize("page", list(PATH))
def test_every_page_leads_to_the_one_before_it_and_the_one_after(page: str) -> None:
    titles = [Markdown.escape(chapter.title) for chapter in PATH.values()]
    at = list(PATH).index(page)
    wanted = [f"← Previous: {titles[at - 1]}"] if at else []
    last = at == len(titles) - 1
    wanted += [f"Again from the beginning: {titles[0]} →" if last else f"Next: {titles[at + 1]} →"]
    found = [link.proto.label for link in untouched(page).get("page_link")]
    assert found[-len(wanted) :] == wanted
