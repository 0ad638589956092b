"""A run as what is shown of it: the stage, and all it is told. No Streamlit here."""
