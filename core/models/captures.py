"""Heads of published models on chosen prompts: what ships in `data/`, made by `make captures`.

A file is one run of a model on one prompt, in the safetensors format: the weights of all layers
and heads as small integers, and of a few chosen heads Q, K, V, weights and context as the model
used them. docs/captures.md describes it. Layers and heads count from 0, as in their libraries.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from safetensors import safe_open

from core.attention.given.attention_from import attention_from
from core.errors import InputError, input_error, must_hold
from core.limits import LARGEST, MOST_FEATURES, MOST_POSITIONS, MOST_REAL_HEADS
from core.models.head_scores import HEAD_SCORES, linked_words
from core.models.token_text import label_token
from core.program.inputs import Inputs
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("captures")

FOLDER = Path(__file__).parent / "data"
FORMAT = "2"
"""The version of the format; a file of another version is refused."""
LINKED = "linked_words"
"""The score of heads that are chosen for pairs of words."""
FURTHER = 2
"""On how many further texts a head's weights are kept."""
MAP_STEPS = 255
"""A weight of the maps is a whole number of steps of 1/255, so that it is off by at most 0.002."""
_MOST_BYTES = 5_000_000
_MOST_LAYERS = 128
_ORIGIN = ("model", "source", "package", "sha256", "licence")
_PLAIN = (*_ORIGIN, "prompt", "mask", "date", "command")
"""What a header says in words."""


@dataclass(frozen=True)
class FurtherText:
    """A text that a chosen head reads too: it was chosen before any weight was seen."""

    prompt: str
    tokens: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    """For `linked_words`: the positions of the query and of the key of each pair."""


@dataclass(frozen=True)
class CapturedHead:
    """A chosen head of a run: which it is, and the score that it was chosen by."""

    name: str
    layer: int
    head: int
    kv_head: int
    """The key/value head that it reads."""
    score: str
    """A name in `head_scores.HEAD_SCORES`, or `linked_words`."""
    pairs: tuple[tuple[int, int], ...]
    """For `linked_words`: the positions of the query and of the key of each pair."""
    scale: float
    """What the model multiplies its scores by: 1/√d_k."""
    further: tuple[FurtherText, ...]

    @property
    def place(self) -> tuple[int, int]:
        """Its layer and its head, from 0."""
        return self.layer, self.head


@dataclass(frozen=True)
class CapturedRun:
    """One run of a model on one prompt, and where all of it is from."""

    name: str
    model: str
    source: str
    """Where the weights were published, with their revision."""
    package: str
    """The package and version that they were read from."""
    sha256: str
    """Of the file with the weights."""
    licence: str
    prompt: str
    tokens: tuple[str, ...]
    """As the tokeniser writes them: Ġ is a space before a word, Ċ a new line, ## a word's rest."""
    mask: str
    """The mask's rule: causal or none."""
    date: str
    command: str
    n_layers: int
    n_heads: int
    heads: tuple[CapturedHead, ...]
    path: Path


@dataclass(frozen=True, eq=False)
class Capture:
    """The numbers of a captured head, float64 from float32: Q and K (T, d_k) with RoPE where the
    model has it, V and context (T, d_v), weights (T, T); the last two as the model computed them.
    """

    run: CapturedRun
    head: CapturedHead
    Q: Float[np.ndarray, "T d_k"]
    K: Float[np.ndarray, "T d_k"]
    V: Float[np.ndarray, "T d_v"]
    weights: Float[np.ndarray, "T T"]
    context: Float[np.ndarray, "T d_v"]
    further: tuple[np.ndarray, ...]
    """Its weights on each further text, of as many rows and columns as that has tokens."""


@cache
def captured_runs() -> tuple[CapturedRun, ...]:
    """Return every run that ships, by name; only the files' headers are read."""
    return tuple(read_captured_run(path) for path in sorted(FOLDER.glob("*.safetensors")))


def captured_run(name: str) -> CapturedRun:
    """Return a run that ships by its name, which it must have."""
    return next(run for run in captured_runs() if run.name == name)


