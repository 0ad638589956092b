"""The rooms that mistakes are made in, and a seeded sample of each."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.mutant import Mutant
from tools.mutants.written import Change, changed, in_script, in_style, in_text

Draw = Callable[[str, str, random.Random], Mutant | None]


@dataclass(frozen=True)
class Room:
    patterns: tuple[str, ...]
    draw: Draw
    in_browser: bool = False

    def files(self, root: Path) -> list[str]:
        found = {path for pattern in self.patterns for path in root.glob(pattern)}
        return sorted(path.relative_to(root).as_posix() for path in found)


def in_python(path: str, text: str, draw: random.Random) -> Mutant | None:
    from tools.mutants.python import drawn  # what it needs is installed for this room alone

    return drawn(path, text, draw)


def written(changes: Callable[[str], Iterator[Change]]) -> Draw:
    def drawn(path: str, text: str, draw: random.Random) -> Mutant | None:
        found = list(changes(text))
        return changed(path, text, draw.choice(found)) if found else None

    return drawn


ROOMS = {
    "core": Room(("core/**/*.py",), in_python),
    "stage": Room(("stage/**/*.py",), in_python),
    "ui": Room(("ui/**/*.py",), in_python),
    "texts": Room(("*/texts/en/*.md",), written(in_text)),
    "styles": Room(("stage/**/*.css", "ui/**/*.css"), written(in_style), in_browser=True),
    "scripts": Room(("stage/**/*.js", "ui/**/*.js"), written(in_script), in_browser=True),
}


def sample(room: Room, root: Path, seed: int, count: int) -> list[Mutant]:
    """So many different mistakes; a long file is drawn more often than a short one.

    One more is another one at the end: the first ten of a seed are the first ten of its sixty.
    """
    draw = random.Random(seed)
    texts = {name: (root / name).read_text(encoding="utf-8") for name in room.files(root)}
    lengths = [text.count("\n") for text in texts.values()]
    taken: dict[str, Mutant] = {}
    for _ in range(20 * count):
        (name,) = draw.choices(list(texts), lengths)
        if (mutant := room.draw(name, texts[name], draw)) and mutant.new != mutant.old:
            taken.setdefault(mutant.key, mutant)
        if len(taken) == count:
            break
    return list(taken.values())
