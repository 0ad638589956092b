"""What a page says of its stage, by subject: each part of it has defaults."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from core.program.families import Family, Options
from core.program.story import NO_STORY, Story
from core.program.trace import Trace
from ui.classroom.questions.class_button import LinkOfView

Act = Callable[[str, Mapping[str, Any]], None]
"""Does what a person did on the stage: kind and value."""


@dataclass(frozen=True, kw_only=True)
class Switches:
    """What can be switched on a stage, and what its run is compared with.

    `family` has the toggles, `options` what is chosen of them. `other` is a run to compare with,
    and `comparisons` says what one may choose to compare with (key `compare`).
    """

    family: Family | None = None
    options: Options = field(default_factory=dict)
    other: Trace | None = None
    comparisons: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Edits:
    """What a person may change on a stage.

    `on_act` does it. `editable` arrays may be typed into, and `paint` may be painted. `sentence` is
    the one on show, where another may be typed in the full window. `refused` says why what was
    typed is not taken.
    """

    on_act: Act = lambda kind, value: None
    editable: Sequence[str] = ()
    paint: str = ""
    sentence: str | None = None
    refused: str = ""


@dataclass(frozen=True, kw_only=True)
class Telling:
    """What a stage says of its run, and what it keeps back.

    `story` says what to notice in a run, by what is chosen of the toggles; `badge` what is not made
    from the inputs as they were asked for. With `closed` no arithmetic of a step is told, and these
    words stand in its place. Without `code` no step has its lines of code, and without `in_code`
    nothing keeps the run for the page's code. A `doubted` run may be wrong: nobody is asked about
    it, and what is typed into its covers is not judged by it.
    """

    story: Callable[[Trace, Options], Story] = lambda run, options: NO_STORY
    badge: str = ""
    closed: str = ""
    code: bool = True
    in_code: bool = True
    doubted: bool = False


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a stage is set on its page.

    With `fills` it is what the page is about: it fills the window where the link asks for the
    projector's view, unless a scene is about something else. With `steady` it keeps the rest of the
    first screen for itself, so that nothing below it moves from step to step. With `quiet` what is
    chosen of the toggles stands on a line, each one's choices behind a press. With `rough` its
    cells show small numbers as about 0; the arithmetic has their digits. Without `ribbon` the page
    draws the same weights itself.
    """

    fills: bool = False
    steady: bool = False
    quiet: bool = False
    rough: bool = False
    ribbon: bool = True


@dataclass(frozen=True, kw_only=True)
class LinkParts:
    """What a stage has to do with the page's link beside its keys.

    What is wrong with the link is said in the place of `messages`, and without one above the stage.
    `bare` is what an address without a key means of this view, if it means any: as soon as the
    address says something, it says that too. `asked` makes the link of what a class is asked, where
    the page's keys do not.
    """

    messages: AbstractContextManager[object] | None = None
    bare: Mapping[str, str] = field(default_factory=dict)
    asked: LinkOfView | None = None
