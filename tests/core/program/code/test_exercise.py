"""An exercise's right lines pass, its wrong ones are found, and known mistakes are named.

All of it in a Python that has numpy and nothing of ours.
"""

import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core import Program, Trace
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.mistakes.wrong_lines_of_attention import WRONG_LINES
from core.attention.setups import DEFAULT_TEXT
from core.chapters.debug_lab.lab import CASES, lab_runs
from core.program.code import exercise_checker
from core.program.code.exercise import MOST_NUMBERS, exercise_notebook, exercise_script
from core.program.code.exercise_checker import NotRightError
from core.program.mistakes import changed_step
from core.texts import core_texts
from tests.alone import RunAlone
from tests.core.program.code.test_script import HOSTILE, renamed
from tests.core.support import random_run, refuses, toy_run
from tests.quotes import proves
from tests.registry import REGISTRY
from tests.sampling import some

Lines = dict[str, str]


def exercise(trace: Trace) -> str:
    return exercise_script(trace, MISTAKES.values(), WRONG_LINES)


def code_of(bound: Any) -> str:
    """A step's line of numpy, after the function that it calls."""
    return f"{bound.operation.helper}\n{bound.step.name} = {bound.code}"


def right_lines(trace: Trace) -> Lines:
    return {name: code_of(bound) for name, bound in trace.steps.items()}


def filled(source: str, lines: Mapping[str, str]) -> str:
    """The exercise with these lines in the place of its blanks."""
    for name, line in lines.items():
        blank = re.compile(rf"^( *){name} = \.\.\.  # your line: .*$", re.MULTILINE)
        (found,) = blank.finditer(source)
        mine = textwrap.indent(line, found[1])
        source = f"{source[: found.start()]}{mine}{source[found.end() :]}"
    return source


def ends(run_alone: RunAlone, *sources: str) -> list[str]:
    """The message with which each of these ends; "" for one that runs to its end."""
    tried = [
        f"import sys\ntry:\n    exec({source!r}, {{}})\nexcept Exception as error:\n"
        "    print(repr(str(error)), file=sys.stderr)\nelse:\n    print(repr(''), file=sys.stderr)"
        for source in sources
    ]
    ran, said = run_alone(tried)
    assert ran == ["ran"] * len(sources)
    return [eval(line) for line in said.splitlines()]


def end(run_alone: RunAlone, trace: Trace, **wrong: str) -> str:
    """How the exercise ends with right lines but these."""
    (said,) = ends(run_alone, filled(exercise(trace), right_lines(trace) | wrong))
    return said


UNSCALED = "no mask, no scale"
LAB = "the debug lab's run"
VIEWS = {
    "causal": lambda: toy_run("the cat sat on the mat"),
    "one head": lambda: toy_run(heads=1),
    "shared keys": lambda: toy_run("a dog ran off", heads=4, kv_heads=2),
    "window": lambda: toy_run("a dog ran off", mask="window", window=2),
    "as many tokens as features": lambda: toy_run("a dog ran off", heads=2),
    UNSCALED: lambda: toy_run(mask="none", scale=False),
    "an empty row": lambda: toy_run(mask="custom", drawn=np.tri(3) * [0, 1, 1]),
    "real numbers": lambda: random_run(3, mask="custom"),
    "one projection for all heads": REGISTRY["attention, fused"].run,
    LAB: lambda: lab_runs(DEFAULT_TEXT).right,
}


@pytest.mark.parametrize("name", some(list(REGISTRY), 24))
def test_the_right_lines_pass_in_both_forms(name: str, run_alone: RunAlone) -> None:
    trace = REGISTRY[name].run()
    script = filled(exercise(trace), right_lines(trace))
    cells = json.loads(exercise_notebook(trace, MISTAKES.values(), WRONG_LINES))["cells"]
    codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert ends(run_alone, script, filled("\n\n".join(codes), right_lines(trace))) == ["", ""]


