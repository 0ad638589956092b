"""Files that somebody made to harm a server, each with the name under which it is offered."""

import json
import os
import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file, save_file

from tests.core.models import support

WEIGHTS, INDEX, CONFIG = "model.safetensors", "model.safetensors.index.json", "config.json"
CANARY = "executed"

Maker = Callable[[Path], object]
"""Changes a sound folder of GPT-2 into a hostile one."""


class Pickled:
    """Makes a file when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path(CANARY),))


def configured(**changed: Any) -> Maker:
    return lambda folder: support.configured(folder, **changed)


def settings(text: str | bytes) -> Maker:
    data = text.encode() if isinstance(text, str) else text
    return lambda folder: (folder / CONFIG).write_bytes(data)


def holed(path: Path, data: bytes, hole: int) -> None:
    """Write bytes and a hole behind them, which takes no room on a disk."""
    path.write_bytes(data)
    os.truncate(path, len(data) + hole)


def weights(data: bytes, hole: int = 0) -> Maker:
    return lambda folder: holed(folder / WEIGHTS, data, hole)


def headed(said: Any, length: int | None = None) -> bytes:
    """A header of safetensors, which may lie about its length."""
    text = said if isinstance(said, bytes) else json.dumps(said).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text


def tensor(start: int, end: int, shape: list[Any], kind: str = "F32") -> dict[str, Any]:
    return {"dtype": kind, "shape": shape, "data_offsets": [start, end]}


def only_a_pickle(folder: Path, name: str = "pytorch_model.bin") -> None:
    (folder / WEIGHTS).unlink()
    (folder / name).write_bytes(pickle.dumps(Pickled()))


def many_headers(folder: Path) -> None:
    """Sixty-four shards with the longest header each."""
    said = {f"h.{n}.x": tensor(4 * n, 4 * n + 4, [1]) for n in range(5_200)}
    save_file(load_file(folder / WEIGHTS), folder / "model-0.safetensors")
    for n in range(1, 64):
        (folder / f"model-{n}.safetensors").write_bytes(headed(said) + bytes(20_800))
    places = {f"h.{n}.x": f"model-{n}.safetensors" for n in range(64)}
    (folder / INDEX).write_text(json.dumps({"weight_map": places}))


def index(place: str) -> Maker:
    said = {"weight_map": {"transformer.wte.weight": place}}
    return lambda folder: (folder / INDEX).write_text(json.dumps(said))


def link(name: str, target: str = "/etc/passwd") -> Maker:
    def make(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).symlink_to(target)

    return make


CHECKPOINTS: dict[str, Maker] = {
    "only a pickle": only_a_pickle,
    "only a pickle by another name": lambda folder: only_a_pickle(folder, "model.pt"),
    "pickled settings": settings(pickle.dumps(Pickled())),
    "pickled weights": weights(pickle.dumps(Pickled())),
    "code in auto_map": configured(auto_map={"AutoModel": "evil.Model"}),
    "code asked to be trusted": configured(trust_remote_code=True),
    "no settings": settings(""),
    "settings that are a list": settings("[]"),
    "settings that are cut off": settings("{"),
    "settings of a zero": settings("\0"),
    "settings of a word": settings("nul"),
    "settings that are deep": settings('{"a":' * 100_000),
    "a value that is deep": settings('{"model_type":' + "[" * 900 + "]" * 900 + "}"),
    "settings that are long": settings('{"a":"' + "a" * 2_000_000 + '"}'),
    "a number of 400 digits": configured(layer_norm_epsilon=10**400),
    "a number of 5,000 digits": settings('{"model_type":"gpt2","n_head":' + "9" * 5_000 + "}"),
    "NaN": configured(layer_norm_epsilon=float("nan")),
    "infinity": configured(layer_norm_epsilon=float("inf")),
    "a negative size": configured(n_layer=-1),
    "10**9 words": configured(vocab_size=10**9),
    "half of a character": configured(model_type="\ud800gpt2"),
    "bytes that are no UTF-8": settings(b'{"model_type":"\xff\xfe"}'),
    "controls in a name": configured(model_type="\x1b[2J\x00\u202egpt2"),
    "no weights": weights(b""),
    "a header of 2^64 bytes": weights(b"\xff" * 8),
    "a header of 10 GB": weights(headed(b"{}", 10 * 2**30), 10 * 2**30),
    "a header that is cut off": weights(headed(b'{"a":', 5)),
    "a header that is deep": weights(headed(b'{"a":' * 100_000)),
    "10 GB that are declared": weights(headed({"wte.weight": tensor(0, 10**10, [5 * 10**9])})),
    "10 GB that are there": weights(headed({"x": tensor(0, 10**10, [25 * 10**8])}), 10**10),
    "offsets that overlap": weights(headed({"a": tensor(0, 8, [2]), "b": tensor(4, 8, [1])}), 8),
    "an offset below 0": weights(headed({"a": tensor(-4, 4, [2])}), 8),
    "a size below 0": weights(headed({"a": tensor(0, 8, [-2])}), 8),
    "sizes whose product overflows": weights(headed({"a": tensor(0, 8, [2**40, 2**40])}), 8),
    "a size of 1e999": weights(
        headed(b'{"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,8]}}')
    ),
    "a hole between tensors": weights(headed({"a": tensor(4, 8, [1])}), 8),
    "a kind that is not known": weights(headed({"a": tensor(0, 8, [1], "OBJECT")}), 8),
    "a tensor with half of a name": weights(
        headed(b'{"\\ud800":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'), 4
    ),
    "50,000 tensors": weights(headed({f"h.{n}": tensor(0, 0, [0]) for n in range(50_000)})),
    "64 long headers": many_headers,
    "a shard outside": index("../../outside.safetensors"),
    "a shard that is a path": index("/etc/passwd"),
    "a shard with a long name": index("a" * 300 + ".safetensors"),
    "40,000 shards": lambda folder: (folder / INDEX).write_text(
        json.dumps({"weight_map": {f"{n}": f"{n}.safetensors" for n in range(40_000)}})
    ),
    "settings that are a link out": link(CONFIG),
    "weights that are a link out": link(WEIGHTS),
}


def _gguf(tensors: int, entries: int, body: bytes = b"", hole: int = 0) -> Maker:
    data = struct.pack("<4sIQQ", b"GGUF", 3, tensors, entries) + body
    return lambda path: holed(path, data, hole)


def _named(kind: int) -> bytes:
    return struct.pack("<Q1sI", 1, b"a", kind)


def _many_lists(path: Path) -> None:
    """Forty lists of a million empty texts, which are holes on the disk."""
    with path.open("wb") as file:
        file.write(struct.pack("<4sIQQ", b"GGUF", 3, 0, 40))
        for n in range(40):
            file.write(struct.pack("<Q2sIIQ", 2, b"%02d" % n, 9, 8, 500_000))
            file.seek(4_000_000, 1)
        file.truncate(file.tell())


_TENSOR = struct.pack("<Q1sIQIQ", 1, b"t", 1, 16, 0, 0)
GGUF_FILES: dict[str, Maker] = {
    "nothing": lambda path: path.write_bytes(b""),
    "a pickle": lambda path: path.write_bytes(pickle.dumps(Pickled())),
    "2^60 tensors": _gguf(2**60, 0),
    "2^60 settings": _gguf(0, 2**60),
    "a text of 2^60 bytes": _gguf(0, 1, _named(8) + struct.pack("<Q", 2**60)),
    "a text of 5 GB": _gguf(0, 1, _named(8) + struct.pack("<Q", 5 * 10**9), 5 * 10**9),
    "a list of 2^60 texts": _gguf(0, 1, _named(9) + struct.pack("<IQ", 8, 2**60)),
    "a list of 2^60 bytes": _gguf(0, 1, _named(9) + struct.pack("<IQ", 0, 2**60)),
    "a setting of kind 77": _gguf(0, 1, _named(77)),
    "a list with a text of 5 GB": _gguf(
        0, 1, _named(9) + struct.pack("<IQQ", 8, 1, 5 * 10**9), 5 * 10**9
    ),
    "lists in lists": _gguf(0, 1, _named(9) + struct.pack("<IQ", 9, 2**30) * 1_000),
    "many lists": _many_lists,
    "600,000 texts": _gguf(0, 1, _named(9) + struct.pack("<IQ", 8, 600_000), 4_800_000),
    "2,000 tensors at one place": _gguf(
        2_000,
        0,
        b"".join(struct.pack("<Q5sIQIQ", 5, b"%05d" % n, 1, 16, 0, 0) for n in range(2_000)),
        64,
    ),
    "a tensor twice": _gguf(2, 0, _TENSOR * 2, 256),
    "10 GB that are declared": _gguf(
        1, 0, struct.pack("<Q1sIQQIQ", 1, b"t", 2, 50_000, 50_000, 0, 0), 64
    ),
    "a size of 2^63": _gguf(1, 0, struct.pack("<Q1sI4QIQ", 1, b"t", 4, *[2**63] * 4, 0, 0), 64),
    "an offset of 2^64": _gguf(1, 0, struct.pack("<Q1sIQIQ", 1, b"t", 1, 4, 0, 2**64 - 32), 64),
    "99 axes": _gguf(1, 0, struct.pack("<Q1sI", 1, b"t", 99)),
}


LEFT_OUT = object()


def recording(**header: Any) -> bytes:
    """The bytes of a recording of one call, with what is hostile in its header."""
    call = {
        "name": "a", "function": "f", "causal": True, "scale": 1.0, "dropout": 0.0,
        "precision": "float32", **header.pop("call", {}),
    }  # fmt: skip
    told = {"recording": "1", "calls": [call], "tokens": None, "key_tokens": None, "notes": []}
    said = {n: v for n, v in (told | header).items() if v is not LEFT_OUT}
    texts = {n: v if isinstance(v, str) else json.dumps(v) for n, v in said.items()}
    arrays = {
        f"0.{name}": tensor(16 * at, 16 * at + 16, [1, 2, 2])
        for at, name in enumerate(("Q", "K", "V", "weights", "context"))
    }
    return headed({"__metadata__": texts, **arrays}) + bytes(80)


RECORDINGS: dict[str, bytes] = {
    "nothing": b"",
    "three bytes": b"abc",
    "a pickle": pickle.dumps(Pickled()),
    "a zip": b"PK\x03\x04" + bytes(200),
    "no JSON": headed(b"{{{{"),
    "a header of 5 MB": headed(b"{}".ljust(5_000_000)),
    "a header of 2^64 bytes": b"\xff" * 8,
    "a header that is cut off": recording()[:100],
    "data that are cut off": recording()[:-1],
    "a header that is deep": headed(b'{"a":' * 100_000),
    "calls that are deep": recording(calls="[" * 100_000),
    "calls that are none": recording(calls="3"),
    "no list of calls": recording(calls=LEFT_OUT),
    "an empty list of calls": recording(calls=[]),
    "no version": recording(recording=LEFT_OUT),
    "2,000 calls": recording(calls=[{}] * 2_000),
    "another version": recording(recording="99\x1b"),
    "a scale that is NaN": recording(call={"scale": float("nan")}),
    "a scale in words": recording(call={"scale": "large"}),
    "causal 1": recording(call={"causal": 1}),
    "dropout 2": recording(call={"dropout": 2}),
    "a scale of 400 digits": recording(call={"scale": 10**400}),
    "a name that is a list": recording(call={"name": ["a"]}),
    "a name that is a number": recording(call={"name": 3}),
    "a name that is long": recording(call={"name": "a" * 201}),
    "half of a character in a name": recording(call={"name": "\ud800"}),
    "half of a character in a token": recording(tokens=["a", "\udfff"]),
    "no tokens": recording(tokens=LEFT_OUT),
    "tokens of numbers": recording(tokens=[1, 2]),
    "tokens of text": recording(tokens='"abc"'),
    "a token that is long": recording(tokens=["a", "b" * 100_000]),
    "21 notes": recording(notes=["a"] * 21),
    "a note that is none": recording(notes=[{}]),
    "a note that is long": recording(notes=["a" * 100_000]),
    "offsets that overlap": headed({"a": tensor(0, 8, [2]), "b": tensor(4, 8, [1])}) + bytes(8),
    "a size below 0": headed({"a": tensor(0, 8, [-2])}) + bytes(8),
    "offsets that go backwards": headed({"0.Q": tensor(4, 0, [1])}),
    "offsets past the end": headed({"0.Q": tensor(0, 36, [9])}),
    "10 GB that are declared": headed(
        {"blocks.0.attn.hook_pattern": tensor(0, 10**10, [25 * 10**8])}
    ),
    "a cache with one array": headed({"a.hook_pattern": tensor(0, 4, [1, 1, 1])}) + bytes(4),
    "a cache of integers": headed(
        {
            f"a.hook_{n}": tensor(8 * at, 8 * at + 8, [1, 1, 1], "I64")
            for at, n in enumerate(("pattern", "q", "k", "v"))
        }
    )
    + bytes(32),
}
