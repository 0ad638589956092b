"""What a check proves, quoted as a reader gets it.

    @proves("A larger score gets a larger weight | From {tokens} to {doubled} tokens")
    def test_larger_scores_get_larger_weights() -> None: ...

The quote stands beside the code that recomputes the fact, and turns red with it. If somebody turns
“larger” into “smaller” in the text, the quote is in no text any more, and the word in no quote
(tests/test_quotes.py). One fact is quoted in as many texts as say it in these words.

`{name}` is a value that is filled in; `…` leaves out what another quote proves. `[this]` before
words says that they are shown if `this` holds, or otherwise for `[else]`, as the text's file says.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from tests.test_texts import FILES
from tools.mutants.written import PLACEHOLDER, in_text

Check = TypeVar("Check", bound=Callable[..., Any])

QUOTES: dict[str, Callable[..., Any]] = {}
"""What proves each quote."""
PLACE = r"{([\w.\[\]]+)}"
CONDITION = re.compile(r"(?<!\S)\[[^\]]+\] ")
_BRANCHES = ((r"{%\s*(?:el)?if (.*?)\s*%}", r" [\1] "), (r"{%\s*(else)\s*%}", r" [\1] "))
_MARKS = (
    (r"{{\s*([\w.\[\]]+).*?}}", r"{{\1}}"),
    (r"{{(?!\w[\w.\[\]]*}}).*?}}", "{?}"),  # its words are no prose
    (r"{%\s*el.*?%}", " "),
    (r"{%.*?%}", ""),
    (r"\[([^\]]+)\]\([^)]*\)", r"\1"),
    (r"(?<!\w)_|_(?!\w)|[*`]|:gray|^[#>-]+ ", ""),
    (r"\s+", " "),
)


def listed(said: str) -> list[str]:
    """Quotes with a stroke between each two, on one line or on several."""
    return " ".join(said.split()).split(" | ")


def proves(said: str) -> Callable[[Check], Check]:
    def noted(check: Check) -> Check:
        QUOTES.update(dict.fromkeys(listed(said), check))
        return check

    return noted


def whole(said: Iterable[str]) -> str:
    """Those of these that are a text of several words from beginning to end, as quotes."""
    known = {text.rstrip(".").lower() for text in texts().values() if " " in text}
    return " | ".join(text for one in said if (text := one.rstrip(".")).lower() in known)


def plain(source: str, with_conditions: bool = False) -> str:
    """A text as a reader gets it, with {{name}} where a value is filled in."""
    for pattern, instead in (*(_BRANCHES if with_conditions else ()), *_MARKS):
        source = re.sub(pattern, instead, source, flags=re.MULTILINE)
    return source.strip()


@cache
def texts(with_conditions: bool = False) -> dict[tuple[str, str], str]:
    """All texts by their file (`pages/heads`) and id."""
    return {
        (f"{file.file.parts[-4]}/{file.file.stem}", id): plain(source, with_conditions)
        for file in FILES
        for id, source in file.sources.items()
    }


@cache
def _pattern(quote: str) -> re.Pattern[str]:
    parts = re.sub(PLACE, r"{{\1}}", quote).split("…")
    bodies = (f"({re.escape(part.strip())})" for part in parts)
    return re.compile(r"(?<!\w)" + r"\b[^.:]*?".join(bodies) + r"(?!\w)", re.IGNORECASE)


_low = cache(str.lower)


@cache
def _without_conditions(quote: str) -> str:
    return (
        re.sub(r" (?=[.,;:])", "", found) if (found := CONDITION.sub("", quote)) != quote else quote
    )


@cache
def _begins(quote: str) -> str:
    return re.split("[…{]", quote)[0].strip().lower()


def quoted(text: str, quotes: Iterable[str]) -> Iterator[tuple[int, int]]:
    """From and to which character a quote says what the text says."""
    low, branches = _low(text), CONDITION.search(text)
    for quote in quotes if branches else map(_without_conditions, quotes):
        if _begins(quote) in low:
            for found in _pattern(quote).finditer(text):
                yield from (found.span(group) for group in range(1, found.re.groups + 1))


def unproven(text: str, quotes: Iterable[str]) -> list[str]:
    """Each mistake in it that no quote would notice: a word, a number, a value filled in."""
    spans = [*quoted(text, quotes)]
    left = {}
    for start, end, _ in in_text(text):
        swapped = [*PLACEHOLDER.finditer(text, start, end)]
        for at, to in [one.span() for one in swapped] or [(start, end)]:
            if not any(first <= at and to <= last for first, last in spans):
                left[at] = f"{text[max(0, at - 25) : at]}»{text[at:to]}«{text[to : to + 25]}"
    return [*left.values()]
