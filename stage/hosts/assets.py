"""Scripts and style sheets of the stage and of components, each as one text.

A script says by `import` what it needs of others. Here all that one needs is put before it, each
file once, and the lines that import and export are left out: the files share one scope. So no two
of them may give the same name to different things (tests/stage/hosts/test_assets.py).
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from core.texts import core_texts
from core.texts.text_file import Plain, TextFile

BROWSER = Path(__file__).parents[1] / "browser"
"""The folder of the scripts and style sheets that make the stage."""
IMPORT = re.compile(r'^import (?:{[^}]*} from )?"(\.[^"]+)";\n', re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/|(?<=[;,(){}\[\]]) +// .*?$", re.DOTALL | re.MULTILINE)
_TEXTS = BROWSER / "dom/texts.js"
_USES_TEXTS = re.compile(r"\bTEXTS\(")


def compact(path: Path) -> str:
    """A source file without comments and indentation."""
    return _compacted(path.read_text(encoding="utf-8"))


def _compacted(source: str) -> str:
    lines = map(str.strip, _COMMENT.sub("", source).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def module(
    script: Path,
    texts: TextFile[Plain] | None = None,
    given: Mapping[str, object] = MappingProxyType({}),
) -> str:
    """Return one ES module: a script after all that it imports.

    `TEXTS` in it are these texts, the stage's if none are named; what it is given stands before
    all, as constants of these names.
    """
    code = with_imports(script)
    before = [text_script(texts or core_texts("stage"), code)] if _USES_TEXTS.search(code) else []
    constants = [f"const {name} = {json.dumps(value)};" for name, value in given.items()]
    return "\n".join([*constants, *before, code])


def with_imports(*scripts: Path) -> str:
    """Return the code of scripts and of all that they import, each file once."""
    return "\n".join(map(_joinable, import_order(*scripts)))


def classic(code: str) -> str:
    """Return the code of a module for a place where scripts are none: nothing is exported."""
    return re.sub(r"^export (default )?", "", code, flags=re.MULTILINE)


def import_order(*scripts: Path) -> list[Path]:
    """Return scripts and all that they import, each file after what it needs itself."""
    found: dict[Path, None] = {}

    def add(path: Path, under_way: tuple[Path, ...]) -> None:
        if path in under_way:
            raise ValueError(" > ".join(each.name for each in (*under_way, path)))
        if path not in found:
            for other in _imported(path):
                add(other, (*under_way, path))
            found[path] = None

    for script in scripts:
        add(script.resolve(), ())
    return list(found)


@cache
def _imported(path: Path) -> list[Path]:
    source = path.read_text(encoding="utf-8")
    return [(path.parent / name).resolve() for name in IMPORT.findall(source)]


@cache
def _joinable(path: Path) -> str:
    source = _compacted(IMPORT.sub("", path.read_text(encoding="utf-8")))
    return re.sub(r"^export (?!default)", "", source, flags=re.MULTILINE)


def text_script(texts: TextFile[Plain], code: str) -> str:
    """Return the script after which `TEXTS("id", { name })` is a text of the file, as
    `texts("id", name=name)` is in Python; such a text has placeholders and no conditions.

    It has the texts whose ids stand as strings in the code that comes after it.
    """
    named = {id: text for id, text in texts.sources.items() if f'"{id}"' in code}
    sources = json.dumps(named, ensure_ascii=False)
    return "\n".join(
        [_joinable(BROWSER / "dom/texts.js"), "const TEXTS = " + f"textsOf({sources});"]
    )


def sheet(*paths: Path) -> str:
    """One style sheet of these parts, in order, before what all components share."""
    return "\n".join(map(compact, (*paths, BROWSER / "common.css")))


def data_url(path: Path, kind: str) -> str:
    """A file as an address that holds it."""
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"
