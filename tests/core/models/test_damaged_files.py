"""Files of a model with any byte changed, cut off or put in: run, or refused with a reason."""

import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from safetensors import SafetensorError, deserialize

from core.errors import InputError
from core.files.tensors import header_said
from core.models import open_recording
from core.models.checkpoints.gguf_headers import read_gguf_header
from core.models.checkpoints.opening import Checkpoint, open_folder, open_gguf
from core.models.checkpoints.stored_tensor import INDEX, WHOLE
from core.models.recorded.recording_file import recording_of_bytes
from core.models.transformer import model, prompt_run
from tests.core.models import little_work, support
from tests.core.models.checkpoints.test_gguf_headers import written
from tests.core.models.hostile import CONFIG, recording
from tests.core.models.tiny_models import made_checkpoint, made_tokeniser
from tests.sampling import DEEP, ROOT, paired, some

TOKENIZER = "tokenizer.json"
KIND = re.compile(rb'"dtype": ?"([^"]*)"')
PUT_IN = (b"\x00" * 8, b"\xff" * 8, b"9" * 400, b'"', b"[" * 2_000, b"{", b"-", b"\\ud800", b"e999")


def header_length(data: bytes) -> int:
    """Where the numbers of a safetensors file begin."""
    return 8 + struct.unpack_from("<Q", data)[0]


def damages(data: bytes, length: int) -> Iterator[tuple[int, bytes, int]]:
    """Where the file ends, what is put there, and where it goes on.

    Each of its first bytes is changed in five ways, it is cut off there, or has more.
    """
    end = len(data)
    for at in range(length):
        for changed in (0, 0xFF, data[at] ^ 1, data[at] ^ 0x80, data[at] + 1 & 0xFF):
            if changed != data[at]:
                yield at, bytes([changed]), at + 1
        yield at, b"", end
        for more in PUT_IN:
            yield at, more, at
    for at in range(length, end, max(1, (end - length) // 50)):
        yield at, b"", end
    yield end, b"\x00", end


def damaged(data: bytes, length: int, one_of: int) -> Iterator[bytes]:
    """The file with each damage; in the short run, with one of so many."""
    for at, put, start in some(list(damages(data, length)), one_of, length % one_of):
        yield data[:at] + put + data[start:]


def is_refused(act: Callable[[], object]) -> bool:
    """Whether it is refused, with a message that can be shown; nothing else may be raised."""
    try:
        act()
    except InputError as error:
        little_work.check_message(error)
        return True
    return False


def ran(checkpoint: Checkpoint) -> None:
    """Read a prompt and run the model on it."""
    encoded = checkpoint.tokeniser.encode("the cat sat")
    assert all(map(checkpoint.tokeniser.readable, encoded.ids))
    with np.errstate(all="ignore"):
        for _ in prompt_run.run_prompt(model.TransformerModel(checkpoint), encoded):
            pass


def made(folder: Path, kind: str, file: str) -> Path:
    made_checkpoint(kind, folder)
    made_tokeniser(folder)
    if file == INDEX:
        support.sharded(folder)
    return folder / file


def tried(path: Path, length: int, act: Callable[[], object]) -> None:
    """Try a sound file, and then each of its first bytes damaged; in the short run, some."""
    sound = path.read_bytes()
    assert not is_refused(act)
    refused = 0
    for data in damaged(sound, length, 800):
        path.write_bytes(data)
        refused += is_refused(act)
    assert refused > 0


@pytest.mark.parametrize(
    ("file", "kind"), paired([CONFIG, WHOLE, INDEX, TOKENIZER], ["gpt2", "llama", "roberta"])
)
def test_a_folder_with_damage_runs_or_is_refused(tmp_path: Path, file: str, kind: str) -> None:
    path = made(tmp_path, kind, file)
    data = path.read_bytes()
    length = header_length(data) if file == WHOLE else len(data)
    tried(path, length, lambda: ran(open_folder(tmp_path)))


LISTS: dict[str, Any] = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "gpt-2",
    "tokenizer.ggml.tokens": [*map(chr, range(97, 123)), "ab", "abc", "<s>", "</s>", "\u0120"],
    "tokenizer.ggml.token_type": [1] * 28 + [3, 3, 1],
    "tokenizer.ggml.merges": ["a b", "ab c"],
    "tokenizer.ggml.bos_token_id": 28,
}


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_damaged_gguf_file_runs_or_is_refused(tmp_path: Path, kind: str) -> None:
    path, _ = written(kind, tmp_path, **LISTS)
    first = min(one.offset for one in read_gguf_header(path).tensors.values())
    tried(path, first, lambda: ran(open_gguf(path)))


def test_a_damaged_recording_is_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    path.write_bytes(recording())

    def read() -> None:
        for opened in (open_recording(path), recording_of_bytes(path.read_bytes(), path.name)):
            for call in opened.calls:
                assert all(call[name].ndim for name in call.shapes)

    tried(path, header_length(path.read_bytes()), read)


OPENING = """
import sys
from pathlib import Path
from core.errors import InputError
from core.models import open_recording
from core.models.checkpoints.opening import open_folder, open_gguf

for line in sys.stdin:
    kind, path = line.split()
    opened = {"folder": open_folder, "gguf": open_gguf, "recording": open_recording}[kind]
    for _ in range(40):
        try:
            opened(Path(path))
        except InputError:
            pass
    print("opened", flush=True)
"""


@pytest.mark.parametrize("kind", ["folder", "gguf", "recording"])
def test_a_file_written_while_it_is_opened_ends_no_server(tmp_path: Path, kind: str) -> None:
    """A file in memory that another program shortens ends the process that looks at it."""
    if kind == "recording":
        path = place = tmp_path / "run.safetensors"
        path.write_bytes(recording())
    elif kind == "gguf":
        path = place = written("gpt2", tmp_path, **LISTS)[0]
    else:
        path, place = made(tmp_path, "gpt2", WHOLE), tmp_path
    sound = path.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", OPENING],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{kind} {place}\n" * (100 if DEEP else 2))
        process.stdin.close()
        told = Thread(target=process.stdout.read)
        told.start()
        for length in cycle((0, 8, 100, len(sound) // 2)):
            os.truncate(path, length)
            path.write_bytes(sound[: len(sound) - length // 3])
            path.write_bytes(sound)
            if not told.is_alive():
                break
        told.join()
    assert process.returncode == 0


def fits_by_the_library(data: bytes) -> bool:
    try:
        deserialize(data)
    except SafetensorError:
        return False
    return True


def fits(data: bytes) -> bool:
    length = int.from_bytes(data[:8], "little")
    try:
        header_said(data[8 : 8 + length], len(data) - 8 - length)
    except (ValueError, RecursionError):
        return False
    return True


def test_what_a_header_may_say_is_what_the_library_allows(tmp_path: Path) -> None:
    """Except for kinds of numbers that nobody knows, which are refused when they are to be read."""
    made_checkpoint("gpt2", tmp_path)
    for sound in (recording(), (tmp_path / WHOLE).read_bytes()):
        assert fits(sound)
        kinds = set(KIND.findall(sound))
        for data in damaged(sound, header_length(sound), 7):
            if kinds == set(KIND.findall(data)):
                assert fits(data) == fits_by_the_library(data), data[:400]
