"""How a class joins a room: the address, the code, and both as a QR code."""

from urllib.parse import urlencode

import streamlit as st

from ui.classroom.room_of_link import ROOM
from ui.link_code import is_this_machines_own, link_code
from ui.page_texts import chart_texts, page_texts
from ui.path import address_of

TEXTS, PLAIN = page_texts("room"), chart_texts("room")


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
    show_code(code)
    if is_this_machines_own(address):
        st.warning(TEXTS("this_computer"))
    elif picture := link_code(f"{address}?{urlencode({ROOM: code})}"):
        st.image(picture, alt=PLAIN("qr_alt"), width="stretch")


def show_code(code: str) -> None:
    """Draw the code."""
    with st.container(key="room_code"):
        st.markdown(TEXTS("code", code=code))
