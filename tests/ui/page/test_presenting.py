"""Which of a page's stages is projected."""

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    """A page of three stages, the first in a fold, which says what is projected."""
    import streamlit as st

    from ui.links.links import Key
    from ui.page.presenting import begin_projecting, fills_window

    def named(key: str, text: str) -> str:
        return text

    prefixes = ("one_", "two_", "three_")
    keys = {f"{p}{part}": Key("", named) for p in prefixes for part in ("step", "cell", "cover")}
    begin_projecting("page")
    with st.expander("Folded"), st.container():
        first = fills_window("one_stage", False, keys)
    others = [fills_window(f"{prefix}stage", False, keys) for prefix in prefixes[1:]]
    st.session_state.filling = [first, *others]


@pytest.mark.parametrize(
    ("asked", "filling"),
    [
        ({}, [False, False, False]),
        ({"present": "1"}, [False, True, False]),
        ({"present": "1", "three_cell": "X.0.0"}, [False, False, True]),
        ({"present": "1", "one_step": "X"}, [True, False, False]),
        ({"present": "1", "four_step": "X"}, [False, True, False]),
    ],
)
def test_a_page_projects_its_links_stage(asked: dict[str, str], filling: list[bool]) -> None:
    app = AppTest.from_function(page, default_timeout=60)
    for key, value in asked.items():
        app.query_params[key] = value
    assert not app.run().exception
    assert app.session_state.filling == filling
