"""Several heads: what they hold, what they share, how they are split and joined again.

Throughout, h is one of H heads, g one of G key/value heads, d_k = d_v = d_model / H.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from jaxtyping import Float

from core.attention.examples.presets import OPENING, preset
from core.attention.inputs import toy_inputs
from core.attention.layers.fused import fused_attention
from core.attention.program import attention_program
from core.attention.setups import DEFAULT_TEXT
from core.operations.wrong_operations import reshape_heads
from core.program.described import meaning, phase
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.labels import axis_labels, told_number
from core.program.program import Program
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("heads")
WIDTH = 16
"""d_model of the drawn sentences here: sixteen heads still have one feature each."""
HEADS = (1, 2, 4, 8, 16)
SHARED_HEADS = 8
GROUPS = (8, 4, 2, 1)
"""How many key/value heads `SHARED_HEADS` query heads can share, from one each to one for all."""
MAPS = ("W_Q", "W_K", "W_V", "W_O")
PAPER_WIDTH = 512
"""d_model of the base model of Vaswani et al. (2017), table 3; it has 8 heads."""
BY_HAND = ("P5-previous", "P5-same")
"""The presets whose heads `two_heads_by_hand` puts side by side."""
SPLIT_HEADS, SPLIT_WIDTH = 2, 4
JOINED_HEADS, JOINED_WIDTH = 4, 8
LAYER_SEEDS = 0, 1
"""Of the first layer's weights and of the second's."""
CONCAT, AVERAGE = "concat", "average"


def drawn_heads(text: str, heads: int, kv_heads: int | None = None, width: int = WIDTH) -> Trace:
    """A sentence with drawn weights, all heads cut from one draw. Raises `InputError`."""
    groups = heads if kv_heads is None else kv_heads
    inputs = toy_inputs(text, heads=heads, kv_heads=groups, d_model=width)
    return attention_program(heads=heads, kv_heads=groups).run(inputs)


MADE = "hand"
"""Instead of a number of drawn heads: the two of the opening example, which say what they do."""
_COUNTS = {MADE: TEXTS("made"), **{str(n): str(n) for n in HEADS}}
COUNT = Toggle("heads_count", TEXTS("count"), _COUNTS, MADE, resizes=True)
DRAWN_COUNT = "4"
"""How many heads a link means that names no number."""


def heads_family(text: str) -> Family:
    """The opening example's heads on a sentence, or drawn ones. Building raises `InputError`."""

    def build(options: Options) -> Built:
        if options[COUNT.key] == MADE:
            return preset(OPENING).on(text).built()
        heads = int(options[COUNT.key])
        return Built(attention_program(heads=heads), toy_inputs(text, heads=heads, d_model=WIDTH))

    return Family((COUNT,), build, "heads_", heads_family)


def maps_of(d_model: int, heads: int, d_k: int | None = None) -> dict[str, np.ndarray]:
    """W_Q, W_K, W_V and W_O in the shapes of `toy_inputs`, without entries of their own.

    d_k = d_v = d_model / heads unless given. They take no memory, so d_model may be of any size.
    """
    d_k = d_model // heads if d_k is None else d_k
    into, out = (heads, d_model, d_k), (heads * d_k, d_model)
    shapes = dict(zip(MAPS, (into, into, into, out), strict=True))
    return {name: np.broadcast_to(0.0, shape) for name, shape in shapes.items()}


def count_parameters(arrays: Mapping[str, np.ndarray]) -> int:
    """How many numbers the four maps hold. 4·d_model² where d_k = d_model / H (T, 3.2.2)."""
    return sum(arrays[name].size for name in MAPS)


def read_most(trace: Trace, query: int) -> tuple[str, list[str]]:
    """Return a query's token, and the token that each of its heads reads most."""
    _, queries, keys = axis_labels(trace, "weights")
    return queries[query], [keys[j] for j in trace["weights"][:, query].argmax(axis=-1)]


@cache
def two_heads_by_hand() -> Trace:
    """One run of two heads, one reading the token before and one the token itself (P5).

    X is the position, one-hot, so that W_Q can say where to look. The scores are 20 at the key
    that is looked for and 0 elsewhere, unscaled. W_O writes head h into feature h.
    """
    examples = [preset(name) for name in BY_HAND]
    made = {n: np.concatenate([e.arrays[n] for e in examples]) for n in ("W_Q", "W_K", "W_V")}
    X = examples[0].arrays["X"]
    made |= {"X": X, "W_O": np.eye(len(examples), X.shape[1])}
    program = attention_program(heads=len(examples), scale=False)
    return program.run(Inputs(made, examples[0].tokens))


def shared_keys(kv_heads: int, text: str = DEFAULT_TEXT) -> Trace:
    """Eight query heads on G key/value heads: G = 8 is multi-head attention, 1 multi-query.

    Between them is grouped-query attention (Ainslie et al. 2023; multi-query: Shazeer 2019).
    """
    return drawn_heads(text, SHARED_HEADS, kv_heads)


def cache_size(trace: Trace) -> int:
    """How many numbers a decoder keeps of one layer: all of K and of V, 2·G·d_k·T."""
    return trace["K"].size + trace["V"].size


def served_by(trace: Trace) -> list[int]:
    """Which key/value head each head's scores are made of, from 0."""
    return [trace.sources("scores", (h, 0, 0))["K"][0][0] for h in range(len(trace["Q"]))]


