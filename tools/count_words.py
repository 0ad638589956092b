"""Count the words of every chapter: in sight at first, and with all folds and tabs open.

    python tools/count_words.py [FOLDER]

Counted are titles, headings, paragraphs and lists (also captions and messages), without stages,
charts, controls and code. FOLDER is another state of the project, to compare with.
"""

import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

READ = {"title", "header", "subheader", "markdown", "caption", "info", "success", "warning"}
LINK, MATHS, WORD = re.compile(r"\]\([^)]*\)"), re.compile(r"\$[^$]*\$"), re.compile(r"\w[\w'’-]*")


def read_texts(part: Any, with_folds: bool) -> Iterator[str]:
    """Return what a part of a page says, also in folds that are closed if `with_folds`."""
    for child in part.children.values():
        if child.type in READ:
            yield child.value
        elif child.type == "expander" and not (with_folds or child.proto.expanded):
            yield child.label
        elif child.type == "popover" and not with_folds:
            continue
        elif hasattr(child, "children"):
            yield from read_texts(child, with_folds)


def count(text: str) -> int:
    """Return how many words a text in Markdown has; a formula counts as one."""
    return len(WORD.findall(LINK.sub(" ", MATHS.sub(" x ", text.replace("\\", "")))))


def tabs(page: AppTest) -> list[Any]:
    """Return the controls that choose which part of a page is drawn."""
    return [group for group in page.get("button_group") if str(group.key).endswith("_part")]


def counted(page: Path) -> tuple[int, int]:
    """Return a page's words in sight, and with every fold and every tab open."""
    shown = AppTest.from_file(str(page), default_timeout=120).run()
    in_sight = sum(map(count, read_texts(shown.main, with_folds=False)))
    for fold in shown.expander:
        key = fold.proto.id.rsplit("-", 1)[-1]
        if key.startswith("fold_") and not fold.children:  # it draws nothing until it is open
            shown.session_state[key] = True
    texts = dict.fromkeys(read_texts(shown.run().main, with_folds=True))
    for key, option in [(tab.key, option) for tab in tabs(shown) for option in tab.options]:
        (tab,) = (one for one in tabs(shown) if one.key == key)
        texts |= dict.fromkeys(read_texts(tab.set_value(option).run().main, with_folds=True))
    return in_sight, sum(map(count, texts))


def counts(folder: Path) -> dict[str, tuple[int, int]]:
    """Return these two numbers for every chapter of a state of the project."""
    return {
        name: counted(folder / "pages" / f"{name}.py")
        for name in import_module("ui.links.path").PATH
    }


def main(folder: Path) -> None:
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    found = counts(folder)
    total = (sum(few for few, _ in found.values()), sum(many for _, many in found.values()))
    for name, (in_sight, opened) in {**found, "all": total}.items():
        print(f"{name:22}{in_sight:7}{opened:7}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve())
