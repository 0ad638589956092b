"""Attention from what a person already has: Q, K and V, or the weights alone."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.attention.given import given_arrays
from core.attention.given.given_program import AXES_OF, vectors_program, weights_program
from core.attention.given.query_key_sizes import with_tokens
from core.attention.masks import LOWER_RIGHT, Rule, check_mask_sizes
from core.errors import input_error, printed_value
from core.limits import LARGEST
from core.program.inputs import Inputs
from core.program.labels import listed_names
from core.program.program import Program
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("given")
Named = tuple[Any, Any]
"""What is given as tokens of the queries and of the keys; None if nothing is."""


def attention_from(
    Q: Any = None,
    K: Any = None,
    V: Any = None,
    *,
    weights: Any = None,
    tokens: Any = None,
    key_tokens: Any = None,
    mask: Any = "causal",
    scale: Any = True,
    corner: Any = LOWER_RIGHT,
    **sizes: Any,
) -> Trace:
    """softmax(mask(QKᵀ / √d_k)) V of given arrays, every step of it.

    Q is (H, T, d_k), K (G, S, d_k), V (G, S, d_v), with G dividing H; a matrix is one head, and
    batch axes of 1 are left out. They may be numpy arrays, lists, or PyTorch tensors. Or only
    `weights` (H, T, S) are known, each in [0, 1]: then the walk begins there, and ends there
    without V.

    `mask` is the name of a rule (docs/interfaces.md lists them), booleans (True = visible), or
    numbers to add to the scores: (T, S), (H, T, S), or (S,) for the keys alone. `sizes` are those
    of rules, as in window=3. −∞ and numbers from −10,000 down hide a key; others are a bias. A
    query that sees no key reads zeros, also where large negative numbers hide them all and PyTorch
    would still give weights. `corner` says which tokens of the keys the queries are if they are
    fewer: lower-right the last, as with a cache, upper-left the first, as in PyTorch's `is_causal`.
    `scale` is True (1/√d_k), False (1) or a number.

    There are at most 256 queries, and more than 256 keys only for fewer queries: queries × keys are
    at most 65,536.

    `tokens` name the queries, `key_tokens` the keys: by default those of the queries if they are
    as many, otherwise t1, t2 and so on. Raises `InputError` for what does not fit.
    """
    named = tokens, key_tokens
    check_mask_sizes(sizes)
    if weights is not None:
        is_plain = isinstance(mask, str) and mask == "causal"
        is_usual = isinstance(scale, bool | np.bool_) and bool(scale)
        _refuse("two_starts", {"Q": Q, "K": K})
        _refuse(
            "weights_set",
            {"mask": None if is_plain else mask, "scale": None if is_usual else scale},
        )
        return _from_weights(weights, V, named)
    given = ("Q", Q, "queries"), ("K", K, "keys"), ("V", V, "keys")
    arrays = {name: given_arrays.by_heads(name, array, rows) for name, array, rows in given}
    (H, T, d_k), (G, S, width), (values, rows, _) = (arrays[name].shape for name in "QKV")
    given_arrays.check_same("features", {"K": width, "Q": d_k})
    given_arrays.check_same("heads", {"V": values, "K": G})
    given_arrays.check_same("keys", {"V": rows, "K": S})
    given_arrays.check_groups(H, G)
    given_arrays.check_pairs(T, S)
    read = given_arrays.read_mask(mask, H, T, S, corner=corner, sizes=sizes)
    added = {"mask": read.visible, "bias": read.bias}
    axes = {name: "" if a is None else AXES_OF[a.ndim] for name, a in added.items()}
    arrays |= {name: a for name, a in added.items() if a is not None}
    program = vectors_program(H, G, read.rule, _read_scale(scale), axes["mask"], axes["bias"])
    trace = _run(program, arrays, read.rule, (T, S), named)
    given_arrays.check_hides(read, trace[program.step["masked"].operands[0]])
    return trace


def _from_weights(weights: Any, V: Any, named: Named) -> Trace:
    """The run that begins at given weights, each in [0, 1]."""
    arrays = {"weights": given_arrays.by_heads("weights", weights, "queries", "keys")}
    H, T, S = arrays["weights"].shape
    given_arrays.check_pairs(T, S)
    given_arrays.check_shares(arrays["weights"])
    if V is not None:
        arrays["V"] = given_arrays.by_heads("V", V, "keys")
        given_arrays.check_same("keys", {"V": arrays["V"].shape[1], "weights": S})
        given_arrays.check_groups(H, len(arrays["V"]))
    program = weights_program(H, len(arrays.get("V", ())))
    return _run(program, arrays, Rule("none"), (T, S), named)


def _run(
    program: Program,
    arrays: Mapping[str, np.ndarray],
    rule: Rule,
    lengths: tuple[int, int],
    named: Named,
) -> Trace:
    """Run the program on arrays whose queries and keys have their tokens."""
    fitted, tokens, more_tokens = with_tokens(program, rule, *lengths, *named)
    return fitted.run(Inputs(arrays, tokens, more_tokens))


def _read_scale(scale: Any) -> bool | float:
    """Return a scale as a program takes it. Raises `InputError`."""
    if isinstance(scale, bool | np.bool_):
        return bool(scale)
    try:
        factor = float(scale)
    except Exception:  # whatever another library raises for what is no number
        factor = 0.0
    if not 0 < factor <= LARGEST:
        raise input_error(TEXTS, "no_scale", given=printed_value(scale))
    return factor


def _refuse(id: str, given: Mapping[str, Any]) -> None:
    """Raise the `InputError` of an id if any of these is given."""
    names = [name for name, value in given.items() if value is not None]
    if names:
        raise input_error(TEXTS, id, names=listed_names(names))
