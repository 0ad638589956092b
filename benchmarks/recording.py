"""A recording of a model: what capturing costs, all of its maps, and one head on the stage."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from torch import nn

from benchmarks.timing import Row, alternating, clocked
from core.models import Recording, capture, open_recording
from stage.document.document import document

LAYERS, HEADS, T, D_K = 12, 12, 512, 64
MAPS, HEAD = 3_000.0, 1_000.0
MEMORY = 2.0
"""How many times the arrays of a recording may be in memory while all its maps are made."""
OPENING = ("weights", (0, 0, 0))


def rows(quick: bool) -> list[Row]:
    what = f"a recording of {LAYERS} × {HEADS} heads, T={T}"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.safetensors"
        times = alternating(capturing(path), rounds=1 if quick else 3)
        recording = open_recording(path)
        arrays = sum(array.nbytes for call in recording.calls for array in call.arrays.values())
        maps = clocked(lambda: all_maps(path))()
        last = alternating({"head": clocked(lambda: head_on_stage(path))}, 1 if quick else 5)
        memory = most_memory(lambda: all_maps(path)) / arrays
    megabytes = f"{arrays / 1e6:.0f} MB"
    return [
        Row(f"{what}: the model, captured ({megabytes})", times["captured"], "the model alone",
            times["alone"]),
        Row(f"{what}: opened, and all its maps", maps, budget=f"≤ {MAPS:g} ms", kept=maps <= MAPS),
        Row(f"{what}: {memory:.2f} times its arrays in memory", maps, budget=f"≤ {MEMORY:g} times",
            kept=memory <= MEMORY),
        Row(f"{what}: opened, and one head on the stage", last["head"], budget=f"≤ {HEAD:g} ms",
            kept=last["head"] <= HEAD),
    ]  # fmt: skip


def capturing(path: Path) -> dict[str, Callable[[], float]]:
    """A model's run alone, and captured into a file."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(HEADS * D_K, HEADS, 4 * HEADS * D_K, batch_first=True)
    model = nn.TransformerEncoder(layer, LAYERS).eval()
    X = torch.randn(1, T, HEADS * D_K)

    def run() -> None:
        with torch.no_grad():
            model(X)

    def record() -> None:
        with capture(path):
            run()

    return {"alone": clocked(run), "captured": clocked(record)}


def all_maps(path: Path) -> list[np.ndarray]:
    recording = open_recording(path)
    return [recording.maps(n) for n in range(len(recording.calls))]


def head_on_stage(path: Path) -> None:
    recording: Recording = open_recording(path)
    document(recording.trace(LAYERS // 2, HEADS // 2, T // 2), OPENING)


def most_memory(action: Callable[[], object]) -> int:
    tracemalloc.start()
    kept = action()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del kept
    return most
