"""Data that travels in a link: deflated, as letters that an address may have."""

import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode

from ui.links.links import LONGEST_LINK


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
