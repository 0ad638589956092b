"""Names that people and models give the matrices, and how a file keeps what has such a name.

A model's name is a path: the layer that attends, the module in it, and `weight` or `bias`. A
`Linear` of PyTorch keeps the transpose of W, a `Conv1D` of GPT-2 keeps W itself, and some layers
keep W_Q, W_K and W_V as one. Several layers are never mixed: one of them has to be named.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from core.attention.layers.biases import BIASES
from core.errors import InputError, input_error
from core.program.labels import listed_names
from core.program.numbers.display import shape_text
from core.program.numbers.literals import prints
from core.texts import core_texts

TEXTS = core_texts("model_names")

PROJECTION_PATHS: Mapping[str, Mapping[str, str]] = {
    "gpt2": {"QKV": "attn.c_attn", "O": "attn.c_proj"},
    "llama": {n: f"self_attn.{n.lower()}_proj" for n in "QKVO"},
    "bert": {
        "Q": "attention.self.query",
        "K": "attention.self.key",
        "V": "attention.self.value",
        "O": "attention.output.dense",
    },
    "distilbert": {n: f"attention.{n.lower()}_lin" for n in "QKV"} | {"O": "attention.out_lin"},
}
"""Where families of models keep the projections of a layer; QKV if all three are kept as one."""
_MATRICES = {
    "Q": ("wq", "wquery", "qproj", "queryproj", "toq"),
    "K": ("wk", "wkey", "kproj", "keyproj", "tok"),
    "V": ("wv", "wvalue", "vproj", "valueproj", "tov"),
    "O": ("wo", "wout", "woutput", "oproj", "outproj", "toout"),
}
"""Names that people give the matrix of a projection, in small letters and without signs."""
_PLAIN = {
    "X": ("x", "input", "inputs", "embedding", "embeddings"),
    **{f"W_{letter}": names for letter, names in _MATRICES.items()},
    "b_Q": ("bq", "bquery", "qbias", "querybias"),
    "b_K": ("bk", "bkey", "kbias", "keybias"),
    "b_V": ("bv", "bvalue", "vbias", "valuebias"),
    "b_O": ("bo", "bout", "boutput", "outbias", "outputbias"),
    "Q": ("q", "query", "queries", "qmatrix", "querymatrix", "querymatrixq"),
    "K": ("k", "key", "keys", "kmatrix", "keymatrix", "keymatrixk"),
    "V": ("v", "value", "values", "vmatrix", "valuematrix", "valuematrixv"),
    "scores": ("scores", "attnscores", "attentionscores", "rawscores"),
    "weights": ("weights", "attentionweights", "attnweights", "attention", "attn"),
    "mask": (
        *("mask", "attnmask", "attentionmask", "keypaddingmask", "srckeypaddingmask"),
        *("paddingmask", "causalmask", "srcmask", "tgtmask", "tril"),
    ),
    "bias": ("bias", "attnbias", "attentionbias", "positionbias", "relativepositionbias"),
    "tokens": ("tokens", "labels", "words", "querytokens"),
    "key_tokens": ("keytokens", "keystokens", "keylabels", "contexttokens"),
}
"""Names of arrays, spelled in the same way."""
RESULTS = ("scaled", "masked", "context", "concat", "output")
"""Further names of a run's arrays, which a file may hold next to its inputs."""
_OUTPUTS = ("cproj", "proj", "dense", "fcout")
"""Modules that are W_O next to the other projections, and anything elsewhere."""
_INTERLEAVED = ("querykeyvalue", "qkvproj")
"""Modules whose rows are in one order in some models and in another in others."""
_CONV = "cattn"
_NEVER_SHARED = "toqkv"
"""A module whose heads never share keys, so that its rows are thirds also if they are not E."""
_MODULES = {
    "Q": (*_MATRICES["Q"], "q", "queries", "mhaqproj"),
    "K": (*_MATRICES["K"], "k", "keys", "mhakproj"),
    "V": (*_MATRICES["V"], "v", "values", "mhavproj"),
    "O": (*_MATRICES["O"], "o", *_OUTPUTS),
    "QKV": ("mhainproj", "qkv", "wqkv", "wpack", _NEVER_SHARED, *_INTERLEAVED),
}
"""Names of modules by the projections they keep, beside those in `PROJECTION_PATHS`."""


