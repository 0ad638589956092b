"""Captured heads: files are whole and say where they are from; attention gives their numbers."""

import json
import re
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from safetensors.numpy import load_file

from core import InputError, Trace
from core.attention.masks import KINDS
from core.models import captures, head_scores, head_search
from tests.core.models.support import rewritten, said_in
from tests.core.support import refuses
from tests.sampling import ROOT

RUNS = {run.name: run for run in captures.captured_runs()}
NAMES = list(captures.captured_heads())
SMALL = captures.FOLDER / "minilm-keys.safetensors"


@pytest.mark.parametrize("name", NAMES)
def test_attention_gives_the_weights_and_contexts_of_the_model(name: str) -> None:
    capture = captures.load_capture(name)
    trace = captures.trace_of(capture)
    np.testing.assert_allclose(trace["weights"][0], capture.weights, rtol=0, atol=1e-5)
    np.testing.assert_allclose(trace["context"][0], capture.context, rtol=0, atol=1e-5)
    tokens = [token.strip("Ġ#").replace("Ċ", "⏎") for token in capture.run.tokens]
    assert trace.tokens == tuple(tokens)
    np.testing.assert_allclose(trace["scaled"], trace["scores"] * capture.head.scale)


@pytest.mark.parametrize("other", ["smollm2-induction-love", "smollm2-same-token-code"])
def test_only_heads_with_the_same_keys_are_one_run(other: str) -> None:
    name = "smollm2-induction"
    both = captures.trace_of(*map(captures.load_capture, (name, "smollm2-first-token")))
    assert [len(both[array]) for array in ("Q", "K", "V", "weights")] == [2, 1, 1, 2]
    with pytest.raises(InputError, match=f"{name}, {other} do not read the same keys"):
        captures.trace_of(captures.load_capture(name), captures.load_capture(other))


@pytest.mark.parametrize("name", NAMES)
def test_a_head_is_measured_on_two_more_texts(name: str) -> None:
    """By the same score, on texts that are no other head's own; rows of weights add up to 1."""
    capture = captures.load_capture(name)
    run, head = capture.run, capture.head
    prompts = {run.prompt for run in RUNS.values()}
    assert len(capture.further) == len({one.prompt for one in head.further} - prompts) == 2
    scores = captures.further_scores(capture)
    for weights, text, score in zip(capture.further, head.further, scores, strict=True):
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)
        assert np.triu(weights, 1).any() == (run.mask == "none")
        joined = "".join(text.tokens).replace("Ġ", " ")
        assert joined in (text.prompt, f"[CLS]{text.prompt.lower().replace(' ', '')}[SEP]")
        if text.pairs:
            assert score == pytest.approx(np.mean([weights[i, j] for i, j in text.pairs]))
        else:
            assert score == head_scores.HEAD_SCORES[head.score](weights, text.tokens)


@pytest.mark.parametrize("name", NAMES)
def test_a_head_does_most_of_what_it_was_chosen_for_in_its_run(name: str) -> None:
    run, head = captures.captured_heads()[name]
    scores = head_search.scores_of_all_heads(run, head.score, head.pairs)
    assert scores.shape == (run.n_layers, run.n_heads)
    assert scores[head.layer, head.head] > np.sort(scores, axis=None)[-2]
    assert captures.score_of(captures.load_capture(name)) > 0.5


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_run_says_where_it_is_from(run) -> None:
    assert run.licence == "Apache-2.0"
    assert urlsplit(run.source).hostname == "huggingface.co"
    assert re.fullmatch(r"[\w-]+==[\d.]+", run.package)
    assert re.fullmatch(r"[0-9a-f]{64}", run.sha256)
    assert run.command == "make captures"
    assert date(2026, 1, 1) <= date.fromisoformat(run.date)
    joined = "".join(run.tokens).translate({ord("Ġ"): " ", ord("Ċ"): "\n"})
    if run.mask == "none":
        joined = re.sub(r"\[[A-Z]+\]", "", joined)
        assert joined == run.prompt.lower().replace(" ", "")
    else:
        assert joined == run.prompt
    assert run.mask in KINDS
    assert len({head.name for head in run.heads}) == len(run.heads) > 0


def test_the_requirements_pin_the_packages_that_the_captures_were_made_from() -> None:
    pinned = (ROOT / "requirements-models.txt").read_text("utf-8").splitlines()
    assert {run.package for run in RUNS.values()} <= set(pinned)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_the_maps_are_the_weights_of_every_head_within_half_a_step(run) -> None:
    maps = captures.load_maps(run)
    T = len(run.tokens)
    assert maps.shape == (run.n_layers, run.n_heads, T, T)
    np.testing.assert_allclose(maps.sum(axis=-1), 1, atol=T * 0.5 / captures.MAP_STEPS)
    assert np.triu(maps, 1).any() == (run.mask == "none")
    for head in run.heads:
        weights = captures.read_capture(run, head).weights
        apart = np.abs(maps[head.layer, head.head] - weights)
        assert apart.max() <= 0.5 / captures.MAP_STEPS + 1e-6
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


def test_all_captures_together_are_small_and_numbers_are_read_only() -> None:
    assert sum(path.stat().st_size for path in captures.FOLDER.iterdir()) < 5_000_000
    capture = captures.load_capture(NAMES[0])
    for array in (capture.Q, capture.K, capture.V, capture.weights, capture.context):
        assert array.dtype == np.float64
        assert not array.flags.writeable


def test_the_lines_of_the_docs_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "captures.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "captures.md", "exec"), names)
    assert "The list: red lamp" in capsys.readouterr().out
    assert isinstance(names["trace"], Trace)


