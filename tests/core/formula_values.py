"""What a formula's tree comes to on the arrays of a run: its symbols read as mathematics."""

import re
from statistics import NormalDist
from typing import Any

import numpy as np

from core.attention.masks import GALLERY
from core.chapters.cost.batch import PACKED, PADDED
from core.operations.masking import visible
from core.program.axes import FEATURE, HEAD
from core.program.formulas import Formula
from core.program.trace import Trace


def value_of(formula: Formula, trace: Trace) -> Any:
    """The array that a formula stands for, by a reader that knows notation and no operation."""
    return _Reader(trace).value(formula)


class _Reader:
    """Juxtaposition binds tighter than / and ×, these tighter than + and −."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.pairs = False

    def value(self, node: Formula) -> Any:
        kind, *rest = node
        if kind == "name":
            return self.named(rest[2])
        if kind == "word":
            return self.constant(rest[0])
        if kind == "number":
            return float(rest[0])
        if kind == "sup":
            if rest[1][0] == "number":
                return self.value(rest[0]) ** self.value(rest[1])
            assert rest[1] == ["mark", "T"]
            return np.swapaxes(self.value(rest[0]), -1, -2)
        if kind == "sqrt":
            return np.sqrt(self.value(rest[0]))
        if kind == "step":
            return self.value(rest[1])
        if kind == "mark":
            return float(rest[0].replace("−", "-"))
        assert kind == "row"
        nodes = list(rest)
        found = self.sum(nodes)
        assert not nodes, nodes
        return found

    def named(self, name: str) -> Any:
        if name in self.trace:
            array, program = self.trace[name], self.trace.program
            kinds = [program.axis(letter).kind for letter in program.letters[name]]
            if kinds == [HEAD, FEATURE]:  # a row for each head
                return array[:, None].copy()
            return array if array.dtype == bool else array.copy()
        return {"d_k": self.trace.sizes.get("k"), "d_model": self.trace.sizes.get("m")}[name]

    def sum(self, nodes: list[Formula]) -> Any:
        found = self.quotient(nodes)
        while nodes and nodes[0] in (["mark", "+"], ["mark", "−"]):
            sign = 1 if nodes.pop(0)[1] == "+" else -1
            with np.errstate(invalid="ignore"):
                found = self.added(found, sign * self.quotient(nodes))
        return found

    def quotient(self, nodes: list[Formula]) -> Any:
        found = self.product(nodes)
        while nodes and nodes[0] in (["mark", "/"], ["mark", "×"]):
            over = nodes.pop(0)[1] == "/"
            other = self.product(nodes)
            found = found / other if over else found * other
        return found

    def product(self, nodes: list[Formula]) -> Any:
        found = self.factor(nodes)
        while nodes and (nodes[0][0] != "mark" or nodes[0][1] in ("(", "⊗")):
            if nodes[0] == ["mark", "⊗"]:
                nodes.pop(0)
                found = found[..., :, None] * self.factor(nodes)[..., None, :]
            else:
                found = self.times(found, self.factor(nodes))
        return found

    def factor(self, nodes: list[Formula]) -> Any:
        node = nodes.pop(0)
        if node[0] == "word" and nodes and nodes[0] == ["mark", "("]:
            self.pairs = node[1] == "tanh"  # of each query with each key
            return self.called(node[1], self.arguments(nodes))
        if node == ["mark", "‖"]:
            inside = self.value(nodes.pop(0))
            assert nodes.pop(0) == ["mark", "‖"]
            return np.linalg.norm(inside, axis=-1, keepdims=True)
        if node == ["mark", "["]:
            beside, axis = [self.value(nodes.pop(0))], -2
            while nodes[0] in (["mark", ";"], ["mark", ","]):
                axis = -2 if nodes.pop(0)[1] == ";" else -1
                beside.append(self.value(nodes.pop(0)))
            assert nodes.pop(0) == ["mark", "]"]
            return np.concatenate(beside, axis=axis)
        return self.value(node)

    def arguments(self, nodes: list[Formula]) -> list[Any]:
        assert nodes.pop(0) == ["mark", "("]
        found = [self.sum(nodes)]
        while nodes[0] == ["mark", ","]:
            nodes.pop(0)
            found.append(self.sum(nodes))
        assert nodes.pop(0) == ["mark", ")"]
        return found

    def constant(self, word: str) -> Any:
        hidden = {"hidden": ~self.trace["mask"]} if "mask" in self.trace else {}
        if word in hidden:
            return hidden[word]
        if word == "0":
            return 0.0
        assert word in (*GALLERY, PADDED, PACKED), word
        # A mask by rule is a word; `masks` has tests of its own.
        rules = {
            bound.operation.rule.name: name
            for name, bound in self.trace.steps.items()
            if isinstance(bound.operation, visible)
        }
        return self.trace[rules[word]]

    def added(self, a: Any, b: Any) -> Any:
        """Rows of two arrays pair by pair, where they are queries and keys."""
        if self.pairs and np.ndim(a) == np.ndim(b) == 3:
            return a[:, :, None] + b[:, None]
        return a + b

    def times(self, a: Any, b: Any) -> Any:
        if np.ndim(b) and b.dtype == bool:
            return np.where(b, a, 0.0)
        if np.ndim(a) == 0 or np.ndim(b) == 0:
            return a * b
        if np.ndim(a) == 3 and np.ndim(b) == 4:  # vᵀ with what two rows make together
            return np.einsum("hok,hijk->hij", a, b)
        if np.ndim(a) == np.ndim(b) == 3 and len(a) != len(b):
            b = np.repeat(b, len(a) // len(b), axis=0)
        return a @ b

    def called(self, word: str, arguments: list[Any]) -> Any:
        x, *more = arguments
        heads = self.trace.sizes.get("h", 1)
        if word == "mask":
            if more and np.asarray(more[0]).dtype == bool:
                return np.where(more[0], x, -np.inf)
            mask = self.trace["mask"]
            fill = more[0] if more else (0.0 if self.is_share(x) else -np.inf)
            return np.where(mask, x, fill)
        if re.fullmatch(r"(?:(?:row|column)s? \d+(?: to \d+)?(?:, )?)+", word):
            for kind, first, last in re.findall(r"(row|column)s? (\d+)(?: to (\d+))?", word):
                kept = range(int(first) - 1, int(last or first))
                x = x.take(kept, axis={"row": -2, "column": -1}[kind])
            return x
        if word == "recurrence":
            rows = [x[..., :1, :]]
            for i in range(1, x.shape[-2]):
                rows.append(more[0] * rows[-1] + x[..., i : i + 1, :])
            return np.concatenate(rows, axis=-2)
        if word in ("softmax", "plain softmax"):
            return _softmax(x, -1, empty=0.0 if word == "softmax" else np.nan)
        return {
            "softmax over queries": lambda: _softmax(x, -2, empty=0.0),
            "log sum exp": lambda: np.log(np.exp(x).sum(-1, keepdims=True)),
            "max": lambda: np.concatenate(arguments, -1).max(-1, keepdims=True),
            "sum": lambda: np.concatenate(arguments, -1).sum(-1, keepdims=True),
            "mean": lambda: x.mean(-1, keepdims=True),
            "mean square": lambda: (x**2).mean(-1, keepdims=True),
            "ReLU": lambda: np.where(x > 0, x, 0.0),
            "ELU": lambda: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
            "rows": lambda: x.reshape(*x.shape[:-2], -1),
            "read": lambda: np.einsum("hik,hikv->hiv", x, more[0].reshape(*x.shape, -1)),
            "row by row": lambda: np.einsum("hik,hik->hi", x, more[0])[..., None],
            "GELU": lambda: x * np.vectorize(NormalDist().cdf)(x),
            "GELU tanh": lambda: x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2,
            "SiLU": lambda: x * (1 + np.tanh(x / 2)) / 2,
            "exp": lambda: np.nan_to_num(np.exp(x)),
            "concat": lambda: np.concatenate(list(x), axis=-1),
            "memory": lambda: x.reshape(1, -1),
            "columns": lambda: np.stack([each.ravel() for each in x], axis=1),
            "folded": lambda: x.reshape(-1, self.trace.sizes["x"]),
            "sign": lambda: np.where(x >= 0, 1.0, -1.0),
            "split": lambda: x.reshape(-1, heads, self.trace.sizes["k"]).swapaxes(0, 1),
            "reshape": lambda: x.reshape(heads, -1, self.trace.sizes["k"]),
            "diag": lambda: np.stack([np.diag(row) for (row,) in x]),
            "swap neighbours": lambda: x[..., np.arange(x.shape[-1]) ^ 1],
            "swap halves": lambda: np.roll(x, x.shape[-1] // 2, axis=-1),
            "tanh": lambda: np.tanh(x),
            "sin": lambda: np.sin(x),
            "cos": lambda: np.cos(x),
            "running sum": lambda: np.cumsum(x, axis=1)[:, -self.trace.sizes["i"] :],
        }[word]()

    @staticmethod
    def is_share(x: np.ndarray) -> bool:
        return bool(np.allclose(x.sum(axis=-1), 1.0))


def _softmax(x: np.ndarray, axis: int, empty: float) -> np.ndarray:
    largest = x.max(axis=axis, keepdims=True)
    powers = np.exp(x - np.where(np.isneginf(largest), 0.0, largest))
    total = powers.sum(axis=axis, keepdims=True)
    return np.where(total == 0, empty, powers / np.where(total == 0, 1.0, total))
