"""One token of a sentence, chosen on a toolbar: by its number, or the last one."""

from collections.abc import Callable, Mapping

from core.attention.tokens import tokenise
from core.errors import InputError, input_error
from core.limits import MAX_TOKENS
from core.program.families import Options, Toggle
from core.program.labels import token_labels
from core.texts import core_texts

TEXTS = core_texts("setups")
LAST_TOKEN = "last"
"""The last token, however many there are."""
FEW = 8
"""Up to this number, tokens are named on a toolbar; more are numbered."""


def token_toggle(key: str, text: str) -> Toggle:
    """Return the choice of a token of a sentence, counted from 1. Raises `InputError`."""
    labels = token_labels(tokenise(text))
    names = [f"{n} {label}" if len(labels) <= FEW else str(n) for n, label in enumerate(labels, 1)]
    numbers = [*(str(n) for n in range(1, len(labels))), LAST_TOKEN]
    named, count = dict(zip(numbers, names, strict=True)), len(labels)
    return _toggle(
        key, named, count, lambda given: input_error(TEXTS, "no_token", given=given, count=count)
    )


def any_token_toggle(key: str, most: int = MAX_TOKENS) -> Toggle:
    """Return the same before the sentence is known: it has at most `most` tokens."""

    def fault(given: str) -> InputError:
        return input_error(TEXTS, "not_a_token", key=key, given=given, last=LAST_TOKEN, most=most)

    return _toggle(key, {LAST_TOKEN: LAST_TOKEN}, most, fault)


def _toggle(
    key: str, named: Mapping[str, str], count: int, fault: Callable[[str], InputError]
) -> Toggle:
    """A toggle that takes any number up to a count; `fault` is raised for everything else."""

    def reads(text: str) -> None:
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= count):
            raise fault(repr(text[:20]))

    return Toggle(key, TEXTS("token"), named, LAST_TOKEN, reads=reads, resizes=True)


def settled_choice(chosen: str, text: str) -> str:
    """The choice of a token as the toggle has it: the last one by its name, not its number."""
    return LAST_TOKEN if chosen == str(len(tokenise(text))) else chosen


def position_of(options: Options, key: str, text: str) -> int:
    """The position, from 0, of the token that is chosen. Raises `InputError`."""
    last = len(tokenise(text))
    chosen = options[key]
    return (last if chosen == LAST_TOKEN else int(chosen)) - 1
