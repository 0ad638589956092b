"""Attention of arrays that people have: PyTorch's numbers, and refusals that say what to do."""

import json
import re
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from core import Trace, attention_from, explain
from core.attention.masks import KINDS, UPPER_LEFT, rule_of
from core.program.labels import axis_labels, plainly
from core.program.patterns import Cell
from core.program.reading import own_keys, weights_between_tokens
from core.pytorch.reference import largest_difference
from stage.document.document import document
from tests.core.support import refuses
from tests.masks import looped
from tests.quotes import proves
from tests.sampling import DEEP

TYPES = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
SCALES: tuple[tuple[Any, float | None], ...] = (
    (True, None),
    (np.True_, None),
    (False, 1.0),
    (0.3, 0.3),
    (np.float32(2), 2.0),
    (torch.tensor(0.5), 0.5),
)
"""What is given as a scale, and what it multiplies; None is 1/√d_k."""


def vectors(draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, K and V of random shapes; G divides H."""
    groups, group = draw.integers(1, 4, 2)
    T, S, d_k, d_v = draw.integers(1, 9, 4)
    shapes = ((groups * group, T, d_k), (groups, S, d_k), (groups, S, d_v))
    Q, K, V = (draw.normal(size=shape) for shape in shapes)
    return Q, K, V


def given_masks(draw: np.random.Generator, H: int, T: int, S: int) -> dict[str, tuple[Any, Any]]:
    """What may be given as a mask, and PyTorch's `attn_mask` that means the same."""
    i, j = np.indices((T, S))
    i += max(S - T, 0)
    visible = draw.random((T, S)) < 0.6
    visible[:, 0] = True  # another test is on rows that see nothing
    bias, by_head = draw.normal(size=(T, S)), draw.random((H, T, S)) < 0.6
    by_head[..., -1] = True
    added = np.where(visible, 0.0, -np.inf)
    padding = visible[0]
    every = np.broadcast_to(padding, (T, S))
    causal = j <= i
    return {
        "causal": ("causal", causal),
        "none": ("none", None),
        "window": ("window", causal & (i - j < 3)),
        "prefix": ("prefix", causal | (j < 2)),
        "boolean": (visible, visible),
        "boolean by head": (by_head, by_head),
        "padding": (padding if draw.random() < 0.5 else padding[None], every),
        "0 and 1": (every.astype(np.int64), every),
        "minus infinity": (added, added),
        "large": (np.where(visible, 0.0, draw.choice([-1e4, -1e9, -3.4e38])), added),
        "bias": (bias, bias),
        "bias by head": (3 * bias * np.ones((H, 1, 1)), 3 * bias),
        "bias and mask": (np.where(causal, bias, -np.inf), np.where(causal, bias, -np.inf)),
        "batch": (torch.tensor(by_head)[None], by_head),
    }


FORMS = tuple(given_masks(np.random.default_rng(0), 1, 2, 2))


def theirs(Q: Any, K: Any, V: Any, attn_mask: Any, scale: float | None = None) -> np.ndarray:
    """The context by PyTorch in float64, one sentence."""
    q, k, v = (torch.as_tensor(a).detach().double()[None] for a in (Q, K, V))
    mask = None if attn_mask is None else torch.as_tensor(np.array(attn_mask))
    found = scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, enable_gqa=True)
    return found[0].numpy()