@pytest.mark.parametrize("view", ["causal", "one projection for all heads"])
def test_every_blank_is_said_to_be_one_when_its_turn_comes(view: str, run_alone: RunAlone) -> None:
    trace = VIEWS[view]()
    right, source = right_lines(trace), exercise(trace)
    names = list(right)
    tried = [filled(source, {n: right[n] for n in names[:at]}) for at in range(len(names))]
    for blank, said in zip(names, ends(run_alone, *tried), strict=True):
        assert said == (
            f"{blank} is the first step that is not correct. It is still a blank: put your line in "
            "place of `...`."
        )


def mistaken(trace: Trace) -> Iterator[tuple[str, str, Lines]]:
    """Each mistake that shows in a run: its key, the step to be named, and its wrong line."""
    program = trace.program
    assert isinstance(program, Program)
    for key, mistake in MISTAKES.items():
        if mistake.unfit(program):
            continue
        wrong = mistake.made_of(trace, program)
        step = changed_step(program, mistake.change(program))
        if not trace.differs(wrong, step).any():
            continue
        own = [bound for name, bound in wrong.steps.items() if name not in trace]
        line = {step: "\n".join(map(code_of, [*own, wrong.steps[step]]))}
        if key == "view":  # as somebody writes it, where masking is a step of its own
            line = {"masked": "masked = scaled[:]\nmasked[..., ~mask] = -np.inf"}
        yield key, step, line


@proves("{step} was correct and has changed: your line for {name} overwrote it")
@pytest.mark.parametrize("view", VIEWS)
def test_a_known_mistake_is_named(view: str, run_alone: RunAlone) -> None:
    trace = VIEWS[view]()
    right, source = right_lines(trace), exercise(trace)
    cases = list(mistaken(trace))
    said = ends(run_alone, *(filled(source, right | line) for _, _, line in cases))
    for (key, step, _), message in zip(cases, said, strict=True):
        mistake = MISTAKES[key]
        where = f"{step} was correct and has changed: your line for masked overwrote it."
        first = where if key == "view" else f"{step} is the first step that is not correct."
        assert message.startswith(f"{first} These are the numbers of a known mistake. "), message
        assert f"{mistake.name[0].upper()}{mistake.name[1:]}. {mistake.why}" in message
        others = [other.name for other in MISTAKES.values() if other is not mistake]
        assert not any(f"{other[0].upper()}{other[1:]}. " in message for other in others)


def test_each_of_the_mistakes_is_named_in_what_the_debug_lab_gives_away() -> None:
    assert {key for key, _, _ in mistaken(VIEWS[LAB]())} == set(MISTAKES) == set(CASES)


@pytest.mark.parametrize("view", [view for view in VIEWS if view != UNSCALED])
def test_the_blanks_know_every_mistake_of_the_lab_that_changes_a_number_in_them(view: str) -> None:
    """One that does not fit the program is known as the slip of that name."""
    trace = VIEWS[view]()
    program = trace.program
    assert isinstance(program, Program)
    known = {name for step in checks(trace).steps.values() for name, *_ in step["known"]}
    idle = set()
    for case in CASES.values():
        if not case.mistake.unfit(program):
            wrong = case.mistake.made_of(trace, program)
            if not any(trace.differs(wrong, step).any() for step in trace.steps):
                idle.add(case.name)
    one_head = {MISTAKES["reshape"].name} if trace.program.sizes["h"] == 1 else set()
    missing = {case.name for case in CASES.values()} - known
    assert missing == idle | one_head, "the checks of the blanks do not know these mistakes"


def test_a_mistake_that_changes_no_number_is_no_fault(run_alone: RunAlone) -> None:
    """One head is as wide as the model, and no row is without a key."""
    trace = toy_run(heads=1)
    lines = {
        "scaled": "scaled = scores / np.sqrt(X.shape[-1])",
        "weights": "weights = np.exp(masked)\nweights /= weights.sum(-1, keepdims=True)",
    }
    assert end(run_alone, trace, **lines) == ""


