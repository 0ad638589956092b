"""Every sentence of a page is a claim about every state in which it is shown.

A page's inventory (`test_claims_of_<page>.py`) has a table of what is filled into each of its texts
in a state of the page, made by the core that has its own tests beside PyTorch and plain loops. A
text that claims more has a function of its name; one that names no condition holds always.
What the core says has an entry by how the sentence begins. A sentence without an entry fails, and
in the long run so does an entry of nothing. What needs no code is in the file `.toml` beside it.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import isfunction, signature
from pathlib import Path
from string import Template
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qsl

import streamlit as st
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.path import PATH
from core.program.families import Family, Options
from core.program.trace import Trace
from core.texts.text_file import LANGUAGE, Plain, TextFile
from stage.document.other_runs import alternatives
from tests.data import data_of
from tests.sampling import DEEP, some
from tests.ui.agreement import Check, Filled, Values, all_agree, number
from tests.ui.support import offered, opened, stages
from tests.unfilled import page_texts, unfilled
from ui.links.links import values_of_link
from ui.links.path import address_of
from ui.page.prose import typeset_symbols
from ui.page_texts import PAGES
from ui.stage import exhibit
from ui.stage.painting import size_keys

TextCheck = Callable[[Values, AppTest], None]
"""The same of a text: it is given what was filled in, and the page."""
Link = Mapping[str, str]

_TERM = re.compile(r"\[([^\]]+)\]\(#(?:term|stage)-[^)]*\)")
_COLOUR = re.compile(r":[a-z]+\[(\$[^$]*\$)\]")
_END = re.compile(r"(?<=[.?!:;])(?<!read first:)[”)]*\s+(?=[A-Z“])|\n+")
SAID = ("title", "header", "markdown", "caption", "info", "success", "warning", "error")
_STAGE = ("step", "cell", "head", "cover")
_WAY_IN = r"Chapter (\d+) of (\d+) · (\d+) min · (.+)"


def ALWAYS(said: Any, page: AppTest) -> None:
    """It names no condition: it is true whatever the controls say."""


def shown_with(**values: Any) -> Callable[[Any, AppTest], None]:
    """It claims nothing else, and is shown only while the controls of these keys say so.

    Several values stand in a list.
    """

    def check(said: Any, page: AppTest) -> None:
        for key, value in values.items():
            assert page.session_state[key] in (value if isinstance(value, list) else [value])

    return check


def proven_elsewhere(said: Values, page: AppTest) -> None:
    """It is so in every run, as a test of the core shows on runs of its own."""


LONG = " ".join(f"w{n}" for n in range(64))
"""As many tokens as most pages take at most."""


@dataclass(frozen=True)
class Inventory:
    """What a page says, read as claims."""

    page: str
    claims: Mapping[str, Check]
    """By a regular expression that matches the beginning of a sentence."""
    module: Mapping[str, Any]
    """`filled` has what is filled into texts in a state of the page, by their ids. Of its other
    functions those that are given what is `said` are named for the id of the text in the page's
    file (`try_` for *try*); texts that are no sentence need none."""
    texts: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Of other names, by the ids of the texts: what reads them, or the test that proves them."""
    typed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """As in the file, where code makes the values."""
    others: Sequence[Link] = ()
    panels: Sequence[str] = ()
    """What opens on request, by its key: every state is read closed, and with all open."""

    @cached_property
    def told(self) -> Mapping[str, Any]:
        """What needs no code, of the file beside the module.

        `always`: the ids of texts that hold whatever the controls say; `shown`: of those that claim
        nothing else, and are shown only while controls say so. `claims_nothing`: how sentences
        begin that name no condition. `typed`: values of a control that is typed into, and of one
        whose offer is no list, by its key. `others`: links to states that need several keys at
        once. `$NAME` is a constant of the module, `$LONG` also one of all. `own`: of that module.
        """
        found = data_of(self.module["__file__"])
        assert found.keys() <= {"always", "shown", "claims_nothing", "typed", "others", "own"}
        return found

    def named(self, text: str) -> str:
        return Template(text).safe_substitute({"LONG": LONG} | dict(self.module))

    @property
    def every_claim(self) -> Mapping[str, Check]:
        return {**self.claims, **dict.fromkeys(self.told.get("claims_nothing", ()), ALWAYS)}

    @cached_property
    def every_typed(self) -> Mapping[str, Sequence[str]]:
        listed = self.told.get("typed", {}).items()
        return {key: [*map(self.named, values)] for key, values in listed} | dict(self.typed)

    @property
    def every_other(self) -> Sequence[Link]:
        links = (parse_qsl(link[1:], True) for link in self.told.get("others", ()))
        return [*self.others, *({key: self.named(text) for key, text in link} for link in links)]

    @cached_property
    def ends(self) -> Mapping[str, Sequence[str]]:
        """For each control, by its key in the link, all options of a toggle, or two ends."""
        with patch("ui.links.session.values_of_link", wraps=values_of_link) as asked:
            opened(self.page)
        readers = asked.call_args.args[0].items()
        every = {
            key: self.every_typed.get(key) or in_range(offered(key, made.reader))
            for key, made in readers
            if key.rsplit("_", 1)[-1] not in _STAGE
        }
        assert all(len(set(values)) >= 2 for values in every.values()), every
        assert self.every_typed.keys() <= every.keys()
        return every

    @cached_property
    def checks(self) -> Mapping[str, TextCheck]:
        """What reads each text, by its id."""
        own = {name.removesuffix("_"): made for name, made in self.module.items() if reads(made)}
        ids = TextFile(_file_of(self.page), Plain).sources.keys()
        named = {id: own[id] for id in ids & own.keys()}
        given = {id: made for ids, made in self.texts.items() for id in ids.split()}
        for ids, values in self.told.get("shown", {}).items():
            given |= dict.fromkeys(ids.split(), shown_with(**values))
        for id, made in given.items():
            named[id] = proven_elsewhere if made.__name__.startswith("test_") else made
        return named | dict.fromkeys(self.told.get("always", "").split(), ALWAYS)

    @property
    def states(self) -> list[Link]:
        """The untouched page, all controls at their first or last end, others; one control each.

        The short run reads every sixth of the others, and none of the last.
        """
        together = [{key: values[at] for key, values in self.ends.items()} for at in (0, -1)]
        alone = [{key: value} for key, values in self.ends.items() for value in values]
        return [{}, *together, *some(self.every_other, 6), *(alone if DEEP else ())]

    def check(self) -> None:
        """Every sentence in every state is true, and no entry is one of nothing.

        No text of the page, wherever it is drawn, has a placeholder left.

        Every stage also tells at once what its toggles lead to; in the short run, at first.
        """
        unused = {*self.every_claim, *self.checks}
        asked: set[str] = set()
        for kept in (st.cache_resource, st.cache_data):
            kept.clear()  # a chart that is kept says nothing again
        title = re.escape(typeset_symbols(PATH[self.page].question))
        claims = {_WAY_IN: self._stands_there, title: ALWAYS, r"To take away\.$": ALWAYS}
        claims |= self.every_claim
        for link in self.states:
            told_ahead = (
                _alternatives_at_once if DEEP or not link else exhibit._alternatives_asked_for
            )
            with (
                patch("ui.stage.exhibit._alternatives_asked_for", told_ahead),
                patch.object(TextFile, "__call__", _noted),
            ):
                _NOTED.clear()
                page = opened(self.page, **link)
                said = list(self._said(page))
                noted = _of_page(self.page)
            assert said or noted, f"{link}: the page says nothing"
            filled: Mapping[str, Filled] = (
                self.module["filled"](page) if "filled" in self.module else {}
            )
            unused |= filled.keys() - asked
            for text in noted:
                if _CLAIMS.search(text.said):
                    known = text.id in self.checks or text.id in filled
                    assert known, f"nobody has read this as a claim: {text.id}"
                    unused.discard(text.id)
                    asked.add(text.id)
                    try:
                        self.checks.get(text.id, ALWAYS)(text.values, page)
                        all_agree(text.values, filled.get(text.id, {}))
                    except AssertionError as failed:
                        told = f"{link}: not true: {text.id}: {text.said!r}\n{failed}"
                        raise AssertionError(told) from failed
            for sentence in said:
                found = [(p, m) for p in claims if (m := re.match(p, sentence))]
                assert found, f"{link}: nobody has read this as a claim: {sentence!r}"
                for pattern, match in found:
                    unused.discard(pattern)
                    try:
                        claims[pattern](match, page)
                    except AssertionError as failed:
                        raise AssertionError(
                            f"{link}: not true: {sentence!r}\n{failed}"
                        ) from failed
            left = [found for text in page_texts(page) for found in unfilled(text)]
            assert not left, f"{link}: not filled in: {left}"
        assert not (DEEP and unused), f"entries that no sentence begins with: {unused}"

    def _stands_there(self, match: re.Match[str], page: AppTest) -> None:
        """The chapter has this number and these minutes; what to read first leads to its page."""
        at, count, minutes, before = match.groups()
        assert list(PATH)[int(at) - 1] == self.page
        assert (int(count), int(minutes)) == (len(PATH), PATH[self.page].minutes)
        links = dict(re.findall(r"\[([^\]]*)\]\(([^)]*)\)", before))
        needs, previous = PATH[self.page].needs, list(PATH)[int(at) - 2]  # the header leads there
        assert links == {PATH[need].title: address_of(need) for need in needs if need != previous}
        assert before.endswith(PATH[self.page].knows)

    def _said(self, page: AppTest) -> Iterator[str]:
        """What the page says besides the texts of its own file, closed and with all open."""
        yield from _sentences(page, self.page)
        if self.panels:
            for key in self.panels:
                page.session_state[key] = True
            yield from _sentences(page.run(), self.page)


