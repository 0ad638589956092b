"""Views in the URL: what each key may say, and how edited matrices travel.

Every page has its keys, each with its default and a reader of what a link says. A value that makes
no sense is replaced by its default, and a message says so.
"""

import json
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np

from core.attention.masks import KINDS
from core.attention.presets import PRESETS
from core.attention.program import attention_program
from core.attention.setups import DEFAULT_TEXT, EDITABLE
from core.errors import InputError
from core.limits import LARGEST, MAX_D_MODEL, MAX_HEADS, MAX_SEED, MAX_TEXT, MAX_TOKENS
from core.program.patterns import Cell

LONGEST_LINK = 8_000
LARGEST_UNPACKED = 1_000_000
COMPARISONS = ("none", "mask", "scale", "before")
Reader = Callable[[str, str], Any]
"""Takes a key and its text, returns the value. Raises `InputError`."""


@dataclass(frozen=True)
class Key:
    """One key of a link: what it is when it is not there, and how it is read."""

    default: Any
    reader: Reader


Keys = Mapping[str, Key]


def defaults(keys: Keys) -> dict[str, Any]:
    return {name: key.default for name, key in keys.items()}


def read(keys: Keys, raw: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """What a link says, defaults filled in, and a message for each value that cannot be used."""
    values, messages = defaults(keys), []
    for name, key in keys.items():
        if name in raw:
            try:
                values[name] = key.reader(name, raw[name])
            except InputError as error:
                messages.append(f"In the link: {error}. The default is used instead.")
    return values, messages


def written(keys: Keys, values: Mapping[str, Any]) -> dict[str, str]:
    """The link's keys and values: only what differs from the defaults."""
    return {
        name: str(values[name])
        for name, key in keys.items()
        if values.get(name) is not None and values[name] != key.default
    }


def query(keys: Keys, values: Mapping[str, Any]) -> str:
    """The link's query string."""
    return urlencode(written(keys, values))


def parse_scale(text: str) -> bool | float:
    """on, off, or a positive number. Raises `InputError`."""
    if text in ("on", "off"):
        return text == "on"
    try:
        number = float(text.replace("−", "-").replace(",", "."))
    except ValueError:
        number = 0.0
    if not 0 < number <= LARGEST:
        raise InputError(
            f"The scale is {text[:20]!r}", f"it must be on, off, or above 0 and up to {LARGEST:g}",
            "choose on, off, or type a number such as 0.5",
        )  # fmt: skip
    return number


def pack(edits: Mapping[str, np.ndarray]) -> str:
    """Edited matrices as URL text: JSON, deflated, base64."""
    if not edits:
        return ""
    lists = {name: array.tolist() for name, array in edits.items()}
    raw = json.dumps(lists, separators=(",", ":")).replace(".0,", ",").replace(".0]", "]")
    return urlsafe_b64encode(zlib.compress(raw.encode(), 9)).decode().rstrip("=")


def unpack(packed: str) -> dict[str, np.ndarray]:
    """The edited matrices of a link. Raises `InputError` for anything that is none."""
    bad = InputError(
        "The matrices in the link", "cannot be read", "ask for the link again, or use a file"
    )
    if not packed:
        return {}
    if len(packed) > LONGEST_LINK:
        raise bad
    try:
        compressed = urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(compressed, LARGEST_UNPACKED)
        lists: Any = json.loads(raw) if not unpacker.unconsumed_tail else None
        arrays = {name: np.array(value, dtype=float) for name, value in lists.items()}
    except (ValueError, TypeError, AttributeError, zlib.error, RecursionError, OverflowError):
        raise bad from None
    for name, array in arrays.items():
        shapes_fit = array.ndim in (2, 3) and max(array.shape, default=0) <= MAX_TOKENS
        if name not in (*EDITABLE, "mask") or not shapes_fit or not array.size:
            raise bad
        if not (np.isfinite(array).all() and np.abs(array).max() <= LARGEST):
            raise bad
    if "mask" in arrays:
        if not np.isin(arrays["mask"], (0, 1)).all():
            raise bad
        arrays["mask"] = arrays["mask"].astype(bool)
    return arrays


def parse_cell(text: str) -> tuple[str, Cell] | None:
    """`scores.0.2.1` as an array's name and a cell; None where it is no such thing."""
    name, *index = text.split(".")
    if not index or not all(part.isascii() and part.isdigit() and len(part) < 4 for part in index):
        return None
    return name, tuple(int(part) for part in index)


def whole(low: int, high: int) -> Reader:
    def reader(key: str, text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text[:9]) <= high):
            raise InputError(
                f"{key} is {text[:20]!r}", f"it must be a whole number from {low} to {high}",
                "choose one",
            )  # fmt: skip
        return int(text)

    return reader


def one_of(*allowed: str) -> Reader:
    def reader(key: str, text: str) -> str:
        if text not in allowed:
            raise InputError(
                f"{key} is {text[:20]!r}", "there is no such choice",
                f"choose {', '.join(allowed[:8])}" + (" …" if len(allowed) > 8 else ""),
            )  # fmt: skip
        return text

    return reader


def among(*numbers: float) -> Reader:
    """A reader of one of some numbers, as a slider offers them."""
    by_text = {str(number): number for number in numbers}
    named = one_of(*by_text)
    return lambda key, text: by_text[named(key, text)]


def text_of(key: str, text: str) -> str:
    if len(text) > MAX_TEXT:
        raise InputError(
            f"The text has {len(text):,} characters", f"the limit is {MAX_TEXT:,}", "shorten it"
        )
    return text


def _scale(key: str, text: str) -> str:
    parse_scale(text)
    return text


def cell_of(key: str, text: str) -> str:
    if parse_cell(text) is None:
        raise InputError(
            f"cell is {text[:30]!r}", "it must be a name and indices", "write scores.0.2.1"
        )
    return text


def _matrices(key: str, text: str) -> str:
    unpack(text)
    return text


WALKTHROUGH: Keys = {
    "preset": Key(None, one_of(*PRESETS)),
    "text": Key(DEFAULT_TEXT, text_of),
    "mask": Key("causal", one_of(*KINDS)),
    "window": Key(3, whole(1, MAX_TOKENS)),
    "prefix": Key(2, whole(1, MAX_TOKENS)),
    "scale": Key("on", _scale),
    "heads": Key(2, whole(1, MAX_HEADS)),
    "kv_heads": Key(None, whole(1, MAX_HEADS)),
    "d_model": Key(8, whole(1, MAX_D_MODEL)),
    "seed": Key(0, whole(0, MAX_SEED)),
    "head": Key(1, whole(1, MAX_HEADS)),
    "step": Key("scores", one_of(*attention_program(mask="custom").names)),
    "cell": Key("", cell_of),
    "compare": Key("none", one_of(*COMPARISONS)),
    "m": Key("", _matrices),
}
DEFAULTS = defaults(WALKTHROUGH)
EVERY_PAGE: Keys = {"present": Key("0", one_of("0", "1"))}
"""What a link may ask of any page: the projector's view."""
