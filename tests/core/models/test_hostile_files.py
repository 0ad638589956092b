"""What a stranger's file can do to a server: it is refused soon, with a reason, and never run."""

import json
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.models import Recording, open_recording
from core.models.checkpoints.opening import Checkpoint
from core.models.offers import offers_in
from core.models.recorded.recording_file import recording_of_bytes
from tests.core.models import hostile, tiny_models
from tests.core.models.little_work import MOST_REFUSED, refused
from tests.sampling import DEEP


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is offered, with a sound checkpoint in it; nothing in it is executed."""
    tiny_models.made_checkpoint("gpt2", tmp_path / "root" / "model")
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "root"
    assert not (tmp_path / hostile.CANARY).exists()


def opened(root: Path) -> object:
    (offer,) = offers_in([root])
    return offer.open()


SAID = {
    "only a pickle": "pickle",
    "only a pickle by another name": "pickle",
    "settings that are a list": r"config\.json",
    "settings that are cut off": r"config\.json",
    "settings that are long": "the limit is 1,000,000",
    "code in auto_map": "executed",
    "code asked to be trusted": "executed",
    "10 GB that are declared": "damaged",
    "a header of 10 GB": "10,737,418,240 bytes; the limit is 400,000",
}
"""What the message has to name, of some."""


@pytest.mark.parametrize("name", hostile.CHECKPOINTS)
def test_a_hostile_checkpoint_is_listed_and_refused(root: Path, name: str) -> None:
    hostile.CHECKPOINTS[name](root / "model")
    if "that are a link out" in name:
        offers = offers_in([root])
        assert [o.name for o in offers] == ["model"] * ("weights" in name)
        if not offers:
            return
    refused(lambda: opened(root), SAID.get(name, ""))


LONG = ("many lists", "600,000 texts")
"""Files that take a second each; that lists have a limit is held by test_gguf_headers.py too."""


@pytest.mark.parametrize("name", [name for name in hostile.GGUF_FILES if DEEP or name not in LONG])
def test_a_hostile_gguf_file_is_listed_and_refused(root: Path, name: str) -> None:
    folder = root.parent / "gguf"
    folder.mkdir()
    hostile.GGUF_FILES[name](folder / "model.gguf")
    refused(lambda: opened(folder))


@pytest.mark.parametrize("name", hostile.RECORDINGS)
def test_a_hostile_recording_is_refused_from_a_file_and_an_upload(root: Path, name: str) -> None:
    path = root / "run.safetensors"
    data = hostile.RECORDINGS[name]
    path.write_bytes(data)
    from_file = refused(lambda: open_recording(path).trace(), most_bytes=MOST_REFUSED)
    assert str(from_file) == str(refused(lambda: recording_of_bytes(data, path.name).trace()))


def test_the_recording_that_the_hostile_ones_are_made_of_is_sound(root: Path) -> None:
    data = hostile.recording()
    (root / "run.safetensors").write_bytes(data)
    assert recording_of_bytes(data, "run").calls[0].name == "a"
    kinds = {offer.kind: type(offer.open()) for offer in offers_in([root])}
    assert kinds == {"model": Checkpoint, "recording": Recording}


def test_pipes_devices_and_links_to_them_are_not_waited_for(root: Path) -> None:
    for name in ("a.gguf", "a.safetensors"):
        os.mkfifo(root / name)
        (root / f"link-{name}").symlink_to(root / name)
        (root / f"zero-{name}").symlink_to("/dev/zero")
    (root / "folder").mkdir()
    os.mkfifo(root / "folder" / hostile.CONFIG)
    assert [offer.name for offer in offers_in([root])] == ["model"]
    for file in (hostile.CONFIG, hostile.WEIGHTS, "tokenizer.json"):
        (offer,) = offers_in([root])
        kept = (root / "model" / file).read_bytes() if file != "tokenizer.json" else None
        (root / "model" / file).unlink(missing_ok=True)
        os.mkfifo(root / "model" / file)
        if kept is None:
            checkpoint = offer.open()
            assert isinstance(checkpoint, Checkpoint)
            refused(lambda: checkpoint.tokeniser)  # noqa: B023
        else:
            refused(offer.open)
            (root / "model" / file).unlink()
            (root / "model" / file).write_bytes(kept)


@pytest.mark.parametrize("file", ["a.gguf", "a.safetensors"])
def test_a_file_that_becomes_a_pipe_after_it_was_listed_is_refused(root: Path, file: str) -> None:
    (root / file).write_bytes(b"x")
    offer = next(offer for offer in offers_in([root]) if offer.name == file)
    for change in (
        lambda: os.mkfifo(root / file),
        lambda: (root / file).symlink_to("/dev/zero"),
        lambda: (root / file).symlink_to(root / file),
        lambda: (root / file).mkdir(),
        lambda: None,
    ):
        path = root / file
        path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        change()
        refused(offer.open)


def test_a_checkpoint_that_changes_after_it_was_listed_is_checked_again(root: Path) -> None:
    (offer,) = offers_in([root])
    assert isinstance(offer.open(), Checkpoint)
    (root / "model" / hostile.WEIGHTS).write_bytes(pickle.dumps(hostile.Pickled()))
    refused(offer.open)
    outside = root.parent / "outside"
    tiny_models.made_checkpoint("gpt2", outside)
    (root / "model").rename(root.parent / "before")
    (root / "model").symlink_to(outside)
    assert "link out" in str(refused(offer.open))
    (root / "model").unlink()
    refused(offer.open)


def test_names_that_are_no_utf8_and_controls_can_be_shown(root: Path) -> None:
    names = b"\xff\xfe.gguf", b"a\nb\x1b[2J.gguf", "\u202eevil.gguf".encode(), b"x" * 240 + b".gguf"
    for name in names:
        (root / os.fsdecode(name)).write_bytes(b"x")
    offers = offers_in([root])
    assert len(offers) == 5
    for offer in offers[:4] if offers[-1].name == "model" else offers:
        assert offer.name.encode().decode()
        assert offer.title.isprintable()
        assert len(offer.title) <= 80
        if offer.name != "model":
            refused(offer.open)


BOMBS: dict[str, dict[str, object]] = {
    "text that grows": {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}] * 40,
        }
    },
    "text before every text": {"normalizer": {"type": "Prepend", "prepend": "a" * 1_000_000}},
    "a pattern without an end": {
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(x+x+)+y"},
                          "behavior": "Isolated", "invert": False},
    },
    "a pattern that is large": {
        "decoder": {"type": "Replace", "pattern": {"Regex": "((a{1000}){1000}){1000}"},
                    "content": ""},
    },
    "a part that is not known": {
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA////"}
    },
    "parts that are deep": {"normalizer": {"type": ["Sequence"]}},
    "many parts": {
        "post_processor": {"type": "Sequence", "processors": [{"type": "ByteLevel"}] * 10_000}
    },
    "a model that draws": {
        "model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.5}
    },
    "a model of another kind": {"model": {"type": "Python"}},
    "words of 10**9 letters": {
        "model": {"type": "WordPiece", "vocab": {"a": 0}, "max_input_chars_per_word": 10**9}
    },
    "merges that make the library panic": {
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}
    },
    "a template that makes it panic": {
        "post_processor": {"type": "TemplateProcessing", "pair": [], "special_tokens": {},
                           "single": [{"SpecialToken": {"id": "X", "type_id": 0}}]},
    },
    "a model without words": {"model": {"type": "Unigram", "vocab": [], "unk_id": 5}},
    "an unknown token that is missing": {
        "model": {"type": "WordPiece", "vocab": {"a": 0}, "unk_token": "?",
                  "continuing_subword_prefix": "##", "max_input_chars_per_word": 9},
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_tokeniser_is_refused_before_or_while_it_reads(root: Path, name: str) -> None:
    plain = {"type": "WordLevel", "vocab": {"a": 0, "?": 1}, "unk_token": "?"}
    said = {"version": "1.0", "added_tokens": [], "model": plain, **BOMBS[name]}
    (root / "model" / "tokenizer.json").write_text(json.dumps(said))
    checkpoint = opened(root)
    assert isinstance(checkpoint, Checkpoint)
    refused(lambda: checkpoint.tokeniser.encode("zz " + "x" * 5_000))
