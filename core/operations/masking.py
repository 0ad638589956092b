"""Which keys a query may see, and what becomes of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from core.operations.noise import noise_of_product
from core.program import formulas as f
from core.program.formulas import Formula
from core.program.numbers.arithmetic import PrintedNumber, Product, Quotient
from core.program.operation import Arrays, CellLines, Operand, Operation, number_text
from core.program.patterns import Shape
from core.texts import core_texts

TEXTS = core_texts("operations")


@runtime_checkable
class VisibilityRule(Protocol):
    """A mask by rule, as `visible` needs one: its boolean mask, its name and its lines.

    Its `summary` is a sentence without its full stop.
    """

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    def mask(self, T: int, S: int) -> np.ndarray: ...

    def code(self, T: int, S: int) -> str: ...

    def torch_code(self, T: int, S: int) -> str: ...


@dataclass(frozen=True)
class visible(Operation):  # noqa: N801
    """Which keys a query may see, by a rule of positions; True = visible."""

    rule: VisibilityRule
    template = "_ _ _ -> i j"
    boolean = True

    @property
    def task(self) -> str:
        return TEXTS("mask_task", sees=self.rule.summary)

    def forward(self, *operands: np.ndarray) -> np.ndarray:
        return self.rule.mask(*operands[0].shape[-2:])

    def formula(self, *operands: Formula) -> Formula:
        return f.word(self.rule.name)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return self.rule.code(*shapes[0][-2:])

    def torch_code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return self.rule.torch_code(*shapes[0][-2:])


class mask_fill(Operation):  # noqa: N801
    """A where the mask is True, −∞ where it is False (T: mask)."""

    template = "h i j, i j -> h i j"
    makes_minus_inf = True
    removed_by: ClassVar[int | None] = 1
    by_hand = TEXTS("mask_by_hand")
    hidden: ClassVar[str] = "-inf"
    """What is printed where the mask is False."""
    numpy = "np.where({1}, {0}, -np.inf)"
    torch = "{}.masked_fill(~{}, -torch.inf)"

    def forward(self, scaled: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return np.where(mask, scaled, -np.inf)

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        kept = operands[0].numbers()
        return [], kept[0] if kept else PrintedNumber(self.hidden)

    def formula(self, scores: Formula, mask: Formula) -> Formula:
        named = mask[0] == "name" and mask != f.name("mask")  # a part of it, which has to be said
        return f.call("mask", scores, *([mask] if named else []))


class mask_fill_by_head(mask_fill):  # noqa: N801
    """The same where each head has a mask of its own."""

    template = "h i j, h i j -> h i j"


class keep_visible(mask_fill):  # noqa: N801
    """A where the mask is True, 0 where it is False: for what is added up and not put in e^x."""

    makes_minus_inf = False
    by_hand = TEXTS("mask_to_zero_by_hand")
    hidden = "0"
    numpy = "np.where({1}, {0}, 0.0)"
    torch = "{}.masked_fill(~{}, 0.0)"

    def forward(self, pairs: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return np.where(mask, pairs, 0.0)

    def formula(self, *operands: Formula) -> Formula:
        return f.call("mask", operands[0], f.word_formula("0"))


@dataclass(frozen=True)
class drop_out(Operation):  # noqa: N801
    """A × D / (1 − p): where D is 0 an entry is left out, where it is 1 it grows by 1 / (1 − p).

    D is drawn, 1 with probability 1 − p: then the mean of the result is A (Srivastava et al. 2014,
    in the form of `torch.nn.functional.dropout`). p: [0, 1).
    """

    rate: float
    template = "h i j, i j -> h i j"
    removed_by: ClassVar[int | None] = 0

    def forward(self, entries: np.ndarray, kept: np.ndarray) -> np.ndarray:
        made: np.ndarray = entries * kept / self._kept_share
        return made

    def noise(self, operands: Arrays, noises: Sequence[float]) -> float:
        """Nothing cancels in a product."""
        return noise_of_product(self, operands, noises) / self._kept_share

    def lines(self, operands: Sequence[Operand], decimals: int, noise: float) -> CellLines:
        own, kept = (operand.numbers() for operand in operands)
        stays = PrintedNumber(number_text(self._kept_share))
        return [], Quotient(Product((*(own or (PrintedNumber("0"),)), *kept)), stays)

    def formula(self, entries: Formula, kept: Formula) -> Formula:
        stays = f.word_formula(number_text(self._kept_share))
        return f.row(entries, f.word_formula("×"), kept, f.word_formula("/"), stays)

    def code(self, names: Sequence[str], shapes: Sequence[Shape]) -> str:
        return f"{names[0]} * {names[1]} / {number_text(self._kept_share)}"

    @property
    def _kept_share(self) -> float:
        """The share that stays on average."""
        return round(1 - self.rate, 12)
