"""Folders of checkpoints: what is refused, what is ignored, and that nothing is executed."""

import os
import struct
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from core.errors import InputError
from core.limits import MOST_MODEL_BYTES
from core.models.checkpoints import published
from core.models.checkpoints.opening import open_checkpoint
from core.models.transformer.model import TransformerModel
from tests.core.models import little_work
from tests.core.models.hostile import INDEX, WEIGHTS, headed, holed
from tests.core.models.support import configured, opened_model, sharded, stored
from tests.core.models.tiny_models import IDS, LLAMA3, library_run, made_checkpoint, near
from tests.core.support import refuses


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made_checkpoint("gpt2", tmp_path)
    return tmp_path


def refused(folder: Path, said: str = "") -> None:
    little_work.refused(lambda: open_checkpoint(folder), said)


REFUSED: dict[str, list[dict[str, Any]]] = {
    "gpt2": [
        {"model_type": "gpt_neox"}, {"model_type": None}, {"model_type": ["gpt2"]}, {"n_head": 4},
        {"n_head": 0}, {"n_head": "3"}, {"n_head": True}, {"n_head": 3.0}, {"n_layer": 129},
        {"n_embd": 10**30}, {"n_embd": None}, {"layer_norm_epsilon": 0},
        {"activation_function": ["gelu"]}, {"tie_word_embeddings": 1},
        {"scale_attn_by_inverse_layer_idx": True},
    ],
    "llama": [
        {"rope_parameters": "linear"}, {"rope_parameters": ["llama3"]},
        {"rope_parameters": {"rope_theta": -1.0}},
        {"rope_parameters": {"rope_theta": 500.0, "partial_rotary_factor": 0.5}},
        {"num_key_value_heads": 4}, {"num_key_value_heads": 7}, {"head_dim": 257}, {"head_dim": 7},
        {"attention_bias": True}, {"num_hidden_layers": 3}, {"intermediate_size": 23},
    ],
    "qwen3": [{"head_dim": 0}, {"head_dim": 13}, {"head_dim": "14"}],
    "roberta": [
        {"pad_token_id": -1}, {"pad_token_id": 1.0}, {"pad_token_id": 12},
        {"max_position_embeddings": 2}, {"position_embedding_type": "relative_key"},
        {"is_decoder": True},
    ],
    "distilbert": [
        {"dim": 22}, {"n_layers": None}, {"activation": "relu"}, {"tie_weights_": False},
        {"max_position_embeddings": 12}, {"model_type": "bert"},
    ],
}  # fmt: skip
"""By the kind of model; those that `test_other_kinds` and `hostile` have are not repeated."""


@pytest.mark.parametrize("kind", ["roberta", "roberta, padding in the prompt"])
def test_robertas_prompt_has_fewer_places_than_its_table_rows(tmp_path: Path, kind: str) -> None:
    """11 in both: the rows up to that of padding are no place of a text."""
    model, _ = opened_model(kind, tmp_path)
    assert len(list(model.run([9] * 11))) == 2
    refuses("1 to 11", model.run, [9] * 12)


def scaled(**changed: Any) -> dict[str, Any]:
    return {"rope_parameters": {**LLAMA3, **changed}}


SCALINGS = [
    (scaled(factor=0), "factor = 0; what can be run here is a number above 0"),
    (scaled(factor=-8.0), "factor = -8.0; "),
    (scaled(factor=float("nan")), "factor = nan; "),
    (scaled(factor=float("inf")), "factor = inf; "),
    (scaled(factor="8"), "factor = 8; "),
    (scaled(factor=True), "factor = True; "),
    (scaled(factor=None), "does not say factor"),
    (scaled(factor=10**400), "factor = 10"),
    (scaled(factor=1e-9), r"pair 3 by .* radians.*a full turn"),
    (scaled(factor=5e-324), "a full turn"),
    (scaled(rope_theta=5e-324), "a full turn"),
    (scaled(low_freq_factor=0), "low_freq_factor = 0; "),
    (scaled(low_freq_factor=[1]), "low_freq_factor"),
    (scaled(high_freq_factor=1.0), "high_freq_factor = 1.0; .* a number above 1"),
    (scaled(high_freq_factor=0.5), "high_freq_factor = 0.5; .* a number above 1"),
    (scaled(high_freq_factor=float("nan")), "high_freq_factor = nan; "),
    (scaled(original_max_position_embeddings=0), "original_max_position_embeddings = 0; "),
    (scaled(original_max_position_embeddings="a"), "original_max_position_embeddings = a; "),
    (scaled(original_max_position_embeddings=8192.5), "original_max_position_embeddings"),
    (scaled(rope_type="yarn"), "RoPE: yarn; .* are default, linear, llama3: "),
    (scaled(rope_type="dynamic"), "RoPE: dynamic; "),
    (scaled(rope_type="longrope"), "RoPE: longrope; "),
    (scaled(rope_type=["llama3"]), "scales the frequencies"),
    ({"rope_parameters": {"full_attention": LLAMA3}}, "scales the frequencies"),
    ({"rope_scaling": {"type": "linear"}}, "does not say factor"),
    ({"rope_scaling": {"type": "linear", "factor": 0.0}}, "factor = 0.0; "),
    ({"rope_scaling": {"type": "yarn", "factor": 2.0}}, "RoPE: yarn; "),
]