@proves("""
    {n} of {size} numbers are wrong. The first: {cell} is {number}, but {wanted} is expected |
    {name} is the first step that is not correct
""")
def test_a_wrong_line_that_nobody_knows_says_which_step_and_number(run_alone: RunAlone) -> None:
    trace = toy_run()
    assert end(run_alone, trace, V="V = X @ W_V\nV[1, 2, 3] = 0.125") == (
        "V is the first step that is not correct. 1 of 24 numbers are wrong. The first: V[1, 2, 3] "
        f"is 0.125, but {trace['V'][1, 2, 3]:.6g} is expected."
    )
    first = end(run_alone, trace, K="K = X @ W_Q", weights="weights = masked")
    assert first.startswith("K is the first step that is not correct.")


WRONG = [
    ("scaled = scores / 3", "scaled", "Each number is 0.6667 times what is expected."),
    ("Q = (X @ W_Q).swapaxes(0, 1)", "Q",
     "Its numbers are correct, but its axes are in another order: it is 3 × 2 × 4, but "
     "2 × 3 × 4 is expected."),
    ("masked = np.where(mask, scaled, -np.inf).swapaxes(1, 2)", "masked",
     "Its numbers are correct, but its axes are in another order: transpose it by (0, 2, 1)."),
    ("Q = X @ W_Q[0]", "Q", "It is 3 × 4, but 2 × 3 × 4 is expected."),
    ("Q = (X @ W_Q).tolist()", "Q", "It is a list, not an array: convert it with np.array."),
    ("Q = print('Q')", "Q", "It is None: a function without `return` gives None."),
    ("Q = 'Q'", "Q", "It is a str, not a numpy array."),
    ("Q = np.array([[1.0], [1.0, 2.0]], dtype=object)", "Q",
     "It holds object, not numbers: do all rows have the same length?"),
    ("Q = (X @ W_Q) * np.nan", "Q", "NaN comes from 0/0, ∞ − ∞ or 0 × ∞."),
    ("Q = X.astype('float32') @ W_Q.astype('float32') / np.float32(1.0000001)", "Q",
     "at most: is something not in float64?"),
    ("mask = np.tri(3)", "mask",
     "It holds float64, but True and False are expected: True means visible."),
    ("mask = ~np.tri(3, dtype=bool)", "mask", "It is inverted: True means visible."),
    ("mask = np.tri(3, 3, 1, dtype=bool)", "mask",
     "It is too open: 2 of 3 hidden cells are True. The first is mask[0, 1]."),
    ("mask = np.ones((3, 3), dtype=bool)", "mask", "It is too open: 3 of 3 hidden cells"),
    ("mask = np.tri(3, 3, -1, dtype=bool)", "mask",
     "It is too closed: 3 of 6 visible cells are False. The first is mask[0, 0]."),
    ("mask = np.triu(np.ones((3, 3), dtype=bool))", "mask",
     "It is transposed: row i is for query i, and column j for key j."),
    ("mask = np.roll(np.tri(3, dtype=bool), 1, axis=1)", "mask", "mask[0, 1]. It is too closed"),
    ("Q = X @ W_Q > 0", "Q", "It holds True and False, but numbers"),
    ("masked = np.where(mask, scaled, -1e4)", "masked",
     "masked[0, 0, 1] is -10000, but -inf is expected. −∞ is expected in place of"),
    ("scores = Q @ K.swapaxes(1, 2) / 2", "scores",
     "These are the numbers of scaled."),
    ("scaled = scores", "scaled", "These are the numbers of scores."),
]  # fmt: skip


@proves("""
    It is transposed: row i is for query i, and column j for key j | It is inverted: True means
    visible | but True and False are expected: True means visible | do all rows have the same length
    | It is too open: {n} of {size} hidden cells are True. The first is {cell} | It is too closed:
    {n} of {size} visible cells are False. The first is {cell} | it is {shape}, but {wanted} is
    expected | NaN comes from 0/0, ∞ − ∞ or 0 × ∞ | not an array: convert it with np.array | a
    function without return gives None
""")
def test_what_is_wrong_is_said(run_alone: RunAlone) -> None:
    right, source = right_lines(toy_run()), exercise(toy_run())
    told = ends(run_alone, *(filled(source, right | {step: line}) for line, step, _ in WRONG))
    for (_, step, fault), said in zip(WRONG, told, strict=True):
        assert said.startswith(f"{step} is the first step that is not correct. ")
        assert fault in said


