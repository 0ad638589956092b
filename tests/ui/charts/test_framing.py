"""What charts share."""

import plotly.graph_objects as go

from ui.charts.framing import framed


def test_a_chart_is_written_as_plotly_writes_it_and_as_often_as_it_is_drawn() -> None:
    bars = go.Bar(x=["a", "b"], y=[1.0, 2.5])
    chart = framed([bars], "two bars", title={"text": "Bars"})
    once = chart.to_dict()
    once["data"] = []  # whoever draws it may change what they were given
    plain = go.Figure(chart.data, chart.layout).to_dict()
    assert chart.to_dict() == chart.to_dict() == plain
