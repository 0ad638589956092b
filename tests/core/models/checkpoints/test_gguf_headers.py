"""GGUF files, written by the package `gguf` as llama.cpp's converter lays them out."""

import struct
from itertools import product
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from core.errors import InputError
from core.models.checkpoints.gguf_headers import read_gguf_header
from core.models.checkpoints.opening import open_checkpoint
from core.models.checkpoints.tokeniser import tokeniser_next_to
from core.models.transformer.head_trace import head_trace
from core.models.transformer.model import TransformerModel
from tests.core.models import little_work, support
from tests.core.models.tiny_models import IDS, LINEAR, LLAMA3, library_run, made_checkpoint, near
from tests.core.models.transformer.test_settings import by_wavelength
from tests.core.support import refuses

Arrays = dict[str, np.ndarray]
SCALED, EVENLY = "llama, scaled as Llama 3.1", "llama, scaled evenly"


def llama3_divisors() -> list[float]:
    """What llama.cpp's converter writes, by the length of a pair's wave."""
    low, high, factor = (LLAMA3[n] for n in ("low_freq_factor", "high_freq_factor", "factor"))
    length = LLAMA3["original_max_position_embeddings"]
    usual = [500.0 ** (-2 * p / 14) for p in range(7)]
    return [f / by_wavelength(f, factor, low, high, length) for f in usual]


def renamed(state: Arrays, architecture: str, layers: int) -> Arrays:
    """The arrays by the names that the package gives them, as the converter asks it."""
    (kind,) = (k for k, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)
    names = gguf.get_tensor_name_map(kind, layers)
    return {str(names.get_name(n, (".weight", ".bias"))): a for n, a in state.items()}


