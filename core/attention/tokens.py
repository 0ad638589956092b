"""Text to tokens.

Words and punctuation marks are tokens; white space and invisible control characters separate them.
In scripts that put no spaces between words each character is a token. Nothing else is changed: case
counts, a word keeps its combining marks and inner apostrophes, an emoji its joiners.
"""

from collections.abc import Sequence
from unicodedata import normalize

import regex

from core.errors import check_most, input_error
from core.limits import MAX_TEXT, MAX_TOKENS
from core.texts import core_texts

TEXTS = core_texts("setups")
SHORT = 8
"""The most tokens of a sentence that is drawn whole beside more than its matrices."""
_SPACELESS = "[" + "".join(
    rf"\p{{{script}}}"
    for script in ("Han", "Hiragana", "Katakana", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar")
) + "ーｰ]"  # fmt: skip
"""A character of a script that puts no spaces between words."""
_LETTERS = (
    rf"[[\p{{L}}\p{{N}}_]--{_SPACELESS}][[\p{{L}}\p{{N}}\p{{M}}_\u200c\u200d]--{_SPACELESS}]*"
)
_TOKEN = regex.compile(
    rf"{_LETTERS}(?:['’]{_LETTERS})*|(?![\s\p{{Z}}\p{{Cc}}\p{{Cf}}\p{{Cs}}])\X", regex.V1
)


def tokenise(text: str) -> list[str]:
    """Return the tokens of a text: words, numbers, and every other visible character by itself.

    Raises `InputError` for a text without tokens or with too many.
    """
    check_most(TEXTS, "long_text", "characters", len(text), MAX_TEXT)
    tokens: list[str] = _TOKEN.findall(normalize("NFC", text))
    if not tokens:
        raise input_error(TEXTS, "empty_text")
    if len(tokens) > MAX_TOKENS:
        count, over = f"{len(tokens):,}", f"{len(tokens) - MAX_TOKENS:,}"
        raise input_error(TEXTS, "many_tokens", tokens=count, most=MAX_TOKENS, over=over)
    return tokens


def replaced_words(text: str, old: str, new: str) -> str:
    """A text with every token `old`, in any case, changed to `new`; RIVER and River keep theirs."""

    def other(found: regex.Match[str]) -> str:
        token = found[0]
        if token.lower() != old.lower():
            return token
        if len(token) > 1 and token.isupper():
            return new.upper()
        return new[:1].upper() + new[1:] if token.istitle() else new

    return str(_TOKEN.sub(other, normalize("NFC", text)))


def few_enough(text: str) -> str:
    """Return a sentence whose matrices are seen whole: it has at most `SHORT` tokens.

    Raises `InputError`.
    """
    count = len(tokenise(text))
    if count > SHORT:
        raise input_error(TEXTS, "too_long_here", tokens=count, most=SHORT)
    return text


def spaceless(tokens: Sequence[str]) -> bool:
    """Whether some of the tokens are characters of a script without spaces between words."""
    return any(regex.match(_SPACELESS, token) for token in tokens)


def neighbours(tokens: int, keys: int | None = None) -> tuple[int, int]:
    """Where a page opens: the third token as query and the one before as key, or the last two.

    `keys` says how many there are where they are not as many as the tokens.
    """
    query = min(2, tokens - 1)
    return query, min(max(query - 1, 0), (keys or tokens) - 1)
