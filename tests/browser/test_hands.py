"""What each key and each control does to one stage: a page of its own, asked by hands.js.

A place is said as in the page's address: what an untouched page shows is left out.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Page, expect

from core.attention.family import MASK_TOGGLE
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.setups import Setup
from stage.hosts.standalone import standalone
from tests.browser.conftest import ROOT, MadeOnce

OPENING = ("scores", (0, 2, 1))
Asked = Callable[[str, Sequence[object]], list[Any]]


@pytest.fixture(scope="module")
def asked(empty: Page, made_once: MadeOnce) -> Iterator[Asked]:
    """What one function of hands.js says of each case."""
    setup, keep, wrong = Setup(), {MASK_TOGGLE.key: ("causal", "none")}, MISTAKES.values()
    kept: dict[str, Any] = {"family": setup.family, "options": setup.options, "keep": keep}
    file = made_once("hands.html", lambda: standalone(setup.trace, OPENING, **kept, mistakes=wrong))
    errors: list[str] = []
    empty.set_viewport_size({"width": 1440, "height": 900})
    empty.on("pageerror", lambda error: errors.append(str(error)))
    empty.goto(file.as_uri())
    expect(empty.locator(".focus .cell").first).to_be_visible()
    empty.evaluate(f"() => {{ {(ROOT / 'tests/browser/hands.js').read_text(encoding='utf-8')} }}")
    yield lambda kind, cases: empty.evaluate("(told) => asked(told)", [kind, cases])
    assert not errors


# Keys

COVERED = "step=weights&cover=weights.2"
"""Six numbers, of which one is selected; its field is there."""
Pressed = tuple[str, str, str, str, int, bool]
KEYS: list[Pressed] = [
    # Where one is, what is in hand; the key; where it leads, how much is covered, and is it dark.
    ("", "page", "PageDown", "step=scaled", 0, False),
    ("", "page", "PageUp", "step=Q", 0, False),
    ("head=2", "page", "PageDown", "step=scaled&head=2", 0, False),
    ("step=X", "page", "PageUp", "step=X", 0, False),
    ("step=output", "page", "PageDown", "step=output", 0, False),
    *[("", "page", key, "", 0, False) for key in ("ArrowRight", "ArrowLeft", "ctrl+PageDown",
                                                  "alt+PageDown", "meta+PageUp", "t", "b", ".")],
    # The token that one looks at stays, on any step and in another head.
    ("step=X&cell=X.3.5", "page", "PageDown", "step=Q&cell=Q.0.3.0", 0, False),
    ("step=output&cell=output.4.5", "page", "PageUp", "step=context&cell=context.0.4.0", 0, False),
    ("cell=K.0.4.2", "page", "PageUp", "step=Q&cell=Q.0.4.2", 0, False),
    ("cell=scores.0.4.3", "page", "PageDown", "step=scaled&cell=scaled.0.4.3", 0, False),
    ("cell=scores.0.4.3", "window choice", "ArrowRight",
     "present=1&cell=scores.1.4.3&head=2", 0, False),
    # What is covered is lifted before one goes on, and not on the way back.
    ("cover=result", "page", "PageDown", "cover=result", 0, False),
    ("cover=result", "page", "PageDown PageDown", "step=scaled&cover=result", 36, False),
    ("cover=result", "page", "PageUp", "step=Q&cover=result", 72, False),
    ("cover=result", "page", "u", "cover=result", 0, False),
    ("cover=result", "page", "u PageDown PageUp", "cover=result", 0, False),
    ("cover=result", "window", "ArrowRight", "present=1&cover=result", 0, False),
    ("cover=result", "window", "ArrowLeft", "present=1&step=V&cover=result", 24, False),
    *[("cover=result", "page", f"{held}+{key}", "cover=result", 36, False)
      for held, key in (("ctrl", "u"), ("meta", "u"), ("ctrl", "PageDown"))],
    (COVERED, "field", "u", COVERED, 6, False),
    (COVERED, "typing", "u", COVERED, 6, False),
    (COVERED, "field", "PageDown", COVERED, 6, False),
    *[(COVERED, f"{where}text", key, f"{'present=1&' * bool(where)}{COVERED}", 6, False)
      for where in ("", "window ") for key in ("u", "PageDown")],
    # A projector's remote goes on from a field too.
    (COVERED, "window field", "PageDown", f"present=1&{COVERED}", 0, False),
    (COVERED, "window field", "ArrowRight", f"present=1&{COVERED}", 6, False),
    ("", "window", "ArrowRight", "present=1&step=scaled", 0, False),
    (COVERED, "window typing", "PageDown", f"present=1&{COVERED}", 0, False),
    (COVERED, "window typing", "ArrowRight", f"present=1&{COVERED}", 6, False),
    # There each product is a step of its own: of Q, K and V one is covered.
    *[(f"step={one}&cover=result", "window", "ArrowRight ArrowRight",
       f"present=1&step={other}&cover=result", 24, False) for one, other in ("QK", "KV")],
    ("", "window", "ArrowLeft", "present=1&step=V", 0, False),
    ("", "window", "PageUp PageUp PageUp PageUp", "present=1&step=X", 0, False),
    ("", "window cell", "ArrowLeft", "present=1&cell=scores.0.2.0", 0, False),
    ("", "window choice", "ArrowRight", "present=1&head=2", 0, False),
    # Who filled the window leaves it; a projector's link stays one.
    ("", "window", "Escape", "", 0, False),
    (COVERED, "window field", "Escape", f"present=1&{COVERED}", 6, False),
    ("", "projector", "Escape PageDown", "present=1&step=scaled", 0, False),
    # A window is made black, but not by who types; the next key, whichever, lifts that and no more.
    *[("", "window", key, "present=1", 0, True) for key in ("b", ".", "b Shift", "b Control")],
    *[("", "window", key, "present=1", 0, False)
      for key in ("ctrl+b", "alt+.", "meta+b", "b b", "b PageDown", "b Escape", "b click", "x")],
    ("", "projector", "b PageUp PageDown", "present=1&step=scaled", 0, False),
    ("", "window cell", "b", "present=1", 0, False),
    *[(COVERED, f"window {where}", key, f"present=1&{COVERED}", 6, False)
      for where in ("field", "typing", "text") for key in "b."],
    # Single keys are off for who asks so; the others stay.
    *[("cover=result", "window off", key, "present=1&cover=result", 36, False) for key in "ub.t"],
    ("cover=result", "window off", "PageDown", "present=1&cover=result", 0, False),
]  # fmt: skip


def test_a_key_leads_where_it_should_from_everywhere(asked: Asked) -> None:
    ends = [(*case[:3], *end) for case, end in zip(KEYS, asked("pressed", KEYS), strict=True)]
    assert [(end, case) for end, case in zip(ends, KEYS, strict=True) if end != case] == []


GRID: list[tuple[str, str, str]] = [
    # A cell, the key, and the cell that is then selected and has the focus.
    ("scores.0.2.1", "ArrowUp", "scores.0.1.1"), ("scores.0.2.1", "ArrowDown", "scores.0.3.1"),
    ("scores.0.2.1", "ArrowLeft", "scores.0.2.0"), ("scores.0.2.1", "ArrowRight", "scores.0.2.2"),
    ("scores.0.2.1", "Home", "scores.0.2.0"), ("scores.0.2.1", "End", "scores.0.2.5"),
    ("scores.0.2.1", "ctrl+Home", "scores.0.0.0"), ("scores.0.2.1", "meta+End", "scores.0.5.5"),
    ("scores.0.2.1", "Enter", "scores.0.2.1"), ("scores.0.0.0", "ArrowUp", "scores.0.0.0"),
    ("scores.0.0.0", "ArrowLeft", "scores.0.0.0"), ("scores.0.5.5", "ArrowDown", "scores.0.5.5"),
    ("scores.0.5.5", "ArrowRight", "scores.0.5.5"), ("Q.0.2.3", "ArrowRight", "Q.0.2.3"),
    # K stands transposed above the scores: down is the next feature, right the next token.
    ("K.0.2.1", "ArrowDown", "K.0.2.2"), ("K.0.2.1", "ArrowRight", "K.0.3.1"),
    ("K.0.2.1", "End", "K.0.5.1"), ("K.0.2.1", "ctrl+End", "K.0.5.3"),
    ("K.0.2.1", "ArrowUp ArrowUp ArrowLeft", "K.0.1.0"), ("K.0.2.3", "ArrowDown", "K.0.2.3"),
]  # fmt: skip


def test_in_a_matrix_keys_lead_as_on_the_screen_and_tab_finds_the_place(asked: Asked) -> None:
    for (cell, key, to), (chosen, focused, stops) in zip(GRID, asked("moved", GRID), strict=True):
        assert (chosen, focused) == (to, to), (cell, key)
        firsts = ("K.0.0.0", "Q.0.0.0", "scores.0.0.0")
        assert stops == [to if to[0] == first[0] else first for first in firsts], (cell, key)


# Controls

COVERS = ("nothing", "results", "this matrix", "this row", "this cell")


def test_a_cover_hides_what_it_names_from_where_one_looks(asked: Asked) -> None:
    names = ("X.3.1", "Q.0.2.1", "scores.1.3.2", "weights.1.2.4", "context.0.4.3", "output.4.2")
    cases = [(f"step={n.split('.')[0]}&cell={n}", "cover", kind) for n in names for kind in COVERS]
    for (before, _, kind), end in zip(cases, asked("chosen", cases), strict=True):
        says, hidden, held, _ = end
        cell = before.split("=")[-1]
        name, *index = cell.split(".")
        rows, cols = Setup().trace[name].shape[-2:]
        start = ".".join([name, *index[:-2]])
        whole = {f"{start}.{i}.{j}" for i in range(rows) for j in range(cols)}
        row = {one for one in whole if one.split(".")[-2] == index[-2]}
        meant = (set(), whole if name != "X" else set(), whole, row, {cell})[COVERS.index(kind)]
        link = ("", "result", name, f"{name}.{index[-2]}", cell)[COVERS.index(kind)]
        assert {one for one in hidden if one.startswith(f"{name}.")} == meant, (cell, kind)
        assert (parse_qs(says).get("cover", [""]), held) == ([link], [kind]), (cell, kind)


def test_a_toggle_is_in_the_address_until_it_is_as_at_first(asked: Asked) -> None:
    way_back, masked = "Reset toggles: Mask causal", "step=weights&head=2&mask=none"
    told = [("step=weights", "head", "2"), *[(None, "mask", one) for one in ("none", "causal")]]
    assert [(says, *rest) for says, _, *rest in asked("chosen", told)] == [
        ("step=weights&head=2", ["2"], ""),
        (masked, ["none"], way_back),
        ("step=weights&head=2", ["causal"], ""),
    ]
    asked("chosen", [("step=weights", "mask", "none")])
    (back,) = asked("acted", [("step=weights", "", "reset", {})])
    assert back["says"] == "step=weights"
    ((says, _, held, reset),) = asked("chosen", [(None, "mask", "causal")])
    assert (says, held, reset) == ("step=weights", ["causal"], "")


STEPS = ("X", "Q", "scores", "scaled", "masked", "weights", "context", "output")
OUTPUT, FIELDS = "step=output", ["input", "Check", "Reveal"]
ON, BACK = ["Scale the scores →", "PageDown"], ["Back: Project to Q, K, V", "PageUp"]
KEPT = {"kept_covered": True}
LINES = ["scores = Q @ K.swapaxes(-1, -2)", "scores = Q @ K.transpose(-1, -2)"]
ACTS: list[tuple[str, str, str, dict[str, bool], dict[str, object]]] = [
    # Where one is, what is pressed there, and what is then so.
    ("", "", "", {}, {"next": ON, "back": BACK, "window": ["fill"], "fields": [], "covers": True}),
    ("step=X", "", "", {}, {"next": ["Project to Q, K, V →", "PageDown"], "back": ["", ""]}),
    (OUTPUT, "", "", {}, {"next": ["", ""], "back": ["Back: Mix the values", "PageUp"]}),
    ("", "", "next", {}, {"says": "step=scaled"}),
    ("", "", "previous", {}, {"says": "step=Q"}),
    # What is covered is revealed first; where a class is asked, by nobody.
    ("cover=result", "", "", {}, {"next": ["Reveal", "PageDown"], "fields": FIELDS}),
    ("cover=result", "", "next", {}, {"says": "cover=result", "hidden": 0, "next": ON}),
    (f"{OUTPUT}&cover=result", "", "", {}, {"next": ["Reveal", "PageDown"]}),
    ("step=scaled&cover=scores.2", "", "", {}, {"fields": FIELDS}),
    ("step=scaled&cover=scores.2", "", "next", {}, {"hidden": 0}),
    ("cover=result", "", "", KEPT, {"next": ["", ""], "back": BACK, "fields": ["input", "Check"],
                                    "covers": False}),
    # What stays as it is until one looks elsewhere.
    ("", "", "", {}, {"more": ["More", "false", 0], "code": ["false"], "keys": ["true", "on"]}),
    ("", "", "tell", {}, {"more": ["Less", "true", 1]}),
    ("", "", "tell next", {}, {"more": ["Less", "true", 1]}),
    ("", "", "tell tell", {}, {"more": ["More", "false", 0]}),
    ("", "", "code", {}, {"code": ["true", "numpy", LINES[0], "PyTorch", LINES[1]]}),
    ("", "", "code code", {}, {"code": ["false"]}),
    ("", "", "keys", {}, {"keys": ["false", "off"]}),
    ("", "", "keys keys", {}, {"keys": ["true", "on"]}),
    # The window: who fills it leaves it; a page that is made for it may be shown below it.
    ("", "tools", "fill", {}, {"says": "present=1", "window": ["leave"], "focus": "H2",
                               "tools": False, "code": [""]}),
    ("", "", "fill leave", {}, {"says": "", "window": ["fill"], "focus": "SUMMARY"}),
    ("", "projector", "", {"present": True}, {"window": ["leave", "page"]}),
    ("", "projector", "page next", {"present": True}, {"says": "present=1&step=scaled",
                                                       "window": ["fill"]}),
    ("", "projector", "leave next", {"present": True}, {"says": "step=scaled"}),
]  # fmt: skip


def test_each_button_does_what_it_says_and_says_how_it_stands(asked: Asked) -> None:
    ends = asked("acted", [case[:4] for case in ACTS])
    for (*case, meant), end in zip(ACTS, ends, strict=True):
        assert {name: end[name] for name in meant} == meant, case


def test_the_menu_of_tools_shuts_for_what_is_seen_beside_it(asked: Asked) -> None:
    stays = {"escape": False, "key": True, "mouse": False, "enter": True, "code": False,
             "keys": True, "inside": True, "outside": False}  # fmt: skip
    for how, (open_, at_its_button) in zip(stays, asked("shut", [*stays]), strict=True):
        assert (open_, at_its_button) == (stays[how], how == "escape"), how


# Where one is


def test_title_map_formula_and_voice_say_one_step_and_what_is_before_it(asked: Asked) -> None:
    phases = Setup().trace.program.phases
    made = {array: n for n, phase in enumerate(phases) for array in phase.names}
    for n, (title, map_, parts, said) in enumerate(asked("placed", STEPS)):
        assert title == f"Step {n + 1} of {len(phases)}: {phases[n].title}"
        assert said.startswith(f"{title}. "), n
        for at, (phase, told) in enumerate(zip(phases, map_, strict=True)):
            assert told == [f"Step {at + 1}: {phase.title}", "step" if at == n else None]
        for array, state, current in parts:
            at = made[array]
            assert state == ("done" if at < n else "now" if at == n else "later"), (n, array)
            assert current == ("step" if at == n else None), (n, array)


def test_arcs_and_percentages_stand_at_their_tokens_farther_ones_are_taller(asked: Asked) -> None:
    for label, arcs in asked("arcs", range(6)):
        assert len(re.findall("%", label)) == min(len(arcs), 3), label
        assert ("and others" in label) == (len(arcs) > 3)
        for apart, *off, _ in arcs:
            assert all(found <= most for found, most in zip(off, (4, 10, 1), strict=True)), apart
        heights = [high for _, *_, high in sorted(arcs)[1:]]
        assert heights == sorted(heights)


LIT: list[tuple[tuple[str, str, int | str], dict[str, list[str]], list[str], str]] = [
    # A step; a chip of the ribbon or a link; what is lit while it is pointed at; after a press.
    *[((name, "chip", 3), {f"{name} {lit}": ["3"]}, [], f"step={name}&cell={name}.{at}")
      for name, lit, at in (("X", "source", "3.0"), ("Q", "source", "0.3.0"),
                            ("output", "use", "3.0"))],
    (("scores", "chip", 3), {"Q source": ["3"], "scores source": ["3"]}, [], "cell=scores.0.3.1"),
    (("weights", "chip", 1), {"masked source": ["1"], "weights here": ["1"]}, [],
     "step=weights&cell=weights.0.1.1"),
    (("context", "chip", 4), {"weights here": ["4"], "context use": ["4"]}, [],
     "step=context&cell=context.0.4.0"),
    (("context&cell=weights.0.3.2", "chip", 4), {"weights here": ["4"]}, [],
     "step=context&cell=weights.0.4.2"),
    (("scaled", "link", "weights"), {}, ["weights"], "step=weights"),
    (("scores", "link", "K"), {}, ["K"], ""),  # it is there: one stays
    (("scores", "link", "X"), {}, ["X"], "step=X"),
    (("weights", "link", "scores.0.3.1"), {"weights source": []}, [], "cell=scores.0.3.1"),
    (("scores", "link", "scores.0.3.1"), {"scores here": ["3.1"], "Q source": [
        "3.0", "3.1", "3.2", "3.3"]}, [], "cell=scores.0.3.1"),
]  # fmt: skip


def test_what_is_pointed_at_beside_numbers_is_lit_in_them_a_press_goes_there(asked: Asked) -> None:
    ends = asked("lit", [case for case, *_ in LIT])
    for (case, meant, outlined, after), (found, *said) in zip(LIT, ends, strict=True):
        assert {name: found.get(name, []) for name in meant} == meant, case
        assert ([*dict.fromkeys(said[0])], said[1]) == (outlined, after), case


TYPED: list[tuple[str, str, list[Any], str | None]] = [
    # A cell, the keys (= is what stands in its field then), what the host is asked for, the field.
    *[("X.2.1", key, [], key) for key in "7-."], ("X.2.1", "x", [], None),
    ("scores.0.2.1", "7", [], None), ("X.2.1", "7 Escape", [], None),
    ("X.2.1", "7 =7.5 Enter", [["edit", {"cell": "X.2.1", "text": "7.5"}]], None),
    ("X.2.1", "F2 Enter", [], None), ("X.2.1", "F2 =3 Escape", [], None),
    *[(f"mask.2.{at}", "space", [["paint", {"cells": [f"mask.2.{at}"], "visible": at > 2}]], None)
      for at in range(6)],
    ("masked.0.2.1", "space", [], None), ("X.2.1", "space", [], None),
]  # fmt: skip


def test_a_number_is_typed_and_a_mask_painted_by_keys_where_that_may_be(asked: Asked) -> None:
    ends = asked("typed", [case[:2] for case in TYPED])
    assert [(*case[:2], *end) for case, end in zip(TYPED, ends, strict=True)] == TYPED


def test_choices_stand_behind_a_press_until_all_are_asked_for(asked: Asked) -> None:
    shut = ["Show all controls", [["Mask causal", "false", False], ["Head 1", "false", False]]]
    one = ["Show all controls", [["Mask", "true", True], ["Head 1", "false", False]]]
    every = ["Show fewer controls", []]
    told = {"": shut, ".fold": one, ".fold .fold": shut, "controls": every,
            "controls controls": shut}  # fmt: skip
    assert dict(zip(told, asked("folded", [*told]), strict=True)) == told


# How that looks

LOOKS = [
    # Where one is; what stands out there; from what; in what of its look.
    ("", ".focus [aria-selected] .number", ".focus .cell:not(.here) .number", "bold line"),
    ("", ".strip .now", ".strip .phase:not(.now)", "frame ground"),
    ("", ".strip .now .title", ".strip .phase:not(.now) .title", "bold ink"),
    ("", ".whole .now", ".whole .done", "frame ground"),
    ("", ".whole .later mi", ".whole .done mi", "ink"),
    ("", ".chip.asking", ".chip:not(.asking)", "frame ground ink"),
    ("", ".steps > .next", ".steps > .previous", "frame ground ink"),
    ("cover=scores.2", ".focus .covered", ".focus [data-cell^=scores]:not(.covered)", "ground ink"),
]


def test_what_is_chosen_current_or_covered_stands_out(asked: Asked) -> None:
    for (*case, differs), found in zip(LOOKS, asked("looks", LOOKS), strict=True):
        assert found == differs, case
    (framed,) = asked("framed", [""])
    assert (framed["source"][0], framed["use"][0], framed["none"][0]) == ("solid", "dashed", "none")
    assert framed["here"][1] > framed["source"][1] >= 2


def test_labels_and_numbers_stand_where_what_they_name_is(asked: Asked) -> None:
    for off in asked("stands", [""])[0]:
        assert max(off["across"], off["inside"], off["above"]) < 2
        assert 0 < off["beside"] < 12


IN_BOTH = [".strip .name", "h2", ".formula .line", ".tools > summary", ".steps > .play", ".caption",
           ".steps > .previous", ".focus .number", ".maths", ".this-number h3"]  # fmt: skip
ON_A_PAGE = [".strip .minis .cell", ".sentence", ".cell-name", ".words .summary", ".words .more",
             ".ribbon .chip", ".story", ".toolbar .choice"]  # fmt: skip
ASKED_FOR = [".panel", ".waiting", ".verdict", ".answer", ".toolbar > summary", ".refused"]


def test_a_filled_window_has_the_numbers_and_a_page_what_is_said_of_them(asked: Asked) -> None:
    every = [*IN_BOTH, *ON_A_PAGE, *ASKED_FOR]
    told = asked("inSight", [[where, *every] for where in ("window", "page", "tools")])
    assert told == [IN_BOTH, every[:-6], every[:-5]]
    answered = [[where, ".verdict", ".maths"] for where in ("window answered", "page answered")]
    assert asked("inSight", answered) == [[".verdict"]] * 2
    noted = [[where, ".badge"] for where in ("window noted", "page noted")]
    assert asked("inSight", noted) == [[".badge"]] * 2
