"""Large data of a component: it travels apart from what changes, and once while it is unchanged.

A component's own data travels whole with every change of it. What is carried here comes to the
component by a register of the page (stage/hosts/data_channel.js), whichever is there first.
"""

import json
from collections.abc import Mapping

import streamlit as st

from stage.hosts.component import messenger

_channel = st.components.v2.component("attention_told", js=messenger())


def carry(key: str, news: Mapping[str, str]) -> None:
    """Carry news, each as JSON under its name, to the component of that key."""
    with st.container(key=f"{key}_told"):
        for name, text in news.items():
            _channel(key=f"{key}_{name}", data=_message(key, name, text))


def _message(key: str, name: str, text: str) -> bytes:
    """News as Streamlit hands them on; a mapping it would look through and write out thrice."""
    return f'{{"stage": {json.dumps(key)}, "news": {{{json.dumps(name)}: {text}}}}}'.encode()
