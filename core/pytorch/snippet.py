"""The run and its program in PyTorch, written out and fused; torch is not needed here.

Fused is `scaled_dot_product_attention`, which makes scores, mask, softmax and mixture at once.
"""

from collections.abc import Sequence

from core.attention.masks import Rule
from core.operations.masking import mask_fill, mask_fill_by_head, visible
from core.operations.products import matmul
from core.operations.scores import divide_by_root, multiply_by
from core.operations.softmax import softmax
from core.operations.sums import add
from core.program.code.function import function, lines_to, torch_line
from core.program.numbers.display import shape_text
from core.program.numbers.literals import (
    column_comment,
    expected,
    flag,
    float_literal,
    nested,
    row_labels,
)
from core.program.operation import number_text
from core.program.patterns import Shape
from core.program.trace import BoundStep, Trace
from core.texts import core_texts

TEXTS = core_texts("pytorch")


def torch_function(trace: Trace, name: str) -> str:
    """The program as a function of PyTorch, each step its line."""
    return f"import torch\n\n\n{function(trace, name, torch_line)[0]}"


def fused_function(trace: Trace, name: str) -> str:
    """The same by PyTorch's own attention; "" where the run does not make its weights so."""
    fused = _fused(trace)

    def line(bound: BoundStep, shapes: Sequence[Shape]) -> str:
        return fused.get(bound.step.name) or torch_line(bound, shapes)

    body, made = function(trace, name, line)
    if fused.keys().isdisjoint(made):
        return ""
    first = "" if "torch." not in body else "import torch\n"
    return f"{first}import torch.nn.functional as F\n\n\n{body}"


def torch_snippet(trace: Trace) -> str:
    """A PyTorch program with the same inputs that asserts the same last step.

    Only what leads there is written, by PyTorch's own attention where the run makes its weights
    so.
    """
    fused = _fused(trace)
    lines, given = lines_to(trace, lambda name: fused.get(name) or trace.steps[name].torch_code)
    last = trace.program.last
    empty = [
        f"# {TEXTS('snippet_empty')}" for name in fused if name in lines and _sees_nothing(trace)
    ]
    return "\n".join([
        f"# {TEXTS('snippet')}",
        "import torch\nimport torch.nn.functional as F\n",
        *(_literal(trace, name) for name in given),
        "",
        *empty,
        *(f"{name} = {line}  # {shape_text(trace[name].shape)}" for name, line in lines.items()),
        f"\nexpected = torch.tensor({nested(trace[last], expected)}, dtype=torch.float64)",
        "tolerance = 1e-11 * max(1.0, expected.abs().max().item())",
        "torch.testing.assert_close(",
        f"    {last}, expected, rtol=0, atol=tolerance,",
        f'    msg=lambda said: f"{{said}}\\n{TEXTS("snippet_changed", array=last)}",',
        ")",
        f'print("{TEXTS("snippet_same", array=last)}")\n',
    ])  # fmt: skip


def _fused(trace: Trace) -> dict[str, str]:
    """By its name, the step that PyTorch's own attention makes, and its line: one step, or none.

    softmax(mask(Q Kᵀ × a factor)) V, found by its operations; what is given among them is not made.
    """
    for name, bound in trace.steps.items():
        if type(bound.operation) is not matmul or bound.operation.transposed:
            continue
        weights, values = bound.step.operands
        soft = trace.steps.get(weights)
        if soft is None or type(soft.operation) is not softmax:
            continue
        options: list[str] = []
        source = soft.step.operands[0]
        masked = trace.steps.get(source)
        mask = bias = ""
        if masked and type(masked.operation) in (mask_fill, mask_fill_by_head):
            source, mask = masked.step.operands
        biased = trace.steps.get(source)
        if biased and type(biased.operation) is add:
            source, bias = biased.step.operands
        options += _mask_option(trace, mask, bias)
        factor = 1.0
        scaled = trace.steps.get(source)
        if scaled and type(scaled.operation) is divide_by_root:
            source, factor = scaled.step.operands[0], 0.0
        elif scaled and type(scaled.operation) is multiply_by:
            source, factor = scaled.step.operands[0], scaled.operation.factor
        product = trace.steps.get(source)
        if product and isinstance(product.operation, matmul) and product.operation.transposed:
            queries, keys = product.step.operands
            options += [f"scale={number_text(factor)}"] if factor else []
            shared = {len(trace[array]) for array in (queries, keys, values)}
            options += ["enable_gqa=True"] if len(shared) > 1 else []
            taken = ", ".join([queries, keys, values, *options])
            return {name: f"F.scaled_dot_product_attention({taken})"}
    return {}


def _mask_option(trace: Trace, mask: str, bias: str) -> list[str]:
    """How PyTorch is given a mask and what is added to the scores; "" for none."""
    made = trace.steps.get(mask)
    rule = made.operation.rule if made and isinstance(made.operation, visible) else None
    fused = rule.fused(*trace[mask].shape[-2:]) if isinstance(rule, Rule) else None
    if bias and (not mask or fused == ""):
        return [f"attn_mask={bias}"]
    if bias:
        return [f"attn_mask={bias}.masked_fill(~{mask}, -torch.inf)"]
    if fused is None:
        return [f"attn_mask={mask}"] if mask else []
    return [fused] if fused else []


def _sees_nothing(trace: Trace) -> bool:
    """Whether a mask hides every key from some query."""
    return any(not trace[name].any(axis=-1).all() for name in trace if trace[name].dtype == bool)


def _literal(trace: Trace, name: str) -> str:
    """An array that was given."""
    array = trace[name]
    boolean = array.dtype == bool
    values = nested(array, flag if boolean else _number, row_labels(trace, name))
    dtype = "bool" if boolean else "float64"
    text = f"  # {TEXTS('snippet_given')}" if name in trace.pinned else ""
    columns = column_comment(trace, name)
    return f"{columns}{name} = torch.tensor({values}, dtype=torch.{dtype}){text}"


def _number(value: float) -> str:
    return float_literal(value).replace("np.", "torch.")
