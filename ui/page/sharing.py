"""A view's link, to copy and as a QR code for the phones in a room."""

from collections.abc import Mapping
from io import BytesIO
from urllib.parse import urlencode, urlsplit

import segno
import streamlit as st

from ui.chapters.walkthrough.view import keys_now, keys_of_view, link_keys
from ui.lessons.course import for_students
from ui.lessons.shelf import LESSON, OWN_LESSON, PACKED
from ui.links.links import LONGEST_LINK
from ui.links.path import HOME
from ui.links.session import link_said
from ui.page.presenting import is_student_view
from ui.page_texts import plain_ui_texts, ui_texts
from ui.server.fragments import fragment
from ui.text import escape_markdown

TEXTS, PLAIN = ui_texts("sharing"), plain_ui_texts("sharing")
_OF_THE_SCENE = (LESSON, PACKED)
LONGEST_WRAPPED = 400
"""Characters of a link that is shown whole; a longer one has one line, and its end is cut off."""
LARGEST = 25
"""The version (size) of a code that a phone still reads off a projected page: 117 × 117 modules."""
QUIET = 4
"""Modules of white around a code, as the standard asks for."""
OWN_NAMES = ("localhost", "127.0.0.1", "::1")


@fragment
def share_page(name: str) -> None:
    """The link of a page as it is now."""
    with st.popover(TEXTS("share"), key="share_page", type="tertiary", on_change="rerun") as panel:
        if panel.open:
            query, remedy = view_to_share() if name == HOME else page_to_share()
            show_link(own_address(), query, remedy)


def page_to_share() -> tuple[dict[str, str], str]:
    """The keys of a page as it is now, and what to do where their link is too long."""
    return shared(), PLAIN("shorten_text")


def view_to_share() -> tuple[dict[str, str], str]:
    """The same of the walkthrough, whose view may be too long for the address."""
    if "good" not in st.session_state:  # nothing has been shown yet
        return page_to_share()
    scene = {key: text for key, text in shared().items() if key in _OF_THE_SCENE}
    view = keys_of_view(link_keys() if scene else keys_now())
    remedy = "download_matrices" if st.session_state.good.edits else "shorten_sentence"
    return {**scene, **view}, PLAIN(remedy)


def shared() -> dict[str, str]:
    """The page's link as others can open it: with its scene, unless its lesson is too long."""
    of_the_window = ("present", "role", "screen")
    kept = {k: text for k, text in st.query_params.to_dict().items() if k not in of_the_window}
    if not kept.get(LESSON, "").startswith(f"{OWN_LESSON}.") or PACKED in kept:
        return kept
    said = {**link_said(), **kept}
    return {k: text for k, text in said.items() if k not in (LESSON, *of_the_window)}


def own_address() -> str:
    """The address of the page that is shown, without its keys."""
    address = (st.context.url or "").partition("?")[0]
    is_root = not address.rsplit("/", 1)[-1] or address.count("/") < 3
    return f"{address.rstrip('/')}/" if is_root else address


def show_link(address: str, query: Mapping[str, str], remedy: str, opens: str = "") -> None:
    """The link of a page, for students, and for a projector; `remedy` where it is too long.

    `opens` says what the link opens, if it is no view. Students get no others. The code is theirs.
    """
    student = _link(address, for_students(query))
    link = student if is_student_view() else _link(address, query)
    if len(link) > LONGEST_LINK:
        count, limit = f"{len(link):,}", f"{LONGEST_LINK:,}"
        st.warning(escape_markdown(PLAIN("too_long", count=count, limit=limit, remedy=remedy)))
        return
    st.caption(opens or TEXTS("link"))
    _show(link)
    if is_this_machines_own(link):
        st.warning(TEXTS("this_computer"))
    if not is_student_view():
        st.caption(TEXTS("students"))
    if code := link_code(student):
        st.image(code, width=280, alt=PLAIN("code_alt"))
    else:
        st.caption(TEXTS("no_code"))
    if not is_student_view():
        _show(student)
        st.caption(TEXTS("projector"))
        _show(_link(address, {**query, "present": "1"}))


def _show(link: str) -> None:
    """A link to copy."""
    st.code(link, language=None, wrap_lines=len(link) <= LONGEST_WRAPPED)


def _link(address: str, query: Mapping[str, str]) -> str:
    return f"{address}?{urlencode(query)}" if query else address


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