@cache
def split_program(right: bool = True) -> Program:
    """X times one matrix for all heads, laid out in memory and split into heads.

    The wrong one cuts memory straight into heads, as a reshape without a transpose does.
    """
    fused = fused_attention(SPLIT_HEADS, SPLIT_WIDTH // SPLIT_HEADS)
    names = ("Q_all", "Q_memory", "Q")
    program = Program(
        tuple(i for i in fused.inputs if i.name in ("X", "W_Q")),
        tuple(fused.step[name] for name in names),
        tuple(p for p in fused.phases if p.names[-1] in ("X", *names)),
        {"h": fused.sizes["h"]},
        fused.axes,
    )
    if right:
        return program
    reshaped = reshape_heads(SPLIT_HEADS, SPLIT_WIDTH // SPLIT_HEADS)
    cut = replace(program.step["Q"], operation=reshaped, meaning=meaning(TEXTS, "cut"))
    wrong = program.replaced("Q", cut)
    return replace(wrong, phases=(*program.phases[:-1], phase(TEXTS, "cut", ("Q",))))


def numbered_tokens() -> Inputs:
    """Return two tokens with the features 0 to 3 and 4 to 7: a number says its place (P13)."""
    X = np.arange(2.0 * SPLIT_WIDTH).reshape(2, SPLIT_WIDTH)
    return Inputs({"X": X, "W_Q": np.eye(SPLIT_WIDTH)}, ("first", "second"))


def rows_of_heads(trace: Trace) -> list[str]:
    """Each head's rows, as a sentence says them: [0, 1], [4, 5]."""
    n_heads, T, d_k = trace["Q"].shape

    def row(h: int, i: int) -> str:
        cells = [(h, i, k) for k in range(d_k)]
        return ", ".join(told_number(trace, "Q", at, str(round(trace["Q"][at]))) for at in cells)

    return [", ".join(f"[{row(h, i)}]" for i in range(T)) for h in range(n_heads)]


SPLIT = Toggle(
    "heads_way", TEXTS("split_by"), {"right": TEXTS("right"), "wrong": TEXTS("wrong")}, "wrong"
)


def split_family() -> Family:
    """The two tokens split right and wrong."""
    return Family(
        (SPLIT,),
        lambda options: Built(split_program(options[SPLIT.key] == "right"), numbered_tokens()),
        "heads_split_",
    )


@dataclass(frozen=True)
class Joined:
    """What each head adds to the output, by token and feature, and the output itself."""

    parts: Float[np.ndarray, "H T d_model"]
    output: Float[np.ndarray, "T d_model"]
    swap: float
    """By how much the output changes, at most, when heads 1 and 2 swap what they have read."""


def contributions(
    context: Float[np.ndarray, "H T d_v"], W_O: Float[np.ndarray, "H*d_v d_model"]
) -> Float[np.ndarray, "H T d_model"]:
    """head_h · W_O^h, with W_O^h the d_v rows of W_O that head h meets.

    Their sum over h is concat · W_O: a product of matrices cut into blocks (K).
    """
    blocks = W_O.reshape(*context.shape[::2], -1)
    parts: np.ndarray = context @ blocks
    return parts


def one_matrix_for_all(W_O: Float[np.ndarray, "c d_model"], heads: int) -> Float[np.ndarray, "c m"]:
    """The W_O that averages the heads and then applies its first block: that block / H, H times."""
    first = W_O.reshape(heads, -1, W_O.shape[1])[0]
    return np.tile(first / heads, (heads, 1))


def joined_heads(trace: Trace, way: str) -> Joined:
    """The heads of a run, joined by W_O (`CONCAT`) or averaged under one matrix (`AVERAGE`)."""
    context, W_O = trace["context"], trace["W_O"]
    W = one_matrix_for_all(W_O, len(context)) if way == AVERAGE else W_O
    parts = contributions(context, W)
    swapped = contributions(context[[1, 0, *range(2, len(context))]], W)
    output = parts.sum(axis=0)
    return Joined(parts, output, float(np.abs(swapped.sum(axis=0) - output).max()))


def to_join() -> Trace:
    return drawn_heads(DEFAULT_TEXT, JOINED_HEADS, width=JOINED_WIDTH)


@dataclass(frozen=True)
class Moves:
    """By how much each head's weights move, at most, in the layer that is changed and the next."""

    first: tuple[float, ...]
    second: tuple[float, ...]


def moves(changed: int, amount: float = 0.5) -> Moves:
    """Add `amount` to W_Q of one head of the first of two layers, and see whose weights move.

    The second layer is the same program on the first one's output. Heads count from 0.
    """
    before, after = _two_layers(None, amount), _two_layers(changed, amount)
    largest = (
        tuple(float(x) for x in np.abs(a["weights"] - b["weights"]).max(axis=(1, 2)))
        for a, b in zip(after, before, strict=True)
    )
    return Moves(*largest)


def _two_layers(changed: int | None, amount: float) -> tuple[Trace, Trace]:
    first, second = (
        toy_inputs(DEFAULT_TEXT, heads=JOINED_HEADS, d_model=JOINED_WIDTH, seed=seed)
        for seed in LAYER_SEEDS
    )
    W_Q = np.array(first["W_Q"])
    if changed is not None:
        W_Q[changed] += amount
    program = attention_program(heads=JOINED_HEADS)
    below = program.run(Inputs({**first, "W_Q": W_Q}, first.tokens))
    return below, program.run(second.fed(below, X="output"))
