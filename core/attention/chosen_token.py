"""One token of a sentence, chosen on a toolbar: by its number, or the last one."""

from collections.abc import Callable

from core.attention.tokens import tokenise
from core.errors import input_error
from core.limits import MAX_TOKENS
from core.program.families import Options, Toggle
from core.program.labels import token_labels
from core.texts import core_texts

TEXTS = core_texts("setups")
LAST = "last"
"""The last token, however many there are."""
FEW = 8
"""Up to this number, tokens are named on a toolbar; more are numbered."""


def token_toggle(key: str, text: str) -> Toggle:
    """Return the choice of a token of a sentence, counted from 1. Raises `InputError`."""
    labels = token_labels(tokenise(text))
    names = [f"{n} {label}" if len(labels) <= FEW else str(n) for n, label in enumerate(labels, 1)]
    numbers = [*(str(n) for n in range(1, len(labels))), LAST]
    named = dict(zip(numbers, names, strict=True))
    reads = _among(len(labels))
    return Toggle(key, TEXTS("token"), named, LAST, reads=reads, resizes=True)


def any_token_toggle(key: str, most: int = MAX_TOKENS) -> Toggle:
    """Return the same before the sentence is known: it has at most `most` tokens."""

    def reads(text: str) -> None:
        if not _is_among(most, text):
            given = repr(text[:20])
            raise input_error(TEXTS, "not_a_token", key=key, given=given, last=LAST, most=most)

    return Toggle(key, TEXTS("token"), {LAST: LAST}, LAST, reads=reads, resizes=True)


def settled_choice(chosen: str, text: str) -> str:
    """The choice of a token as the toggle has it: the last one by its name, not its number."""
    return LAST if chosen == str(len(tokenise(text))) else chosen


def position_of(options: Options, key: str, text: str) -> int:
    """The position, from 0, of the token that is chosen. Raises `InputError`."""
    last = len(tokenise(text))
    chosen = options[key]
    return (last if chosen == LAST else int(chosen)) - 1


def _among(count: int) -> Callable[[str], object]:
    def reads(text: str) -> None:
        if not _is_among(count, text):
            raise input_error(TEXTS, "no_token", given=repr(text[:20]), count=count)

    return reads


def _is_among(count: int, text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= count