def close(ours: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("form", FORMS)
def test_it_equals_pytorch_with_an_explicit_mask(form: str) -> None:
    draw = np.random.default_rng(FORMS.index(form))
    for trial in range(250 if DEEP else 6):
        arrays = vectors(draw)
        (H, T, _), S = arrays[0].shape, arrays[1].shape[1]
        if form in ("window", "prefix") and T > S:
            continue
        mask, attn_mask = given_masks(draw, H, T, S)[form]
        scale, factor = SCALES[draw.integers(len(SCALES))]
        kind = TYPES[draw.integers(len(TYPES))]
        tensors = [torch.tensor(array, dtype=kind, requires_grad=True) for array in arrays]
        batched = [tensor[None] for tensor in tensors] if draw.random() < 0.3 else tensors
        trace = attention_from(*batched, mask=mask, scale=scale)
        close(trace["context"], theirs(tensors[0], tensors[1], tensors[2], attn_mask, factor))
        if trial % 10 == 0:
            assert largest_difference(trace).equal


@pytest.mark.parametrize("number", [-1e4, -1e9, -np.inf])
def test_a_key_that_a_number_hides_is_taken_out(number: float) -> None:
    visible = np.tri(3, dtype=bool)
    trace = attention_from(ONES, ONES, ONES, mask=np.where(visible, 0.0, number))
    np.testing.assert_array_equal(trace["mask"], visible)
    removed = trace.removed["weights"]
    assert removed is not None
    for of_head in removed:
        np.testing.assert_array_equal(of_head, ~visible)


def test_a_matrix_is_one_head_and_every_kind_of_array_the_same() -> None:
    Q, K, V = (array[0] for array in vectors(np.random.default_rng(1)))
    first = attention_from(Q, K, V)
    assert first["Q"].shape == (1, *Q.shape)
    others = (
        [a.tolist() for a in (Q, K, V)],
        [torch.tensor(a) for a in (Q, K, V)],
        [torch.nn.Parameter(torch.tensor(a)) for a in (Q, K, V)],
        [torch.tensor(a).to_sparse() for a in (Q, K, V)],
        [np.asfortranarray(a)[None, None] for a in (Q, K, V)],
        [a.astype(np.longdouble) for a in (Q, K, V)],
    )
    for arrays in others:
        np.testing.assert_array_equal(attention_from(*arrays)["context"], first["context"])
    whole = attention_from([[1, 2]], [[3, 4]], [[True, False]])
    np.testing.assert_array_equal(whole["scores"], [[[11]]])


def test_nothing_that_is_given_is_changed_or_kept() -> None:
    Q = torch.tensor(np.random.default_rng(2).normal(size=(2, 3, 4)), requires_grad=True)
    before = Q.detach().clone()
    trace = attention_from(Q, Q, Q)
    assert Q.requires_grad
    torch.testing.assert_close(Q, before)
    with torch.no_grad():
        Q += 1
    np.testing.assert_array_equal(trace["Q"], before.numpy())
    assert not trace["Q"].flags.writeable


@pytest.mark.parametrize("hides", [False, -np.inf, -1e9])
def test_a_row_that_sees_no_key_reads_zeros(hides: float) -> None:
    draw = np.random.default_rng(4)
    Q, K, V = (draw.normal(size=(2, 3, 4)) for _ in "QKV")
    visible = np.array([[True, False, False], [False] * 3, [True] * 3])
    mask = visible if hides is False else np.where(visible, 0.0, hides)
    trace = attention_from(Q, K, V, mask=mask)
    assert not trace["weights"][:, 1].any()
    assert not trace["context"][:, 1].any()
    close(trace["context"], np.nan_to_num(theirs(Q, K, V, visible)))
    trace = attention_from(Q, K, V, mask=np.array([visible, np.tri(3, dtype=bool)]))
    assert not trace["weights"][0, 1].any()
    assert trace["weights"][1].any(axis=-1).all()
    assert largest_difference(trace).equal
    said = plainly(explain(trace, "weights", (0, 1, 0)).words)
    assert said.startswith("No key is visible to t2.")
    assert plainly(explain(trace, "weights", (1, 0, 2)).words) == "Exactly 0: t3 is hidden from t1."


def test_a_bias_is_a_step_of_its_own_and_hides_nothing() -> None:
    draw = np.random.default_rng(5)
    Q, K, V = (draw.normal(size=(2, 3, 4)) for _ in "QKV")
    slopes = -np.array([0.5, 0.25])[:, None, None] * np.abs(np.subtract.outer(range(3), range(3)))
    trace = attention_from(Q, K, V, mask=slopes)
    close(trace["biased"], trace["scaled"] + slopes)
    assert trace["mask"].all()
    assert trace.sources("biased", (1, 2, 0)) == {"scaled": [(1, 2, 0)], "bias": [(1, 2, 0)]}
    causal = np.where(np.tri(3, dtype=bool), slopes, -np.inf)
    both = attention_from(Q, K, V, mask=causal)
    np.testing.assert_array_equal(both["mask"], np.isfinite(causal))
    assert trace.program.step["masked"].operands == ("biased", "mask")
    future, past = (plainly(explain(both, "bias", cell).words) for cell in ((0, 0, 1), (0, 1, 0)))
    assert future == "Nothing is added: t2 is hidden from t1."
    assert past == "What is added to the score of t2 and t1, as given."
    assert "bias" not in attention_from(Q, K, V, mask=np.zeros((3, 3)))


def test_weights_are_taken_as_they_are() -> None:
    weights = np.array([[0.5, 0.2, 0.0], [0.0, 0.0, 0.0]])
    V = np.array([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]])
    trace = attention_from(weights=weights, V=V, tokens=["a", "b"], key_tokens=["x", "y", "z"])
    np.testing.assert_array_equal(trace["weights"], [weights])
    close(trace["context"], np.array([[[1.1, 1.8], [0, 0]]]))
    alone = attention_from(weights=torch.tensor(weights, dtype=torch.float64))
    assert list(alone) == ["weights"]
    assert [phase.names for phase in alone.program.phases] == [("weights",)]
    assert explain(alone, "weights", (0, 0, 1)).feeds == "It feeds nothing."
    for run in (trace, alone):
        assert weights_between_tokens(run) == ["weights"]
    assert plainly(explain(trace, "weights", (0, 0, 1)).words) == (
        "How much a reads from y: 20.00 %, as given. The weights of this row add up to 0.70. "
        "The rest of 1 is on no key that is shown: a learned sink, dropout or a part "
        "of a longer text can be why."
    )
    assert "All weights of its row are 0" in explain(trace, "context", (0, 1, 0)).words
    shared = attention_from(weights=np.full((4, 2, 2), 0.5), V=np.ones((2, 2, 3)))
    assert shared["context"].shape == (4, 2, 3)
    assert shared.sources("context", (3, 0, 0))["V"] == [(1, 0, 0), (1, 1, 0)]