def test_a_name_that_there_is_not_says_which_there_are() -> None:
    refuses("minilm-keys-are", captures.load_capture, "no-such-head")


def read_all(path: Path) -> None:
    """Read everything of a file."""
    run = captures.read_captured_run(path)
    captures.load_maps(run)
    captures.load_variances(run)
    for head in run.heads:
        captures.read_capture(run, head)


def test_an_unchanged_copy_is_read(tmp_path: Path) -> None:
    read_all(rewritten(SMALL, tmp_path))


@pytest.mark.parametrize("length", [0, 7, 100, 3000, -1])
def test_a_truncated_file_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "short.safetensors"
    path.write_bytes(SMALL.read_bytes()[:length])
    refuses(r"short\.safetensors", read_all, path)


def test_a_run_whose_tokens_are_not_those_of_its_maps_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        captures.read_captured_run(rewritten(SMALL, tmp_path, tokens=json.dumps(["a"] * 14)))


def test_a_missing_file_and_one_of_another_kind_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    other.write_bytes(b"PK\x03\x04" + bytes(100))
    for path in (other, tmp_path / "none.safetensors"):
        refuses("", read_all, path)


SAID = said_in(SMALL)
(HEAD,) = json.loads(SAID["heads"])
OF_FURTHER: list[dict[str, object]] = [
    {"prompt": ""}, {"pairs": []}, {"pairs": [[99, 0]]}, {"tokens": []}, {"tokens": ["a", "b"]},
    {"tokens": [1] * len(HEAD["further"][1]["tokens"])},
]  # fmt: skip
FIRST, SECOND = HEAD["further"]
OF_HEAD: dict[str, list[object]] = {
    "layer": [6, -1],
    "head": [12],
    "kv_head": [2],
    "score": ["best", "induction"],
    "pairs": [[], [[15, 0]], [[-1, 0]]],
    "further": [[], [FIRST], *([FIRST, {**SECOND, **said}] for said in OF_FURTHER)],
    "scale": [0, "nan"],
    "name": ["other"],
}
HEADS = [json.dumps([{**HEAD, name: value}]) for name in OF_HEAD for value in OF_HEAD[name]]
IN_HEADER: dict[str, list[str | None]] = {
    **{name: [None, ""] for name in SAID},
    "format": [None, "", "1"],
    "mask": [None, "", "prefix"],
    "tokens": [None, "", json.dumps([1] * 15), json.dumps(["a"] * 14), "[" * 100_000],
    "heads": [None, "", *HEADS],
}


@pytest.mark.parametrize(
    ("name", "said"),
    [(name, said) for name, every in IN_HEADER.items() for said in every],
    ids=lambda said: str(said)[:60],
)
def test_a_header_that_does_not_fit_is_refused(tmp_path: Path, name: str, said: str | None) -> None:
    refuses("", read_all, rewritten(SMALL, tmp_path, **{name: said}))


Q = load_file(SMALL)["minilm-keys-are.Q"]
MAPS, VARIANCES = (load_file(SMALL)[name] for name in ("maps", "variances"))


@pytest.mark.parametrize(
    "arrays",
    [
        {"minilm-keys-are.Q": Q[1:]},
        {"minilm-keys-are.Q": Q[:, 1:]},
        {"minilm-keys-are.Q": Q.astype(np.float64)},
        {"minilm-keys-are.Q": np.where(np.tri(*Q.shape) > 0, Q, np.float32("nan"))},
        {"minilm-keys-are.K": np.where(np.tri(*Q.shape) > 0, Q, np.float32("inf"))},
        {"minilm-keys-are.weights": Q},
        {"maps": MAPS[..., 1:]},
        {"maps": MAPS[0]},
        {"variances": VARIANCES[1:]},
        {"variances": np.where(VARIANCES > 2, VARIANCES, np.float32("nan"))},
        {"minilm-keys-are.further.1": Q},
        {"maps": MAPS[:0]},
        {"maps": MAPS.astype(np.float32)},
    ],
    ids=lambda arrays: " ".join(f"{name} {a.shape} {a.dtype}" for name, a in arrays.items()),
)
def test_arrays_of_another_shape_or_type_are_refused(tmp_path: Path, arrays) -> None:
    refuses("", read_all, rewritten(SMALL, tmp_path, arrays))


def test_an_array_left_out_and_a_file_that_is_too_large_are_refused(tmp_path: Path) -> None:
    refuses("", read_all, rewritten(SMALL, tmp_path, {"minilm-keys-are.context": None}))
    refuses("", read_all, rewritten(SMALL, tmp_path, {"more": np.zeros(6_000_000, np.uint8)}))


@pytest.mark.parametrize("name", NAMES)
def test_its_program_runs_the_same_on_them(name: str) -> None:
    capture = captures.load_capture(name)
    trace = captures.trace_of(capture)
    again = trace.program.run(captures.vectors_of(capture))  # type: ignore[attr-defined]
    np.testing.assert_array_equal(again["context"], trace["context"])


@pytest.mark.parametrize("name", NAMES)
def test_its_tokens_are_the_words_of_the_prompt(name: str) -> None:
    capture = captures.load_capture(name)
    tokens = captures.vectors_of(capture).tokens
    assert all(tokens)
    assert not any(sign in token for token in tokens for sign in "Ġ Ċ##")
    words = "".join(token for token in tokens if token not in ("⏎", "[CLS]", "[SEP]"))
    assert words.lower() == "".join(capture.run.prompt.split()).lower()
    lines = sum(token == "⏎" for token in tokens)
    assert lines == (capture.run.prompt.count("\n") if capture.run.mask == "causal" else 0)
