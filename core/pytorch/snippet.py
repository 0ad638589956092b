"""The run in a few lines of PyTorch, by `scaled_dot_product_attention`; torch is not needed here.

Only what leads to the output is written. What was given stands as a literal. PyTorch's attention
makes its own scores; where the scores are given, they go in as its additive mask, on queries of 0.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from core.attention.masks import Rule
from core.errors import InputError
from core.operations.masking import visible
from core.operations.scaling import multiply_by
from core.program.display import shape_text
from core.program.literals import exact, expected, flag, nested, row_labels
from core.program.trace import Trace


def torch_snippet(trace: Trace) -> str:
    """A PyTorch program with the same inputs that asserts the same output.

    Raises `InputError` where the trace is not one of attention, from X to output.
    """
    missing = [name for name in _RULES if name not in trace]
    if missing:
        raise InputError(
            f"This program has no {missing[0]}", "PyTorch's attention needs it",
            "download the script instead",
        )  # fmt: skip
    snippet = _Snippet(trace)
    snippet.need("output")
    wanted = nested(trace["output"], expected)
    return "\n".join([
        "# Attention, step by step: a run of it in PyTorch.",
        "import torch\nimport torch.nn.functional as F\n",
        *snippet.literals,
        "",
        *snippet.lines,
        f"\nexpected = torch.tensor({wanted}, dtype=torch.float64)",
        "tolerance = 1e-11 * max(1.0, expected.abs().max().item())",
        "torch.testing.assert_close(output, expected, rtol=0, atol=tolerance)",
        'print("PyTorch computes the same output")\n',
    ])  # fmt: skip


@dataclass
class _Snippet:
    """A program in the making: its literals, its lines and the names they define."""

    trace: Trace
    literals: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    defined: set[str] = field(default_factory=set)

    def need(self, *names: str) -> None:
        """Write what defines each name, after what that needs itself."""
        for name in names:
            if name not in self.defined:
                self.defined.add(name)
                if name in self.trace.steps:
                    _RULES[name](self)
                else:
                    self.literals.append(self.literal(name))

    def literal(self, name: str) -> str:
        array = self.trace[name]
        boolean = array.dtype == bool
        values = nested(array, flag if boolean else _number, row_labels(self.trace, name))
        dtype = "bool" if boolean else "float64"
        said = "  # given" if name in self.trace.pinned else ""
        return f"{name} = torch.tensor({values}, dtype=torch.{dtype}){said}"

    def write(self, name: str, code: str) -> None:
        self.lines.append(f"{name} = {code}  # {shape_text(self.trace[name].shape)}")

    def project(self, name: str) -> None:
        self.need("X", f"W_{name}")
        self.write(name, f"X @ W_{name}")

    def scores(self) -> None:
        self.need("Q", "K")
        self.write("scores", f"Q @ {self.shared('K')}.transpose(-1, -2)")

    def scaled(self) -> None:
        self.need("scores")
        self.write("scaled", f"scores * {self.scale()}")

    def mask(self) -> None:
        operation = self.trace.steps["mask"].operation
        assert isinstance(operation, visible)
        assert isinstance(operation.rule, Rule)
        self.write("mask", _mask_code(operation.rule, *self.trace["mask"].shape))

    def masked(self) -> None:
        self.need("scaled", "mask")
        self.write("masked", "scaled.masked_fill(~mask, -torch.inf)")

    def weights(self) -> None:
        self.need("masked")
        self.write("weights", "torch.softmax(masked, -1)")

    def context(self) -> None:
        """PyTorch's attention; a plain product only where its weights are given."""
        if "weights" in self.trace.pinned:
            self.need("weights", "V")
            self.write("context", f"weights @ {self.shared('V')}")
            return
        if self.trace.pinned & {"scores", "scaled", "masked"}:
            self.need("masked", "V")
            self.lines.append("# No queries and keys: the given scores go in as an additive mask.")
            heads, T, S = self.trace["masked"].shape
            groups = self.trace["V"].shape[0]
            self.lines.append(f"Q, K = masked.new_zeros({heads}, {T}, 1), masked.new_zeros("
                              f"{groups}, {S}, 1)")  # fmt: skip
            options = ["attn_mask=masked"]
        else:
            self.need("Q", "K", "V")
            options = self.mask_option() + self.scale_option()
        if self.group("V") > 1:
            options.append("enable_gqa=True")
        if not self.trace["weights"].any(axis=-1).all():
            self.lines.append("# A query that sees no key gets zeros (NaN before PyTorch 2.5).")
        called = ", ".join(["Q", "K", "V", *options])
        self.write("context", f"F.scaled_dot_product_attention({called})")

    def concat(self) -> None:
        self.need("context")
        T = self.trace["context"].shape[1]
        self.write("concat", f"context.transpose(0, 1).reshape({T}, -1)")

    def output(self) -> None:
        self.need("concat", "W_O")
        self.write("output", "concat @ W_O")

    def mask_option(self) -> list[str]:
        rule = getattr(getattr(self.trace.steps.get("mask"), "operation", None), "rule", None)
        if rule == Rule("none"):
            return []
        if rule == Rule("causal"):
            return ["is_causal=True"]
        self.need("mask")
        return ["attn_mask=mask"]

    def scale_option(self) -> list[str]:
        """1/√d_k is what PyTorch takes unless told otherwise."""
        factor = self.factor()
        return [] if factor is None else [f"scale={factor!r}"]

    def scale(self) -> str:
        factor = self.factor()
        return repr(factor) if factor is not None else f"{self.trace['K'].shape[-1]} ** -0.5"

    def factor(self) -> float | None:
        bound = self.trace.steps.get("scaled")
        scaling = bound.operation if bound else None
        return scaling.factor if isinstance(scaling, multiply_by) else None

    def group(self, name: str) -> int:
        heads, shared = (int(self.trace[array].shape[0]) for array in ("weights", name))
        return heads // shared

    def shared(self, name: str) -> str:
        group = self.group(name)
        return f"{name}.repeat_interleave({group}, 0)" if group > 1 else name


_RULES: dict[str, Callable[[_Snippet], None]] = {
    "Q": lambda s: s.project("Q"),
    "K": lambda s: s.project("K"),
    "V": lambda s: s.project("V"),
    "scores": _Snippet.scores,
    "scaled": _Snippet.scaled,
    "mask": _Snippet.mask,
    "masked": _Snippet.masked,
    "weights": _Snippet.weights,
    "context": _Snippet.context,
    "concat": _Snippet.concat,
    "output": _Snippet.output,
}


def _mask_code(rule: Rule, T: int, S: int) -> str:
    """`Rule.code` in PyTorch."""
    causal = f"torch.ones({T}, {S}, dtype=torch.bool).tril()"
    if rule.name == "window":
        return f"{causal}.triu({1 - rule.size})"
    if rule.name == "prefix":
        return f"{causal} | (torch.arange({S}) < {rule.size})"
    return causal.removesuffix(".tril()") if rule.name == "none" else causal


def _number(value: float) -> str:
    return exact(value).replace("np.", "torch.")
