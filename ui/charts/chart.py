"""Draws a chart in the theme of the page that it stands on."""

import streamlit as st

from ui.charts.framing import Chart, alt_of
from ui.page.presenting import presenting

_PLAIN = {"displayModeBar": False, "scrollZoom": False}
"""A picture to point at, without a toolbar."""


def draw_chart(chart: Chart, key: str) -> None:
    """Draw it, with its description for whoever does not see it."""
    shown = chart.dark if st.context.theme.type == "dark" else chart
    shown = shown.large if presenting() else shown
    st.plotly_chart(shown, key=key, config=_PLAIN, theme=None, alt=alt_of(chart))