def named(trace: Trace) -> tuple[list[str], list[str]]:
    _, queries, keys = axis_labels(trace, "weights")
    return queries, keys


def test_tokens_are_as_given_or_numbered() -> None:
    def run(T: int, S: int, **given: Any) -> Trace:
        return attention_from(np.ones((T, 2)), np.ones((S, 2)), np.ones((S, 2)), **given)

    assert named(run(2, 2)) == (["t1", "t2"], ["t1", "t2"])
    pieces = ["[CLS]", "Ġthe", "##ing", "▁un", "<b>"]
    square = run(5, 5, tokens=pieces)
    assert named(square) == (pieces, pieces)
    assert own_keys(square, "i", "j") == [0, 1, 2, 3, 4]
    assert axis_labels(square, "V")[1] == axis_labels(square, "context")[1] == pieces
    assert named(run(2, 3)) == (["t2", "t3"], ["t1", "t2", "t3"])
    assert named(run(2, 3, corner=UPPER_LEFT)) == (["t1", "t2"], ["t1", "t2", "t3"])
    last = run(2, 3, key_tokens=["x", "y", "z"])
    assert named(last) == (["y", "z"], ["x", "y", "z"])
    assert own_keys(last, "i", "j") == [1, 2]
    assert own_keys(run(2, 3, tokens=["y", "z"], key_tokens=["x", "y", "z"]), "i", "j") == [1, 2]
    crossed = run(2, 3, tokens=["a", "b"], key_tokens=np.array(["x", "y", "z"]), mask="none")
    assert named(crossed) == (["a", "b"], ["x", "y", "z"])
    assert crossed.tokens == ("a", "b")
    assert own_keys(crossed, "i", "j") == [None, None]
    assert named(run(3, 2, tokens=list("abc"))) == (list("abc"), ["t1", "t2"])


