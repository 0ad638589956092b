"""Sentences of the page of models, read as claims."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from core.models.checkpoints.opening import open_checkpoint
from core.models.transformer.changes import ModelChanges
from core.models.transformer.model import TransformerModel
from core.texts.text_file import LANGUAGE
from tests.core.models.recorded.test_recording_from_weights import with_sinks
from tests.core.models.tiny_models import IDS, made_checkpoint
from tests.quotes import proves
from tests.sampling import ROOT
from tests.ui.models.conftest import visited
from ui.components.head_maps.head_maps import map_legend
from ui.page_texts import page_texts

TEXTS = page_texts("models")


@proves("In each row, the largest weight has the strongest colour")
def test_colours_are_said_to_compare_the_weights_of_one_row_only() -> None:
    """As the legend says it; the colours themselves: tests/browser/test_head_maps.py."""
    claim = "the largest weight has the strongest colour."
    assert claim in map_legend()
    assert claim in re.sub(r"\[(\w+)\]\(.*?\)", r"\1", str(TEXTS("run_preview_heads")))
    for folder in ("pages", "ui", "core"):
        for file in sorted((ROOT / folder / "texts" / LANGUAGE).glob("*.md")):
            said = file.read_text("utf-8")
            assert not re.search(r"(?:stronger|darker) the colour, the larger", said), file


@proves("""
    If you switch a head off, its context is set to 0. The other heads of its layer do not change.
    The model was trained with all heads, the mask and the scale. So a part of a change can come
    from numbers that it never saw, such as a context of 0
""")
def test_a_head_that_is_off_has_a_context_that_no_run_of_the_model_has(tmp_path: Path) -> None:
    made_checkpoint("gpt2", tmp_path)
    model = TransformerModel(open_checkpoint(tmp_path), "float64")
    whole = list(model.run(IDS))
    without = list(model.run(IDS, ModelChanges(heads_off=frozenset({(0, 1)}))))
    assert all(np.abs(layer.context).sum(axis=-1).min() > 0 for layer in whole)
    assert not without[0].context[1].any()
    np.testing.assert_array_equal(without[0].context[0], whole[0].context[0])


def test_a_run_that_begins_at_the_weights_says_why(tmp_path: Path, offered: Any) -> None:
    offered(tmp_path)
    made = with_sinks(tmp_path / "run.safetensors")
    page = visited(model="run.safetensors", model_place="1.2")
    (told,) = (one.value for one in page.info if "begins at the weights" in one.value)
    assert re.sub(r"\\(.)", r"\1", told) == made.trace_and_reason(0, 1)[1]
