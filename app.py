"""Attention, step by step: page settings, navigation and header; what a page shows is in `pages/`.

Streamlit runs this file once for every visit, as `__main__`. It also imports it once, before the
first visitor, because the file holds an `st.App`. A folder named `pages/` would otherwise switch
on Streamlit's older routing until somebody has opened `/`: a link to another page, opened first,
would run that page without its navigation, or under a "Page not found" dialog.
"""

import streamlit as st
from starlette.middleware import Middleware

from ui.classroom.news import room_news
from ui.components.script_files import ADDRESS, script_files
from ui.links.navigation import (
    OneAddressAtATime,
    below_base,
    redirect,
    say_address,
    server_is_elsewhere,
    use_own_navigation,
)
from ui.page.answer_headers import AnswerHeaders
from ui.page.first_paint import OwnHead
from ui.server.gate import Gate
from ui.server.server_startup import get_ready
from ui.server.unexpected_errors import give_up_link
from ui.server.uploads import KeepLittle

if __name__ == "__main__":
    # Here, because a server that starts needs none of it to answer.
    from ui.links.path import page_name, pages
    from ui.page.path_navigation import NAME, header
    from ui.server.fragments import run_lock
    from ui.server.unavailable import said_if_unavailable

    with run_lock():
        say_address()
        page = st.navigation(pages(), position="hidden")
        st.set_page_config(page_title=f"{page.title} · {NAME}", layout="wide")
        header(page_name(page))  # here, where it stays from page to page
        with said_if_unavailable("page"):
            page.run()
else:
    use_own_navigation()
    # The default page lives at `/`; its file's name is a natural guess.
    app = st.App(
        __file__,
        lifespan=get_ready,
        on_script_error=give_up_link,
        routes=[
            redirect("/walkthrough", "./"),
            *server_is_elsewhere(),
            room_news(),
            script_files.route(below_base(f"/{ADDRESS}")),
        ],
        middleware=[
            *(Middleware(AnswerHeaders), Middleware(Gate), Middleware(OwnHead)),
            *(Middleware(KeepLittle), Middleware(OneAddressAtATime)),
        ],
    )
