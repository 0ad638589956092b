"""Compare the runs in numpy with transformers' on every prompt: python -m tools.captures.check.

It needs torch, transformers, accelerate and gguf beside requirements-models.txt. Both run in
float64, so that only an error of ours is left.
"""

from collections.abc import Iterator

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

from core.models.checkpoints.opening import MINILM, SMOLLM2, ModelPackage
from core.models.transformer.model import TransformerModel
from core.models.transformer.numpy_parts import heads_side_by_side
from tools.captures.prompts import PROMPTS

LOADING = {SMOLLM2.name: {"gguf_file": SMOLLM2.path.name}, MINILM.name: {}}


def reference(model: ModelPackage) -> tuple[object, torch.nn.Module]:
    """Return transformers' tokenizer and model of the same file, in float64."""
    folder, loading = model.path.parent, LOADING[model.name]
    tokenizer = AutoTokenizer.from_pretrained(folder, **loading)
    loaded = AutoModel.from_pretrained(folder, attn_implementation="eager", **loading)
    return tokenizer, loaded.double().eval()


def contexts(loaded: torch.nn.Module, run: dict[str, torch.Tensor]) -> Iterator[np.ndarray]:
    """Give what each layer's output projection gets: the heads' contexts next to each other."""
    seen: list[np.ndarray] = []
    ends = (".o_proj", ".attention.output.dense")
    hooks = [
        part.register_forward_pre_hook(lambda _, given: seen.append(given[0][0].numpy()))
        for name, part in loaded.named_modules()
        if f".{name}".endswith(ends)
    ]
    loaded(**run)
    for hook in hooks:
        hook.remove()
    yield from seen


def main() -> None:
    for model in (SMOLLM2, MINILM):
        tokenizer, loaded = reference(model)
        own = TransformerModel(model.open(), "float64")
        for name, prompt in PROMPTS.items():
            if prompt.model is not model:
                continue
            encoded = own.checkpoint.tokeniser.encode(prompt.text)
            run = tokenizer(prompt.text, return_tensors="pt")  # type: ignore[operator]
            assert run["input_ids"][0].tolist() == encoded.ids, name
            with torch.no_grad():
                theirs = [a[0].numpy() for a in loaded(**run, output_attentions=True).attentions]
                read = list(contexts(loaded, run))
            ours = list(own.run(encoded.ids))
            apart = [0.0, 0.0]
            for layer, weights, context in zip(ours, theirs, read, strict=True):
                differences = (layer.weights - weights, heads_side_by_side(layer.context) - context)
                apart = [
                    max(d, float(np.abs(e).max())) for d, e in zip(apart, differences, strict=True)
                ]
            print(f"{name}: weights {apart[0]:.1e}, contexts {apart[1]:.1e}")


if __name__ == "__main__":
    main()
