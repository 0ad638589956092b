"""The walkthrough's stage with one toggle and nothing else: what is Streamlit's, what is ours."""

import streamlit as st

from core import attention_program, toy_inputs
from stage.document.document import document
from ui.stage.component import stage

TEXT = "one two three four five six seven eight"

st.session_state.count = st.session_state.get("count", 0) + 1
st.toggle("toggle", key="toggle")
trace = attention_program().run(toy_inputs(TEXT, seed=st.session_state.count))
view = {"step": "weights", "cell": "weights.0.2.1", "open": False, "slices": {"h": 0}}
told = document(trace, ("weights", (0, 2, 1)))
stage(
    "stage",
    document=told,
    answer={
        "id": told["id"],
        "compare": "",
        "lastMove": 1,
        "view": view,
        "refused": "",
        "table": None,
        "untouched": {},
        "home": {"step": "weights"},
    },
    differences=None,
    alternatives=None,
    config={"keys": {}, "comparisons": [], "present": False},
    on_look=lambda looked: None,
    on_act=lambda kind, value: None,
)
