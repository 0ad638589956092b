"""A page of three lines, with a field to type into: what Streamlit itself takes under a load."""

import streamlit as st

st.text(st.text_input("Sentence", "red", key="text"))
