"""The least a toggle can cost in Streamlit: it changes one line of text."""

import streamlit as st

st.session_state.count = st.session_state.get("count", 0) + 1
st.toggle("toggle", key="toggle")
st.text(f"run {st.session_state.count}")