def _alternatives_at_once(
    prefix: str,
    told: dict[str, Any],
    family: Family | None,
    options: Options,
    made: Callable[[Trace, Options], dict[str, Any]],
) -> dict[str, Any] | None:
    """The runs that the toggles lead to, for a stage that has not asked."""
    if family is None:
        return None
    return alternatives(told, family, options, lambda other: made(family.run(**other), other))


@dataclass(frozen=True)
class Noted:
    """A text that was said: its file, its id, what was filled in, and how it reads."""

    file: Path
    id: str
    values: Values
    said: str


_NOTED: list[Noted] = []
_IS_SENTENCE = re.compile(r"[.!?]\**$")
_CLAIMS = re.compile(r"[.!]\**$")  # a question claims nothing
_say = TextFile.__call__


def _noted(file: TextFile[Any], id: str, **values: Any) -> Any:
    said = _say(file, id, **values)
    _NOTED.append(Noted(file.file, id, values, str(said)))
    return said


def _file_of(page: str) -> Path:
    return PAGES / LANGUAGE / f"{page}.md"


def _of_page(name: str) -> list[Noted]:
    return [text for text in _NOTED if text.file == _file_of(name)]


def in_range(values: Sequence[str]) -> Sequence[str]:
    """Of a range that is offered with what is just beyond, its two ends; of a list, all."""
    low, high, *beyond = values
    if all(re.fullmatch(r"-?\d+", value) for value in values):
        return values[:2] if beyond == [str(int(low) - 1), str(int(high) + 1)] else values
    return values


