"""What is offered of a folder: what is in it, under which names, and nothing outside it."""

import logging
from pathlib import Path

import pytest

from core.models import Recording
from core.models import offers as module
from core.models.checkpoints.opening import Checkpoint
from core.models.offers import MOST_OFFERS, offers_in
from tests.core.models.checkpoints.test_gguf_headers import written
from tests.core.models.hostile import headed, recording, tensor
from tests.core.models.little_work import little_work
from tests.core.models.recorded.test_recording import hooks
from tests.core.models.tiny_models import made_checkpoint
from tests.core.support import refuses
from tests.unreadable import unreadable


def names(*folders: Path) -> list[str]:
    return [offer.name for offer in offers_in(folders)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Models and recordings at each depth, and files that are neither."""
    root = tmp_path / "root"
    made_checkpoint("gpt2", root / "my-gpt2")
    written("llama", root / "two" / "deep")
    for folder in ("", "runs", "two/deep", "two/deep/too"):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / "run.safetensors").write_bytes(recording())
    for name in ("notes.txt", ".hidden.gguf", "model.bin"):
        (root / name).write_bytes(b"x")
    (root / "arrays.safetensors").write_bytes(headed({"a": tensor(0, 4, [1])}) + bytes(4))
    (root / "broken.safetensors").write_bytes(b"x")
    return root


def test_models_and_recordings_are_listed_by_their_places(root: Path) -> None:
    found = {offer.name: offer.kind for offer in offers_in([root])}
    assert found == {
        "broken.safetensors": "recording", "run.safetensors": "recording", "my-gpt2": "model",
        "runs/run.safetensors": "recording", "two/deep": "model", "two/deep/model.gguf": "model",
    }  # fmt: skip
    opened = {offer.name: offer for offer in offers_in([root])}
    assert opened["my-gpt2"].title == "my-gpt2"
    for name, kind in found.items():
        if name != "broken.safetensors":
            assert isinstance(opened[name].open(), Checkpoint if kind == "model" else Recording)


def test_a_cache_of_transformer_lens_is_a_recording(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({n: a.numpy().copy() for n, a in hooks()[0].items()}, tmp_path / "cache.safetensors")
    (offer,) = offers_in([tmp_path])
    assert (offer.name, offer.kind) == ("cache.safetensors", "recording")
    assert isinstance(offer.open(), Recording)


def test_a_folder_or_a_file_that_is_named_itself_is_one(root: Path) -> None:
    assert names(root / "my-gpt2") == ["my-gpt2"]
    assert names(root / "two" / "deep" / "model.gguf") == ["model.gguf"]
    one = names(root / "run.safetensors", root / "notes.txt", root / "nowhere")
    assert one == ["run.safetensors"]


def test_of_two_equal_names_the_second_has_the_number_of_its_folder(root: Path) -> None:
    runs = root / "runs"
    assert names(runs, root / "nowhere", runs) == ["run.safetensors", "run.safetensors~3"]
    (offer,) = offers_in([root / "my-gpt2"], taken=["my-gpt2"])
    assert offer.name == "my-gpt2~1"


def test_links_are_followed_only_inside_the_named_folder(root: Path, tmp_path: Path) -> None:
    before = names(root)
    made_checkpoint("gpt2", tmp_path / "outside")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "out.gguf").symlink_to(tmp_path / "outside" / "model.safetensors")
    (root / "up").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    (root / "again").symlink_to(".")
    (root / "runs" / "again").symlink_to(root)
    (root / "runs" / "up").symlink_to("..")
    (root / "two" / "round").symlink_to(root / "runs" / "back")
    (root / "runs" / "back").symlink_to(root / "two" / "round")
    assert names(root) == before
    (root / "latest").symlink_to(root / "my-gpt2")
    assert "latest" in names(root)
    named_by_a_link = tmp_path / "link"
    named_by_a_link.symlink_to(root)
    assert names(named_by_a_link) == names(root)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_sound_file_outside_is_not_read_by_a_link(tmp_path: Path, root: Path, file: str) -> None:
    made_checkpoint("gpt2", tmp_path / "outside")
    (tmp_path / "outside" / "tokenizer.json").write_text("{}")
    offer = next(offer for offer in offers_in([root]) if offer.name == "my-gpt2")
    (root / "my-gpt2" / file).unlink(missing_ok=True)
    (root / "my-gpt2" / file).symlink_to(tmp_path / "outside" / file)
    refuses(f"{file} is a link out", offer.open)


def test_of_many_files_some_are_listed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for n in range(3 * MOST_OFFERS):
        (tmp_path / f"{n:04d}.gguf").touch()
    with little_work(), caplog.at_level(logging.WARNING):
        found = names(tmp_path)
    assert found == [f"{n:04d}.gguf" for n in range(MOST_OFFERS)]
    assert str(MOST_OFFERS) in caplog.text


def test_entries_past_the_limit_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scan = module._Scan(7)
    monkeypatch.setattr(module, "_Scan", lambda: scan)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for n in range(9):
            (tmp_path / folder / f"{n}.gguf").touch()
    assert len(names(tmp_path)) == 5
    assert scan.left == 0


@pytest.mark.parametrize("mode", [0, 0o444, 0o111])
def test_closed_folders_are_passed(root: Path, mode: int, caplog: pytest.LogCaptureFixture) -> None:
    with unreadable(root, mode):
        assert offers_in([root, root / "my-gpt2", root / "run.safetensors"]) is not None
    with unreadable(root / "two", mode):
        assert "runs/run.safetensors" in names(root)
    for name in ("config.json", "model.safetensors"):
        with unreadable(root / "my-gpt2" / name):
            (offer,) = [one for one in offers_in([root]) if one.name == "my-gpt2"]
            refuses("", offer.open)
