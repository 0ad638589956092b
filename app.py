"""Attention, step by step: page settings and navigation; what a page shows is in `pages/`.

Streamlit runs this file once for every visit, as `__main__`. It also imports it once, before the
first visitor, because the file holds an `st.App`. A folder named `pages/` would otherwise switch
on Streamlit's older routing until somebody has opened `/`: a link to another page, opened first,
would run that page without its navigation, or under a "Page not found" dialog.
"""

import streamlit as st
from starlette.middleware import Middleware

from ui.frame import presenting
from ui.navigation import OnePageAtATime, redirect, server_is_elsewhere, use_own_navigation
from ui.start import get_ready

if __name__ == "__main__":
    st.set_page_config(page_title="Attention, step by step", layout="wide")
    st.navigation(
        {
            "Start here": [st.Page("pages/walkthrough.py", title="Walkthrough", default=True)],
            "Why": [
                st.Page("pages/dot_products.py", title="Dot products", url_path="dot-products"),
                st.Page(
                    "pages/queries_keys_values.py",
                    title="Queries, keys, values",
                    url_path="queries-keys-values",
                ),
                st.Page("pages/why_scale.py", title="Why scale", url_path="why-scale"),
                st.Page("pages/why_mask.py", title="Why mask", url_path="why-mask"),
                st.Page("pages/heads.py", title="Heads", url_path="heads"),
                st.Page("pages/debug_lab.py", title="Debug lab", url_path="debug-lab"),
            ],
        },
        position="hidden" if presenting() else "top",
    ).run()
else:
    get_ready()
    use_own_navigation()
    # The default page lives at `/`; its file's name is a natural guess.
    app = st.App(
        __file__,
        routes=[redirect("/walkthrough", "./"), *server_is_elsewhere()],
        middleware=[Middleware(OnePageAtATime)],
    )
