"""Make the captures that ship: make captures. With --check nothing is written, only compared.

Each prompt of `tools.captures.prompts` is run through its model, and a file of `core/models/data`
takes its maps and chosen heads. It prints how far each is from the file that was there; one that
would be the same is left.
"""

import hashlib
import json
import sys
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from core.models.captures import FOLDER, FORMAT, MAP_STEPS
from core.models.checkpoints.opening import ModelPackage
from core.models.transformer.model import LayerRun, TransformerModel
from tools.captures.prompts import PROMPTS, Pairs, Prompt

Arrays = dict[str, np.ndarray]


def tensors(prompt: Prompt, layers: list[LayerRun]) -> Arrays:
    """Return what a file holds of a run: the maps of all heads, and the chosen heads."""
    weights = np.stack([layer.weights for layer in layers])
    arrays: Arrays = {"maps": np.rint(MAP_STEPS * weights).astype(np.uint8)}
    arrays["variances"] = score_variances(layers, opened(prompt.model).settings.is_causal)
    for chosen in prompt.heads:
        layer, h = layers[chosen.layer], chosen.head
        g = kv_head(layer, h)
        of_head = {"Q": layer.Q[h], "K": layer.K[g], "V": layer.V[g]}
        of_head |= {"weights": layer.weights[h], "context": layer.context[h]}
        for n, (text, _) in enumerate(chosen.further):
            of_head[f"further.{n}"] = run(prompt.model, text)[1][chosen.layer].weights[h]
        arrays |= {f"{chosen.name}.{name}": a.astype(np.float32) for name, a in of_head.items()}
    return {name: np.ascontiguousarray(array) for name, array in arrays.items()}


def score_variances(layers: list[LayerRun], is_causal: bool) -> np.ndarray:
    """Return for each layer and head the variance of the divided scores of all visible pairs."""
    T = layers[0].Q.shape[1]
    seen = np.tri(T, dtype=bool) if is_causal else np.ones((T, T), bool)

    def variance(layer: LayerRun, h: int) -> float:
        scores = layer.Q[h] @ layer.K[kv_head(layer, h)].T * layer.Q.shape[-1] ** -0.5
        return float(scores[seen].var())

    each = [[variance(layer, h) for h in range(len(layer.Q))] for layer in layers]
    return np.array(each, np.float32)


def kv_head(layer: LayerRun, head: int) -> int:
    """Return which key/value head a query head reads."""
    return head * len(layer.K) // len(layer.Q)


def described(prompt: Prompt, tokens: list[str], layers: list[LayerRun]) -> dict[str, str]:
    """Return the header of a run's file."""
    model = prompt.model
    heads = [
        {
            "name": chosen.name,
            "layer": chosen.layer,
            "head": chosen.head,
            "kv_head": kv_head(layers[chosen.layer], chosen.head),
            "score": chosen.score,
            "pairs": places(tokens, chosen.pairs),
            "scale": layers[chosen.layer].Q.shape[-1] ** -0.5,
            "further": [further(model, *one) for one in chosen.further],
        }
        for chosen in prompt.heads
    ]
    return {
        "format": FORMAT,
        "model": model.name,
        "source": model.source,
        "package": model.requirement,
        "sha256": sha256(model),
        "licence": model.licence,
        "prompt": prompt.text,
        "tokens": json.dumps(tokens, ensure_ascii=False),
        "mask": "causal" if opened(model).settings.is_causal else "none",
        "date": date.today().isoformat(),
        "command": "make captures",
        "heads": json.dumps(heads),
    }


def places(tokens: list[str], pairs: Pairs) -> list[tuple[int, int]]:
    """Return where the words of pairs are: of the word that reads the last place, as in "to the
    shop … a drink to".
    """
    return [(len(tokens) - 1 - tokens[::-1].index(i), tokens.index(j)) for i, j in pairs]


def further(model: ModelPackage, text: str, pairs: Pairs) -> dict[str, object]:
    """Return what a header says of a further text of a head."""
    tokens = run(model, text)[0]
    return {"prompt": text, "tokens": tokens, "pairs": places(tokens, pairs)}


@cache
def run(model: ModelPackage, text: str) -> tuple[list[str], list[LayerRun]]:
    """Return the tokens of a text and every layer of the model's run on it."""
    own = opened(model)
    encoded = own.checkpoint.tokeniser.encode(text)
    return encoded.tokens, list(own.run(encoded.ids))


@cache
def opened(package: ModelPackage) -> TransformerModel:
    """Return the model of a package, for runs in float64. It is kept for the next prompt."""
    return TransformerModel(package.open(), "float64")


@cache
def sha256(model: ModelPackage) -> str:
    """Return the checksum of the file with a model's weights."""
    return hashlib.sha256(model.path.read_bytes()).hexdigest()


def difference(arrays: Arrays, file: Path) -> str:
    """Return what is the largest difference from a file that is there, of maps and of heads."""
    if not file.exists():
        return "new"
    before = load_file(file)
    if {n: a.shape for n, a in before.items()} != {n: a.shape for n, a in arrays.items()}:
        return "other arrays"
    apart = {n: np.abs(a.astype(float) - before[n]).max() for n, a in arrays.items()}
    maps = apart.pop("maps")
    return f"maps differ by {maps:.0f}/{MAP_STEPS}, heads by {max(apart.values()):.1e}"


def says(file: Path, header: dict[str, str]) -> bool:
    """Whether a file has the same header already, of whatever date."""
    if not file.exists():
        return False
    with safe_open(file, framework="numpy") as opened:
        before = opened.metadata()
    return {**before, "date": ""} == {**header, "date": ""}


def holds(file: Path, arrays: Arrays, header: dict[str, str]) -> bool:
    """Whether a file has the same arrays and header already."""
    if not says(file, header):
        return False
    there = load_file(file)
    return there.keys() == arrays.keys() and all(
        np.array_equal(there[name], array) for name, array in arrays.items()
    )


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, prompt in PROMPTS.items():
        tokens, layers = run(prompt.model, prompt.text)
        arrays = tensors(prompt, layers)
        file = FOLDER / f"{name}.safetensors"
        header = described(prompt, tokens, layers)
        told = difference(arrays, file) + ("" if says(file, header) else ", another header")
        print(f"{name}: {len(tokens)} tokens, {told}", flush=True)
        if "--check" not in sys.argv and not holds(file, arrays, header):
            save_file(arrays, file, header)
            file.chmod(0o644)  # the library writes for its owner only


if __name__ == "__main__":
    main()