def _letters(name: str) -> str:
    return re.sub(r"[^a-z]", "", name.lower())


_OUR_NAMES = {alias: ours for ours, aliases in _PLAIN.items() for alias in aliases}
_PROJECTIONS_OF = {alias: letters for letters, aliases in _MODULES.items() for alias in aliases} | {
    _letters(path.rpartition(".")[2]): letters
    for paths in PROJECTION_PATHS.values()
    for letters, path in paths.items()
}
_MODULE = re.compile(r"(?:(.*)\.)?([^.]+)\.(weight|bias)", re.DOTALL)
_PARAMETER = re.compile(r"(.+)\._?([Wb])_([QKVO])", re.DOTALL)
"""As TransformerLens has them, by heads."""
_JOINED_NAME = re.compile(r"\b(in_proj|[qkv]_proj)_(weight|bias)$")
"""As PyTorch's own `MultiheadAttention` has them; `in_proj.weight` is another module's."""
_HEAD = re.compile(r"(.*?)\.?\bheads\.(\d{1,3})", re.DOTALL)
_CHANGING = re.compile(r"([qk]|query|key)_?(layer_?)?norm|lora_|relative_attention_bias|bias_[kv]$")
"""Parts of a layer that change Q, K, V or the scores in a way that this product has no step for."""
OUR_DOWNLOAD = "tokens"
"""What every download of ours holds, next to all steps of its program."""
_LISTED = 6
_NAME_LENGTH = 48


@dataclass(frozen=True)
class Part:
    """What a model's name says: whose projections these are, and how they are kept."""

    layer: str
    module: str
    letters: str
    """Q, K, V or O; QKV if all three are kept as one."""
    bias: bool
    by_heads: bool
    """Whether W itself is kept, with an axis of heads."""
    head: int | None
    """Which head, if each has a module of its own."""

    @property
    def ours(self) -> tuple[str, ...]:
        """Our names of what it keeps: W_Q, or W_Q, W_K and W_V."""
        return tuple(f"{'b' if self.bias else 'W'}_{letter}" for letter in self.letters)

    @property
    def attends(self) -> bool:
        """Whether a layer that has it is one of attention."""
        return self.letters != "O"


def our_name(name: str) -> str:
    """Return the name that this product has for a matrix; the same one if it has none.

    Of W_Q, W_K and W_V kept as one it is W_Q.
    """
    if part := model_part(name):
        return part.ours[0]
    if re.search(r"\d", name):  # x1 and x2 are not X
        return name
    return _OUR_NAMES.get(_letters(name), name)


def model_part(name: str) -> Part | None:
    """Return what a model's name says; None if it is not one of a projection."""
    if found := _PARAMETER.fullmatch(name):
        layer, kind, letter = found.groups()
        return Part(layer, f"W_{letter}", letter, kind == "b", by_heads=True, head=None)
    path = _JOINED_NAME.sub(r"mha_\1.\2", name).replace("to_out.0.", "to_out.")
    if not (found := _MODULE.fullmatch(path)):
        return None
    module = _letters(found[2])
    if not (letters := _PROJECTIONS_OF.get(module)):
        return None
    layer, head = _layer(found[1] or "", module)
    return Part(layer, module, letters, found[3] == "bias", by_heads=False, head=head)


