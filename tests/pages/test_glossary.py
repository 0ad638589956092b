"""Terms in prose are those of the glossary."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from core.attention.glossary import GLOSSARY
from core.chapters.cost.real_model import TEXTS_READ
from core.chapters.dot_products.similarity import RULES
from core.path import PATH
from tests.sampling import some, three
from tests.ui.claims import drawn
from tests.ui.page.test_prose import plain_symbols
from tests.ui.support import opened, untouched

EVERY = sorted(PATH)
OTHER = re.compile(
    r"\[[^\]]*\]\((?!#term-)[^)]*\)|\$\$?[^$]*\$\$?|`[^`]*`"
    r"|Chapter \d+ of .*|.*[Rr]andom weights \(.*"
)
"""What is no prose of a page: other links, formulas, code, the way to it, its sizes and seed."""
TERM = re.compile(r"\[([^\]]+)\]\(#term-([^)]*)\)")


def terms_of(page: AppTest) -> list[tuple[str, str]]:
    return [found for text in page.markdown for found in TERM.findall(text.value)]


@pytest.mark.parametrize("page", three(EVERY))
def test_a_link_to_the_glossary_leads_to_the_term_it_says_and_each_stands_once(page: str) -> None:
    found = terms_of(untouched(page))
    assert len(found) >= 2
    assert len({name for _, name in found}) == len(found)
    for said, name in found:
        assert name in GLOSSARY
        assert said.lower().startswith(name.replace("-", " ")[:4])


def written(name: str) -> str:
    """A term as prose writes it, one or many: a regular expression."""
    word = re.escape(name.replace("-", " ")).replace("\\ ", r"\s")
    return rf"\b{word[:-1]}(?:ys?|ies)\b" if name.endswith("y") else rf"\b{word}s?\b(?! matri)"


@pytest.mark.parametrize("page", some(EVERY, 3))
def test_the_first_use_of_each_term_is_its_link(page: str) -> None:
    assert not plain_first_uses(untouched(page))


@pytest.mark.parametrize("case", three(range(1, 11)))
def test_what_the_debug_lab_tells_uses_no_term_first(case: int) -> None:
    assert not plain_first_uses(opened("debug_lab", lab_case=str(case), lab_told="yes"))


OPENED = [
    *(("cost", {"cost_run": run}) for run in TEXTS_READ),
    *(("dot_products", {"dot_rule": rule}) for rule in RULES),
    *(("heads", {"heads_part": part}) for part in ("share", "split", "join", "order")),
    ("heads", {"heads_real_head": "1"}),
    *(("queries_keys_values", {"qkv_rung": rung, "qkv_part": part})
      for rung in "1234" for part in ("lookup", "basis", "sizes", "budget")),
]  # fmt: skip
"""Pages with what a link opens of them, or chooses."""


@pytest.mark.parametrize(("page", "link"), OPENED)
def test_what_is_opened_links_its_terms_once_and_typesets_its_symbols(
    page: str, link: dict[str, str]
) -> None:
    shown = opened(page, **link)
    assert not plain_first_uses(shown)
    assert len({*terms_of(shown)}) == len(terms_of(shown))
    assert not plain_symbols(shown)


def plain_first_uses(page: AppTest) -> list[str]:
    """In what a page says, from its top; titles, headings and questions are none of it."""
    said = OTHER.sub("", "\n\n".join(drawn(page.main, ("markdown", "caption"))))
    plain = []
    for name in GLOSSARY:
        first = re.search(rf"\[?{written(name)}", said, re.IGNORECASE)
        if first and not re.match(rf"\[[^\]]*\]\(#term-{name}\)", said[first.start() :]):
            plain.append(f"{name}: …{said[max(first.start() - 40, 0) : first.end() + 20]!r}")
    return plain


def test_an_entry_is_a_sentence_or_two_of_plain_text() -> None:
    for name, meaning in GLOSSARY.items():
        assert re.fullmatch(r"[a-z-]+", name)
        assert meaning[-1] == "."
        assert len(meaning) < 200
