"""What charts share."""

import numpy as np
import plotly.graph_objects as go

from ui.charts.framing import Chart, framed


def bars(heights: list[float]) -> Chart:
    return framed([go.Bar(x=["a", "b"], y=np.array(heights))], "two bars", title={"text": "Bars"})


def test_a_chart_is_written_once_as_plotly_takes_it_for_the_same() -> None:
    """Streamlit gives a figure to Plotly twice; a template, notes, packed numbers are new to it."""
    chart = bars([1.0, 2.5])
    once = chart.to_dict()
    once["data"] = []  # whoever draws it may change what they were given
    written = chart.to_dict()
    assert written["data"] == [{"type": "bar", "x": ["a", "b"], "y": [1.0, 2.5]}]
    assert not {"template", "meta"} & set(written["layout"])
    assert written["layout"]["title"] == {"text": "Bars"}
    same, other = (bars([1.0, height]).to_dict()["layout"] for height in (2.5, 2.6))
    assert written["layout"] == same
    assert written["layout"]["datarevision"] != other["datarevision"]
