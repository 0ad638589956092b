"""Families: the programs that one page can run, told apart by toggles.

What can be toggled is declared once, with the program; links, widgets and the stage follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from core.errors import input_error
from core.program.program import Program
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("program")

Options = Mapping[str, str]
"""For each toggle, by its key, the value that is chosen."""


@dataclass(frozen=True)
class Toggle:
    """One thing that a person may choose: its key in a link, its word, and its options.

    `options` gives each value as a link writes it with the word that is shown. If `reads` is
    given, other values are accepted too: it raises `InputError` for one that makes no sense. A
    toggle that `resizes` changes the shapes of arrays. `shows` gives for an option the array that
    it is about: choosing the option leads there. `about` names the array whose step is about the
    toggle, if one is. A toggle `of_page` counts for several stages: their page draws it, once.
    """

    key: str
    word: str
    options: Options
    default: str
    reads: Callable[[str], object] | None = None
    resizes: bool = False
    shows: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    about: str = ""
    of_page: bool = False

    def check(self, value: str) -> None:
        """Raise `InputError` for a value that may not be chosen."""
        if value in self.options:
            return
        if self.reads is None:
            several = ", ".join(list(self.options)[:8]) + (" …" if len(self.options) > 8 else "")
            raise input_error(
                TEXTS, "no_choice", key=self.key, value=repr(value[:20]), options=several
            )
        self.reads(value)


@dataclass(frozen=True, eq=False)
class Built:
    """A program and what it is run on."""

    program: Program
    inputs: Mapping[str, object]
    pinned: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def run(self) -> Trace:
        return self._trace

    @cached_property
    def _trace(self) -> Trace:
        return self.program.run(self.inputs, pinned=self.pinned)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Family:
    """Toggles, and the builder that makes a program and its inputs of what is chosen.

    If all that a stage shows follows from the toggles and the page's sentence, `prefix` begins the
    keys of that stage in a link; it is "" if a slider or a file of the page counts too. `of_text`
    makes the family of another sentence; None if the stage always shows the same one.
    """

    toggles: tuple[Toggle, ...]
    build: Callable[[Options], Built]
    prefix: str = ""
    of_text: Callable[[str], Family] | None = None

    @property
    def toggle(self) -> Mapping[str, Toggle]:
        return {toggle.key: toggle for toggle in self.toggles}

    @property
    def on_stage(self) -> tuple[Toggle, ...]:
        """The toggles that the stage draws."""
        return tuple(toggle for toggle in self.toggles if not toggle.of_page)

    @property
    def defaults(self) -> dict[str, str]:
        return {toggle.key: toggle.default for toggle in self.toggles}

    def built(self, **chosen: str) -> Built:
        """The program for these options, the defaults for the others. Raises `InputError`."""
        for key, value in chosen.items():
            if key not in self.toggle:
                raise input_error(TEXTS, "no_toggle", key=key, keys=", ".join(self.toggle))
            self.toggle[key].check(value)
        return self.build({**self.defaults, **chosen})

    def run(self, **chosen: str) -> Trace:
        """The run for these options. Raises `InputError`."""
        return self.built(**chosen).run()