@cache
def captured_heads() -> Mapping[str, tuple[CapturedRun, CapturedHead]]:
    """Return every captured head by its name, with its run."""
    return {head.name: (run, head) for run in captured_runs() for head in run.heads}


@cache
def load_capture(name: str) -> Capture:
    """Return the numbers of a captured head. Raises `InputError` for a name that there is not."""
    if name not in captured_heads():
        names = ", ".join(captured_heads())
        raise input_error(TEXTS, "no_capture", name=name[:40], names=names)
    return read_capture(*captured_heads()[name])


def load_maps(run: CapturedRun) -> Float[np.ndarray, "L H T T"]:
    """Return the weights of all layers and heads of a run, in steps of 1/255: each is off by at
    most 0.002, so that a row adds up to 1 only about. Raises `InputError` for a damaged file.
    """
    T = len(run.tokens)
    with _opened(run.path) as file:
        maps = _tensor(file, "maps", (run.n_layers, run.n_heads, T, T), "uint8")
    return maps / MAP_STEPS


def load_variances(run: CapturedRun) -> Float[np.ndarray, "L H"]:
    """Return of every head of a run the variance of its divided scores, about their mean: over all
    pairs of query and key that the mask shows. Raises `InputError` for a damaged file.
    """
    with _opened(run.path) as file:
        return _tensor(file, "variances", (run.n_layers, run.n_heads), "float32")


def score_of(capture: Capture) -> float:
    """Return what a head's own score says of its weights: 0 to 1."""
    return _score(capture.head, capture.weights, capture.run.tokens, capture.head.pairs)


def further_scores(capture: Capture) -> tuple[float, ...]:
    """Return what the same score says of the head's weights on each of its further texts."""
    texts = zip(capture.further, capture.head.further, strict=True)
    return tuple(_score(capture.head, found, one.tokens, one.pairs) for found, one in texts)


