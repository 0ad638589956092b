"""What pages say: the texts of their files, and those that all pages share."""

from pathlib import Path

from core.texts.text_file import Plain, TextFile, text_file
from ui.text import Markdown

PAGES = Path(__file__).parents[1] / "pages" / "texts"
SHARED = Path(__file__).parent / "texts"


def page_texts(name: str) -> TextFile[Markdown]:
    """Return the texts of a page, by their ids."""
    return text_file(PAGES, name, Markdown)


def chart_texts(name: str) -> TextFile[Plain]:
    """Return the same texts for what shows no Markdown: charts, and what only is read aloud."""
    return text_file(PAGES, name, Plain)


def ui_texts(subject: str) -> TextFile[Markdown]:
    """Return the texts of a subject that pages share, by their ids."""
    return text_file(SHARED, subject, Markdown)


def component_texts() -> TextFile[Plain]:
    """Return the texts of the scripts of components, the stage's apart."""
    return plain_ui_texts("components")


def plain_ui_texts(subject: str) -> TextFile[Plain]:
    """Return the same texts for what shows no Markdown, or is escaped as a whole."""
    return text_file(SHARED, subject, Plain)
