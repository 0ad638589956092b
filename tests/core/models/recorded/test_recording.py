"""Recordings: written and read back exactly, opened as heads and windows, refused if hostile."""

import os
import re
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from safetensors.torch import save_file as save_torch_file
from torch.nn.functional import scaled_dot_product_attention

from core.errors import InputError
from core.limits import MOST_MAPPED
from core.models import Recording, capture, open_recording, read_hook_cache, save_recording
from core.models.captures import MAP_STEPS
from core.models.recorded.recording import WINDOW
from core.models.recorded.recording_file import recording_of_bytes
from core.pytorch.recorded_call import MOST_CALLS
from stage import show
from stage.document.document import document
from tests.core.models.hostile import holed
from tests.core.models.little_work import MOST_REFUSED, counted_work, refused
from tests.core.models.support import rewritten
from tests.core.support import refuses
from tests.sampling import ROOT

H, G, T, S, D, WIDTH = 4, 2, 5, 7, 3, 2
TOKENS = ["The", " cat", "<b>", "猫", ""]


def recorded(path: Path | None = None, **asked: Any) -> Recording:
    """Three calls: causal and grouped, with a boolean mask, with numbers that are added."""
    draw = torch.Generator().manual_seed(0)

    def drawn(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=draw)

    with capture(path, **asked) as made:
        Q, K, V = drawn(1, H, T, D), drawn(1, G, T, D), drawn(1, G, T, WIDTH)
        scaled_dot_product_attention(Q, K, V, is_causal=True, enable_gqa=True, scale=0.7)
        K, V, mask = drawn(1, H, S, D), drawn(1, H, S, WIDTH), drawn(T, S) > -0.5
        scaled_dot_product_attention(Q, K, V, attn_mask=mask)
        scaled_dot_product_attention(Q, K, V, attn_mask=drawn(1, H, T, S))
    return made


def described(recording: Recording) -> list[Any]:
    return [
        (call.name, call.function, call.causal, call.scale, call.dropout, call.precision,
         dict(call.shapes))
        for call in recording.calls
    ]  # fmt: skip


def test_a_file_is_read_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    made = recorded(path, tokens=TOKENS, key_tokens=list("abcdefg"))
    again = open_recording(path)
    assert described(again) == described(made)
    assert (again.tokens, again.key_tokens) == (tuple(TOKENS), tuple("abcdefg"))
    assert repr(again) == repr(made)
    for ours, theirs in zip(again.calls, made.calls, strict=True):
        assert set(ours.arrays) == set(theirs.arrays)
        for name, array in theirs.arrays.items():
            assert ours[name].dtype == array.dtype
            assert np.array_equal(ours[name], array)
            assert not ours[name].flags.writeable
    second = tmp_path / "again.safetensors"
    save_recording(again, second)
    assert described(open_recording(second)) == described(made)
    assert sorted(file.name for file in tmp_path.iterdir()) == [second.name, path.name]