def reads(made: Any) -> bool:
    """Whether it is a check of a text."""
    return isfunction(made) and [*signature(made).parameters] == ["said", "page"]


def _sentences(page: AppTest, name: str) -> Iterator[str]:
    """What a page says that no text of its file says."""
    texts = [text.said for text in _of_page(name) if _IS_SENTENCE.search(text.said)]
    yield from sentences(page, sorted({*map(typeset_symbols, texts)}, key=len, reverse=True))


def sentences(page: AppTest, without: Sequence[str] = ()) -> Iterator[str]:
    """What a page says, sentence by sentence: terms without their links, no marks of emphasis.

    Questions have an inventory of their own (tests/core/questions).
    """
    assert not page.exception
    for said in drawn(page.main):
        for known in without:
            said = said.replace(known, "")
        text = _TERM.sub(r"\1", _COLOUR.sub(r"\1", said))
        for sentence in _END.split(re.sub(r"\\(?=[^a-z])|\*+", "", text)):
            if sentence.strip(" |-:>"):
                yield sentence.strip()


def drawn(part: Any, kinds: Container[str] = SAID) -> Iterator[str]:
    """The texts that a part of a page draws, in their order, without its questions."""
    for child in part.children.values():
        if child.type in kinds:
            yield child.value
        elif (getattr(child, "key", None) or "").startswith("asked_"):
            continue
        elif hasattr(child, "children"):
            yield from drawn(child, kinds)


SYMBOL = r"\$[^$]*\$"
RANDOM_WEIGHTS = rf"Random weights \({SYMBOL} = (\d+), (one|\d+) heads?, seed (\d+)\)"
EIGHT = "a b c d e f g h"
"""As many tokens as some pages take at most."""


def drawn_with(match: re.Match[str], page: AppTest) -> None:
    """Those sizes and that seed give the weights on a stage of the page."""
    d_model, seed = int(match[1]), int(match[3])
    heads = 1 if match[2] == "one" else int(match[2])
    made = toy_inputs("a", heads=heads, d_model=d_model, seed=seed)["W_Q"]
    told = (array for stage in stages(page) for array in stage.document["arrays"].items())
    shown = [array["texts"] for name, array in told if name.startswith("W_Q") and array["texts"]]
    assert shown
    assert list(made.ravel()) in [[*map(number, texts.split(" "))] for texts in shown]


def chosen_sizes(state: Any, key: str) -> list[int]:
    """What a page's sliders for the sizes of a mask are at."""
    return [state[name] for name in size_keys(key, 8)]