class Unreadable:
    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise OSError("the file is gone")


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.given])
def test_each_mask_takes_its_sizes_by_their_names(name: str) -> None:
    Q, K = np.zeros((1, 7, 1)), np.zeros((1, 7, 1))
    keys = [size.key for size in KINDS[name].sizes]
    for numbers in ((1, 2), (2, 5), (5, 2)):
        sizes = dict(zip(keys, numbers, strict=False))
        trace = attention_from(Q, K, K, mask=name, **sizes)
        assert ((trace["weights"][0] > 0) == looped(rule_of(name, sizes), 7, 7)).all()


ONES, HALVES = np.ones((2, 3, 4)), np.full((1, 2, 2), 0.5)
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "nothing": ({}, "Q is missing; attention needs"),
    "no V": ({"Q": ONES, "K": ONES}, "V is missing"),
    "a string": ({"Q": "abc"}, "Q holds values of type <U3"),
    "an object": ({"Q": object()}, "must hold real numbers"),
    "complex": ({"Q": torch.ones(2, 3, dtype=torch.complex64)}, "complex64; it must hold real"),
    "no numbers behind it": ({"Q": torch.ones(2, 3, device="meta")}, "Tensor and cannot be read"),
    "ragged": ({"Q": [[1, 2], [3]]}, "lists of equal length"),
    "nan": ({"Q": np.full((2, 3, 4), np.nan)}, "Q is nan at 1, 1, 1; every entry must be finite"),
    "minus infinity in K": ({"K": -np.inf * ONES}, "K is -inf"),
    "large": ({"Q": 1e308 * ONES}, r"Q holds 1e\+308; the largest allowed size is 1e\+06"),
    "a number": ({"Q": 3.0}, "must be heads × queries × features"),
    "a vector": ({"V": [1.0, 2.0]}, "V is a list of 2; it must be heads × keys × features"),
    "a batch": ({"Q": np.ones((2, 2, 3, 4))}, r"Q is 2 × 2 × 3 × 4.* Q\[0\]"),
    "empty": ({"Q": np.ones((2, 0, 4))}, "Q has 0 queries; it must have 1 to 256"),
    "many tokens": ({"Q": np.ones((1, 257, 1))}, "257 queries; it must have 1 to 256: give fewer"),
    "many keys": ({"K": np.ones((1, 1025, 4))}, "1025 keys; it must have 1 to 1024"),
    "many pairs": (
        {"Q": np.ones((1, 65, 1)), "K": np.ones((1, 1024, 1)), "V": np.ones((1, 1024, 1))},
        "Queries × keys are 66,560; there may be 65,536: give at most 64 of the queries",
    ),
    "many pairs of weights": ({"weights": np.ones((1, 65, 1024))}, "Queries × keys are 66,560"),
    "many heads": ({"Q": np.ones((65, 1, 4))}, "65 heads; it must have 1 to 64"),
    "wide": ({"V": np.ones((2, 3, 257))}, "V has 257 features; it must have 1 to 256"),
    "d_k": ({"K": np.ones((2, 3, 5))}, "K has 5 features; Q has 4: make the two sizes equal"),
    "keys": ({"V": np.ones((2, 4, 4))}, "V has 4 keys; K has 3"),
    "other groups": ({"V": np.ones((1, 3, 4))}, "V has 1 head; K has 2"),
    "groups": (
        {"Q": np.ones((3, 3, 4))},
        "2 key/value heads cannot serve 3 query heads evenly: choose 1",
    ),
    "a rule": ({"mask": "diagonal"}, "The mask is 'diagonal'; the rules are causal, none"),
    "custom": ({"mask": "custom"}, "name a rule, or give an array"),
    "no mask": ({"mask": None}, "The mask is None"),
    "mask of another shape": ({"mask": np.ones((2, 2), bool)}, r"mask is 2 × 2; it must be 3 × 3"),
    "mask of other heads": ({"mask": np.ones((3, 3, 3), bool)}, "2 × 3 × 3"),
    "mask of a batch": ({"mask": np.ones((2, 1, 3, 3), bool)}, "for one sentence"),
    "a column": ({"mask": np.ones((3, 1), bool)}, "The mask is 3 × 1"),
    "a mask of nan": ({"mask": np.full((3, 3), np.nan)}, "mask is nan"),
    "a mask of infinity": ({"mask": np.full((3, 3), np.inf)}, "mask is inf"),
    "0.0 and 1.0": ({"mask": np.tri(3)}, "mask == 1 if 1 means visible"),
    "whole zeros": ({"mask": np.zeros((3, 3), int)}, "give booleans or floats"),
    "a large bias": ({"mask": np.full((3, 3), 1e7)}, "mask holds"),
    "a mask that leaks": (
        {"Q": 1e3 * ONES * np.arange(3)[:, None], "K": 1e3 * ONES, "mask": -2e4 * (1 - np.tri(3))},
        "adds -20000 to hide a key.* use −∞ or booleans",
    ),
    "scale of 0": ({"scale": 0}, "scale is 0; it must be True for 1/√d_k"),
    "scale below 0": ({"scale": -1.0}, "scale is -1.0"),
    "scale in words": ({"scale": "on"}, "scale is 'on'"),
    "scale of nan": ({"scale": float("nan")}, "scale is nan"),
    "a scale without end": ({"scale": 10**400}, "The scale is 1000"),
    "a list of scales": ({"scale": [1, 2]}, "The scale is list"),
    "a longer float": ({"K": np.longdouble("1e400") * ONES}, "K is inf at 1, 1, 1"),
    "what breaks when it is read": ({"V": Unreadable()}, "V is of type Unreadable and cannot be"),
    "corners": ({"corner": np.array(["upper-left"] * 2)}, "The corner is ndarray; it must be"),
    "corner": ({"corner": "left"}, "it must be upper-left or lower-right"),
    "window": ({"mask": "window", "window": 0}, "window is 0; it must be a whole number"),
    "prefix": ({"prefix": 1.5}, "prefix is 1.5"),
    "a long step": (
        {"mask": "dilated", "dilation": 10**30},
        "it must be a whole number from 1 to 1",
    ),
    "a size that cannot be read": ({"window": Unreadable()}, "window is Unreadable; it must be"),
    "a size of no mask": ({"dilations": 2}, "called dilations; no mask has such a size: choose wi"),
    "too few tokens": ({"tokens": ["a"]}, "tokens has 1 token; there are 3 rows: give 3 strings"),
    "too many keys": ({"key_tokens": list("abcd")}, "key_tokens has 4 tokens"),
    "one string": ({"tokens": "abc"}, r"text.split\(\)"),
    "ids": ({"tokens": [1, 2, 3]}, r"tokens holds int.*convert_ids_to_tokens"),
    "a token": ({"key_tokens": 7}, "key_tokens holds int"),
    "below 0": ({"weights": [[0.5, -0.1]]}, r"weights is -0.1 at 1, 1, 2; a weight is from 0 to 1"),
    "above 1": ({"weights": [[1.25, 0.0]]}, r"without dropout \(model.eval\(\)\)"),
    "nan among weights": ({"weights": [[np.nan, 0.0]]}, "weights is nan"),
    "a list of weights": ({"weights": [0.5, 0.5]}, "must be heads × queries × keys"),
    "scores too": ({"weights": HALVES, "Q": ONES, "K": ONES}, "leave out the weights, or Q and K"),
    "a mask too": ({"weights": HALVES, "mask": "none"}, "given with the weights.* leave out mask"),
    "an array": ({"weights": HALVES, "mask": np.ones((2, 2), bool)}, "already scaled and masked"),
    "a scale": ({"weights": HALVES, "scale": False}, "leave out scale"),
    "keys of weights": ({"weights": HALVES, "V": np.ones((3, 4))}, "V has 3 keys; weights has 2"),
    "heads": ({"weights": HALVES, "V": np.ones((2, 2, 4))}, "2 key/value heads cannot serve 1"),
    "tokens": ({"weights": HALVES, "tokens": ["a"]}, "give 2 strings"),
}