def attention_layers(names: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of the layers of attention among these names, in the order of their numbers.

    "" is the path of names without one.
    """
    parts = [part for name in names if (part := model_part(name))]
    attending = [part for part in parts if part.attends]
    alone = [part for part in parts if part.module not in _OUTPUTS]
    return tuple(sorted({part.layer for part in attending or alone}, key=_by_number))


def chosen_names(
    names: Collection[str], wanted: Collection[str], layer: str | None = None
) -> tuple[str, ...]:
    """Return which arrays of a file are meant, by their names in it.

    Those of the one layer of attention, or of the named one; with them biases, and what is called
    by one of the `wanted` names; if there are none, what has another name of ours. An array without
    a name is meant if it is the only one. Raises `InputError` if there are several layers, and for
    names that say nothing.
    """
    if set(names) <= {""}:
        return tuple(names)
    parts = _parts_of_one(names, layer)
    plain = [name for name in names if model_part(name) is None]
    is_ours = OUR_DOWNLOAD in names
    meant = {name: {name} if is_ours else {name, our_name(name)} for name in plain}
    known = [name for name in plain if meant[name] & {*wanted, *_PLAIN, *RESULTS}]
    asked = [name for name in plain if meant[name] & {*wanted, *BIASES}]
    chosen = {*parts, *asked} or set(known)
    # A path into a model that is not of its attention is left out.
    strange = [n for n in plain if n not in known and not is_ours and "." not in n]
    if not chosen or strange:
        listed = listed_names([*(n for n in _PLAIN if n not in BIASES), *BIASES])
        raise input_error(TEXTS, "unknown_names", names=_shortened(strange or names), wanted=listed)
    return tuple(name for name in names if name in chosen)


def by_our_names(
    given: Mapping[str, np.ndarray], layer: str | None = None
) -> dict[str, np.ndarray]:
    """Return matrices by the names of this product, where theirs are usual ones.

    What a layer keeps as one is split, what it keeps transposed is turned, heads with modules of
    their own are stacked. Heads that are joined stay joined. What has no usual name keeps its own.
    Raises `InputError` for several layers, if none of them is named, for what cannot be split, and
    for two matrices with the same meaning.
    """
    parts = _parts_of_one(given, layer)
    is_conv = any(
        part.module == _CONV and not part.bias and _has_thirds(given[name].shape[::-1])
        for name, part in parts.items()
    )
    found: dict[str, dict[int | None, np.ndarray]] = {}
    for name, array in given.items():
        part = parts.get(name)
        own = name if model_part(name) else our_name(name)  # another layer's keeps its own
        pieces = _pieces(name, part, array, is_conv) if part else {own: array}
        for ours, piece in pieces.items():
            heads = found.setdefault(ours, {})
            head = part.head if part else None
            if head in heads or (heads and None in (head, *heads)):
                raise input_error(TEXTS, "given_twice", name=ours)
            heads[head] = piece
    return {ours: _stacked(ours, heads) for ours, heads in found.items()}


def shape_of_one(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of W_Q if W_Q, W_K and W_V are kept as one under this name.

    It is the given shape for any other name, and for one that cannot be split.
    """
    part = model_part(name)
    if part is None or part.letters != "QKV" or not shape:
        return shape
    is_conv = part.module == _CONV and _has_thirds(shape[::-1])
    axis = 0 if not part.bias and len(shape) == 2 and not is_conv else -1
    sizes = list(shape)
    if sizes[axis] % 3 == 0:
        sizes[axis] //= 3
    return tuple(sizes)


def _parts_of_one(names: Collection[str], layer: str | None) -> dict[str, Part]:
    """The parts of one layer by their names. Raises `InputError` if it is not clear which."""
    layers = attention_layers(names)
    if layer is not None and layer not in layers:
        known = _shortened(layers) if layers else TEXTS("none")
        raise input_error(TEXTS, "no_layer", layer=_short(layer), layers=known)
    if layer is None and len(layers) > 1:
        layers_text = _shortened([one or TEXTS("no_path") for one in layers])
        example = next(filter(None, layers))
        raise input_error(
            TEXTS, "several_layers", count=len(layers), layers=layers_text, example=_short(example)
        )
    if not layers:
        return {}
    own = {
        name: part
        for name in names
        if (part := model_part(name)) and part.layer == (layers[0] if layer is None else layer)
    }
    if not any(part.attends for part in own.values()):
        return {name: part for name, part in own.items() if part.module not in _OUTPUTS}
    for name, part in own.items():
        if part.module in _INTERLEAVED:
            raise input_error(TEXTS, "interleaved", name=_short(name))
    path = next(iter(own.values())).layer
    inside = f"{path}." if path else ""
    for name in names:
        if name not in own and name.startswith(inside) and _CHANGING.search(name, len(inside)):
            raise input_error(TEXTS, "changing", name=_short(name))
    return own


def _pieces(name: str, part: Part, array: np.ndarray, is_conv: bool) -> dict[str, np.ndarray]:
    """What a part keeps, each by our name: W turned so that it is d_model × features."""
    kept_as_is = part.bias or part.by_heads or (is_conv and part.module in (_CONV, "cproj"))
    turned = array if kept_as_is or array.ndim < 2 else array.swapaxes(-1, -2)
    count = len(part.ours)
    is_joined = count > 1 and not part.bias and part.module != _NEVER_SHARED
    if is_joined and not _has_thirds(turned.shape[::-1]):
        raise _not_split(name, array)
    if turned.ndim == 0 or turned.shape[-1] % count:
        raise _not_split(name, array)
    if part.by_heads and part.ours == ("W_O",) and array.ndim == 3:
        turned = array.reshape(-1, array.shape[-1])
    return dict(zip(part.ours, np.split(turned, count, axis=-1), strict=True))


def _not_split(name: str, array: np.ndarray) -> InputError:
    return input_error(TEXTS, "not_split", name=_short(name), shape=shape_text(array.shape))


def _stacked(ours: str, heads: Mapping[int | None, np.ndarray]) -> np.ndarray:
    """One matrix, or those of heads that have a module each: an axis of heads before the others."""
    if None in heads:
        return heads[None]
    numbers = sorted(number for number in heads if number is not None)
    arrays = [heads[n].ravel() if ours in BIASES else heads[n] for n in numbers]
    if numbers != list(range(len(numbers))) or len({array.shape for array in arrays}) > 1:
        raise input_error(
            TEXTS, "uneven_heads", name=ours, heads=listed_names([*map(str, numbers)])
        )
    return np.stack(arrays)


def _has_thirds(shape: tuple[int, ...]) -> bool:
    """Whether a matrix is 3·E × E."""
    return len(shape) == 2 and shape[0] == 3 * shape[1]


def _layer(path: str, module: str) -> tuple[str, int | None]:
    """The path of a layer and the head, from the path of a module: BERT nests another in it."""
    inner = (".self", ".output") if module == "dense" else (".self",)
    nested = f".{path}"
    for last in inner:
        nested = nested.removesuffix(last)
    if nested.endswith(".attention.attention"):
        nested = nested.removesuffix(".attention")
    path = nested.removeprefix(".")
    if found := _HEAD.fullmatch(path):
        return found[1], int(found[2])
    return path, None


def _by_number(path: str) -> list[tuple[int, str]]:
    """For sorting: h.2 before h.10."""
    return [
        (int(piece) if piece.isdecimal() and len(piece) < 10 else -1, piece)
        for piece in re.split(r"(\d+)", path)
    ]


def _short(name: str) -> str:
    """A name from outside in a message: its end says most, and all of it can be printed."""
    end = name if len(name) <= _NAME_LENGTH else f"…{name[1 - _NAME_LENGTH :]}"
    return "".join(c if seen else "�" for c, seen in zip(end, prints(end), strict=True))


def _shortened(names: Iterable[str]) -> str:
    """The first few of some names, and how many more there are."""
    listed = [_short(name) or TEXTS("no_name") for name in names]
    more = len(listed) - _LISTED
    if more <= 1:
        return listed_names(listed)
    return TEXTS("and_more", names=", ".join(listed[:_LISTED]), more=more)
