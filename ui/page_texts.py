"""What a page says: the texts of its file, in Markdown."""

from pathlib import Path

from core.texts.text_file import Plain, TextFile, text_file
from ui.text import Markdown

PAGES = Path(__file__).parents[1] / "pages" / "texts"


def page_texts(name: str) -> TextFile[Markdown]:
    """Return the texts of a page, by their ids."""
    return text_file(PAGES, name, Markdown)


def chart_texts(name: str) -> TextFile[Plain]:
    """Return the same texts for what shows no Markdown: charts, and what only is read aloud."""
    return text_file(PAGES, name, Plain)