@proves("""
    booleans say what is visible, floats are added to the scores | give mask == 1 if 1 means
    visible, mask == 0 if 1 means hidden | as booleans they hide every key, as numbers to add they
    hide none | True where a key is visible, or what is added to each score
""")
def test_a_mask_in_doubt_is_taken_once_it_is_given_as_told() -> None:
    def read(mask: np.ndarray) -> np.ndarray:
        return attention_from(ONES, ONES, ONES, mask=mask)["weights"][0]

    visible, zeros = np.tri(3), np.zeros((3, 3))
    for mask in (visible == 1, (1 - visible) == 0):
        np.testing.assert_array_equal(read(mask) > 0, visible)
    close(read(visible / 2), torch.tensor(visible / 2).softmax(-1).numpy())
    assert not read(zeros.astype(bool)).any()
    close(read(zeros), zeros + 1 / 3)


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_with_a_limit_and_a_remedy(name: str) -> None:
    given, said = REFUSED[name]
    is_whole = name in ("nothing", "no V") or "weights" in given
    arrays = {} if is_whole else {"Q": ONES, "K": ONES, "V": ONES}
    refused = refuses(f"(?s){said}", attention_from, **(arrays | given))
    assert refused.value
    assert refused.limit
    assert refused.remedy


def some_runs() -> dict[str, Trace]:
    draw = np.random.default_rng(6)
    Q, K, V = (draw.normal(size=(h, n, 2)) for h, n in ((2, 2), (1, 3), (1, 3)))
    masks: dict[str, Any] = {
        **{rule: rule for rule in ("causal", "none", "window", "prefix")},
        "by head": draw.random((2, 2, 3)) < 0.7,
        "bias": np.where(draw.random((2, 3)) < 0.7, draw.normal(size=(2, 3)), -np.inf),
    }
    runs = {name: attention_from(Q, K, V, mask=mask) for name, mask in masks.items()}
    runs["square"] = attention_from(Q, Q[:1], Q[:1], scale=False)
    runs["a number"] = attention_from(Q, K, V, scale=0.5, corner=UPPER_LEFT)
    runs["weights"] = attention_from(weights=runs["causal"]["weights"], V=V)
    runs["weights alone"] = attention_from(weights=runs["causal"]["weights"])
    return runs


