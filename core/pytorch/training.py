"""Training small language models: the program of `language_model` in PyTorch, and its gradient.

The model is that of `model_program`: a table of tokens and one of places, blocks in GPT-2's order,
with the weights under the names that the program has for them. So what is learned is run on the
stage as it is. Adam follows the gradient of the cross-entropy of the next token at the places that
a task counts, on new examples at every step.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Bool, Float, Int

from core.attention.layers.language_model import FINAL
from core.attention.layers.row_norms import EPSILON

if TYPE_CHECKING:
    import torch

BATCH = 64
"""Examples of a step."""
WARM_UP = 20
"""Steps until the rate is whole."""
LONGEST_GRADIENT = 1.0
"""A longer one is shortened to that."""

Weights = Mapping[str, np.ndarray]
Head = tuple[int, int]
"""A layer and a head of it, both from 0."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows of tokens, as numbers of a vocabulary; what comes after each token; which are counted.

    `linked` names for each row a query and the key that it has to read, where there is one.
    """

    tokens: Int[np.ndarray, "B T"]
    targets: Int[np.ndarray, "B T"]
    counted: Bool[np.ndarray, "B T"]
    linked: Int[np.ndarray, "B 2"] | None = None


Draw = Callable[[np.random.Generator, int, bool], Examples]
"""So many examples; for judging where that is true: such as training never draws."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is learned: its vocabulary, how many tokens a model reads at once, and its examples.

    `shown` is the row of words that a reader watches; `rate` is how large the steps of training
    are at most.
    """

    name: str
    words: tuple[str, ...]
    context: int
    draw: Draw
    shown: tuple[str, ...]
    rate: float

    def numbers(self, words: tuple[str, ...]) -> Int[np.ndarray, "T"]:
        """The numbers of words of the vocabulary."""
        place = {word: at for at, word in enumerate(self.words)}
        return np.array([place[word] for word in words])


@dataclass(frozen=True)
class TrainingSettings:
    """How a model is made and trained; the same settings give the same numbers on one machine."""

    masked: bool = True
    layers: int = 2
    heads: int = 2
    d_model: int = 32
    steps: int = 400
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Moment:
    """A step of training: the loss on its examples, in nats, and the weights before it."""

    step: int
    loss: float
    weights: Weights


def train_model(task: Task, settings: TrainingSettings) -> Iterator[Moment]:
    """Yields each step from 0 to `settings.steps`."""
    import torch

    torch.set_num_threads(1)  # matrices as small as these only lose by more
    random = np.random.default_rng(settings.seed)
    weights = {name: array.requires_grad_() for name, array in _begun(task, settings).items()}
    optimiser = torch.optim.Adam(weights.values(), lr=task.rate)
    for step in range(settings.steps + 1):
        examples = task.draw(random, BATCH, False)
        logits, _ = predictions(weights, examples, masked=settings.masked)
        loss = _loss(logits, examples)
        found = {name: array.detach().numpy().copy() for name, array in weights.items()}
        yield Moment(step, float(loss.detach()), found)
        optimiser.param_groups[0]["lr"] = task.rate * min(1.0, (step + 1) / WARM_UP)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(weights.values(), LONGEST_GRADIENT)
        optimiser.step()


def predictions(
    weights: Mapping[str, "torch.Tensor"],
    examples: Examples,
    *,
    masked: bool,
    off: Collection[Head] = (),
) -> tuple["torch.Tensor", list["torch.Tensor"]]:
    """Return the logits (B, T, words), and the attention weights of each layer (B, H, T, T).

    The heads `off` give nothing: their context is 0.
    """
    import torch
    from torch.nn import functional

    def norm(rows: "torch.Tensor", name: str) -> "torch.Tensor":
        gain, bias = weights[f"g_{name}"], weights[f"b_{name}"]
        return functional.layer_norm(rows, gain.shape, gain, bias, EPSILON)

    tokens = torch.as_tensor(examples.tokens)
    T = tokens.shape[1]
    rows = weights["E"][tokens] + weights["P"][:T]
    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    read, layer = [], 1
    while f"W_Q_{layer}" in weights:
        normed = norm(rows, f"{layer}a")
        Q, K, V = (
            torch.einsum("bim,hmk->bhik", normed, weights[f"W_{name}_{layer}"]) for name in "QKV"
        )
        scores = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5
        if masked:
            scores = scores.masked_fill(later, -torch.inf)
        read.append(scores.softmax(-1))
        context = read[-1] @ V
        for head in (head for at, head in off if at + 1 == layer):
            context = context.index_fill(1, torch.tensor(head), 0.0)
        rows = rows + context.transpose(1, 2).flatten(2) @ weights[f"W_O_{layer}"]
        units = functional.gelu(norm(rows, f"{layer}b") @ weights[f"W_up_{layer}"])
        rows = rows + units @ weights[f"W_down_{layer}"]
        layer += 1
    return norm(rows, FINAL) @ weights["W_U"], read


def _loss(logits: "torch.Tensor", examples: Examples) -> "torch.Tensor":
    """The mean cross-entropy of the targets that count, in nats."""
    import torch
    from torch.nn import functional

    counted = torch.as_tensor(examples.counted)
    return functional.cross_entropy(logits[counted], torch.as_tensor(examples.targets)[counted])


def _begun(task: Task, settings: TrainingSettings) -> dict[str, "torch.Tensor"]:
    """Weights as training begins: drawn at random; gains 1 and biases 0."""
    import torch

    generator = torch.Generator().manual_seed(settings.seed)
    words, d_model = len(task.words), settings.d_model

    def drawn(*shape: int, spread: float = d_model**-0.5) -> "torch.Tensor":
        return spread * torch.randn(*shape, generator=generator)

    made = {
        "E": drawn(words, d_model, spread=1.0),
        "P": drawn(task.context, d_model, spread=0.5),
        "W_U": drawn(d_model, words),
    }
    norms = [FINAL]
    for layer in map(str, range(1, settings.layers + 1)):
        for name in ("W_Q", "W_K", "W_V"):
            made[f"{name}_{layer}"] = drawn(settings.heads, d_model, d_model // settings.heads)
        made[f"W_O_{layer}"] = drawn(d_model, d_model)
        made[f"W_up_{layer}"] = drawn(d_model, d_model)
        made[f"W_down_{layer}"] = drawn(d_model, d_model, spread=0.5 * d_model**-0.5)
        norms += [f"{layer}a", f"{layer}b"]
    for norm in norms:
        made |= {f"g_{norm}": torch.ones(d_model), f"b_{norm}": torch.zeros(d_model)}
    return made


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model does on examples that are kept for judging.

    `loss` in nats and the part that is `right`, of the places that count; and each layer's weights.
    """

    loss: float
    right: float
    weights: tuple[Float[np.ndarray, "B H T T"], ...]


def judged(
    weights: Weights, examples: Examples, *, masked: bool, off: Collection[Head] = ()
) -> Judged:
    """Judge a model's weights, in float64; without the heads `off`."""
    import torch

    with torch.no_grad():
        tensors = {
            name: torch.tensor(array, dtype=torch.float64) for name, array in weights.items()
        }
        logits, read = predictions(tensors, examples, masked=masked, off=off)
        loss = float(_loss(logits, examples))
    guessed = logits.argmax(-1).numpy()[examples.counted]
    right = float((guessed == examples.targets[examples.counted]).mean())
    return Judged(loss, right, tuple(layer.numpy() for layer in read))