def test_every_message_is_used_and_given_what_it_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = core_texts("exercise_checks")
    given: dict[str, set[str]] = {}
    written = exercise_checker.Checks.text

    def noted(check: exercise_checker.Checks, id: str, **values: Any) -> str:
        given[id] = set(values)
        return written(check, id, **values)

    monkeypatch.setattr(exercise_checker.Checks, "text", noted)
    trace, check = toy_run(), checks(toy_run())
    check.hint()
    for line, step, _ in WRONG:
        names = {"np": np, **{name: np.array(trace[name]) for name in trace}}
        exec(line, names)
        check.fault(step, names[step])
    check.fault("Q", ...)
    check.known("Q", np.array(trace["Q"]))
    known = check.steps["scaled"]["known"]
    known += known  # two mistakes with the same numbers
    check.fault("scaled", np.array(trace["scores"]) / np.sqrt(8))
    for name in trace.steps:
        with suppress(NotRightError):
            check(name, ...)
        check(name, np.array(trace[name]))
    check.right["Q"] = ...
    with suppress(NotRightError):
        check("K", trace["K"])
    check.right = {}
    with suppress(NotRightError):
        check("K", trace["K"])
    assert given == {id: texts.placeholders(id) for id in texts.sources}


def test_a_number_in_the_place_of_a_zero_is_no_multiple() -> None:
    """All others are 1 times what is expected, which says nothing."""
    weights = toy_run()["weights"].copy()
    weights[0, 0, 1] = 0.5
    assert checks(toy_run()).fault("weights", weights) == (
        "1 of 18 numbers are wrong. The first: weights[0, 0, 1] is 0.5, but 0 is expected."
    )


@proves("{step} comes before {name}, and is not correct yet")
def test_a_later_step_waits_for_those_before_it() -> None:
    check = checks(toy_run())
    trace = toy_run()
    with pytest.raises(NotRightError, match="Q comes before K, and is not correct yet"):
        check("K", trace["K"])
    check("Q", trace["Q"])
    check("K", trace["K"])
    with pytest.raises(NotRightError, match="Q is the first"):
        check("Q", -trace["Q"])
    with pytest.raises(NotRightError, match="Q comes before V"):
        check("V", trace["V"])


def checks(trace: Trace) -> exercise_checker.Checks:
    names: dict[str, Any] = {}
    exec(exercise(trace).partition("\nlisten(")[0], names)
    check = names["check"]
    return exercise_checker.Checks(exercise_checker.packed_checks(check.texts, check.steps))


@proves("The next step is {name}, {shape}")
def test_an_error_of_pythons_own_comes_with_what_the_step_is_made_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    exercise_checker.listen(checks(toy_run()))
    for error in (ValueError("shapes"), NotRightError("Q is wrong.")):
        sys.excepthook(type(error), error, None)
    assert capsys.readouterr().err == (
        "ValueError: shapes\n"
        "The next step is Q, 2 × 3 × 4. X is 3 × 8; W_Q is 2 × 8 × 4.\n"
        "Q is wrong.\n"
    )


def test_a_notebook_shows_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the two ways that IPython has for it: a handler, and an exception that draws itself."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    handlers: list[Any] = []
    shown: list[Any] = []
    shell = SimpleNamespace(
        set_custom_exc=lambda kinds, handler: handlers.append((kinds, handler)),
        showtraceback=lambda what, tb_offset: shown.append(what[1]),
    )
    monkeypatch.setattr("builtins.get_ipython", lambda: shell, raising=False)
    exercise_checker.listen(checks(toy_run()))
    ((kinds, handler),) = handlers
    assert kinds == (Exception,)
    errors = ValueError("shapes"), NotRightError("Q is wrong.")
    for error in errors:
        handler(shell, type(error), error, None)
    assert shown == list(errors)
    assert capsys.readouterr().err.count("The next step is Q") == 1
    assert errors[1]._render_traceback_() == ["Q is wrong."]


