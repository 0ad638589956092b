"""One token of a sentence, chosen on a toolbar: by its number, or the last one."""

from collections.abc import Callable

from core.attention.tokens import tokenise
from core.errors import InputError
from core.limits import MAX_TOKENS
from core.program.families import Options, Toggle
from core.program.labels import token_labels

LAST = "last"
"""The last token, however many there are."""
FEW = 8
"""So many tokens are named on a toolbar; more are numbered."""


def token_toggle(key: str, text: str) -> Toggle:
    """Which token of a sentence is looked at, counted from 1. Raises `InputError`."""
    labels = token_labels(tokenise(text))
    names = [f"{n} {label}" if len(labels) <= FEW else str(n) for n, label in enumerate(labels, 1)]
    numbers = [*(str(n) for n in range(1, len(labels))), LAST]
    return Toggle(
        key, "Token", dict(zip(numbers, names, strict=True)), LAST, reads=_among(len(labels)),
        resizes=True,
    )  # fmt: skip


def any_token_toggle(key: str, most: int = MAX_TOKENS) -> Toggle:
    """The same before it is known what the sentence is: of so many tokens at most."""

    def reads(text: str) -> None:
        if not _is_among(most, text):
            raise InputError(
                f"{key} is {text[:20]!r}", f"it must be {LAST}, or a number from 1 to {most}",
                f"write {LAST}",
            )  # fmt: skip

    return Toggle(key, "Token", {LAST: LAST}, LAST, reads=reads, resizes=True)


def settled(chosen: str, text: str) -> str:
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
            several = f"choose 1 to {count}" if count > 1 else "choose 1"
            raise InputError(f"Token {text[:20]!r} is not there", f"there are {count}", several)

    return reads


def _is_among(count: int, text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= count