RUNS = some_runs()
INVENTED = re.compile(r"\bX\b|W_[A-Z]|\bembeddings?\b|\bproject", re.IGNORECASE)
"""What comes before Q, K and V."""


@pytest.mark.parametrize("name", RUNS)
def test_nothing_speaks_of_what_was_not_given(name: str) -> None:
    trace, program = RUNS[name], RUNS[name].program
    stops = [inner for phase in program.phases for inner in phase.innermost()]
    said = [text for stop in stops for text in (stop.title, stop.summary, stop.words)]
    for array, values in trace.items():
        cells: list[Cell] = [tuple(cell) for cell in np.ndindex(values.shape)]
        for cell in cells:
            explained = explain(trace, array, cell)
            said += [explained.title, explained.words, explained.feeds, *explained.plain]
    said += [json.dumps(program.definitions), *program.names]
    said += [axis.name for axis in map(program.axis, trace.sizes)]
    assert [text for text in said if INVENTED.search(text)] == []
    assert stops[0].names == program.names[: len(stops[0].names)]
    assert INVENTED.search("its row of X times a column of W_Q")


@pytest.mark.parametrize("name", RUNS)
def test_the_stage_has_every_array_with_its_tokens(name: str) -> None:
    trace = RUNS[name]
    first = trace.program.phases[0].main
    drawn = document(trace, (first, (0,) * trace[first].ndim))
    assert list(drawn["arrays"]) == list(trace)
    (ribbon,) = drawn["ribbons"]
    assert ribbon["array"] == "weights"
    assert len(ribbon["said"]) == trace["weights"].size // trace["weights"].shape[-1]
    # What is given was given, not pinned: its phase says its words.
    assert all(phase["words"] for phase in drawn["phases"])
    assert drawn["phases"][0]["minis"] == list(trace.program.phases[0].names)
