"""What a class types at each scene of the class lesson, right and wrong, and what it is called.

The numbers are worked out here by hand, from the matrices that the scene shows.
"""

import pytest

from core.questions.engine import mark_answer, parse_answer
from tests.data import data_of
from ui.classroom.questions.asked import asked_question
from ui.lessons.shelf import shipped

RIGHT, NOTHING = "right", ""
KEY, QUERY, FEATURE = (
    f"you took the number of another {word}" for word in ("key", "query", "feature")
)
SHORT = {"key": KEY, "query": QUERY, "feature": FEATURE}
SCENES: dict[str, dict[str, str]] = {
    number: {typed: SHORT.get(name, name) for typed, name in scene.items()}
    for number, scene in data_of(__file__).items()
}


def called(link: str, typed: str) -> str:
    question = asked_question(link)
    verdict = mark_answer(question, parse_answer(question, typed))
    if verdict.right:
        return RIGHT
    if not verdict.mistake:
        return NOTHING
    name, hint = verdict.mistake.name, verdict.mistake.hint
    line = "row" if name in (KEY, FEATURE) else "column"
    assert ("in the same" in hint) == (name in (KEY, QUERY, FEATURE)), hint
    assert "in the same" not in hint or f"same {line}" in hint, (typed, name, hint)
    return name


@pytest.mark.parametrize("number", range(1, len(shipped("class").scenes) + 1))
def test_what_a_class_types_is_called_by_its_name(number: int) -> None:
    link = f"?lesson=class.{number}"
    if str(number) not in SCENES:
        assert asked_question(link).is_free
        return
    expected = SCENES[str(number)]
    assert {typed: called(link, typed) for typed in expected} == expected
