"""The scripts and style sheets of components: inline, so kept small."""

import json
import re
from base64 import b64encode
from pathlib import Path

from core.texts.text_file import Plain, TextFile

BROWSER = Path(__file__).parents[1] / "browser"
"""The folder of the scripts and style sheets that make the stage."""


def compact(path: Path) -> str:
    """A source file without comments and indentation: it travels with every new mount."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def module(*paths: Path, texts: TextFile[Plain] | None = None) -> str:
    """Return one ES module of these parts, in order, after what all components share."""
    text = [text_script(texts)] if texts else []
    return "\n".join([compact(BROWSER / "draw/elements.js"), *text, *map(compact, paths)])


def text_script(texts: TextFile[Plain]) -> str:
    """Return the script after which `TEXTS("id", { name })` is a text of the file, as
    `texts("id", name=name)` is in Python; such a text has placeholders and no conditions.
    """
    sources = json.dumps(dict(texts.sources), ensure_ascii=False)
    return f"{compact(BROWSER / 'draw/texts.js')}\nconst TEXTS = textsOf({sources});"


def sheet(*paths: Path) -> str:
    """One style sheet of these parts, in order, before what all components share."""
    return "\n".join(map(compact, (*paths, BROWSER / "common.css")))


def data_url(path: Path, kind: str) -> str:
    """A file as an address that holds it."""
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"
