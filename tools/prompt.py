"""Streamlit, told to send at once as the product's server does: `-m tools.prompt run …`.

A page that is served by it and measured beside ours does not wait where ours does not.
"""

import asyncio

from streamlit.web.cli import main

from ui.server.server_startup import send_at_once


class _Prompt(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        loop = super().new_event_loop()
        send_at_once(loop)
        return loop


if __name__ == "__main__":
    asyncio.set_event_loop_policy(_Prompt())
    main(prog_name="streamlit")