@pytest.mark.parametrize(
    ("kind", "changed", "said"),
    [
        *((kind, one, "") for kind, each in REFUSED.items() for one in each),
        *(("llama", *one) for one in SCALINGS),
        ("qwen3", {"model_type": "llama"}, "k_norm"),
        ("qwen3", {"head_dim": None}, "768 × 36"),  # as wide as in the library
    ],
    ids=lambda given: str(given)[:60],
)
def test_unusable_settings_are_refused(
    tmp_path: Path, kind: str, changed: dict[str, Any], said: str
) -> None:
    made_checkpoint(kind, tmp_path)
    configured(tmp_path, **changed)
    refused(tmp_path, said)


OLD = {"type" if n == "rope_type" else n: v for n, v in LLAMA3.items() if n != "rope_theta"}
WITHOUT_LENGTH = {n: v for n, v in LLAMA3.items() if n != "original_max_position_embeddings"}


@pytest.mark.parametrize(
    "changed",
    [
        {"rope_scaling": OLD, "rope_parameters": None, "rope_theta": 500.0},
        {"rope_scaling": LLAMA3, "rope_parameters": {"rope_theta": 7.0}},
        {"rope_parameters": WITHOUT_LENGTH, "max_position_embeddings": 100},
        {**scaled(original_max_position_embeddings=7), "original_max_position_embeddings": 100},
    ],
    ids=range(4),
)
def test_a_scaling_written_otherwise_is_the_same(tmp_path: Path, changed: dict[str, Any]) -> None:
    made_checkpoint("llama, scaled as Llama 3.1", tmp_path)
    before = open_checkpoint(tmp_path).settings.rope
    configured(tmp_path, **changed)
    assert open_checkpoint(tmp_path).settings.rope == before


def test_a_sliding_window_limits_the_prompt(tmp_path: Path) -> None:
    model, _ = opened_model("mistral", tmp_path)
    refuses("1 to 9", model.run, [1] * 10)


def test_what_is_missing_is_named(folder: Path) -> None:
    stored(folder, lambda tensors: tensors.__delitem__("transformer.h.1.attn.c_attn.bias"))
    refused(folder, r"h\.1\.attn\.c_attn\.bias")
    (folder / WEIGHTS).unlink()
    refused(folder, "safetensors")
    (folder / "config.json").unlink()
    refused(folder, r"config\.json")
    refused(folder / "nowhere.gguf")


LAYER, HEAD = "transformer.h.0.attn", "model.layers.0.self_attn"
Change = Callable[[dict[str, np.ndarray]], object]
TENSORS: list[tuple[str, Change, str]] = [
    ("gpt2", lambda t: t.update({f"{LAYER}.c_attn.weight": t[f"{LAYER}.c_attn.weight"].T.copy()}),
     r"45 × 15.*15 × 45"),
    ("gpt2", lambda t: t.update({f"{LAYER}.q_norm.weight": np.ones(5, "f4")}), "q_norm"),
    ("gpt2", lambda t: t.update({"ln_f.weight": t["transformer.ln_f.weight"].copy()}), "ln_f"),
    ("gpt2", lambda t: t.update({"transformer.ln_f.weight": np.ones(15, np.int32)}), "I32"),
    ("qwen3", lambda t: t.pop(f"{HEAD}.k_norm.weight"), r"layers\.0\.self_attn\.k_norm"),
    ("qwen3", lambda t: t.update({f"{HEAD}.q_norm.weight": np.ones(84, "f4")}),
     "a list of 84; the settings ask for a list of 14"),
    ("qwen3", lambda t: t.update({f"{HEAD}.v_norm.weight": np.ones(14)}), "v_norm"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "change", "said"), TENSORS, ids=[said for *_, said in TENSORS])
def test_unfit_tensors_are_named(tmp_path: Path, kind: str, change: Change, said: str) -> None:
    made_checkpoint(kind, tmp_path)
    stored(tmp_path, change)
    refused(tmp_path, said)