def test_nothing_of_torch_is_loaded_to_read_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    recorded(path)
    code = (
        "import sys\nfrom core.models import capture, open_recording\n"
        f"open_recording({str(path)!r}).trace(0, 1)\nassert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_heads_have_the_tokens_of_calls_with_as_many() -> None:
    made = recorded(tokens=TOKENS)
    assert made.trace(0).tokens == tuple(TOKENS)
    other = made.trace(1)
    assert other.tokens == tuple(TOKENS)
    assert other.more_tokens["keys"] == tuple(f"t{n + 1}" for n in range(S))
    named = recorded(tokens=TOKENS, key_tokens=list("abcdefg")).trace(1)
    assert named.more_tokens["keys"] == tuple("abcdefg")
    unfit = recorded(tokens=["a"])
    assert unfit.trace(0).tokens == tuple(f"t{n + 1}" for n in range(T))
    assert unfit.notes == ["tokens has 1 token, and no call has this number of queries or keys"]
    assert not made.notes


def test_a_call_is_found_by_number_and_by_name() -> None:
    made = recorded()
    assert made.find("scaled_dot_product_attention") is made.calls[0]
    assert made.find(2) is made.calls[2]
    refuses("no call 3; calls are 0 to 2", made.trace, call=3)
    refuses("no call -1", made.trace, call=-1)
    refuses("no call 'layer'", made.trace, call="layer")
    refuses("head is 4; it must be 0 to 3", made.trace, head=4)
    refuses("head is -1", made.trace, head=-1)
    refuses("first is 5; it must be 0 to 4", made.trace, first=5)


def test_each_head_has_its_own_numbers_and_those_of_its_keys() -> None:
    made = recorded()
    for n, call in enumerate(made.calls):
        for head in range(H):
            trace = made.trace(n, head)
            shared = head // 2 if n == 0 else head
            assert np.array_equal(trace["Q"][0], call["Q"][head].astype(float))
            assert np.array_equal(trace["K"][0], call["K"][shared].astype(float))
            np.testing.assert_allclose(trace["weights"][0], call["weights"][head], atol=1e-6)
            np.testing.assert_allclose(trace["context"][0], call["context"][head], atol=1e-6)
    assert "bias" in made.trace(2)
    assert "bias" not in made.trace(1)


def test_weights_that_were_made_in_another_way_are_where_the_run_begins() -> None:
    call = recorded().calls[0]
    weights = np.roll(call["weights"], 1, axis=-1)
    trace = Recording([replace(call, arrays={**call.arrays, "weights": weights})]).trace(0, 2)
    assert trace.program.names[0] == "weights"
    own = weights[2].astype(float)
    assert np.array_equal(trace["weights"][0], own)
    np.testing.assert_allclose(trace["context"][0], own @ call["V"][1], atol=1e-12)
    large = {**call.arrays, "Q": 1e8 * call["Q"]}
    for changed_call in (replace(call, scale=-1.0), replace(call, arrays=large)):
        assert Recording([changed_call]).trace().program.names[0] == "weights"


def test_maps_are_within_half_a_step_of_the_weights() -> None:
    made = recorded()
    for n, call in enumerate(made.calls):
        maps = made.maps(n)
        assert maps.shape == call.shapes["weights"]
        assert np.abs(maps / MAP_STEPS - call["weights"]).max() <= 0.5 / MAP_STEPS + 1e-6


def long_recording(length: int, is_causal: bool, keys: int = 0) -> Recording:
    draw = torch.Generator().manual_seed(1)
    lengths = (length, keys or length, keys or length)
    Q, K, V = (torch.randn(1, 2, n, D, generator=draw) for n in lengths)
    with capture(tokens=[f"w{n}" for n in range(length)]) as made:
        scaled_dot_product_attention(Q, K, V, is_causal=is_causal)
    return made


@pytest.mark.parametrize("first", [0, 100, 250])
def test_a_long_causal_head_is_a_window_that_ends_at_its_last_query(first: int) -> None:
    made = long_recording(300, is_causal=True)
    trace, call = made.trace(0, 1, first), made.calls[0]
    rows = min(WINDOW, 300 - first)
    seen = first + rows
    weights = call["weights"][1, first:seen]
    assert trace["weights"].shape == (1, rows, seen)
    np.testing.assert_allclose(trace["weights"][0], weights[:, :seen], atol=1e-6)
    np.testing.assert_allclose(trace["context"][0], call["context"][1, first:seen], atol=1e-6)
    assert trace.tokens == tuple(f"w{n}" for n in range(seen))
    assert not weights[:, seen:].any()


def test_a_long_head_without_a_mask_is_a_window_with_all_its_keys() -> None:
    made = long_recording(300, is_causal=False)
    trace, call = made.trace(0, 0, 40), made.calls[0]
    assert trace["weights"].shape == (1, WINDOW, 300)
    np.testing.assert_allclose(trace["context"][0], call["context"][0, 40 : 40 + WINDOW], atol=1e-6)
    assert trace.tokens == tuple(f"w{n}" for n in range(40, 40 + WINDOW))
    assert trace.more_tokens["keys"] == tuple(f"w{n}" for n in range(300))
    unnamed = replace(made, tokens=None).trace(0, 0, 40)
    assert unnamed.tokens == tuple(f"t{n + 1}" for n in range(40, 40 + WINDOW))


def test_a_causal_call_with_more_keys_counts_from_the_first_one_as_pytorch_does() -> None:
    made = long_recording(5, is_causal=True, keys=9)
    trace = made.trace(0, 1)
    assert trace["mask"].tolist() == np.tri(5, 9, dtype=bool).tolist()
    np.testing.assert_allclose(trace["weights"][0], made.calls[0]["weights"][1], atol=1e-6)


def test_the_longest_head_is_a_window_whose_document_costs_no_more_than_its_cells() -> None:
    """benchmarks/recording.py has the time: 1 s."""
    short, long = (long_recording(T, is_causal=False) for T in (MOST_MAPPED // 2, MOST_MAPPED))
    calls = []
    for made in (short, long):
        trace = made.trace(0, 1, 400)
        assert trace["weights"].shape == (1, WINDOW, made.calls[0].n_keys)
        with counted_work() as work:
            assert document(trace, ("weights", (0, 0, 0)))["id"]
        calls.append(work.calls)
    assert calls[1] <= 2.2 * calls[0]  # twice the keys


def test_show_opens_a_head_of_a_recording_and_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    made = recorded(path, tokens=["one", "two", "three", "four", "five"])
    page = show(made.trace(1, 2)).html
    assert show(made, call=1, head=2).html == page
    assert show(path, call=1, head=2).html == page
    assert show(str(path), call=1, head=1).html != page
    assert "one two three four five" in page


def test_only_what_is_asked_for_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    layers, heads, length, width = 4, 4, 256, 16
    with capture(path) as made:
        for _ in range(layers):
            Q, K, V = (torch.randn(1, heads, length, width) for _ in "QKV")
            scaled_dot_product_attention(Q, K, V, is_causal=True)
    one = made.calls[0]["weights"].nbytes
    tracemalloc.start()
    again = open_recording(path)
    opened = tracemalloc.get_traced_memory()[1]
    for n in range(layers):
        again.maps(n)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert opened < 0.2 * one
    assert most < 3 * one  # one call at a time, and what becomes a picture of it


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("good") / "good.safetensors"
    recorded(path, tokens=TOKENS)
    return path


def read_all(path: Path) -> None:
    for call in open_recording(path).calls:
        for name in call.arrays:
            call[name]


def file_refused(path: Path, said: str = "") -> None:
    refused(lambda: read_all(path), said, MOST_REFUSED)


def test_a_recording_of_too_many_calls_is_refused(tmp_path: Path) -> None:
    path, call = tmp_path / "run.safetensors", long_recording(2, is_causal=True).calls[0]
    save_recording(Recording([call] * MOST_CALLS), path)
    assert len(open_recording(path).calls) == MOST_CALLS
    save_recording(Recording([call] * (MOST_CALLS + 1)), path)
    file_refused(path)


ARRAYS: dict[str, Callable[[np.ndarray], dict[str, Any]]] = {
    "Q of another width": lambda Q: {"0.Q": Q[..., 1:]},
    "Q of other rows": lambda Q: {"0.Q": Q[:, 1:]},
    "Q of two axes": lambda Q: {"0.Q": Q[0]},
    "Q of integers": lambda Q: {"0.Q": Q.astype(np.int64)},
    "no K": lambda Q: {"0.K": None},
    "no weights": lambda Q: {"0.weights": None},
    "three groups": lambda Q: {"0.K": np.zeros((3, T, D)), "0.V": np.zeros((3, T, WIDTH))},
    "no group": lambda Q: {"0.K": np.zeros((0, T, D)), "0.V": np.zeros((0, T, WIDTH))},
    "wide": lambda Q: {"0.Q": np.zeros((H, T, 257)), "0.K": np.zeros((G, T, 257))},
    "an array too many": lambda Q: {"3.Q": Q},
    "another name": lambda Q: {"0.secret": Q},
    "mask of another shape": lambda Q: {"1.mask": np.zeros((T, S + 1), bool)},
    "mask of integers": lambda Q: {"1.mask": np.zeros((T, S), np.uint8)},
    "output of other rows": lambda Q: {"0.output": np.zeros((T + 1, 3))},
    "output of three axes": lambda Q: {"0.output": np.zeros((1, T, 3))},
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_do_not_fit_are_refused(name: str, good: Path, tmp_path: Path) -> None:
    file_refused(rewritten(good, tmp_path, ARRAYS[name](load_file(good)["0.Q"])))


NUMBERS: dict[str, tuple[str, float, str]] = {
    "nan in Q": ("0.Q", np.nan, "0.Q has NaN or an infinite number"),
    "infinity in V": ("0.V", np.inf, "0.V has NaN"),
    "minus infinity in K": ("0.K", -np.inf, "0.K has NaN"),
    "nan in a mask": ("2.mask", np.nan, "2.mask has NaN"),
    "nan in weights": ("0.weights", np.nan, "0.weights has NaN"),
    "a negative weight": ("0.weights", -0.25, "0.weights has the weight -0.25"),
    "a weight of 1.5": ("0.weights", 1.5, "0.weights has the weight 1.5"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_cannot_be_are_refused(name: str, good: Path, tmp_path: Path) -> None:
    array, value, message = NUMBERS[name]
    numbers = load_file(good)[array].copy()
    numbers.flat[3] = value
    file_refused(rewritten(good, tmp_path, {array: numbers}), message)


def test_minus_infinity_in_a_mask_and_nan_in_an_output_are_read(good: Path, tmp_path: Path) -> None:
    mask = load_file(good)["2.mask"].copy()
    mask[0, 1, 2] = -np.inf
    output = np.full((T, 4), np.nan, np.float32)
    path = rewritten(good, tmp_path, {"2.mask": mask, "0.output": output})
    read_all(path)
    assert open_recording(path).trace(2).program.names[0] == "weights"  # of another mask


def test_how_long_a_header_is_decides_before_it_is_read(good: Path, tmp_path: Path) -> None:
    data, path = good.read_bytes(), tmp_path / "long.safetensors"
    (length,) = struct.unpack("<Q", data[:8])
    for more, reads in ((1_000, read_all), (5_000_000, lambda path: file_refused(path, "header"))):
        header = data[8 : 8 + length].ljust(length + more)
        path.write_bytes(struct.pack("<Q", len(header)) + header + data[8 + length :])
        reads(path)


def test_a_large_file_and_a_missing_one_and_a_folder_are_refused(tmp_path: Path) -> None:
    large = tmp_path / "large.safetensors"
    holed(large, b"", 5_000_000_000)
    file_refused(large, "5.0 GB; a recording may have 4 GB")
    file_refused(tmp_path / "none.safetensors", "There is no file")
    file_refused(tmp_path)


def test_a_file_that_changes_after_it_was_opened_is_refused(good: Path, tmp_path: Path) -> None:
    path = rewritten(good, tmp_path)
    recording = open_recording(path)
    path.write_bytes(b"")
    refuses(r"changed\.safetensors is no longer the file", recording.trace)


def test_other_numbers_under_the_same_name_are_refused(good: Path, tmp_path: Path) -> None:
    """Of the same size, in a file that is as old."""
    path = rewritten(good, tmp_path)
    recording, before = open_recording(path), path.stat()
    assert recording.is_current()
    path.rename(tmp_path / "before.safetensors")
    weights = load_file(tmp_path / "before.safetensors")["0.weights"]
    rewritten(good, tmp_path, {"0.weights": weights[:, :, ::-1]})
    os.utime(path, ns=(before.st_mtime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert not recording.is_current()
    with pytest.raises(InputError, match="no longer the file that was opened"):
        recording.calls[0]["weights"]
    np.testing.assert_array_equal(open_recording(path).calls[0]["weights"], weights[:, :, ::-1])


def test_what_cannot_be_written_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: Any) -> None:
        raise OSError("no space")

    monkeypatch.setattr("core.models.recorded.recording_file.os.replace", full)
    refuses("was not written", recorded, tmp_path / "run.safetensors")
    assert not list(tmp_path.iterdir())


def hooks(batch: int = 2, rotated: bool = False) -> tuple[dict[str, torch.Tensor], Recording]:
    """A cache as TransformerLens names it, and the same call captured."""
    draw = torch.Generator().manual_seed(4)
    Q = torch.randn(batch, T, H, D, generator=draw)
    K, V = (torch.randn(batch, T, G, n, generator=draw) for n in (D, WIDTH))
    with capture(item=1) as made:
        q, k, v = (x.transpose(1, 2) for x in (Q, K, V))
        z = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    scores = torch.einsum("bihk,bjhk->bhij", Q, K.repeat_interleave(2, 2)) / D**0.5
    visible = torch.ones(T, T, dtype=torch.bool).tril()
    pattern = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    names = ("hook_rot_q", "hook_rot_k") if rotated else ("hook_q", "hook_k")
    cache = {
        "hook_embed": torch.ones(batch, T, 9),
        **{f"blocks.0.attn.{n}": x for n, x in zip(names, (Q, K), strict=True)},
        "blocks.0.attn.hook_v": V,
        "blocks.0.attn.hook_attn_scores": scores.masked_fill(~visible, -torch.inf),
        "blocks.0.attn.hook_pattern": pattern,
        "blocks.0.attn.hook_z": z.transpose(1, 2),
    }
    if rotated:
        cache |= {"blocks.0.attn.hook_q": -Q, "blocks.0.attn.hook_k": -2 * K}
    return cache, made


@pytest.mark.parametrize("rotated", [False, True])
def test_a_cache_of_transformer_lens_is_the_call_itself(rotated: bool, tmp_path: Path) -> None:
    cache, made = hooks(rotated=rotated)
    path = tmp_path / "cache.safetensors"
    save_file({n: np.ascontiguousarray(a[1:].numpy()) for n, a in cache.items()}, path)
    without_batch = {n: a[1] for n, a in cache.items()}
    for ours in (
        read_hook_cache(cache, item=1, tokens=list("abcde")),
        read_hook_cache(without_batch, tokens=list("abcde")),
        open_recording(path),
        recording_of_bytes(path.read_bytes(), path.name),
    ):
        assert [call.name for call in ours.calls] == ["blocks.0.attn"]
        assert ours.calls[0].is_causal
        for head in range(H):
            trace, theirs = ours.trace(0, head), made.trace(0, head)
            for name in ("Q", "K", "V", "weights", "context"):
                np.testing.assert_allclose(trace[name], theirs[name], rtol=0, atol=1e-6)
    assert read_hook_cache(cache, tokens=list("abcde")).trace().tokens == tuple("abcde")
    save_recording(read_hook_cache(cache, item=1), tmp_path / "run.safetensors")
    again = open_recording(tmp_path / "run.safetensors")
    z = cache["blocks.0.attn.hook_z"][1].transpose(0, 1)
    assert np.array_equal(again.calls[0]["context"], z.numpy())


def test_a_cache_in_bfloat16_opens_from_its_file_as_in_memory(tmp_path: Path) -> None:
    cache = {name: array.bfloat16().contiguous() for name, array in hooks()[0].items()}
    path = tmp_path / "cache.safetensors"
    save_torch_file(cache, path)
    in_memory = read_hook_cache(cache)
    for ours in (open_recording(path), recording_of_bytes(path.read_bytes(), path.name)):
        assert ours.calls[0].precision == in_memory.calls[0].precision == "bfloat16"
        for name in ("Q", "K", "V", "weights", "context"):
            np.testing.assert_array_equal(ours.calls[0][name], in_memory.calls[0][name])
        assert "scores" in ours.trace(0, 1).program.names


def test_a_cache_of_another_type_says_which_types_can_be_read(tmp_path: Path) -> None:
    cache = {n: a.to(torch.float8_e4m3fn).contiguous() for n, a in hooks()[0].items()}
    path = tmp_path / "cache.safetensors"
    save_torch_file(cache, path)
    refuses(r"F8_E4M3; these types can be read: .*BF16", lambda: open_recording(path).trace())


def test_the_layers_of_a_cache_in_a_file_are_in_their_order(tmp_path: Path) -> None:
    cache, _ = hooks()
    one = {n.removeprefix("blocks.0."): a for n, a in cache.items() if n.startswith("blocks.0.")}
    path = tmp_path / "cache.safetensors"
    layers = {f"blocks.{layer}.{n}": a.numpy() for layer in range(12) for n, a in one.items()}
    save_file({n: np.ascontiguousarray(a) for n, a in layers.items()}, path)
    for ours in (open_recording(path), recording_of_bytes(path.read_bytes(), path.name)):
        assert [call.name for call in ours.calls] == [f"blocks.{n}.attn" for n in range(12)]


def test_a_cache_is_causal_only_if_no_weight_is_above_the_diagonal() -> None:
    cache, _ = hooks()
    assert read_hook_cache(cache).calls[0].is_causal
    cache["blocks.0.attn.hook_pattern"][0, H - 1, T - 2, T - 1] = 0.25
    assert not read_hook_cache(cache).calls[0].is_causal
    assert read_hook_cache(cache, item=1).calls[0].is_causal


def test_a_cache_without_contexts_has_them_computed() -> None:
    cache, made = hooks()
    del cache["blocks.0.attn.hook_z"]
    call = read_hook_cache(cache, item=1).calls[0]
    np.testing.assert_allclose(call["context"], made.calls[0]["context"], rtol=0, atol=1e-6)


CACHES: dict[str, tuple[Callable[[dict[str, torch.Tensor]], Any], str]] = {
    "nothing": (lambda c: {"hook_embed": c["hook_embed"]}, "no attention in this cache"),
    "no queries": (lambda c: {n: a for n, a in c.items() if "hook_q" not in n}, "hook_q"),
    "no values": (lambda c: {n: a for n, a in c.items() if "hook_v" not in n}, "hook_v"),
    "other keys": (lambda c: c | {"blocks.0.attn.hook_k": torch.ones(2, 4, G, D)}, "do not fit"),
    "flat": (lambda c: c | {"blocks.0.attn.hook_q": torch.ones(2, T, 8)}, "2 × 5 × 8"),
    "nan": (
        lambda c: c | {"blocks.0.attn.hook_pattern": torch.full((2, H, T, T), torch.nan)},
        "has NaN",
    ),
}


@pytest.mark.parametrize("name", CACHES)
def test_a_cache_that_does_not_fit_is_refused(name: str) -> None:
    change, message = CACHES[name]
    refuses(re.escape(message), lambda: read_hook_cache(change(hooks()[0])).trace())
    refuses("item 2", read_hook_cache, hooks()[0], item=2)
