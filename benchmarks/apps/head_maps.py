"""The grid of 12 × 12 heads of 512 tokens; the button brings another run, made before."""

import numpy as np
import streamlit as st

from ui.components.head_maps.grid import head_grid
from ui.components.head_maps.head_maps import HeadMaps

LAYERS, HEADS, T = 12, 12, 512


@st.cache_resource
def weights(seed: int) -> np.ndarray:
    """Causal weights as a softmax makes them, some rows sharp and some even."""
    draw = np.random.default_rng(seed)
    made = draw.standard_normal((LAYERS, HEADS, T, T), dtype=np.float32)
    made *= draw.uniform(0.5, 4, (LAYERS, HEADS, 1, 1)).astype(np.float32)
    np.exp(made, out=made)
    made *= np.tri(T, dtype=np.float32)
    made /= made.sum(axis=-1, keepdims=True)
    return made


def choose(place: tuple[int, int]) -> None:
    st.session_state.place = place


st.set_page_config(layout="wide")
runs = [weights(seed) for seed in range(2)]
if st.button("Another run") or "maps" not in st.session_state:
    state = st.session_state
    state.run = 1 - state.get("run", 1)
    labels = tuple(f"run{state.run}-{n}" for n in range(T))
    state.maps = HeadMaps(runs[state.run], labels, labels, causal=True)
maps = st.session_state.maps
head_grid("head_maps", maps, st.session_state.get("place", (0, 0)), choose)
