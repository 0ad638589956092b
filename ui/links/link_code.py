"""A link as a QR code, for the phones in a room; and whether others can open it at all."""

from io import BytesIO
from urllib.parse import urlsplit

import segno

LARGEST = 25
"""The version (size) of a code that a phone still reads off a projected page: 117 × 117 modules."""
QUIET = 4
"""Modules of white around a code, as the standard asks for."""
OWN_NAMES = ("localhost", "127.0.0.1", "::1")


def link_code(link: str) -> str | None:
    """The code as SVG of any size, black on white in any theme; None if the link is too long."""
    try:
        code = segno.make_qr(link, error="l", boost_error=False)
    except segno.DataOverflowError:
        return None
    if int(code.version) > LARGEST:
        return None
    written = BytesIO()
    code.save(
        written, kind="svg", border=QUIET, scale=4, dark="#000", light="#fff", xmldecl=False,
        omitsize=True,
    )  # fmt: skip
    return written.getvalue().decode()


def is_this_machines_own(link: str) -> bool:
    """Whether the address of a link means another machine wherever it is opened."""
    return urlsplit(link).hostname in OWN_NAMES
