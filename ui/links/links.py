"""Views in the URL: what a key of a link may say, and how it is read and written; packed data.

Every page has its keys, each with its default and a reader of what a link says. A value that makes
no sense is replaced by its default, and a message says so.
"""

import re
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from core.attention.tokens import few_enough, tokenise
from core.errors import InputError, input_error
from core.limits import MAX_TEXT
from core.program.labels import parse_cell as parse_cell
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("messages")
LONGEST_LINK = 8_000
PAGE_DEFAULT = "none"
"""Says of a key that it is as on an untouched page, where a lesson's scene has it otherwise."""
Reader = Callable[[str, str], Any]
"""Takes a key and its text, returns the value. Raises `InputError`."""


@dataclass(frozen=True)
class Key:
    """One key of a link: what it is when it is not there, and how it is read.

    `carried_as` names what is carried from page to page, each of which has a key of its own for it.
    """

    default: Any
    reader: Reader
    carried_as: str = ""
    of_scene: bool = False
    """Whether the default is that of a lesson's scene, and not the page's own."""
    legacy_default: Any = None
    """What a link means without it that says something else of the page, where that is not the
    default. So a page may open elsewhere than it did, and old links still mean what they meant."""


Keys = Mapping[str, Key]


def defaults(keys: Keys) -> dict[str, Any]:
    return {name: key.default for name, key in keys.items()}


def values_of_link(
    keys: Keys, link: Mapping[str, str], typed: Mapping[str, str] = MappingProxyType({})
) -> tuple[dict[str, Any], list[str]]:
    """What a link says, what it means by what it leaves out, and what was `typed` over it.

    Also a message for each value that cannot be used: its default is.
    """
    values, messages = defaults(keys) | _implied(keys, link), list[str]()
    raw = {**link, **typed}
    for name, key in keys.items():
        if name in raw:
            try:
                values[name] = key.reader(name, raw[name])
            except InputError as error:
                if raw[name] == PAGE_DEFAULT:
                    continue
                messages.append(TEXTS("default_used", error=str(error)))
    return values, messages


def to_query(keys: Keys, values: Mapping[str, Any]) -> dict[str, str]:
    """The link's keys and values: only what differs from the defaults."""
    found = {}
    for name, key in keys.items():
        value = values.get(name)
        if key.of_scene and value in (None, "") and key.default not in (None, ""):
            found[name] = PAGE_DEFAULT
        elif value is not None and value != key.default:
            found[name] = str(value)
    text = {name: values.get(name) for name, key in keys.items() if is_always_written(key)}
    return found and {name: str(v) for name, v in text.items() if v is not None} | found


def is_always_written(key: Key) -> bool:
    """Whether a link that says something of its page has to say this, even as it is by default."""
    return key.legacy_default is not None and not key.of_scene


def _implied(keys: Keys, link: Mapping[str, str]) -> dict[str, Any]:
    """What a link means by keys that it leaves out; nothing if it says nothing of use."""
    found = (n for n in keys if n in link)
    if not any(link[n] == PAGE_DEFAULT or makes_sense(n, keys[n], link[n]) for n in found):
        return {}
    implied = {n: key for n, key in keys.items() if n not in link and is_always_written(key)}
    return {n: key.legacy_default for n, key in implied.items()}


def makes_sense(name: str, key: Key, text: str) -> bool:
    """Whether a key can have the value that a text names."""
    try:
        key.reader(name, text)
    except InputError:
        return False
    return True


def whole_number_reader(low: int, high: int) -> Reader:
    """A reader of a whole number from 0 up, in no more digits than the largest has."""
    digits = len(str(high))  # Python refuses to read a number of thousands of them

    def reader(key: str, text: str) -> int:
        number = text.isascii() and text.isdigit() and len(text) <= digits
        if not (number and low <= int(text) <= high):
            shown = repr(text[:20])
            raise input_error(TEXTS, "no_whole_number", key=key, text=shown, low=low, high=high)
        return int(text)

    return reader


