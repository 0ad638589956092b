"""What the tests of pages share: a page opened by a link, and what its stage was told."""

import json
import re
from base64 import b64decode
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any
from unittest.mock import patch

import numpy as np
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from core.attention.examples.two_meanings import BY_ID
from core.errors import InputError
from core.path import PATH
from core.program.labels import sentence_parts, split_cell
from tests.sampling import ROOT
from ui.links.links import Keys, Reader, values_of_link

MADE_OF_TEXT = re.compile(
    r"https?:\/\/[-.\w]|www\.[-.\w]"
    r"|[-.\w+]+@[-\w]+\.[-\w]"
    r"|:\+1:|:-1:|:[\w-]+:"
    r"|(?<!\S)(<->|->|<-|--|>=|<=|~=)(?!\S)",
    re.IGNORECASE | re.ASCII,
)
"""Of what the browser makes something else (a link, an icon, an arrow) in a text that is parsed:
Streamlit's plugins of Markdown, and GitHub's links without brackets.
"""
_TERM = re.compile(r"\[([^\]]+)\]\(#(?:term-[^)]*|stage-\w+\.[\d.]+)\)")
PAGES = ROOT / "pages"
PAGE_NAMES = sorted(path.stem for path in PAGES.glob("*.py"))


def unopened(page: str, **link: str) -> AppTest:
    """A page of the house that has not run yet, with these keys in its link."""
    made = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
    made.query_params.update(link)
    return made


def opened(page: str, **link: str) -> AppTest:
    """The same in a visitor's first run."""
    return unopened(page, **link).run()


def opened_by(page: str, **link: str) -> AppTest:
    """The same with keys of its chapter, given without their common beginning."""
    return opened(page, **{f"{PATH[page].key}_{key}": value for key, value in link.items()})


@cache
def untouched(page: str) -> AppTest:
    """A page at its bare address, for tests that only read it."""
    return opened(page)


def arriving(page: str, sentence: str, **link: str) -> AppTest:
    """A page that is opened after another one, on which this sentence was typed."""
    made = unopened(page, **link)
    made.session_state.brought, made.session_state.page = {"sentence": sentence}, "elsewhere"
    return made.run()


def changed(page: AppTest, **values: object) -> AppTest:
    """The page after these were chosen."""
    for key, value in values.items():
        page.session_state[key] = value
    page.run()
    assert not page.exception
    return page


def sentence(page: AppTest) -> TextInput:
    """The field of the walkthrough's sentence."""
    (found,) = [field for field in page.text_input if field.label == "Sentence"]
    return found