def test_the_hint_ends_with_the_last_step() -> None:
    trace = toy_run()
    check = checks(trace)
    for name in trace.steps:
        assert check.hint().startswith(f"The next step is {name}, ")
        check(name, np.array(trace[name]))
    assert check.hint() == ""


def test_neither_numbers_nor_mistakes_can_be_read_in_it() -> None:
    trace = toy_run()
    source = exercise(trace)
    for mistake in MISTAKES.values():
        assert mistake.name not in source
    assert f"{trace['output'][0, 0]!r}" not in source
    assert "# exp(s - max s) / sum, row by row; a row with no visible key gives zeros." in source
    assert "Q = ...  # your line: X W_Q; 2 × 3 × 4" in source
    assert (
        "    # True means visible. Each token may read itself and earlier tokens.\n"
        "    mask = ...  # your line: causal; 3 × 3\n"
    ) in source
    assert max(map(len, source.splitlines())) <= 110


def test_what_is_given_is_no_blank_and_a_changed_input_stops_it(run_alone: RunAlone) -> None:
    trace = toy_run(heads=1, pinned={"scores": np.eye(3)[None]})
    source = exercise(trace)
    assert "scores = ..." not in source
    assert (
        "    # Score every pair: Each query meets each key: a dot product. scores is given"
        in source
    )
    wrong = {name: line for name, line in right_lines(trace).items() if name != "scores"}
    said = ends(run_alone, filled(source, wrong), source.replace("\nW_O = ", "\nW_O = 2 * "))
    assert said[0] == ""
    assert said[1].startswith("W_O was changed: its entries add up to")


def test_the_readers_part_comes_first() -> None:
    """Of the script; a notebook's checks are folded."""
    for view in VIEWS.values():
        lines = exercise(view()).splitlines()
        blanks = [n for n, line in enumerate(lines) if " = ...  # your line: " in line]
        checking_begins = next(n for n, line in enumerate(lines) if line.startswith("class "))
        assert len(blanks) == len(view().steps)
        assert blanks[0] < 20
        assert blanks[-1] < checking_begins


def test_blanks_say_what_their_formula_leaves_open() -> None:
    window = exercise(toy_run("a dog ran off", mask="window", window=3))
    prefix = exercise(toy_run("a dog ran off", mask="prefix", prefix=2))
    shared = exercise(toy_run("a dog ran off", heads=4, kv_heads=2))
    assert "Each token may read only the last 3 tokens, itself included.\n    mask = ..." in window
    assert "earlier tokens, and always the first 2 tokens.\n    mask = ..." in prefix
    for step, operand in (("scores", "K"), ("context", "V")):
        line = f"# Head h of {step} reads head h // 2 of {operand}, both counted from 0.\n"
        assert f"{line}    {step} = ..." in shared
        assert line not in window


def test_a_view_that_is_too_large_is_refused() -> None:
    trace = toy_run(" ".join(f"w{n}" for n in range(64)), heads=4)
    size = sum(trace[name].size for name in trace.steps)
    assert str(refuses("", exercise, trace)) == (
        f"This view has {size:,} numbers to compute; an exercise compares at most "
        f"{MOST_NUMBERS:,}: choose fewer tokens or heads"
    )
    fits = toy_run(" ".join(f"w{n}" for n in range(64)), heads=2)
    assert len(exercise(fits)) < 700_000


def test_hostile_tokens_stay_inert() -> None:
    plain = toy_run("a b", heads=1)
    for token in HOSTILE:
        ours, theirs = (
            [line.partition("#")[0] for line in exercise(run).splitlines()]
            for run in (plain, renamed(plain, (token, token + "b")))
        )
        assert ours == theirs, token
