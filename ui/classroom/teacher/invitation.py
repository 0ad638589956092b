"""How a class joins a room: the address, the code, and both as a QR code."""

from base64 import b64encode
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from core.texts import core_texts
from ui.classroom.class_session import ROOM
from ui.components.component import component
from ui.links.link_code import is_this_machines_own, link_code
from ui.links.path import address_of
from ui.page_texts import chart_texts, page_texts

TEXTS, PLAIN = page_texts("room"), chart_texts("room")
_code = component(Path(__file__).with_name("join_code.js"), texts=core_texts("stage"))
"""In the browser: the QR code over the whole window."""


def root_address() -> str:
    """Return the address of the product as this browser, on the page of a room, has it."""
    return (st.context.url or "").partition("?")[0].removesuffix(address_of("room"))


def join_address() -> str:
    """Return where students join."""
    return root_address() + address_of("join")


def invite(code: str) -> None:
    """Draw the address, the code and the QR code; if others cannot open the address, what to do."""
    address = join_address()
    st.markdown(TEXTS("join_at", address=address.partition("://")[2]))
    with st.container(key="room_code"):
        st.markdown(TEXTS("code", code=code))
    if is_this_machines_own(address):
        st.warning(TEXTS("this_computer"))
    elif picture := _picture(code):
        st.image(picture, alt=PLAIN("qr_alt"), width="stretch")


def join_line(code: str, *, with_picture: bool) -> None:
    """Draw the address and the code in little room, and the way to the QR code in the full window.

    `with_picture` draws the QR code below them too.
    """
    address = join_address()
    short = address.partition("://")[2]
    with st.container(key="room_code"):
        st.markdown(TEXTS("join_line", address=short, code=code))
    if is_this_machines_own(address):
        if with_picture:
            st.caption(TEXTS("this_computer"))
        return
    if not (picture := _picture(code)):
        return
    if with_picture:
        st.image(picture, alt=PLAIN("qr_alt"), width="stretch")
    data = {
        "label": PLAIN("show_code"),
        "how": PLAIN("join_how"),
        "address": short,
        "code": code,
        "picture": f"data:image/svg+xml;base64,{b64encode(picture.encode()).decode()}",
        "alt": PLAIN("qr_alt"),
    }
    _code(key="join_code", data=[data])


def _picture(code: str) -> str | None:
    """The QR code, which has the address with the room's code."""
    return link_code(f"{join_address()}?{urlencode({ROOM: code})}")
