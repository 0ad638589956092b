"""PyTorch's own files: tensors are read, in a process of their own, and nothing else is.

A process costs PyTorch's start, about two seconds. So what the process does with a file is tried
here as a function. What its limits are for is tried in one process for all tests.
"""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from core.attention.given.model_names import by_our_names
from core.files.uploads import read_matrix_file
from core.pytorch import torch_files
from tests.core.files.support import WANTED, file_refusal
from tests.sampling import DEEP, ROOT

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
    torch_files._converted_apart.cache_clear()


@pytest.fixture
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the process does, done here, where PyTorch is there already."""

    def run(command: object, input: bytes, **options: object) -> SimpleNamespace:
        written = torch_files.converted(input)
        is_read = isinstance(written, bytes)
        return SimpleNamespace(returncode=0 if is_read else written, stdout=written)

    monkeypatch.setattr(subprocess, "run", run)


refusal_of = partial(file_refusal, "weights.pt")


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
        "half": shared.half(), "brain": shared.bfloat16(), "turned": shared.T,
        "view": shared[::2, 1:3], "mask": shared > 0,
        "bytes": torch.arange(6, dtype=torch.uint8).view(2, 3), "learned": nn.Parameter(shared),
        "complex": torch.ones(2, dtype=torch.complex64), "sparse": torch.eye(2).to_sparse(),
        "unmade": torch.empty(2, 2, device="meta"),
    }  # fmt: skip
    read = read_matrix_file("a.pt", saved(state))
    assert set(state) - set(read) == {"complex", "sparse", "unmade"}
    for name, array in read.items():
        np.testing.assert_array_equal(array, state[name].detach().to(torch.float64).numpy())


@pytest.mark.usefixtures("in_place")
def test_a_tensor_alone_has_no_name() -> None:
    read = read_matrix_file("a.pt", saved(torch.eye(2)), WANTED)
    np.testing.assert_array_equal(read[""], np.eye(2), strict=True)


@pytest.mark.usefixtures("in_place")
def test_code_in_a_pickle_does_not_run(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    attack = Attack(seen)
    for options in OPTIONS:
        for data in (attack, {"W_Q": torch.eye(2), "other": attack}):
            assert refusal_of(saved(data, **options)).startswith(NOT_TENSORS)
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


@pytest.mark.usefixtures("in_place")
def test_a_whole_model_says_which_layers_it_has() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    data = saved(nn.TransformerEncoder(layer, 3).state_dict())
    assert refusal_of(data, wanted=WANTED).startswith(
        "There are 3 layers of attention: layers.0.self_attn, layers.1.self_attn and"
    )
    assert len(read_matrix_file("a.pt", data, WANTED, "layers.1.self_attn")) == 4


def test_a_file_is_converted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_files, "_COMMAND", [sys.executable, "-c", "import sys; sys.exit(1)"])
    refused = refusal_of(b"no")
    assert refused.startswith(DAMAGED)
    monkeypatch.setattr(torch_files, "_COMMAND", ["/no/such/program"])
    assert refusal_of(b"no") == refused


def test_what_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_files, "MOST_SECONDS", 0.05)
    start = monotonic()
    assert refusal_of(VALID).startswith("Reading the file takes too long")
    assert monotonic() - start < 5
    slow = "import os, signal; os.kill(os.getpid(), signal.SIGXCPU)"  # as the limit does
    monkeypatch.setattr(torch_files, "MOST_SECONDS", 30)
    monkeypatch.setattr(torch_files, "_COMMAND", [sys.executable, "-c", slow])
    torch_files._converted_apart.cache_clear()
    assert refusal_of(VALID).startswith("Reading the file takes too long")


@pytest.mark.usefixtures("in_place")
def test_only_so_many_are_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_files, "WAITING_SECONDS", 0.01)
    for _ in range(2):
        torch_files._PLACES.acquire()
    try:
        said = refusal_of(VALID)
        assert said.startswith("Other files of PyTorch are being read; 2 are read at a time")
    finally:
        torch_files._PLACES.release(2)
    assert read_matrix_file("a.pt", VALID)


def test_without_pytorch_a_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert refusal_of(VALID).startswith("The file is one of PyTorch, which is not installed here")


def test_where_no_process_can_start_the_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_files, "_COMMAND", ["/no/such/program"])
    assert refusal_of(VALID).startswith("Other files of PyTorch are being read")


def test_the_page_s_process_does_not_import_pytorch() -> None:
    code = (
        "import sys; from core.files.uploads import read_matrix_file as read;"
        f"print(read('a.pt', {VALID!r})['out_proj.weight'].tolist(), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    weight = LAYER.out_proj.weight.tolist()
    assert done.stdout.strip() == f"{weight} False", done.stderr


LIMITED = """
import json, resource, sys, time
import numpy as np, torch
from core.pytorch import torch_files
bomb, sound = eval(sys.stdin.read())
torch_files.READING_SECONDS = 10_000
taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
torch_files._set_limits()
kinds = (resource.RLIMIT_AS, resource.RLIMIT_FSIZE)
memory, files = (resource.getrlimit(kind)[1] for kind in kinds)
told = {"memory": memory - taken, "files": files, "bomb": torch_files.converted(bomb)}
rng, slowest, codes = np.random.default_rng(0), 0, set()
for n in range(int(sys.argv[1])):
    mutated = bytearray(sound[n % len(sound)])
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(0, len(mutated)))
        mutated[at : at + int(rng.integers(0, 4))] = rng.bytes(int(rng.integers(0, 4)))
    start = time.perf_counter()
    written = torch_files.converted(bytes(mutated))
    slowest = max(slowest, time.perf_counter() - start)
    codes.add(written if isinstance(written, int) else 0)
print(json.dumps(told | {"slowest": slowest, "codes": sorted(codes)}))
"""


@pytest.fixture(scope="module")
def limited() -> dict[str, Any]:
    """What a process under its own limits tells of them, of a bomb and of mutated files."""
    data = bomb(torch_files.MEMORY + 2**25)
    assert len(data) < 2_000_000
    sound = [saved(LAYER.state_dict(), **options) for options in OPTIONS]
    command = [sys.executable, "-W", "ignore", "-c", LIMITED, str(10_000 if DEEP else 200)]
    done = subprocess.run(
        command, cwd=ROOT, input=repr((data, sound)), text=True, stdout=subprocess.PIPE, check=True
    )
    return dict(json.loads(done.stdout))


def test_the_process_limits_its_own_memory_and_writes_no_file(limited: dict[str, Any]) -> None:
    assert abs(limited["memory"] - torch_files.MEMORY) < 2**24
    assert limited["files"] == 0


def test_an_archive_that_unpacks_to_too_much_is_stopped_by_a_limit(limited: dict[str, Any]) -> None:
    assert limited["bomb"] == torch_files.NO_MEMORY
    said = (torch_files._REFUSALS[code] for code in (limited["bomb"], torch_files.TOO_LARGE))
    assert set(said) == {"large_tensors"}


def test_hostile_files_are_read_or_refused_within_a_second(limited: dict[str, Any]) -> None:
    assert limited["slowest"] < 1
    known = {0, torch_files.UNSAFE, torch_files.DAMAGED, torch_files.NO_TENSORS}
    assert set(limited["codes"]) <= known | {torch_files.TOO_LARGE, torch_files.NO_MEMORY}
    assert torch_files.DAMAGED in limited["codes"]
