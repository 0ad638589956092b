"""The scripts and style sheets of components: inline, so kept small."""

import re
from base64 import b64encode
from pathlib import Path


def compact(path: Path) -> str:
    """A source file without comments and indentation: it travels with every new mount."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def module(*paths: Path) -> str:
    """One ES module of these parts, in order, after what all components share."""
    return "\n".join(map(compact, (Path(__file__).parent / "elements.js", *paths)))


def sheet(*paths: Path) -> str:
    """One style sheet of these parts, in order, before what all components share."""
    return "\n".join(map(compact, (*paths, Path(__file__).parent / "common.css")))


def data_url(path: Path, kind: str) -> str:
    """A file as an address that holds it."""
    return f"data:{kind};base64,{b64encode(path.read_bytes()).decode()}"
