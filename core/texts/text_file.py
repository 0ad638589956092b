"""Texts in a file: one Markdown file a subject and language, each text under its id.

An id stands before its text as <!-- id -->, so that the file reads as a page. Placeholders are
Jinja's: {{ name }}, {% if n > 1 %} … {% endif %}, {{ n | count("token") }},
{{ place | first_upper }}. Lines of a paragraph are joined; lists, tables and empty lines stay.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from jinja2 import Environment, StrictUndefined, Template
from jinja2.meta import find_undeclared_variables

LANGUAGE = "en"
_ID = re.compile(r"^<!-- ([a-z][\w-]*) -->$", re.MULTILINE)
_SPACES = re.compile(r"(?<=\S) {2,}")
_SPACE_OF_A_VALUE = "\0"
"""Stands for a space that is not the file's, so that two of them stay."""
_SAME_PARAGRAPH = re.compile(r"(?<=\S)\n(?=[^\s|#>-])(?!\d+\. )")


class Plain(str):
    """A text without marks: what is filled into it stays as it is."""

    __slots__ = ()

    @staticmethod
    def escape(text: str) -> str:
        return text


Writing = TypeVar("Writing", bound=Plain)
"""What a text is written in: a string that knows how to escape another one for it."""


class TextFile(Generic[Writing]):
    """The texts of one file by their ids: `texts("lede", count=3)`.

    A value that is written the same way is filled in as it is, as is an integer; any other string
    is escaped. A float has to be rounded first.

    Raises `KeyError` for an id that the file has not, `TypeError` for a value that is missing,
    that the text does not ask for, or that is a float.
    """

    def __init__(self, file: Path, writing: type[Writing]) -> None:
        self.file = file
        self.writing = writing
        before, *parts = _ID.split(file.read_text(encoding="utf-8"))
        if before.strip():
            raise ValueError(f"{file}: a text without an id: {before.strip()[:40]!r}")
        ids = parts[::2]
        if len({*ids}) < len(ids):
            raise ValueError(f"{file}: an id twice: {max(ids, key=ids.count)}")
        self.sources: Mapping[str, str] = dict(zip(ids, map(_joined, parts[1::2]), strict=True))
        """Each text as it is in the file, its lines joined."""
        self._environment = Environment(
            undefined=StrictUndefined, finalize=self._filled_in, trim_blocks=True,
            lstrip_blocks=True, autoescape=False,
        )  # fmt: skip
        self._environment.filters |= {"count": count, "first_upper": first_upper}
        self._templates: dict[str, tuple[Template, set[str]]] = {}
        self._fixed = {id: writing(text) for id, text in self.sources.items() if "{" not in text}
        """Texts without placeholders: to compile each takes a millisecond of the app's start."""

    def __call__(self, id: str, **values: Any) -> Writing:
        """Return the text of an id, these values filled in."""
        if not values and id in self._fixed:
            return self._fixed[id]
        template, names = self._template(id)
        if missing := names - values.keys():
            raise TypeError(f"{self.file.name}, {id}: not given: {', '.join(sorted(missing))}")
        if unknown := values.keys() - names:
            raise TypeError(f"{self.file.name}, {id}: not in it: {', '.join(sorted(unknown))}")
        rendered = _SPACES.sub(" ", template.render(values)).strip()
        return self.writing(rendered.replace(_SPACE_OF_A_VALUE, " "))

    def filled(self, id: str, values: Mapping[str, Any]) -> Writing:
        """Return the text of an id, filled in with those of these values that it asks for."""
        return self(id, **{name: values[name] for name in self.placeholders(id)})

    def placeholders(self, id: str) -> set[str]:
        """Return the names that a text asks for."""
        return set() if id in self._fixed else self._template(id)[1]

    def _template(self, id: str) -> tuple[Template, set[str]]:
        if id not in self._templates:
            source = self.sources[id]
            names = find_undeclared_variables(self._environment.parse(source))
            self._templates[id] = self._environment.from_string(source), names
        return self._templates[id]

    def _filled_in(self, value: object) -> object:
        if isinstance(value, float):
            raise TypeError(f"{self.file.name}: a number is rounded before it is said: {value}")
        if not isinstance(value, str):
            return value
        written = value if isinstance(value, self.writing) else self.writing.escape(value)
        return str(written).replace("  ", 2 * _SPACE_OF_A_VALUE)


def count(number: int, one: str, many: str = "") -> str:
    """A number and its noun: 1 token, 6 tokens; 1 query, 6 queries."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def first_upper(text: str) -> str:
    """A text as a sentence begins, its other letters as they are."""
    return text[:1].upper() + text[1:]


def _joined(text: str) -> str:
    return _SAME_PARAGRAPH.sub(" ", text.strip())


@cache
def text_file(folder: Path, name: str, writing: type[Writing]) -> TextFile[Writing]:
    """Return a file of a folder of texts, in the language of the product."""
    return TextFile(folder / LANGUAGE / f"{name}.md", writing)