def test_masks_that_old_files_keep_and_other_heads_are_left_out(folder: Path) -> None:
    def old(tensors: dict[str, np.ndarray]) -> None:
        tensors["transformer.h.0.attn.bias"] = np.ones((1, 1, 11, 11), bool)
        tensors["score.weight"] = np.ones((2, 15), np.float32)

    stored(folder, old)
    assert open_checkpoint(folder).has_head


def test_old_names_of_bert_are_read(tmp_path: Path) -> None:
    theirs = made_checkpoint("bert", tmp_path)

    def old(tensors: dict[str, np.ndarray]) -> None:
        for name in list(tensors):
            new = name.replace("LayerNorm.weight", "LayerNorm.gamma")
            tensors[new.replace("LayerNorm.bias", "LayerNorm.beta")] = tensors.pop(name)

    stored(tmp_path, old)
    model = TransformerModel(open_checkpoint(tmp_path), "float64")
    *_, last = model.run(IDS)
    near(model.probabilities(last.output), library_run(theirs, IDS).probabilities)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused_with_its_tensor(folder: Path, value: float) -> None:
    stored(folder, lambda t: t["transformer.h.1.ln_1.weight"].__setitem__(3, value))
    refuses(r"h\.1\.ln_1\.weight", list, TransformerModel(open_checkpoint(folder)).run(IDS))


@pytest.mark.parametrize("length", [0, 4, 9, 200, 2000, -1])
def test_a_file_that_is_cut_off_is_refused(folder: Path, length: int) -> None:
    path = folder / WEIGHTS
    path.write_bytes(path.read_bytes()[:length])
    refused(folder, "safetensors")


def test_a_file_that_changes_after_it_was_opened_is_refused(folder: Path) -> None:
    model = TransformerModel(open_checkpoint(folder))
    for change in (lambda: (folder / WEIGHTS).write_bytes(b""), (folder / WEIGHTS).unlink):
        change()
        refuses("no longer the file that was opened", list, model.run(IDS))


@pytest.mark.parametrize("is_replaced", [True, False])
def test_other_numbers_of_a_name_are_refused_unread(folder: Path, is_replaced: bool) -> None:
    """Of the same size, in a new file as old as the one before, or written into the file."""
    checkpoint = open_checkpoint(folder)
    assert checkpoint.is_current
    before = (folder / WEIGHTS).stat()
    if is_replaced:
        (folder / WEIGHTS).rename(folder / "before.safetensors")
    made_checkpoint("gpt2", folder, seed=1)
    times = before.st_mtime_ns if is_replaced else before.st_mtime_ns + 1
    os.utime(folder / WEIGHTS, ns=(times, times))
    assert (folder / WEIGHTS).stat().st_size == before.st_size
    assert not checkpoint.is_current
    refuses("no longer the file that was opened", checkpoint.parts["E_tokens"].numbers)
    assert open_checkpoint(folder).is_current


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_other_settings_or_another_tokeniser_are_noticed(folder: Path, name: str) -> None:
    checkpoint = open_checkpoint(folder)
    (folder / name).write_text("{}")
    assert not checkpoint.is_current


def test_ten_gigabytes_that_are_there_are_refused_before_they_are_read(folder: Path) -> None:
    """A file with a hole of 10 GB, which takes no room on a disk."""
    d, rows = 3750, 400_000
    configured(folder, vocab_size=rows, n_embd=d, n_head=15)
    declared, end = {}, 0
    for name, array in load_file(folder / WEIGHTS).items():
        shape = tuple({15: d, 45: 3 * d, 31: rows}.get(size) or size for size in array.shape)
        start, end = end, end + 4 * int(np.prod(shape))
        declared[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    holed(folder / WEIGHTS, headed(declared), end)
    said = r"6\.\d GB; the limit is 6\.0 GB"
    little_work.refused(lambda: TransformerModel(open_checkpoint(folder)), said)
    assert end > MOST_MODEL_BYTES


def test_a_model_in_several_files_is_the_same(folder: Path) -> None:
    before = [made.output for made in TransformerModel(open_checkpoint(folder)).run(IDS)]
    sharded(folder)
    after = [made.output for made in TransformerModel(open_checkpoint(folder)).run(IDS)]
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("../outside.safetensors", "index names"),
        ("model.bin", "index names"),
        ("..", "index names"),
        ("no.safetensors", "missing"),
        ("model-00002-of-00002.safetensors", "does not have"),
    ],
)
def test_an_index_that_leads_elsewhere_is_refused(folder: Path, place: str, said: str) -> None:
    name = "transformer.wte.weight"
    save_file({name: load_file(folder / WEIGHTS)[name]}, folder.parent / "outside.safetensors")
    sharded(folder, {name: place, "more": "model-00001-of-00002.safetensors"})
    refused(folder, said)