def _score(
    head: CapturedHead, weights: np.ndarray, tokens: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> float:
    if head.score == LINKED:
        return linked_words(weights, pairs)
    return HEAD_SCORES[head.score](weights, tokens)


def trace_of(capture: Capture, *others: Capture) -> Trace:
    """Return the run of a captured head from Q, K and V on, with the model's mask and scale.

    `others` are more heads of the same captured run that read the same key/value head: K and V are
    there once, for all of them. Tokens are without the white space around them. Raises
    `InputError` for heads that read others.
    """
    run, heads = capture.run, (capture, *others)
    if len({(one.run.name, one.head.layer, one.head.kv_head) for one in heads}) > 1:
        names = ", ".join(one.head.name for one in heads)
        raise input_error(TEXTS, "other_keys", names=names)
    Q = np.stack([one.Q for one in heads])
    usual = bool(np.isclose(capture.head.scale, Q.shape[-1] ** -0.5, rtol=1e-12))
    scale = usual or capture.head.scale
    tokens = tuple(map(label_token, run.tokens))
    return attention_from(Q, capture.K, capture.V, tokens=tokens, mask=run.mask, scale=scale)


def vectors_of(capture: Capture) -> Inputs:
    """Return Q, K and V of a captured head as a program of one head takes them: (1, T, ·)."""
    vectors = {"Q": capture.Q, "K": capture.K, "V": capture.V}
    tokens = tuple(map(label_token, capture.run.tokens))
    return Inputs({name: rows[None] for name, rows in vectors.items()}, tokens)


def read_captured_run(path: Path) -> CapturedRun:
    """Return a file's run and heads. Raises `InputError` unless the file is complete and fits."""
    with _opened(path) as file:
        said, shape = file.metadata() or {}, file.get_slice("maps").get_shape()
        if said.get("format") != FORMAT:
            given = str(said.get("format"))[:40]
            raise input_error(TEXTS, "other_format", file=path.name, given=given, known=FORMAT)
        tokens = tuple(json.loads(said["tokens"]))
        layers, heads, T, S = shape
        must_hold(all(isinstance(token, str) for token in tokens), T == S == len(tokens))
        must_hold(2 <= T <= MOST_POSITIONS, 1 <= heads <= MOST_REAL_HEADS)
        must_hold(1 <= layers <= _MOST_LAYERS, said["mask"] in ("causal", "none"))
        plain = {name: said[name] for name in _PLAIN}
        must_hold(*(bool(text) for text in plain.values()))
        chosen = tuple(_head(shape, one) for one in json.loads(said["heads"]))
        own = {"tokens": tokens, "n_layers": layers, "n_heads": heads, "heads": chosen}
        return CapturedRun(path.stem, **plain, **own, path=path)


def read_capture(run: CapturedRun, head: CapturedHead) -> Capture:
    """Return the arrays of a head from its run's file. Raises `InputError` unless they fit."""
    path, T = run.path, len(run.tokens)
    with _opened(path) as file:
        d_k, d_v = (file.get_slice(f"{head.name}.{array}").get_shape()[-1] for array in "QV")
        must_hold(1 <= d_k <= MOST_FEATURES, 1 <= d_v <= MOST_FEATURES)
        shapes = {"Q": (T, d_k), "K": (T, d_k), "V": (T, d_v), "weights": (T, T)}
        shapes["context"] = (T, d_v)
        arrays = {
            name: _tensor(file, f"{head.name}.{name}", shape, "float32")
            for name, shape in shapes.items()
        }
        further = tuple(
            _tensor(file, f"{head.name}.further.{n}", (len(one.tokens),) * 2, "float32")
            for n, one in enumerate(head.further)
        )
    return Capture(run, head, **arrays, further=further)


def _head(shape: Sequence[int], said: Mapping[str, Any]) -> CapturedHead:
    """Return a chosen head as a file's header names it; `shape` is that of the maps."""
    layers, heads, T, _ = shape
    pairs, further = _pairs(said), tuple(_further(one) for one in said["further"])
    layer, head, kv_head = (int(said[key]) for key in ("layer", "head", "kv_head"))
    name, score, scale = str(said["name"]), str(said["score"]), float(said["scale"])
    must_hold(0 <= layer < layers, 0 <= kv_head <= head < heads, 0 < scale <= LARGEST)
    must_hold(score in {*HEAD_SCORES, LINKED}, bool(pairs) == (score == LINKED))
    must_hold(*(bool(one.pairs) == bool(pairs) for one in further), len(further) == FURTHER)
    must_hold(*(0 <= place < T for pair in pairs for place in pair))
    return CapturedHead(name, layer, head, kv_head, score, pairs, scale, further)


def _further(said: Mapping[str, Any]) -> FurtherText:
    """Return a further text of a head as a file's header names it."""
    prompt, tokens, pairs = str(said["prompt"]), tuple(said["tokens"]), _pairs(said)
    must_hold(all(isinstance(token, str) for token in tokens), bool(prompt))
    must_hold(2 <= len(tokens) <= MOST_POSITIONS)
    must_hold(*(0 <= place < len(tokens) for pair in pairs for place in pair))
    return FurtherText(prompt, tokens, pairs)


def _pairs(said: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    return tuple((int(i), int(j)) for i, j in said["pairs"])


def _tensor(file: Any, name: str, shape: tuple[int, ...], kind: str) -> np.ndarray:
    """Return an array of a file as float64, read-only, if it has this shape and type."""
    must_hold(tuple(file.get_slice(name).get_shape()) == shape)  # before anything is read
    array = file.get_tensor(name)
    must_hold(array.dtype == kind, bool(np.isfinite(array).all()))
    numbers: np.ndarray = array.astype(np.float64)
    numbers.flags.writeable = False
    return numbers


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """An open file; whatever bad bytes make its reader raise is an `InputError`."""
    try:
        must_hold(path.stat().st_size <= _MOST_BYTES)
        with safe_open(path, framework="numpy") as file:
            yield file
    except InputError:
        raise
    except Exception as error:
        raise input_error(TEXTS, "damaged", file=path.name) from error
