"""The stage for one look at a run, on any page."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any

import streamlit as st

from core.attention.mistakes.hand_mistakes import KNOWN_MISTAKES
from core.errors import InputError
from core.limits import MAX_HEADS
from core.program.explanations import closed as closed_cell
from core.program.explanations import explain
from core.program.families import Family, Options
from core.program.labels import cell_id
from core.program.patterns import Cell
from core.program.program import Program
from core.program.trace import Trace
from stage.document.document import document
from stage.document.number_tiles import tile_texts
from stage.document.other_runs import alternatives, differences, mistaken
from stage.document.places import Opening
from stage.document.row_tables import row_table
from ui.classroom.following import is_led_by_room
from ui.classroom.questions.class_button import ask_covered
from ui.lessons.course import cells_named
from ui.links.links import (
    VIEW,
    Key,
    Keys,
    cell_of,
    cover_of,
    is_always_written,
    one_of,
    whole_number_reader,
    with_names,
)
from ui.links.session import place_of_messages, pop_flash, restore_flash, save_link, under_scene
from ui.links.stage_position import (
    View,
    missing_cell,
    missing_cover,
    navigation_revision,
    opened_revision,
    resolve_view,
    store_position,
)
from ui.page.code import keep_code
from ui.page.presenting import fills_window, presenting
from ui.page_texts import plain_ui_texts
from ui.server.fragments import fragment
from ui.stage.component import LONGEST_SENT, StageReport, stage
from ui.stage.settings import Edits, Layout, LinkParts, Switches, Telling
from ui.stage.toggles import chosen
from ui.text import escape_markdown

TEXTS = plain_ui_texts("messages")
There = tuple[str, Cell] | Opening
Openings = There | Callable[[Trace], There]
"""Where one looks who has not chosen: an array and a cell, or those of a run."""


def draw_stage(
    trace: Trace,
    opening: Openings,
    keys: Keys,
    prefix: str = "",
    *,
    switches: Switches = Switches(),
    edits: Edits = Edits(),
    telling: Telling = Telling(),
    layout: Layout = Layout(),
    link: LinkParts = LinkParts(),
) -> View:
    """The stage of a run; where one looks on it.

    `opening` is where an untouched page looks; `keys` are those of the page's link, in which the
    stage's begin with `prefix`.
    """
    family, options = switches.family, switches.options
    own, keys = keys, under_scene(keys)
    _check_link(trace, keys, prefix, link.messages or place_of_messages())

    def opened(run: Trace) -> There:
        return opening(run) if callable(opening) else opening

    view = resolve_view(trace, opened(trace), prefix, options)
    if keys[f"{prefix}cell"].of_scene:  # a link without it means the scene's
        st.session_state[f"{prefix}cell"] = view.selected

    def made(run: Trace, now: Options) -> dict[str, Any]:
        return document(
            run, opened(run), editable=edits.editable, paint=edits.paint, badge=telling.badge,
            story=telling.story(run, now), family=family, options=now, code=telling.code,
            doubted=telling.doubted, ribbon=layout.ribbon,
        )  # fmt: skip

    told = made(trace, options)
    toggled = [toggle.key for toggle in family.on_stage] if family else []
    toggled += ["compare"] if switches.comparisons else []
    withheld = telling.closed and view.name in trace.steps
    explained = (
        closed_cell(trace, view.name, view.cell, telling.closed)
        if withheld
        else explain(trace, view.name, view.cell)
    )
    table = None if telling.closed else row_table(trace, view.array, view.row)
    chosen_comparison = st.session_state.get("compare", "") if switches.comparisons else ""
    compared = None
    if switches.other is not None:
        compared = differences(trace, switches.other) | {"id": told["id"]}
        compared["compare"] = chosen_comparison
    stage(
        f"{prefix}stage",
        document=told,
        answer={
            "id": told["id"],
            "lastMove": navigation_revision(prefix),
            "view": {
                "step": view.array,
                "cell": view.selected,
                "open": view.opened,
                "slices": dict(view.slices),
                "cover": st.session_state.get(f"{prefix}cover", ""),
            },
            "compare": chosen_comparison,
            "refused": edits.refused,
            "sentence": None
            if edits.sentence is None
            else {"text": edits.sentence, "most": LONGEST_SENT},
            "come": st.session_state.get("come", 0),
            "untouched": {key: str(keys[key].default) for key in toggled},
            "home": _link_defaults(keys, prefix, toggled) | {"bare": dict(link.bare)},
            "explained": {"cell": view.selected, **vars(explained)},
            "table": {
                "row": cell_id(view.array, view.row),
                "table": table.data() if table else None,
            },
        },
        differences=compared,
        alternatives=_alternatives_asked_for(prefix, told, family, options, made),
        mistaken=None if telling.doubted else _mistaken(prefix, told, trace),
        config={
            "keys": {name: f"{prefix}{name}" for name in VIEW} | {key: key for key in toggled},
            "comparisons": list(switches.comparisons.items()),
            "present": presenting(),
            "fills": fills_window(f"{prefix}stage", layout.fills, keys),
            "steady": layout.steady,
            "quiet": layout.quiet,
            "rough": layout.rough,
            "kept_covered": is_led_by_room(),
        },
        numbers=lambda tiles: tile_texts(trace, tiles),
        anew=opened_revision(prefix),
        on_look=lambda report: _keep_report(report, keys, prefix, toggled),
        on_act=edits.on_act,
    )
    if telling.in_code:
        keep_code(trace, prefix)
    if not telling.doubted:
        ask_covered(view, own, prefix, link.asked)
    return view


def _link_defaults(keys: Keys, prefix: str, toggled: Sequence[str]) -> dict[str, Any]:
    """Where one looks, by its part, of whom the link says nothing about it.

    Beside one of the keys `beside` a link says the parts in `always`, also as they are by default.
    """
    own = {name: keys[f"{prefix}{name}"] for name in ("cell", "head", "cover")}
    text = {
        name: str(key.default)
        for name, key in own.items()
        if key.of_scene or key.legacy_default is not None
    }
    parts = {name: f"{prefix}{name}" for name in VIEW} | {key: key for key in toggled}
    always = [part for part, key in parts.items() if is_always_written(keys[key])]
    beside = [key for key in keys if key != f"{prefix}step"] if always else []
    return {"step": keys[f"{prefix}step"].default, "always": always, "beside": beside} | text


def _check_link(
    trace: Trace, keys: Keys, prefix: str, messages: AbstractContextManager[object]
) -> None:
    """Say what the link covers or looks at and is not there; what is not there covers nothing."""
    state, refused = st.session_state, f"{prefix}link_refused"
    cover = state.setdefault(f"{prefix}cover", "")
    lost = []
    if missing_cover(trace, cover):
        state[f"{prefix}cover"] = ""
        lost.append(TEXTS("nothing_covered", cover=cover))
    if not state.get(f"{prefix}place_checked"):
        state[f"{prefix}place_checked"] = True
        step, cell = state[f"{prefix}step"], state[f"{prefix}cell"]
        if step not in (keys[f"{prefix}step"].default, *trace):
            lost.append(TEXTS("no_step", step=repr(step)))
        elif missing_cell(trace, cell):
            lost.append(TEXTS("no_cell", cell=repr(cell)))
        lost += [
            TEXTS("scene_names", cell=repr(cell))
            for cell in cells_named(f"{prefix}stage")
            if cell.partition(".")[0] in trace and missing_cell(trace, cell)
        ]
    if lost:
        state[refused] = "\n\n".join(lost)
    with messages:
        if message := pop_flash(refused):
            st.warning(escape_markdown(message))


def _mistaken(prefix: str, told: dict[str, Any], trace: Trace) -> dict[str, Any] | None:
    """What mistakes would make of the run, where something is covered."""
    state = st.session_state
    if not state.get(f"{prefix}cover"):
        return None
    if (state.get(f"{prefix}mistaken") or {}).get("of") != told["id"]:
        state[f"{prefix}mistaken"] = {"of": told["id"], "all": mistaken(trace, KNOWN_MISTAKES)}
    found: dict[str, Any] = state[f"{prefix}mistaken"]
    return found


def _alternatives_asked_for(
    prefix: str,
    told: dict[str, Any],
    family: Family | None,
    options: Options,
    made: Callable[[Trace, Options], dict[str, Any]],
) -> dict[str, Any] | None:
    """The runs that the toggles lead to, once the stage has asked for them."""
    state = st.session_state
    if family is None or state.get(f"{prefix}alternatives_of") != told["id"]:
        return state.get(f"{prefix}alternatives")
    if (state.get(f"{prefix}alternatives") or {}).get("of") != told["id"]:
        state[f"{prefix}alternatives"] = alternatives(
            told, family, options, lambda other: made(family.run(**other), other)
        )
    found: dict[str, Any] = state[f"{prefix}alternatives"]
    return found


def _keep_report(report: StageReport, keys: Keys, prefix: str, toggled: Sequence[str]) -> None:
    """Keep what the stage reports: where one looks, what is chosen, what runs it asks for."""
    state = st.session_state
    before, state[f"{prefix}reported"] = state.get(f"{prefix}reported"), report.view
    moved = before not in (None, report.view)
    # One that was under way when the page moved the stage moves it back only where a person did.
    if report.last_move >= navigation_revision(prefix) or moved:
        store_position(report, keys, prefix)
    asks = state.get(f"{prefix}alternatives_of", "") != report.alternatives_of
    state[f"{prefix}alternatives_of"] = report.alternatives_of
    # Nobody has done anything: the stage asks for runs ahead, or tells what was not answered again.
    if not (moved or report.edited or report.toggled) and (asks or before):
        restore_flash()
    for key in toggled if report.toggled else ():
        if key in report.options:
            try:
                state[key] = keys[key].reader(key, report.options[key])
            except InputError:
                continue  # nothing that the stage offers


def draw_exhibit(
    trace: Trace,
    opening: Openings,
    keys: Keys,
    prefix: str = "",
    on_paint: Callable[[Mapping[str, Any]], None] | None = None,
    paints: str = "mask",
    family: Family | None = None,
    on_edit: Callable[[str, str], str] | None = None,
    editable: Sequence[str] = (),
    other: Trace | None = None,
    telling: Telling = Telling(),
    layout: Layout = Layout(),
) -> View:
    """The stage, for a page whose link has the keys of `exhibit_keys` and of the family's toggles.

    `on_paint` takes what is painted on the array `paints`, `on_edit` a cell of an `editable` array
    and what is typed into it, and returns why that cannot be; `other` is a run to compare with.
    Where words beside the stage depend on what is chosen on it, call it in the fragment that writes
    them.
    """
    refused = f"{prefix}edit_refused"

    def act(kind: str, value: Mapping[str, Any]) -> None:
        if kind == "paint" and on_paint is not None:
            on_paint(value)
        elif kind == "edit" and on_edit is not None:
            st.session_state[refused] = on_edit(value["cell"], value["text"])

    view = draw_stage(
        trace,
        opening,
        keys,
        prefix,
        switches=Switches(family=family, options=chosen(family) if family else {}, other=other),
        edits=Edits(
            on_act=act,
            editable=editable,
            paint=paints if on_paint is not None else "",
            refused=pop_flash(refused),
        ),
        telling=telling,
        layout=layout,
    )
    save_link(keys)
    return view


exhibit = fragment(draw_exhibit)
"""The same, rerun alone when somebody clicks in it."""


def exhibit_keys(
    program: Program,
    step: str,
    prefix: str = "",
    heads: int = MAX_HEADS,
    like: str = "",
    legacy_step: str | None = None,
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Key]:
    """The keys of a link that an exhibit of at most so many heads adds to its page's.

    Where the arrays depend on what is chosen, `like` is a regular expression of their names.
    `legacy_step` is the step of links without one, where the untouched page opens at another.
    `renamed` has the names that arrays had in older links.
    """
    place, cell, cover = (
        with_names(renamed, reader)
        for reader in (
            one_of(*program.names, like=like), cell_of, cover_of(*program.names, like=like),
        )
    )  # fmt: skip
    readers = (
        Key(step, place, legacy_default=legacy_step), Key("", cell),
        Key(1, whole_number_reader(1, heads)), Key("", cover),
    )  # fmt: skip
    return dict(zip(stage_keys(prefix), readers, strict=True))


def stage_keys(prefix: str = "") -> list[str]:
    """Return the keys of a link that say where one looks on the stage with this prefix."""
    return [f"{prefix}{name}" for name in VIEW]