def pressed(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click()
    changed(page)


def link_of(page: AppTest) -> dict[str, str]:
    """The address of a page; the keys that a test gave come back as lists."""
    found = dict(page.query_params)
    return {key: value if isinstance(value, str) else value[0] for key, value in found.items()}


def warned(page: AppTest) -> list[str]:
    """What the warnings of a page say."""
    assert not page.exception
    return [said.value.replace("\\", "") for said in page.warning]


def refused(page: AppTest) -> list[str]:
    """What its errors say of what was typed."""
    assert not page.exception
    return [said.value.replace("\\", "") for said in page.error]


def charts(page: AppTest) -> list[dict[str, Any]]:
    """What each chart of a page shows."""
    assert not page.exception
    return [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]


def values(encoded: Any) -> np.ndarray:
    """An array of a chart, which Plotly writes as a list or in base64."""
    if isinstance(encoded, dict):
        return np.frombuffer(b64decode(encoded["bdata"]), dtype=encoded["dtype"])
    return np.array(encoded, dtype=float)


@cache
def keys_read(page: str) -> Keys:
    """The keys of a page, as it reads them itself."""
    with patch("ui.links.session.values_of_link", wraps=values_of_link) as asked:
        opened(page)
    return asked.call_args.args[0] if asked.called else {}


def opened_whole(page: str, **link: str) -> AppTest:
    """The same with all that is in folds which draw nothing until they are open."""
    made = opened(page, **link)
    return changed(made, **dict.fromkeys(closed_folds(made), True))


def closed_folds(page: AppTest) -> list[str]:
    """The keys of the folds that draw nothing until they are open, and are closed."""
    keys = (fold.proto.id.rsplit("-", 1)[-1] for fold in page.expander if not fold.children)
    return [key for key in keys if key.startswith("fold_")]


def folds_for_later(page: AppTest) -> dict[str, str]:
    """The folds that name a chapter to read first: their keys, and that chapter's name."""
    names = {chapter.title: name for name, chapter in PATH.items()}
    found = {}
    for fold in page.expander:
        if first := re.search(r"\(read first: (.*)\)$", fold.label):
            found[fold.proto.id.rsplit("-", 1)[-1]] = names[first[1]]
    return found


def offered(key: str, reader: Reader) -> list[str]:
    """Values that a reader says it takes, those of a range also at its ends and just beyond."""
    try:
        reader(key, "\0 is no value of any key")
    except InputError as error:
        if ends := re.search(r"whole number from (\d+) to (\d+)", error.limit):
            low, high = int(ends[1]), int(ends[2])
            return [str(number) for number in (low, high, low - 1, high + 1)]
        named = re.match("choose (.*)", error.remedy)
        return named[1].removesuffix(" …").split(", ") if named else []
    return []


@dataclass(frozen=True)
class Told:
    """What one stage of a page was told: a run, where to look, how another run differs."""

    document: dict[str, Any]
    answer: dict[str, Any] = field(compare=False)
    config: dict[str, Any]
    differences: dict[str, Any] | None = None
    alternatives: dict[str, Any] | None = None
    mistaken: dict[str, Any] | None = None

    @property
    def step(self) -> str:
        return str(self.answer["view"]["step"])

    @property
    def selected(self) -> str:
        return str(self.answer["view"]["cell"])

    @property
    def compared(self) -> str:
        """What is said of the difference of the matrix on show."""
        if self.differences is None:
            return ""
        said: list[str] = self.differences["said"][self.step]
        outer = self._array(self.step)["shape"][:-2]
        return said[int(np.ravel_multi_index(self._prefix(self.step), outer)) if outer else 0]

    def texts(self, name: str) -> np.ndarray:
        """The numbers of the matrix on show."""
        return self._shown(name, self._array(name)["texts"].split(" "))

    def levels(self, name: str) -> np.ndarray:
        return self._shown(name, list(b64decode(self._array(name)["levels"])))

    def changes(self, name: str) -> np.ndarray | None:
        assert self.differences is not None
        found = self.differences["changes"].get(name)
        return None if found is None else self._shown(name, found)

    def labels(self, name: str) -> list[list[str]]:
        return [self.document["axes"][a]["labels"] for a in self._array(name)["letters"][-2:]]

    def _array(self, name: str) -> dict[str, Any]:
        return dict(self.document["arrays"][name])

    def _shown(self, name: str, cells: list[Any]) -> np.ndarray:
        matrix: np.ndarray = np.array(cells).reshape(self._array(name)["shape"])
        return np.atleast_2d(matrix[self._prefix(name)])

    def _prefix(self, name: str) -> tuple[int, ...]:
        array, axes = self._array(name), self.document["axes"]
        slices = self.answer["view"]["slices"]
        return tuple(
            slices.get(axes[letter]["of"], 0) * axes[letter]["size"] // axes[whole]["size"]
            if (whole := axes[letter]["of"])
            else slices.get(letter, 0)
            for letter in array["letters"][:-2]
        )


def prose(page: AppTest) -> str:
    """What a page says, its terms and numbers without their links and its escapes undone."""
    assert not page.exception
    said = "\n".join(element.value for element in page.markdown)
    return _TERM.sub(r"\1", said).replace("\\", "")


def cut(sentence: str) -> list[Any]:
    """A sentence as a document tells it: each second part a token, or a number and its cell."""
    return [[*split_cell(p)] if split_cell(p)[1] else p for p in sentence_parts(sentence)]


def places(page: AppTest) -> list[tuple[int, ...]]:
    """Where each component stands among what its page draws."""

    def below(part: Any, place: tuple[int, ...]) -> list[tuple[int, ...]]:
        if part.type == "bidi_component":
            return [place]
        children = getattr(part, "children", {}).items()
        return [found for at, child in children for found in below(child, (*place, at))]

    return below(page.main, ())


def stages(page: AppTest) -> list[Told]:
    """What the stages of a page were told, in the order they stand in."""
    news: dict[str, dict[str, Any]] = {}
    for message in told(page, "attention_told"):
        news.setdefault(message["stage"], {}).update(message["news"])
    return [
        Told(**news[config["stage"]], config=config) for (config,) in told(page, "attention_stage")
    ]


def stage(page: AppTest, number: int = 0) -> Told:
    """What a stage of the page was told, where the page raised nothing."""
    return stages(page)[number]


def told(page: AppTest, component: str) -> list[Any]:
    """What each component of that name was told, where the page raised nothing."""
    assert not page.exception
    sent = [made.proto for made in page.get("bidi_component")]
    return [_parsed(made.bytes or made.json) for made in sent if made.component_name == component]


@lru_cache(maxsize=32)  # claims of one page look at its stages hundreds of times
def _parsed(message: str | bytes) -> Any:
    return json.loads(message, parse_constant=_refused)


def _refused(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON: a browser refuses it")


def opened_case(page: AppTest) -> list[str]:
    """What the debug lab writes over a case that is open; nothing while it is closed."""
    return [header.value for header in page.header if "Case " in header.value]


def choose_example(page: AppTest, name: str) -> None:
    """Choose an example of the walkthrough in its panel."""
    changed(page, examples_panel=True)
    fields = page.pills if name in BY_ID else page.radio
    label = "Words with two meanings" if name in BY_ID else "More examples"
    (found,) = [field for field in fields if field.label == label]
    found.set_value(name).run()
