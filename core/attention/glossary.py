"""The technical terms of the pages, one entry a term."""

from collections.abc import Mapping

from core.texts import core_texts

_TEXTS = core_texts("glossary")
GLOSSARY: Mapping[str, str] = {term: _TEXTS(term) for term in _TEXTS.sources}
"""What each term means, by its name in a link: `[softmax](#term-softmax)`."""