def with_names(renamed: Mapping[str, str], reader: Reader) -> Reader:
    """Return a reader of links in which arrays may have older names."""
    older = re.compile(rf"\b({'|'.join(renamed)})\b", re.ASCII)

    def reads(key: str, text: str) -> Any:
        return reader(key, older.sub(lambda found: renamed[found[0]], text))

    return reads if renamed else reader


def one_of(*allowed: str, like: str = "") -> Reader:
    """A reader of one of these, or of what a regular expression fits."""

    def reader(key: str, text: str) -> str:
        if text not in allowed and not (like and re.fullmatch(like, text, re.ASCII)):
            named = {"names": allowed[:8], "more": len(allowed) > 8}
            raise input_error(TEXTS, "no_choice", key=key, text=repr(text[:20]), **named)
        return text

    return reader


def among(*numbers: float) -> Reader:
    """A reader of one of some numbers, as a slider offers them."""
    by_text = {str(number): number for number in numbers}
    named = one_of(*by_text)
    return lambda key, text: by_text[named(key, text)]


def checked_text(check: Callable[[str], object]) -> Reader:
    """A reader of a text that passes a check, as it is."""

    def reader(key: str, text: str) -> str:
        check(text)
        return text

    return reader


sentence_of = checked_text(tokenise)
"""A reader of a text that has tokens, and not too many."""
short_sentence = checked_text(few_enough)
"""A reader of a sentence that is short enough to be drawn whole."""


def text_of(key: str, text: str) -> str:
    if len(text) > MAX_TEXT:
        raise input_error(TEXTS, "long_text", count=f"{len(text):,}", limit=f"{MAX_TEXT:,}")
    return text


def cell_of(key: str, text: str) -> str:
    if parse_cell(text) is None:
        raise input_error(TEXTS, "no_cell_name", key=key, text=repr(text[:30]))
    return text


def cover_of(*names: str, like: str = "") -> Reader:
    """A reader of what is covered: an array, a row or a cell of it, or a step's result."""

    def reader(key: str, text: str) -> str:
        if text in ("", "none"):
            return ""
        name = text.split(".")[0]
        found = text == "result" or text == name or parse_cell(text)
        known = name in ("result", *names) or (like and re.fullmatch(like, name, re.ASCII))
        if not found or not known:
            raise input_error(TEXTS, "no_cover_name", key=key, text=repr(text[:30]))
        return text

    return reader


VIEW = ("step", "cell", "head", "cover")
"""The parts of a stage's view, as the keys of a link end."""


def stage_named(keys: Iterable[str]) -> str:
    """Return the stage that the first key of one is of, by the stage's own key; "" for none."""
    for key in keys:
        for part in VIEW:
            prefix = key.removesuffix(part)
            if key == part or (prefix != key and prefix.endswith("_")):
                return f"{prefix}stage"
    return ""


SENTENCE_KEY = "sentence"
"""What comes along from page to page: the text that a person typed."""
STUDENT = "student"
EVERY_PAGE: Keys = {"present": Key("0", one_of("0", "1")), "role": Key("", one_of("", STUDENT))}
"""What a link may ask of any page: the projector's view, and the view of a student."""


def packed_data(raw: bytes) -> str:
    """Return data as the text of a link."""
    return urlsafe_b64encode(zlib.compress(raw, 9)).decode().rstrip("=")


def unpacked_data(packed: str, most: int) -> bytes:
    """Return what was packed, its first `most` bytes if there are more: no more are unpacked.

    Raises `ValueError` for a text that is no packed data, or that is too long for a link.
    """
    if len(packed) > LONGEST_LINK:
        raise ValueError
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), most)
    except zlib.error as error:
        raise ValueError from error
    if not unpacker.eof and len(raw) < most:
        raise ValueError
    return raw