def reordered(rows: np.ndarray, heads: int) -> np.ndarray:
    """The rows of q or k with the two features of each pair next to each other."""
    return rows.reshape(heads, 2, -1, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def write_gguf(
    path: Path, architecture: str, settings: dict[str, Any], tensors: Arrays, kind: str = "F32"
) -> None:
    writer = gguf.GGUFWriter(path, architecture)
    adds: dict[type, Any] = {
        float: writer.add_float32, bool: writer.add_bool, str: writer.add_string,
        list: writer.add_array, int: writer.add_uint32,
    }  # fmt: skip
    for name, value in settings.items():
        key = name if name.startswith("tokenizer.") else f"{architecture}.{name}"
        adds[type(value)](key, value)
    of_matrices = gguf.GGMLQuantizationType[kind]
    for name, array in tensors.items():
        if array.ndim == 2 and kind != "F32":
            data = gguf.quantize(np.ascontiguousarray(array), of_matrices)
            writer.add_tensor(name, data, raw_dtype=of_matrices)
        else:
            writer.add_tensor(name, np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


_SIZES = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "max_position_embeddings": "context_length",
}


def sizes(config: Any, **names: str) -> dict[str, Any]:
    return {ours: getattr(config, theirs) for theirs, ours in names.items()}


def written(name: str, folder: Path, kind: str = "F32", **more: Any) -> tuple[Path, Any]:
    """A tiny model as a GGUF file, and the library's model."""
    model = made_checkpoint(name, folder)
    state = {n: a.numpy() for n, a in model.float().state_dict().items()}
    config, architecture = model.config, name.split(",")[0]
    path = folder / "model.gguf"
    if architecture in ("llama", "qwen2", "qwen3"):
        settings = sizes(
            config,
            **_SIZES,
            num_key_value_heads="attention.head_count_kv",
            rms_norm_eps="attention.layer_norm_rms_epsilon",
        )
        settings |= {"rope.freq_base": 500.0}
        if getattr(config, "head_dim", None):
            settings |= {"attention.key_length": config.head_dim}
        if architecture == "llama":
            counts = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
            for n, (projection, heads) in product(state, counts.items()):
                if projection in n:
                    state[n] = reordered(state[n], heads)
        if name == SCALED:
            state["rope_freqs.weight"] = np.array(llama3_divisors(), np.float32)
        if name == EVENLY:
            settings |= {"rope.scaling.type": "linear", "rope.scaling.factor": LINEAR["factor"]}
    elif architecture == "gpt2":
        settings = sizes(
            config,
            n_layer="block_count",
            n_embd="embedding_length",
            n_head="attention.head_count",
            n_positions="context_length",
            layer_norm_epsilon="attention.layer_norm_epsilon",
        )
        settings |= {"feed_forward_length": config.n_inner}
        conv = ("c_attn.weight", "c_proj.weight", "c_fc.weight")
        state = {n: a.T if n.endswith(conv) else a for n, a in state.items() if "lm_head" not in n}
    else:
        settings = sizes(config, **_SIZES, layer_norm_eps="attention.layer_norm_epsilon")
        settings |= {"attention.causal": False}
        state = {n: a for n, a in state.items() if not n.startswith("pooler")}
    tensors = renamed(state, architecture, settings["block_count"])
    write_gguf(path, architecture, {**settings, **more}, tensors, kind)
    return path, model


@pytest.mark.parametrize(
    "name", ["llama", "gpt2", "bert, without a head", "qwen2", "qwen3", SCALED, EVENLY]
)
def test_a_model_from_gguf_is_the_librarys(tmp_path: Path, name: str) -> None:
    path, theirs = written(name, tmp_path)
    model = TransformerModel(open_checkpoint(path), "float32")
    layers = list(model.run(IDS))
    expected = library_run(theirs, IDS, "float32")
    for made, weights, read in zip(layers, expected.weights, expected.contexts, strict=True):
        near(made.weights, weights, 1e-5)
        for head in range(model.settings.n_heads):
            trace = head_trace(model, made, head, support.TOKENS)
            near(trace["weights"][0], weights[head], 1e-5)
            own = slice(head * model.settings.d_head, (head + 1) * model.settings.d_head)
            near(trace["context"][0], read[:, own], 1e-5)
    if expected.probabilities is not None:
        near(model.probabilities(layers[-1].output), expected.probabilities, 1e-5)


WIDE = np.random.default_rng(3).normal(size=(3, 64)).astype(np.float32)


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q8_0", "Q4_1", "Q4_0", "Q5_1"])
def test_a_tensor_of_fewer_bits_is_what_the_package_reads(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "wide.gguf"
    write_gguf(path, "llama", {}, {"wide": WIDE, "after": WIDE[:, 0]}, kind)
    tensors = read_gguf_header(path).tensors
    (theirs,) = (t for t in gguf.GGUFReader(path).tensors if t.name == "wide")
    found = tensors["wide"].numbers()
    np.testing.assert_array_equal(found, gguf.dequantize(theirs.data, theirs.tensor_type))
    np.testing.assert_allclose(found, WIDE, atol=0.3)
    np.testing.assert_array_equal(tensors["after"].numbers(), WIDE[:, 0])


def test_settings_and_lists_are_those_that_the_package_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    given = {"a": 3, "b": 0.5, "c": "é", "d": True, "tokenizer.e": ["x", ""], "tokenizer.f": [1, 2]}
    write_gguf(path, "llama", given, {"t": WIDE})
    found = read_gguf_header(path).settings
    for name, value in given.items():
        read = found[name if "." in name else f"llama.{name}"]
        assert (read, type(read)) == (value, type(value))


def test_a_file_whose_tokeniser_is_of_another_kind_says_what_to_do(tmp_path: Path) -> None:
    path, _ = written("llama", tmp_path, "F32", **{"tokenizer.ggml.model": "llama"})
    with pytest.raises(InputError, match=r"tokenizer\.json"):
        _ = open_checkpoint(path).tokeniser


def with_words(path: Path, count: int) -> None:
    """Write a tokenizer.json with so many words next to a file."""
    words = {word: n for n, word in enumerate(["ab", *(f"u{n}" for n in range(count - 1))])}
    Tokenizer(WordLevel(words, "ab")).save(str(path.parent / "tokenizer.json"))


def test_the_tokeniser_of_the_file_comes_before_one_next_to_it(tmp_path: Path) -> None:
    vocabulary = [*"abcĠ12", "ab", "Ġab", "<s>"]
    more: dict[str, Any] = {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": vocabulary + [f"u{n}" for n in range(31 - len(vocabulary))],
        "tokenizer.ggml.merges": ["a b", "Ġ ab"],
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.bos_token_id": 8,
    }
    path, _ = written("llama", tmp_path, **more)
    with_words(path, 31)
    encoded = open_checkpoint(path).tokeniser.encode("ab ab12")
    assert encoded.tokens == ["<s>", "ab", "Ġab", "1", "2"]
    assert encoded.ids == [8, 6, 7, 4, 5]


def test_a_tokeniser_next_to_the_file_is_used_if_that_has_none_and_it_fits(tmp_path: Path) -> None:
    path, _ = written("llama", tmp_path, **{"tokenizer.ggml.model": "t5"})
    for count in (31, 30):
        with_words(path, count)
        assert open_checkpoint(path).tokeniser.encode("ab").ids == [0]
    with_words(path, 32)
    with pytest.raises(InputError, match=r"has 32 tokens; the model has 31 tokens"):
        _ = open_checkpoint(path).tokeniser


def test_a_tokeniser_with_far_fewer_tokens_is_of_another_model(tmp_path: Path) -> None:
    with_words(tmp_path / "model.gguf", 30)
    assert tokeniser_next_to(tmp_path / "model.gguf", 30 + 1_024) is not None
    refuses(r"model\.gguf has 30 tokens", tokeniser_next_to, tmp_path / "model.gguf", 30 + 1_025)
    assert tokeniser_next_to(tmp_path / "other" / "model.gguf", 30) is None


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("rope.scaling.type", {"rope.scaling.type": "yarn"}),
    ("rope.scaling.type", {"rope.scaling.type": "longrope"}),
    ("rope.scaling.factor", {"rope.scaling.type": "linear", "rope.scaling.factor": 0.0}),
    ("rope.scaling.factor", {"rope.scaling.factor": -2.0}),
    ("rope.scaling.factor", {"rope.scaling.factor": float("nan")}),
    ("rope.scaling.factor", {"rope.scaling.factor": "2"}),
    ("a full turn", {"rope.scaling.factor": 1e-6}),
    ("a full turn", {"rope.freq_base": 1e-30}),
    ("rope.scale_linear", {"rope.scale_linear": 4.0}),
    ("rope.scaling.attn_factor", {"rope.scaling.attn_factor": 1.2}),
    ("rope.dimension_count", {"rope.dimension_count": 6}),
    ("expert_count", {"expert_count": 8}),
    ("attention.causal", {"attention.causal": False}),
    ("attention.head_count", {"attention.head_count": 65}),
    ("attention.head_count_kv", {"attention.head_count_kv": 0}),
]


@pytest.mark.parametrize(("name", "changed"), REFUSED, ids=[str(changed) for _, changed in REFUSED])
def test_other_computations_are_refused(tmp_path: Path, name: str, changed: dict[str, Any]) -> None:
    path, _ = written("llama", tmp_path, **changed)
    refuses(name, open_checkpoint, path)


def test_numbers_of_a_file_that_was_written_over_are_not_read(tmp_path: Path) -> None:
    path, _ = written("llama", tmp_path)
    checkpoint = open_checkpoint(path)
    path.rename(tmp_path / "before.gguf")
    written("llama", tmp_path)
    assert not checkpoint.is_current
    refuses("no longer the file that was opened", checkpoint.parts["E_tokens"].numbers)


def with_divisors(name: str, folder: Path, divisors: np.ndarray, **more: Any) -> Path:
    """A tiny model with numbers by which its frequencies are divided."""
    path, _ = written(name, folder)
    header, start = read_gguf_header(path), f"{name.split(',')[0]}."
    tensors = {n: t.numbers() for n, t in header.tensors.items()}
    settings = {n.removeprefix(start): v for n, v in header.settings.items() if start in n}
    path.unlink()
    write_gguf(path, start[:-1], settings | more, tensors | {"rope_freqs.weight": divisors})
    return path


ONES = np.ones(7, np.float32)


@pytest.mark.parametrize(
    ("divisors", "said"),
    [
        (0 * ONES, "the number 0; it divides a frequency of RoPE"),
        (np.array([1, 1, -2, 1, 1, 1, 1], np.float32), "the number -2"),
        (np.nan * ONES, "not finite"),
        (np.inf * ONES, "not finite"),
        (1e-30 * ONES, r"pair 1 by 1e\+30 radians.*a full turn"),
        (ONES[:6], "a list of 6; the settings ask for a list of 7"),
        (np.ones(14, np.float32), "a list of 14; the settings ask for a list of 7"),
        (ONES.reshape(1, 7), "is 1 × 7"),
        (ONES.astype(np.int8), "kind"),
    ],
    ids=range(9),
)
def test_unusable_divisors_are_refused(tmp_path: Path, divisors: np.ndarray, said: str) -> None:
    refuses(said, open_checkpoint, with_divisors("llama", tmp_path, divisors))


def test_divisors_and_a_factor_divide_both_and_none_means_no_factor(tmp_path: Path) -> None:
    rope = open_checkpoint(written("llama", tmp_path)[0]).settings.rope
    assert rope is not None
    divisors = np.arange(1, 8, dtype=np.float32)
    for scaling, factor in (("linear", 4.0), ("none", 1.0)):
        more = {"rope.scaling.type": scaling, "rope.scaling.factor": 4.0}
        found = open_checkpoint(with_divisors("llama", tmp_path, divisors, **more)).settings.rope
        assert found is not None
        for p in range(7):
            np.testing.assert_allclose(found.frequencies[p], rope.frequencies[p] / factor / (p + 1))


def test_divisors_in_a_model_without_rope_are_refused(tmp_path: Path) -> None:
    refuses("rope_freqs", open_checkpoint, with_divisors("gpt2", tmp_path, ONES))


def header_refused(path: Path, data: bytes, said: str = "damaged") -> None:
    path.write_bytes(data)
    little_work.refused(lambda: read_gguf_header(path), said)


def test_a_file_that_is_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.gguf"
    write_gguf(path, "llama", {"tokens": ["a", "b"], "block_count": 1}, {"wide": WIDE}, "Q8_0")
    whole, wide = path.read_bytes(), read_gguf_header(path).tensors["wide"]
    for length in [0, 3, *range(4, wide.offset + wide.byte_count, 7)]:
        header_refused(tmp_path / "cut.gguf", whole[:length])


def file_of(tensors: int, entries: int, *parts: bytes) -> bytes:
    return struct.pack("<4sIQQ", b"GGUF", 3, tensors, entries) + b"".join(parts)


def list_of(count: int, name: bytes = b"a") -> bytes:
    return struct.pack("<Q1sIIQ", 1, name, 9, 0, count) + bytes(count)


def text_of(length: int) -> bytes:
    """A list with a text of which five letters are there."""
    return struct.pack("<Q1sIIQQ", 1, b"a", 9, 8, 1, length) + b"abcde"


def tensor_at(offset: int, name: bytes = b"a", kind: int = 0) -> bytes:
    return struct.pack("<Q1sIQIQ", 1, name, 1, 16, kind, offset)


LIMITS = {
    "a list": [file_of(0, 1, list_of(count)) for count in (600_000, 600_001)],
    "all lists together": [
        file_of(0, 2, list_of(400_000), list_of(count, b"b")) for count in (200_000, 200_001)
    ],
    "a text in a list": [file_of(0, 1, text_of(length)) for length in (5, 6, 2**62)],
    "tensors that share numbers": [
        file_of(2, 0, tensor_at(offset, b"b"), tensor_at(0), bytes(200)) for offset in (64, 32, 0)
    ],
}
"""What is just read, and what is beyond it."""


@pytest.mark.parametrize("name", LIMITS)
def test_what_is_beyond_a_limit_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "limit.gguf"
    within, *beyond = LIMITS[name]
    path.write_bytes(within)
    assert read_gguf_header(path)
    for data in beyond:
        header_refused(path, data)


def test_a_version_or_a_kind_of_numbers_that_is_not_known_is_refused(tmp_path: Path) -> None:
    header_refused(tmp_path / "new.gguf", struct.pack("<4sIQQ", b"GGUF", 9, 0, 0), "version 9")
    for kind in (99, 24):
        data = file_of(1, 0, tensor_at(0, kind=kind), bytes(64))
        header_refused(tmp_path / "kind.gguf", data, str(kind))
