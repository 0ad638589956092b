"""What the questions of one kind say of themselves, with what was filled in."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any
from unittest.mock import patch

from core.questions.engine import Question
from core.texts.text_file import TextFile
from tests.core.questions.test_told import GUESSES
from tests.core.support import MAKERS, read
from tests.sampling import SEEDS

Values = Mapping[str, Any]
Checks = Mapping[str, Callable[[float, Values, list[float], Question], object]]
"""Of texts, by the answer, by what is filled in, by the prompt's numbers and by the question."""
_say = TextFile.__call__


@cache
def _noted(name: str) -> tuple[tuple[str, Question, Values], ...]:
    found = []

    def noted(file: TextFile[Any], id: str, **values: Any) -> Any:
        said = _say(file, id, **values)
        notes.append((id, str(said), values))
        return said

    with patch.object(TextFile, "__call__", noted):
        for seed in SEEDS:
            notes: list[tuple[str, str, Values]] = []
            question = MAKERS[name]._make(seed)  # what it keeps of earlier calls says nothing
            parts = [question.prompt, question.explanation]
            parts += [part for wrong in question.wrong for part in (wrong.name, wrong.hint)]
            found += [
                (id, question, values)
                for id, said, values in notes
                if any(said in part for part in parts)
            ]
            for guess in GUESSES if question.would_mean else ():
                notes.clear()
                question.would_mean(guess)  # type: ignore[misc]
                found += [(id, question, {**values, "guess": guess}) for id, _, values in notes]
    return tuple(found)


def told(name: str, id: str) -> Iterator[tuple[Question, Values]]:
    """Wherever a question of that name says the text of this id."""
    found = [(question, values) for at, question, values in _noted(name) if at == id]
    assert found, (name, id)
    yield from found


def numbers(text: object) -> list[float]:
    plain = re.sub(r"\{,\}|(?<=\d),(?=\d{3})", "", str(text).replace("−", "-"))
    plain = re.sub(r" \\times 10\^\{(-?\d+)\}", r"e\1", plain)
    return [float(found) for found in re.findall(r"(?<!\w)-?\d+(?:\.\d+)?(?:e-?\d+)?", plain)]


def number(text: object) -> float:
    """The number that a text ends with."""
    return numbers(text)[-1]


def hold(name: str, checks: Checks) -> None:
    guessed = {id for id, _, values in _noted(name) if "guess" in values}
    assert not guessed or guessed <= checks.keys()
    for id, check in checks.items():
        for question, said in told(name, id):
            answer = float(question.answer) if isinstance(question.answer, int | float) else 0.0
            so = check(answer, said, numbers(read(question.prompt)), question)
            assert so, (id, said, question.prompt)


def near(text: object, value: float) -> bool:
    """The number that a text ends with is that value, to two decimals."""
    return abs(number(text) - value) <= 0.0051
