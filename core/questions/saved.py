"""A question as JSON, for a question that outlives the run that it was made of.

A dataclass is an object with the name of its class, a tuple a list, ∞ and NaN a text; formulas and
mappings, which are JSON already, are taken as they are. What the run
shows after the answer is kept as tables; `evidence` and `would_mean`, which need it, are left out.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from core.errors import input_error
from core.program.numbers import arithmetic
from core.questions.answers import CellPick, Choice, FreeText, NumberAnswer
from core.questions.engine import Question, QuestionTable, WrongAnswer, tables_after
from core.questions.step_picture import PictureMatrix, StepPicture
from core.texts import core_texts

TEXTS = core_texts("questions")
LONGEST = 64_000
"""Characters. Of a longer question its working is left out: a sum of thousands of terms."""
_CLASS, _NUMBER, _PLAIN = "class", "number", "plain"
_LEFT_OUT = {"evidence", "would_mean"}
_CLASSES: Mapping[str, type[Any]] = {
    one.__name__: one
    for one in (
        Question, QuestionTable, WrongAnswer, NumberAnswer, CellPick, Choice, FreeText,
        PictureMatrix, StepPicture, arithmetic.ArithmeticLine, arithmetic.PrintedNumber,
        arithmetic.Sum, arithmetic.Product, arithmetic.Subtraction, arithmetic.Quotient,
        arithmetic.Power, arithmetic.Call,
    )
}  # fmt: skip


def question_to_json(question: Question) -> str:
    """Return a question as JSON. Raises `InputError` if it is longer than `LONGEST`."""
    kept = replace(question, after=tables_after(question))
    for one in (kept, replace(kept, working=())):
        text = json.dumps(_data(one), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        if len(text) <= LONGEST:
            return text
    raise input_error(TEXTS, "long_question", count=f"{len(text):,}", most=f"{LONGEST:,}")


def question_from_json(text: str) -> Question:
    """Return the question of a JSON text. Raises `InputError` if it is none."""
    try:
        question = _value(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError):
        question = None
    if not isinstance(question, Question):
        raise input_error(TEXTS, "no_question")
    return question


def _data(value: Any) -> Any:
    """A value as JSON has it. Raises `TypeError` for what is no part of a question."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {_NUMBER: str(float(value))}
    if isinstance(value, tuple):
        return [_data(part) for part in value]
    if isinstance(value, list | Mapping):
        return {_PLAIN: value if isinstance(value, list) else dict(value)}
    if is_dataclass(value) and type(value).__name__ in _CLASSES:
        names = (field.name for field in fields(value) if field.name not in _LEFT_OUT)
        return {_CLASS: type(value).__name__, **{n: _data(getattr(value, n)) for n in names}}
    raise TypeError(type(value))


def _value(data: Any) -> Any:
    if isinstance(data, list):
        return tuple(map(_value, data))
    if not isinstance(data, dict):
        return data
    if data.keys() == {_NUMBER}:
        return float(data[_NUMBER])
    if data.keys() == {_PLAIN}:
        return data[_PLAIN]
    given = {name: _value(part) for name, part in data.items() if name != _CLASS}
    return _CLASSES[data[_CLASS]](**given)
