"""Free memory as the system says it, on made-up systems and on this one."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from core.errors import InputError
from core.limits import MOST_MODEL_BYTES
from core.models import memory
from core.models.checkpoints.opening import open_checkpoint
from core.models.memory import check_model_size, check_room, free_memory, return_memory
from core.models.transformer.model import TransformerModel
from tests.core.models.tiny_models import made_checkpoint

MACHINE = {"proc/meminfo": "MemTotal:  9000 kB\nMemFree:  10 kB\nMemAvailable:  4000 kB\n"}


def v2(place: str, most: str, used: str, stat: str = "") -> dict[str, str]:
    top = f"sys/fs/cgroup{place}/memory"
    limits = {f"{top}.max": most, f"{top}.current": used, f"{top}.stat": stat}
    return MACHINE | {"proc/self/cgroup": "0::/jobs/a\n"} | limits


def v1(place: str, most: str, used: str, stat: str = "") -> dict[str, str]:
    top = f"sys/fs/cgroup/memory{place}/memory"
    limits = {f"{top}.limit_in_bytes": most, f"{top}.usage_in_bytes": used, f"{top}.stat": stat}
    return MACHINE | {"proc/self/cgroup": "9:name=systemd:/\n4:memory:/jobs/a\n1:cpu:/\n"} | limits


SYSTEMS: dict[str, tuple[dict[str, str], int | None]] = {
    "nothing is said": ({}, None),
    "another meminfo": ({"proc/meminfo": "MemFree: 3 kB\nMemAvailable: many kB"}, None),
    "a machine": (MACHINE, 4_096_000),
    "v2": (v2("/jobs/a", "5000", "2000"), 3000),
    "v2, cached": (v2("/jobs/a", "5000", "4900", "anon 7\ninactive_file 900\n"), 1000),
    "v2, the group around": (v2("/jobs/a", "max", "10") | v2("/jobs", "5000", "1000"), 4000),
    "v2, no limit": (v2("/jobs/a", "max", "10"), 4_096_000),
    "v1": (v1("/jobs/a", "5000", "2000"), 3000),
    "v1, cached": (
        v1("/jobs/a", "5000", "4900", "inactive_file 1\ntotal_inactive_file 400\n"),
        500,
    ),
    "v1, a container": (v1("", "5000", "1000"), 4000),
    "v1, no limit": (v1("/jobs/a", str(2**63 - 4096), "9000"), 4_096_000),
    "more than the limit": (v2("/jobs/a", "5000", "9000"), 0),
    "a strange line": (MACHINE | {"proc/self/cgroup": "x\n\n"}, 4_096_000),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_free_memory_is_the_least_that_is_left(tmp_path: Path, name: str) -> None:
    files, expected = SYSTEMS[name]
    for file, text in files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    assert free_memory(tmp_path) == expected


def test_this_system_says_something_that_can_be_or_nothing() -> None:
    free = free_memory()
    assert free is None or 10_000_000 < free < 10**14
    return_memory()
    return_memory()


@pytest.mark.parametrize(
    ("needed", "free", "said"),
    [
        (MOST_MODEL_BYTES, None, ""),
        (MOST_MODEL_BYTES + 1, None, r"the limit is 6\.0 GB"),
        (1_000_000_000, 2_000_000_000, ""),
        (1_100_000_000, 2_000_000_000, r"needs 1\.1 GB of memory; 2\.0 GB are free.* 50%"),
        (1, 0, "0.0 GB are free"),
    ],
)
def test_a_model_may_take_half_of_what_is_free(
    monkeypatch: pytest.MonkeyPatch, needed: int, free: int | None, said: str
) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: free)
    with pytest.raises(InputError, match=said) if said else nullcontext():
        check_model_size("tiny", needed)
        check_room("tiny", needed)


def test_memory_is_asked_for_before_a_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_checkpoint("gpt2", tmp_path)
    checkpoint = open_checkpoint(tmp_path)
    needed = 4 * sum(part.size for part in checkpoint.parts.values())
    monkeypatch.setattr(memory, "free_memory", lambda: 2 * needed)
    model = TransformerModel(checkpoint)
    assert model.byte_count == needed
    list(model.run([1, 2]))
    unread = needed - sum(part.nbytes for part in model._parts.values())
    assert unread < needed
    monkeypatch.setattr(memory, "free_memory", lambda: 2 * unread)
    list(model.run([1, 2]))  # what is read already needs no more room
    monkeypatch.setattr(memory, "free_memory", lambda: 2 * needed - 2)
    model = TransformerModel(checkpoint)
    with pytest.raises(InputError, match="are free"):
        model.run([1, 2])
    assert not model._parts
