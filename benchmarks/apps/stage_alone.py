"""The walkthrough's stage with one toggle and nothing else: what is Streamlit's, what is ours."""

import streamlit as st

from core import attention_program, toy_inputs
from stage.views import stage_data
from ui.stage import stage

TEXT = "one two three four five six seven eight"

st.session_state.count = st.session_state.get("count", 0) + 1
st.toggle("toggle", key="toggle")
trace = attention_program().run(toy_inputs(TEXT, seed=st.session_state.count))
stage("stage", stage_data(trace, "weights", (0, 2, 1)), lambda kind, value: None)
