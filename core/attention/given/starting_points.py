"""Where a run starts, by what is given: at X, at Q, K and V, or at the weights."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from core.attention.given.given_arrays import check_shares
from core.attention.given.given_program import (
    AXES_OF,
    vectors_program,
    weights_program,
    with_pair_inputs,
)
from core.attention.given.query_key_sizes import of_lengths, of_output_width, with_tokens
from core.attention.layers.biases import BIASES, step_of_bias, with_biases
from core.attention.masks import SIZES, Rule, rule_of
from core.attention.program import attention_program
from core.program.families import Built
from core.program.inputs import Inputs
from core.program.program import Program

PINNABLE = ("Q", "K", "V", "scores")
"""Results of the whole program that may be given."""
PROJECTIONS = ("W_Q", "W_K", "W_V")
TOKEN_LISTS = ("tokens", "key_tokens")
_VECTORS = ("Q", "K", "V", "W_O")
_BEFORE_VECTORS = ("X", *PROJECTIONS, "b_Q", "b_K", "b_V")
Given = Mapping[str, np.ndarray]


def starts_at_weights(given: Given) -> bool:
    return "weights" in given


def starts_at_vectors(given: Given) -> bool:
    """Whether Q, K, V and W_O are given, and nothing from which they would follow."""
    return set(_VECTORS) <= set(given) and not set(_BEFORE_VECTORS) & set(given)


def built_of(settings: Mapping[str, Any], drawn: Inputs, pinned: Given, given: Given) -> Built:
    """Return the program for what is given, and its inputs; `drawn` are those that are not.

    `settings` are those of `attention_program`, `pinned` the results that an example starts from.
    Raises `InputError`.
    """
    if starts_at_weights(given):
        return _of_weights(drawn, given)
    pinned = {**pinned, **{name: given[name] for name in PINNABLE if name in given}}
    T, S = _lengths(pinned, len(given.get("X", drawn["X"])))
    arrays = _for_pairs(settings, drawn, given, T, S)
    mask, bias = (AXES_OF[arrays[n].ndim] if n in arrays else "" for n in ("mask", "bias"))
    if starts_at_vectors(given):
        heads, scale = settings["heads"], settings["scale"]
        rule, groups = rule_of_settings(settings), settings["kv_heads"] or heads
        program = vectors_program(heads, groups, rule, scale, mask, bias, output=True)
        arrays |= {name: given[name] for name in _VECTORS}
        pinned = {name: pinned[name] for name in ("scores",) if name in pinned}
        rows = T
    else:
        program = with_pair_inputs(attention_program(**settings), mask, bias)
        arrays |= {name: given.get(name, drawn[name]) for name in drawn if name != "mask"}
        rows = len(arrays["X"])
    rule = rule_of_settings(settings)
    program, arrays = _with_biases(program, arrays, given)
    if "X" in arrays and arrays["W_O"].shape[-1] != arrays["X"].shape[-1]:
        program = of_output_width(program)
    program = of_lengths(program, rule, T, S, rows)
    return _labelled(program, arrays, pinned, drawn, given, rule, T, S)


def rule_of_settings(settings: Mapping[str, Any]) -> Rule:
    """Return which keys a query may see, by these settings of the program."""
    sizes = {key: settings[key] for key in SIZES if key in settings}
    return rule_of(settings["mask"], sizes, settings["corner"])


def _of_weights(drawn: Inputs, given: Given) -> Built:
    """The program that begins at given weights; it ends there without V."""
    weights = given["weights"]
    check_shares(weights)
    arrays: dict[str, np.ndarray] = {"weights": weights}
    if "V" in given:
        arrays["V"] = given["V"]
        if "W_O" in given:
            arrays["W_O"] = given["W_O"]
    program = weights_program(len(weights), len(arrays.get("V", ())), "W_O" in arrays)
    if "W_O" in arrays:
        program, arrays = _with_biases(program, arrays, given)
    T, S = weights.shape[-2:]
    if T == S == len(drawn.tokens) and not set(TOKEN_LISTS) & set(given):
        given = {**given, "tokens": np.array(drawn.tokens)}
    return _labelled(program, arrays, {}, drawn, given, Rule("none"), T, S)


def _for_pairs(
    settings: Mapping[str, Any], drawn: Inputs, given: Given, T: int, S: int
) -> dict[str, np.ndarray]:
    """The mask, if it is an input, and the bias that is added to the scores, if any is."""
    arrays = {"bias": given["bias"]} if "bias" in given else {}
    if settings["mask"] == "custom":
        causal = Rule("causal", corner=settings["corner"]).mask(T, S)
        arrays["mask"] = given.get("mask", drawn.get("mask", causal))
    return arrays


def _with_biases(
    program: Program, arrays: dict[str, np.ndarray], given: Given
) -> tuple[Program, dict[str, np.ndarray]]:
    """The program with those of the given biases whose projections it has."""
    names = tuple(n for n in BIASES if n in given and step_of_bias(n) in program.step)
    if not names:
        return program, arrays
    return with_biases(program, names), {**arrays, **{name: given[name] for name in names}}


def _labelled(
    program: Program,
    arrays: Given,
    pinned: Given,
    drawn: Inputs,
    given: Given,
    rule: Rule,
    T: int,
    S: int,
) -> Built:
    """The program with the tokens of its queries and keys: those given, or of the sentence."""
    asked, keys = (given.get(name) for name in TOKEN_LISTS)
    if asked is None and keys is None:
        random_rows = _left_random(drawn, arrays)
        return Built(program, replace(drawn, arrays=arrays, random_rows=random_rows), pinned)
    if keys is None and asked is not None and len(asked) == S != T:
        asked, keys = None, asked
    program, tokens, more_tokens = with_tokens(program, rule, T, S, asked, keys)
    return Built(program, Inputs(arrays, tokens, more_tokens), pinned)


def _left_random(drawn: Inputs, arrays: Given) -> dict[str, tuple[int, ...]]:
    """The random rows in which no number was changed."""
    return {
        name: tuple(row for row in rows if np.array_equal(arrays[name][row], drawn[name][row]))
        for name, rows in drawn.random_rows.items()
        if name in arrays
    }


def _lengths(pinned: Given, rows: int) -> tuple[int, int]:
    """How many queries and keys there are, where X has so many rows."""
    if "scores" in pinned:
        T, S = np.shape(pinned["scores"])[-2:]
        return T, S
    queries, keys = (np.shape(pinned[n])[-2] if n in pinned else rows for n in "QK")
    return queries, keys
