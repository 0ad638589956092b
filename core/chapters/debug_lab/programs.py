"""The programs of this chapter: one for each mistake. It has no families."""

from core.attention.programs import DROWNS
from core.chapters.debug_lab.lab import CASES
from core.sample import Sample

PROGRAMS = {
    f"mistake, {name}": Sample(
        case.broken, {"m": 4, "c": 4}, moves=DROWNS.get(name, ()), blind=True
    )
    for name, case in CASES.items()
}
