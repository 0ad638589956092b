"""PyTorch's own files: tensors are read, in a process of their own, and nothing else is.

A process costs PyTorch's start, about two seconds. So what the process does with a file is tried
here as a function, and only what the process itself is for is tried with one.
"""

import io
import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from core.attention.model_names import by_our_names
from core.errors import InputError
from core.files import torch_files
from core.files.uploads import read_matrix_file
from core.pytorch import state_dict
from tests.sampling import DEEP, ROOT

WANTED = ("X", "W_Q", "W_K", "W_V", "W_O", "mask")
HOSTILE_FILES = 10_000 if DEEP else 200
OPTIONS: list[dict[str, Any]] = [{}, {"_use_new_zipfile_serialization": False}]
LAYER = nn.MultiheadAttention(8, 2, dtype=torch.float64)
NOT_TENSORS = "The file holds Python objects, or is damaged; only tensors are read from it"
DAMAGED = "The file is damaged, or not one of PyTorch"
TOO_LARGE = "The tensors of the file are too large"


def saved(value: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    torch.save(value, stream, **options)
    return stream.getvalue()


VALID = saved(LAYER.state_dict())


class Attack:
    """What runs a command where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.path}",)


@pytest.fixture(autouse=True)
def _nothing_is_remembered() -> Iterator[None]:
    yield
    torch_files._converted.cache_clear()


@pytest.fixture
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process does, done here, where PyTorch is there already."""

    def run(command: object, input: bytes, **options: object) -> SimpleNamespace:
        written = state_dict.converted(input)
        is_read = isinstance(written, bytes)
        return SimpleNamespace(returncode=0 if is_read else written, stdout=written)

    monkeypatch.setattr(subprocess, "run", run)


def refusal_of(data: bytes, **how: Any) -> str:
    with pytest.raises(InputError) as refusal:
        read_matrix_file("weights.pt", data, **how)
    return str(refusal.value)


@pytest.mark.parametrize("options", OPTIONS, ids=["zip", "legacy"])
@pytest.mark.usefixtures("in_place")
def test_a_state_dict_gives_the_library_s_own_numbers(options: dict[str, Any]) -> None:
    read = read_matrix_file("weights.pth", saved(LAYER.state_dict(), **options), WANTED)
    assert read.keys() == LAYER.state_dict().keys()
    for name, tensor in LAYER.state_dict().items():
        np.testing.assert_array_equal(read[name], np.atleast_2d(tensor.numpy()), strict=True)
    found = by_our_names(read)
    X = torch.randn(5, 8, dtype=torch.float64)
    Q = nn.functional.linear(X, LAYER.in_proj_weight, LAYER.in_proj_bias)[:, :8].detach()
    np.testing.assert_allclose(X.numpy() @ found["W_Q"] + found["b_Q"], Q, rtol=0, atol=1e-12)


@pytest.mark.parametrize("key", ["state_dict", "model", "model_state_dict"])
@pytest.mark.usefixtures("in_place")
def test_a_checkpoint_is_opened_one_level(key: str) -> None:
    state = {"q_proj.weight": torch.eye(2), "epochs": 3}
    read = read_matrix_file("a.pt", saved({key: state, "step": torch.ones(2), "lr": 0.1}), WANTED)
    assert set(read) == {"q_proj.weight"}


@pytest.mark.usefixtures("in_place")
def test_tensors_of_all_kinds_that_one_file_can_hold() -> None:
    shared = torch.randn(4, 6)
    state = {
        "half": shared.half(),
        "brain": shared.bfloat16(),
        "turned": shared.T,
        "view": shared[::2, 1:3],
        "mask": shared > 0,
        "bytes": torch.arange(6, dtype=torch.uint8).view(2, 3),
        "learned": nn.Parameter(shared),
        "complex": torch.ones(2, dtype=torch.complex64),
        "sparse": torch.eye(2).to_sparse(),
        "unmade": torch.empty(2, 2, device="meta"),
    }
    read = read_matrix_file("a.pt", saved(state))
    assert set(state) - set(read) == {"complex", "sparse", "unmade"}
    for name, array in read.items():
        np.testing.assert_array_equal(array, state[name].detach().to(torch.float64).numpy())


@pytest.mark.usefixtures("in_place")
def test_a_tensor_alone_has_no_name() -> None:
    read = read_matrix_file("a.pt", saved(torch.eye(2)), WANTED)
    np.testing.assert_array_equal(read[""], np.eye(2), strict=True)


def test_code_in_a_pickle_does_not_run(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    attack = Attack(seen)
    assert refusal_of(saved({"W_Q": torch.eye(2), "other": attack})).startswith(NOT_TENSORS)
    for options in OPTIONS:
        assert state_dict.converted(saved(attack, **options)) == state_dict.UNSAFE
    assert not seen.exists()
    torch.load(io.BytesIO(saved(attack)), weights_only=False)
    assert seen.exists()  # what would have happened


def bomb(size: int) -> bytes:
    """A zip of PyTorch whose numbers, compressed, unpack to so many bytes."""
    stream = io.BytesIO()
    source = zipfile.ZipFile(io.BytesIO(saved({"W_Q": torch.zeros(size // 4)})))
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
        for member in source.infolist():
            written.writestr(member.filename, source.read(member))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", DAMAGED),
        (b"PK\x03\x04 this is no archive", DAMAGED),
        (VALID[: len(VALID) // 2], DAMAGED),
        (saved(nn.Linear(2, 2)), NOT_TENSORS),
        (pickle.dumps({"W_Q": [1]}), "The file "),
        (saved({"W_Q": np.eye(2)}), NOT_TENSORS),
        (saved([torch.eye(2)]), "The file holds no tensors by name"),
        (saved({"lr": 0.1}), "The file holds no tensors by name"),
        (saved({"a": torch.ones(1).expand(10**6, 10**6)}), TOO_LARGE),
        (saved({f"{n}": torch.ones(1).expand(10**3, 10**3) for n in range(9)}), TOO_LARGE),
    ],
)
@pytest.mark.usefixtures("in_place")
def test_a_refusal_says_what_is_wrong(data: bytes, message: str) -> None:
    assert refusal_of(data).startswith(message)


def test_an_archive_that_unpacks_to_too_much_is_stopped_by_the_limit() -> None:
    data = bomb(state_dict.MEMORY)
    assert len(data) < 2_000_000
    command, ended = torch_files._COMMAND, state_dict.NO_MEMORY
    done = subprocess.run(command, cwd=ROOT, input=data, timeout=torch_files.MOST_SECONDS)
    assert done.returncode == ended
    assert torch_files._REFUSALS[ended] == torch_files._REFUSALS[state_dict.TOO_LARGE]


@pytest.mark.usefixtures("in_place")
def test_a_whole_model_says_which_layers_it_has() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    data = saved(nn.TransformerEncoder(layer, 3).state_dict())
    assert refusal_of(data, wanted=WANTED).startswith(
        "There are 3 layers of attention: layers.0.self_attn, layers.1.self_attn and"
    )
    read = read_matrix_file("a.pt", data, WANTED, "layers.1.self_attn")
    assert len(read) == 4


def test_a_file_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    no_program = [sys.executable, "-c", "import sys; sys.exit(1)"]
    monkeypatch.setattr(torch_files, "_COMMAND", no_program)
    refused = refusal_of(b"no")
    assert refused.startswith(DAMAGED)
    monkeypatch.setattr(torch_files, "_COMMAND", ["/no/such/program"])
    assert refusal_of(b"no") == refused


def test_what_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_files, "MOST_SECONDS", 0.05)
    start = monotonic()
    assert refusal_of(VALID).startswith("Reading the file takes too long")
    assert monotonic() - start < 5
    slow = "import resource as r; r.setrlimit(r.RLIMIT_CPU, (1, 1))\nwhile True: pass"
    monkeypatch.setattr(torch_files, "MOST_SECONDS", 30)
    monkeypatch.setattr(torch_files, "_COMMAND", [sys.executable, "-c", slow])
    torch_files._converted.cache_clear()
    assert refusal_of(VALID).startswith("Reading the file takes too long")


@pytest.mark.usefixtures("in_place")
def test_only_so_many_are_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_files, "WAITING_SECONDS", 0.01)
    for _ in range(2):
        torch_files._AT_ONCE.acquire()
    try:
        assert refusal_of(VALID).startswith("Other files of PyTorch are being read")
    finally:
        torch_files._AT_ONCE.release(2)
    assert read_matrix_file("a.pt", VALID)


def test_without_pytorch_the_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert refusal_of(VALID).startswith("The file is one of PyTorch, which is not installed here")


def test_where_no_process_can_be_started_the_file_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch_files, "_COMMAND", ["/no/such/program"])
    assert refusal_of(VALID).startswith("Other files of PyTorch are being read")


LIMITS = """
import resource
from core.pytorch.state_dict import _set_limits
_set_limits()
print(*(resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_AS, resource.RLIMIT_FSIZE)))
try:
    bytearray(300 * 2**20)
except MemoryError:
    print("refused")
"""


def test_the_process_limits_its_own_memory_and_writes_no_file() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITS], cwd=ROOT, capture_output=True, text=True, check=True
    )
    memory, files, refused = done.stdout.split()
    assert state_dict.MEMORY < int(memory) < state_dict.MEMORY + 2**30
    assert (files, refused) == ("0", "refused")


def test_the_page_s_process_does_not_import_pytorch() -> None:
    code = (
        "import sys; from core.files.uploads import read_matrix_file as read;"
        f"print(read('a.pt', {VALID!r})['out_proj.weight'].tolist(), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    weight = LAYER.out_proj.weight.tolist()
    assert done.stdout.strip() == f"{weight} False", done.stderr


FUZZ = """
import resource, sys, time
import numpy as np, torch
from core.pytorch.state_dict import converted, MEMORY
resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
sound, rng, slowest, codes = eval(sys.stdin.read()), np.random.default_rng(0), 0, set()
for n in range(int(sys.argv[1])):
    mutated = bytearray(sound[n % len(sound)])
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(0, len(mutated)))
        mutated[at : at + int(rng.integers(0, 4))] = rng.bytes(int(rng.integers(0, 4)))
    start = time.perf_counter()
    written = converted(bytes(mutated))
    slowest = max(slowest, time.perf_counter() - start)
    codes.add(written if isinstance(written, int) else 0)
print(slowest, *sorted(codes))
"""


def test_hostile_files_are_read_or_refused_within_a_second() -> None:
    sound = [saved(LAYER.state_dict(), **options) for options in OPTIONS]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FUZZ, str(HOSTILE_FILES)],
        cwd=ROOT,
        input=repr(sound),
        text=True,
        capture_output=True,
        check=True,
    )
    slowest, *codes = done.stdout.split()
    assert float(slowest) < 1
    known = {0, state_dict.UNSAFE, state_dict.DAMAGED, state_dict.NO_TENSORS}
    assert set(map(int, codes)) <= known | {state_dict.TOO_LARGE, state_dict.NO_MEMORY}
    assert state_dict.DAMAGED in map(int, codes)
