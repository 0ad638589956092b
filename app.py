"""Attention, step by step: page settings, navigation and header; what a page shows is in `pages/`.

Streamlit runs this file once for every visit, as `__main__`. It also imports it once, before the
first visitor, because the file holds an `st.App`. A folder named `pages/` would otherwise switch
on Streamlit's older routing until somebody has opened `/`: a link to another page, opened first,
would run that page without its navigation, or under a "Page not found" dialog.
"""

import streamlit as st
from starlette.middleware import Middleware

from ui.answer_headers import AnswerHeaders
from ui.classroom.news import room_news
from ui.first_paint import Dressed
from ui.gate import Gate
from ui.intake import KeepLittle
from ui.last_resort import give_up_link
from ui.navigation import (
    OneAddressAtATime,
    redirect,
    say_address,
    server_is_elsewhere,
    use_own_navigation,
)
from ui.server_startup import get_ready

if __name__ == "__main__":
    # Here, because a server that starts needs none of it to answer.
    from ui.path import page_name, pages
    from ui.path_navigation import NAME, header
    from ui.run_lock import in_turn
    from ui.unavailable import said_if_unavailable

    with in_turn():
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
        routes=[redirect("/walkthrough", "./"), *server_is_elsewhere(), room_news()],
        middleware=[
            *(Middleware(AnswerHeaders), Middleware(Gate), Middleware(Dressed)),
            *(Middleware(KeepLittle), Middleware(OneAddressAtATime)),
        ],
    )
