"""A view's link, to copy and as a QR code for the phones in a room."""

from urllib.parse import urlencode

import streamlit as st

from ui.fragments import fragment
from ui.lessons.shelf import LESSON, OWN_LESSON
from ui.link_code import is_this_machines_own, link_code
from ui.links import LONGEST_LINK
from ui.page_texts import plain_ui_texts, ui_texts
from ui.path import HOME
from ui.session import link_said
from ui.text import escape_markdown
from ui.walkthrough.view import view_query

TEXTS, PLAIN = ui_texts("sharing"), plain_ui_texts("sharing")


@fragment
def share_page(name: str) -> None:
    """The link of a page as it is now."""
    with st.popover(TEXTS("share"), key="share_page", type="tertiary", on_change="rerun") as panel:
        if panel.open:
            link_of(*(view_to_share() if name == HOME else page_to_share()))


def page_to_share() -> tuple[str, str]:
    """The query of a page as it is now, and what to do where that is too long."""
    return urlencode(shared()), PLAIN("shorten_text")


def view_to_share() -> tuple[str, str]:
    """The same of the walkthrough, whose view may be too long for the address."""
    if "good" not in st.session_state:  # nothing has been shown yet
        return page_to_share()
    edited = st.session_state.good.edits
    return view_query(), PLAIN("download_matrices" if edited else "shorten_sentence")


def shared() -> dict[str, str]:
    """The page's link as others can open it: they have no lesson of a person's own."""
    kept = {key: text for key, text in st.query_params.to_dict().items() if key != "present"}
    if not kept.get(LESSON, "").startswith(f"{OWN_LESSON}."):
        return kept
    return {key: text for key, text in {**link_said(), **kept}.items() if key != LESSON}


def link_of(query: str, remedy: str) -> None:
    """The link of the page with this query, and for a projector; `remedy` where it is too long."""
    link = (st.context.url or "").partition("?")[0]
    if not link.rsplit("/", 1)[-1] or link.count("/") < 3:  # the page at the root
        link = f"{link.rstrip('/')}/"
    link += f"?{query}" if query else ""
    if len(link) > LONGEST_LINK:
        st.warning(
            escape_markdown(
                PLAIN("too_long", count=f"{len(link):,}", limit=f"{LONGEST_LINK:,}", remedy=remedy)
            )
        )
        return
    st.caption(TEXTS("link"))
    st.code(link, language=None, wrap_lines=True)
    if is_this_machines_own(link):
        st.warning(TEXTS("this_computer"))
    if code := link_code(link):
        st.image(code, width=280, alt=PLAIN("code_alt"))
    else:
        st.caption(TEXTS("no_code"))
    st.caption(TEXTS("projector"))
    st.code(link + ("&" if query else "?") + "present=1", language=None, wrap_lines=True)
