"""The debug lab: attention with one step replaced by a usual mistake, beside the right program.

A broken program is the right one with one step replaced; nothing else is written again. The first
step and cell where the two runs part is found, not told.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from core.attention.from_scores import MASKED
from core.attention.fused import fused_attention
from core.attention.inputs import Inputs, toy_inputs
from core.attention.masks import Rule
from core.attention.presets import preset
from core.attention.program import attention_program
from core.operations.mistaken import (
    divide_and_fill,
    divide_by_root_of_width,
    fill_with,
    plain_softmax,
    reshape_heads,
    softmax_over_queries,
    softmax_then_mask,
    subtract_where_hidden,
)
from core.program.patterns import Cell
from core.program.program import Program
from core.program.steps import Step
from core.program.trace import Trace

D_MODEL = 4
N_HEADS = 2
TOO_SMALL = 5.0
"""What the additive mask that leaks subtracts."""


@dataclass(frozen=True)
class Bug:
    """A mistake: its name, the step it replaces, why it is wrong, and the line that mends it.

    `mended` and `mended_torch` are the right line in numpy and in PyTorch; the broken line comes
    from the broken program itself.
    """

    name: str
    step: str
    broken: Callable[[Step], Step]
    why: str
    mended_torch: str
    base: Callable[[], Program]
    padded: bool = False
    """Whether it takes a row without any visible key to show: the first token is padding then."""

    @property
    def on_scores(self) -> bool:
        """Whether it shows where the scores are given."""
        return self.step in ("masked", "weights")

    def programs(self) -> tuple[Program, Program]:
        """The right program and the broken one."""
        right = self.base()
        return right, right.replaced(self.step, self.broken(right.step[self.step]))


@dataclass(frozen=True)
class Difference:
    """Where two runs part first."""

    array: str
    cell: Cell
    count: int
    """How many cells of that array differ."""


BUGS: Mapping[str, Bug] = MappingProxyType({
    "after": Bug(
        "the mask comes after softmax", "weights",
        lambda s: replace(
            s, operation=softmax_then_mask(), operands=("scaled", "mask"), meaning=_otherwise
        ),
        "Softmax has already given hidden keys their share; setting it to 0 afterwards leaves rows "
        "that no longer add up to 1.",
        "weights = scores.masked_fill(~mask, float('-inf')).softmax(-1)",
        lambda: MASKED,
    ),
    "zero": Bug(
        "hidden scores are set to 0", "masked",
        lambda s: replace(s, operation=fill_with(0.0)),
        "A score of 0 is no refusal: e⁰ = 1, so a hidden key keeps a share.",
        "scores = scores.masked_fill(~mask, float('-inf'))",
        lambda: MASKED,
    ),
    "empty": Bug(
        "a large negative number stands for −∞", "masked",
        lambda s: replace(s, operation=fill_with(-1e9)),
        "Where some key is visible nothing is seen of it: e to such a score underflows to 0. A row "
        "without any visible key, as of a padded first token, becomes equal shares of what is "
        "hidden. With −∞ such a row is 0/0 and needs a case of its own: zeros.",
        "scores = scores.masked_fill(~mask, float('-inf'))",
        lambda: MASKED,
        padded=True,
    ),
    "plain": Bug(
        "softmax has no case for an empty row", "weights",
        lambda s: replace(s, operation=plain_softmax()),
        "Where every score of a row is −∞, as of a padded first token, so is the largest, and "
        "−∞ − (−∞) is not a number. NaN then fills the row's weights, its context and its output: "
        "any sum with NaN in it is NaN, and 0 × NaN is too. An empty row needs a case of its own: "
        "zeros.",
        "weights = scores.softmax(-1).masked_fill(~mask.any(-1, keepdim=True), 0.0)",
        lambda: MASKED,
        padded=True,
    ),
    "additive": Bug(
        "the additive mask is too small", "masked",
        lambda s: replace(s, operation=subtract_where_hidden(TOO_SMALL)),
        f"Subtracting {TOO_SMALL:g} leaves a hidden key e^−{TOO_SMALL:g} of its share. Only −∞ "
        "gives exactly 0; a large number relies on exp underflowing.",
        "scores = scores.masked_fill(~mask, float('-inf'))",
        lambda: MASKED,
    ),
    "axis": Bug(
        "softmax runs along the wrong axis", "weights",
        lambda s: replace(s, operation=softmax_over_queries(), meaning=_otherwise),
        "Columns add up to 1 instead of rows, so a later query changes what an earlier one reads: "
        "no longer causal.",
        "weights = scores.softmax(dim=-1)",
        lambda: MASKED,
    ),
    "divisor": Bug(
        "the divisor is √d_model", "scaled",
        lambda s: replace(
            s, operation=divide_by_root_of_width(), operands=("scores", "X"), meaning=_otherwise
        ),
        "The scores are sums of d_k products, one head's, and not of d_model: they come out too "
        "small and the weights too even.",
        "scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))",
        lambda: attention_program(heads=N_HEADS, mask="custom"),
    ),
    "swapped": Bug(
        "Q and K are swapped", "scores",
        lambda s: replace(s, operands=("K", "Q"), meaning=_otherwise),
        "The scores are transposed: entry i, j says how well token j asks for token i.",
        "scores = q @ k.transpose(-2, -1)",
        lambda: MASKED,
    ),
    "reshape": Bug(
        "the heads are reshaped without a transpose", "Q",
        lambda s: replace(
            s, operation=reshape_heads(N_HEADS, D_MODEL // N_HEADS), meaning=_otherwise
        ),
        "Memory holds one token after another. Cut straight into heads, head 1 gets the first "
        "tokens whole and head 2 the last.",
        "q = q.view(T, n_heads, d_k).transpose(0, 1)",
        lambda: fused_attention(N_HEADS, D_MODEL // N_HEADS),
    ),
    "view": Bug(
        "the mask is written into a view", "scaled",
        lambda s: replace(
            s, operation=divide_and_fill(), operands=("scores", "K", "mask"), meaning=_otherwise
        ),
        "`masked = scaled[:]` makes no copy: masking it overwrites the scores that were to be "
        "kept. The output is right, and what is shown as unmasked is not.",
        "masked = scaled.clone(); masked[~mask] = float('-inf')",
        lambda: MASKED,
    ),
})  # fmt: skip


CASES = ("zero", "reshape", "after", "axis", "view", "swapped", "additive", "divisor",
         "empty", "plain")  # fmt: skip
"""The bugs in the order in which the lab shows them, by number alone."""
EXAMPLES: Mapping[str, str] = MappingProxyType(
    {"sentence": "a sentence", "P6": "scores 0, ln 3", "P7": "scores 0, 0 and ln 3, 0"}
)
"""What a bug can be tried on."""


def broken_run(bug: Bug, on: str, text: str) -> tuple[Trace, Trace]:
    """The right run and the broken one on one of `EXAMPLES`. Raises `InputError`."""
    if on == "sentence" or not bug.on_scores:
        return on_sentence(bug, text)
    return on_preset(bug, on)


def verdict(guess: str, bug: Bug) -> str:
    """How a guess was."""
    if BUGS[guess] is bug:
        return f"Right: {bug.name}."
    return f"You said {BUGS[guess].name}; here {bug.name}."


def mending(bug: Bug, right: Trace, wrong: Trace) -> str:
    """The broken line beside the right one, in numpy and PyTorch, after the functions they call.

    Functions that both call are left out.
    """
    theirs, ours = wrong.steps[bug.step], right.steps[bug.step]
    helpers = [made.operation.helper.strip() for made in (theirs, ours)]
    functions = [f"{helper}\n\n\n" for helper in helpers if helpers[0] != helpers[1]]
    return (
        f"{''.join(functions)}{bug.step} = {theirs.code}  # broken\n"
        f"{bug.step} = {ours.code}  # mended, numpy\n{bug.mended_torch}  # mended, PyTorch"
    )


def runs(bug: Bug, inputs: Inputs) -> tuple[Trace, Trace]:
    """The right run and the broken one."""
    right, wrong = bug.programs()
    return right.run(inputs), wrong.run(inputs)


def on_sentence(bug: Bug, text: str, seed: int = 0) -> tuple[Trace, Trace]:
    """Both runs on a sentence. Raises `InputError`."""
    heads = bug.base().sizes["h"]
    toy = toy_inputs(text, heads=heads, d_model=D_MODEL, seed=seed)
    T = len(toy.tokens)
    mask = Rule("causal").mask(T, T)
    if bug.padded:
        mask[:, 0] = False
    arrays = {**toy, "mask": mask}
    if "W_QQ" in (i.name for i in bug.base().inputs):
        whole = arrays.pop("W_Q")
        arrays["W_QQ"] = whole.swapaxes(0, 1).reshape(D_MODEL, -1)
    return runs(bug, Inputs(arrays, toy.tokens))


def on_preset(bug: Bug, name: str) -> tuple[Trace, Trace]:
    """Both runs on the scores of a worked example of one head (P6, P7)."""
    given = preset(name)
    T = len(given.tokens)
    inputs = Inputs({**given.arrays, "mask": Rule("causal").mask(T, T)}, given.tokens)
    right = attention_program(heads=1, mask="custom", scale=False)
    wrong = right.replaced(bug.step, bug.broken(right.step[bug.step]))
    return right.run(inputs, pinned=given.pinned), wrong.run(inputs, pinned=given.pinned)


def first_difference(right: Trace, wrong: Trace) -> Difference | None:
    """The first step, in order, and in it the first cell, where two runs part; None: nowhere."""
    for name in right.program.names:
        parted = np.argwhere(right.differs(wrong, name))
        if len(parted):
            cell = tuple(int(n) for n in parted[0])
            return Difference(name, cell, len(parted))
    return None


def _otherwise(trace: Trace, cell: Cell) -> str:
    return (
        "Here this program does not do what the right one does. Its arithmetic says what it does."
    )
