"""Where a stage stands: on a page of Streamlit, on a page of its own, in a notebook."""
