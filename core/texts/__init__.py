"""What the core says, in files, and what reads texts in files."""

from pathlib import Path

from core.texts.text_file import Plain, TextFile, text_file

_FOLDER = Path(__file__).parent


def core_texts(name: str) -> TextFile[Plain]:
    """Return the texts of a chapter, or of another subject of the core, by their ids."""
    return text_file(_FOLDER, name, Plain)
