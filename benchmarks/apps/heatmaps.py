"""The walkthrough's eight matrices as Plotly heatmaps with numbers, fresh values at each run."""

import plotly.graph_objects as go
import streamlit as st

from core import attention_program, toy_inputs

SHOWN = ("X", "Q", "K", "V", "scores", "masked", "weights", "output")

st.session_state.count = st.session_state.get("count", 0) + 1
st.toggle("toggle", key="toggle")
trace = attention_program().run(
    toy_inputs("one two three four five six seven eight", seed=st.session_state.count)
)
for name in SHOWN:
    matrix = trace[name][0] if trace[name].ndim == 3 else trace[name]
    heatmap = go.Heatmap(z=matrix, texttemplate="%{z:.2f}", colorscale="RdBu")
    st.plotly_chart(go.Figure([heatmap], {"height": 300}), key=name)