def test_an_index_of_too_many_files_or_of_none_is_refused(folder: Path) -> None:
    sharded(folder, {f"t{n}": f"model-{n}.safetensors" for n in range(100)})
    refused(folder, "102")
    (folder / INDEX).write_text('{"weight_map": []}')
    refused(folder)


def test_headers_of_all_files_of_a_model_are_counted_together(folder: Path) -> None:
    sharded(folder)
    for file in sorted(folder.glob("model-*")):
        data = file.read_bytes()
        length = int.from_bytes(data[:8], "little")
        header = data[8 : 8 + length].ljust(300_000)
        file.write_bytes(struct.pack("<Q", len(header)) + header + data[8 + length :])
    refused(folder, "headers up to model-00002-of-00002.safetensors have 600,")


def test_a_tokeniser_is_read_and_one_that_is_damaged_or_missing_is_said(folder: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    made = Tokenizer(WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?"))
    made.pre_tokenizer = Whitespace()
    made.enable_truncation(2)
    made.save(str(folder / "tokenizer.json"))
    encoded = open_checkpoint(folder).tokeniser.encode("a b a c")
    assert (encoded.ids, encoded.tokens) == ([0, 1, 0, 2], ["a", "b", "a", "?"])
    refuses("10,001", open_checkpoint(folder).tokeniser.encode, "a" * 10_001)
    for text in ("{}", "[" * 100_000, "not json"):
        (folder / "tokenizer.json").write_text(text)
        with pytest.raises(InputError, match=r"tokenizer\.json is"):
            _ = open_checkpoint(folder).tokeniser
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match="without a tokeniser"):
        _ = open_checkpoint(folder).tokeniser


def test_names_that_cannot_be_a_models_are_refused_without_the_network() -> None:
    with patch.object(published, "import_module", side_effect=AssertionError):
        for name in ("a/b/c", "../x", "a b", "http://x.org/a", "", "a" * 200, "a/../b", "x\ny"):
            with pytest.raises(InputError):
                open_checkpoint(name) if name else published.fetch_published(name)


class Hub:
    """What `huggingface_hub` answers, without a network."""

    def __init__(self, sizes: dict[str, int], folder: Path) -> None:
        self.sizes, self.folder = sizes, folder
        self.asked: list[str] = []

    def imported(self) -> Any:
        """A context in which it is what is imported as the hub's library."""

        def of(name: str) -> Any:
            return self if name == "huggingface_hub" else import_module(name)

        return patch.object(published, "import_module", of)

    def HfApi(self) -> "Hub":
        return self

    def model_info(self, name: str, files_metadata: bool) -> SimpleNamespace:
        if name == "no/such":
            raise OSError(name)
        files = [SimpleNamespace(rfilename=n, size=s) for n, s in self.sizes.items()]
        return SimpleNamespace(siblings=files, sha="abc")

    def snapshot_download(
        self, name: str, revision: str, allow_patterns: list[str], tqdm_class: Any
    ) -> str:
        """Report as the library does: bytes received, bytes written, files."""
        assert revision == "abc"
        self.asked = allow_patterns
        received, written = (tqdm_class(desc="bytes", total=0, unit="B") for _ in range(2))
        with tqdm_class(desc="files", total=len(allow_patterns)) as files:
            for name in allow_patterns:
                for _ in range(self.sizes[name]):
                    received.refresh()
                    written.update(1)
                files.update(1)
        return str(self.folder)


def test_of_a_published_model_only_data_is_fetched_and_its_size_is_asked_for(folder: Path) -> None:
    files = {"config.json": 1, WEIGHTS: 5, "pytorch_model.bin": 10**11, "modeling_x.py": 1}
    hub = Hub(files, folder)
    with hub.imported():
        assert open_checkpoint("some/model").has_head
        assert hub.asked == ["config.json", WEIGHTS]
        hub.sizes[WEIGHTS] = 10**10
        hub.asked = []
        refuses(r"10\.0 GB", open_checkpoint, "some/model")
        refuses("could not be fetched", open_checkpoint, "no/such")
        assert not hub.asked


def test_a_fetch_says_its_bytes_and_can_be_stopped(folder: Path) -> None:
    hub, seen = Hub({"config.json": 2, WEIGHTS: 3}, folder), list[tuple[int, int]]()

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done == 4:
            raise published.FetchStoppedError

    with hub.imported(), pytest.raises(published.FetchStoppedError):
        published.fetch_published("some/model", stop)
    assert seen == [(n, 5) for n in range(5)]
