"""Settings of a model: what they leave out is as in the library; other kinds are refused."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from core.errors import InputError
from core.models import open_recording
from core.models.checkpoints.gguf_headers import GGUFHeader
from core.models.checkpoints.model_settings import settings_of_config, settings_of_gguf
from core.models.checkpoints.opening import open_checkpoint
from core.models.transformer.settings import ModelSettings
from tests.core.models.support import configured, stored
from tests.core.models.tiny_models import MODELS, made_checkpoint
from tests.core.support import refuses

KINDS = [name for name in MODELS if "," not in name]
WIDE = {"hidden_size": 192, "num_attention_heads": 32}
"""So many heads that the library's own number of key heads fits."""


def by_library(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting of a model, of which some are given, written out by the library."""
    made: dict[str, Any] = getattr(transformers, MODELS[name][1])(**given).to_dict()
    return made


def is_needed(key: str, settings: Mapping[str, Any]) -> bool:
    try:
        settings_of_config({name: value for name, value in settings.items() if name != key})
    except InputError:
        return True
    return False


def same(one: ModelSettings, other: ModelSettings) -> None:
    for field, mine in vars(one).items():
        theirs = getattr(other, field)
        if field == "rope" and mine:
            np.testing.assert_allclose(mine.frequencies, theirs.frequencies, rtol=1e-12)
            assert mine.halves == theirs.halves
        else:
            assert mine == theirs, field


@pytest.mark.parametrize("name", KINDS)
def test_every_setting_that_may_be_left_out_is_then_the_librarys(name: str) -> None:
    settings = dict(MODELS[name][2])
    settings |= WIDE if "hidden_size" in settings and "rope_parameters" in settings else {}
    stated = settings | {"model_type": by_library(name, settings)["model_type"]}
    short = {key: value for key, value in stated.items() if is_needed(key, stated)}
    given = {key: value for key, value in short.items() if key != "model_type"}
    same(settings_of_config(short), settings_of_config(by_library(name, given)))


RECORDS = re.compile(r"(from core\.models import capture), then (with capture\(\"(.+)\"\): .+)$")
FOUR_BITS = {
    "quant_method": "bitsandbytes",
    "load_in_4bit": True,
    "bnb_4bit_compute_dtype": "bfloat16",
}
CHANGED: list[tuple[str, dict[str, Any]]] = [
    ("gpt2", {"model_type": "opt"}),
    ("gpt2", {"model_type": "gemma2"}),
    ("gpt2", {"model_type": "gpt_oss"}),
    ("gpt2", {"auto_map": {"AutoModel": "x.Y"}}),
    ("gpt2", {"activation_function": "relu"}),
    ("gpt2", {"scale_attn_weights": False}),
    ("gpt2", {"add_cross_attention": True}),
    ("gpt2", {"quantization_config": FOUR_BITS}),
    ("gpt2", {"quantization_config": {"quant_method": "gptq", "bits": 4}}),
    ("llama", {"quantization_config": FOUR_BITS}),
    ("llama", {"hidden_act": "gelu"}),
    ("llama", {"partial_rotary_factor": 0.5}),
    ("llama", {"rope_parameters": {"rope_type": "yarn", "rope_theta": 500.0}}),
    ("bert", {"position_embedding_type": "relative_key"}),
]


def message(folder: Path, kind: str, **changed: Any) -> str:
    made_checkpoint(kind, folder)
    configured(folder, **changed)
    return str(refuses("", open_checkpoint, folder))


@pytest.mark.parametrize(("kind", "changed"), CHANGED, ids=str)
def test_what_is_not_run_is_recordable(tmp_path: Path, kind: str, changed: dict[str, Any]) -> None:
    said = message(tmp_path, kind, **changed)
    assert RECORDS.search(said), said
    assert not re.search(r"\{\}|\[\]|\(\)|here is (?::|$)", said), f"an empty list: {said}"


def test_quantised_numbers_are_named_with_what_can_be_read(tmp_path: Path) -> None:
    said = message(tmp_path, "llama", quantization_config=FOUR_BITS)
    assert "bitsandbytes" in said
    assert "what can be read is float64, float32, float16, bfloat16, and GGUF" in said


def test_tensors_that_no_layer_uses_and_a_gguf_of_another_kind_say_it_too(tmp_path: Path) -> None:
    made_checkpoint("gpt2", tmp_path)
    stored(tmp_path, lambda t: t.update({"h.0.attn.sinks": np.zeros(3, np.float32)}))
    header = GGUFHeader({"general.architecture": "gemma2"}, {})
    for opens in (lambda: open_checkpoint(tmp_path), lambda: settings_of_gguf(header, "a.gguf")):
        with pytest.raises(InputError, match=RECORDS):
            opens()


def test_lines_of_the_message_record_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """OPT is refused here. The lines are run as they are said, and the file opens."""
    found = RECORDS.search(message(tmp_path, "gpt2", model_type="opt"))
    assert found
    config = transformers.OPTConfig(
        hidden_size=16, ffn_dim=16, num_hidden_layers=2, num_attention_heads=2, vocab_size=20,
        word_embed_proj_dim=16,
    )  # fmt: skip
    names = {"model": transformers.OPTModel(config).eval(), "x": torch.tensor([[3, 4, 5]])}
    monkeypatch.chdir(tmp_path)
    exec("\n".join(found.groups()[:2]), names)
    recording = open_recording(tmp_path / found[3])
    assert len(recording.calls) == 2
    assert recording.trace(1, 1).program.names[0] == "Q"
