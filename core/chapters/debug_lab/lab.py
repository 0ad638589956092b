"""The debug lab: attention with one step replaced by a usual mistake, beside the right program.

A broken program is the right one with one step replaced; nothing else is written again. The first
step and cell where the two runs part is found, not told.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from core.attention.from_scores import MASKED
from core.attention.fused import fused_attention
from core.attention.inputs import toy_inputs
from core.attention.masks import Rule
from core.attention.mistakes import MISTAKES
from core.attention.presets import preset
from core.attention.program import attention_program
from core.program.inputs import Inputs
from core.program.mistakes import Mistake, changed_step
from core.program.patterns import Cell
from core.program.program import Program
from core.program.trace import Trace

D_MODEL = 4
N_HEADS = 2
UNSCALED = attention_program(heads=1, mask="custom", scale=False)
"""What the worked examples on given scores run."""


@dataclass(frozen=True)
class Case:
    """A mistake, and the program in which the lab shows it."""

    mistake: Mistake
    base: Callable[[], Program]
    padded: bool = False
    """Whether it takes a row without any visible key to show: the first token is padding then."""

    @property
    def name(self) -> str:
        return self.mistake.name

    def programs(self) -> tuple[Program, Program]:
        """The right program and the broken one."""
        right = self.base()
        return right, self.mistake.change(right)

    @cached_property
    def step(self) -> str:
        """The step that is wrong."""
        return changed_step(*self.programs())

    @cached_property
    def on_scores(self) -> bool:
        """Whether it shows where the scores are given, and unscaled."""
        if self.mistake.unfit(UNSCALED):
            return False
        names = UNSCALED.names
        wrong = changed_step(UNSCALED, self.mistake.change(UNSCALED))
        return names.index(wrong) > names.index("scores")


@dataclass(frozen=True)
class Difference:
    """Where two runs part first."""

    array: str
    cell: Cell
    count: int
    """How many cells of that array differ."""


def _one_head() -> Program:
    return MASKED


def _two_heads() -> Program:
    return attention_program(heads=N_HEADS, mask="custom")


def _split_heads() -> Program:
    return fused_attention(N_HEADS, D_MODEL // N_HEADS)


_BASES = {"divisor": _two_heads, "reshape": _split_heads}
"""The programs in which a mistake shows, where one head is not enough."""
CASES: Mapping[str, Case] = MappingProxyType({
    name: Case(mistake, _BASES.get(name, _one_head), padded=name in ("empty", "plain"))
    for name, mistake in MISTAKES.items()
})  # fmt: skip
ORDER = ("zero", "reshape", "after", "axis", "view", "swapped", "additive", "divisor",
         "empty", "plain")  # fmt: skip
"""The cases in the order in which the lab shows them, by number alone."""
EXAMPLES: Mapping[str, str] = MappingProxyType(
    {"sentence": "a sentence", "P6": "scores 0, ln 3", "P7": "scores 0, 0 and ln 3, 0"}
)
"""What a case can be tried on."""


def broken_run(case: Case, on: str, text: str) -> tuple[Trace, Trace]:
    """The right run and the broken one on one of `EXAMPLES`. Raises `InputError`."""
    if on == "sentence" or not case.on_scores:
        return on_sentence(case, text)
    return on_preset(case, on)


def verdict(guess: str, case: Case) -> str:
    """How a guess was."""
    if CASES[guess] is case:
        return f"Right: {case.name}."
    return f"You said {CASES[guess].name}; here {case.name}."


def mending(case: Case, right: Trace, wrong: Trace) -> str:
    """The broken line beside the right one, in numpy and PyTorch, after the functions they call.

    Functions that both call are left out.
    """
    theirs, ours = wrong.steps[case.step], right.steps[case.step]
    helpers = [made.operation.helper.strip() for made in (theirs, ours)]
    functions = [f"{helper}\n\n\n" for helper in helpers if helpers[0] != helpers[1]]
    return (
        f"{''.join(functions)}{case.step} = {theirs.code}  # broken\n"
        f"{case.step} = {ours.code}  # mended, numpy\n"
        f"{case.mistake.mended_torch}  # mended, PyTorch"
    )


def runs(case: Case, inputs: Inputs) -> tuple[Trace, Trace]:
    """The right run and the broken one."""
    right, wrong = case.programs()
    return right.run(inputs), wrong.run(inputs)


def on_sentence(case: Case, text: str, seed: int = 0) -> tuple[Trace, Trace]:
    """Both runs on a sentence. Raises `InputError`."""
    heads = case.base().sizes["h"]
    toy = toy_inputs(text, heads=heads, d_model=D_MODEL, seed=seed)
    T = len(toy.tokens)
    mask = Rule("causal").mask(T, T)
    if case.padded:
        mask[:, 0] = False
    arrays = {**toy, "mask": mask}
    if "W_QQ" in (i.name for i in case.base().inputs):
        whole = arrays.pop("W_Q")
        arrays["W_QQ"] = whole.swapaxes(0, 1).reshape(D_MODEL, -1)
    return runs(case, Inputs(arrays, toy.tokens))


def on_preset(case: Case, name: str) -> tuple[Trace, Trace]:
    """Both runs on the scores of a worked example of one head (P6, P7)."""
    given = preset(name)
    T = len(given.tokens)
    inputs = Inputs({**given.arrays, "mask": Rule("causal").mask(T, T)}, given.tokens)
    programs = UNSCALED, case.mistake.change(UNSCALED)
    right, wrong = (program.run(inputs, pinned=given.pinned) for program in programs)
    return right, wrong


def first_difference(right: Trace, wrong: Trace) -> Difference | None:
    """The first step, in order, and in it the first cell, where two runs part; None: nowhere."""
    for name in right.program.names:
        parted = np.argwhere(right.differs(wrong, name))
        if len(parted):
            cell = tuple(int(n) for n in parted[0])
            return Difference(name, cell, len(parted))
    return None
