"""What a class types at each scene of the class lesson, right and wrong, and what it is called.

The numbers are worked out here by hand, from the matrices that the scene shows.
"""

import pytest

from core.questions.engine import mark_answer, parse_answer
from ui.classroom.questions.asked import asked_question
from ui.lessons.shelf import shipped

RIGHT, NOTHING = "right", ""
KEY, QUERY, FEATURE = (
    f"you took the number of another {word}" for word in ("key", "query", "feature")
)
SCENES: dict[int, dict[str, str]] = {
    # (1, 1, 1) · (1, 1, 1) is 3, and (1, 1, 1) · (2, 0, 0) is 2.
    2: {"3": RIGHT, "2": KEY, "9": NOTHING},
    # Scores 4, 2, 2, 3, divided by √3.
    3: {
        "1.15": RIGHT, "2/1.732": RIGHT, "1,15": RIGHT, "2": "this step is left out",
        "2/3": "the root is missing", "0.67": "the root is missing", "1.73": KEY, "2.31": QUERY,
        "3.46": "the scores are multiplied by the root", "5": NOTHING,
    },
    # river is first: it may not read bank.
    4: {
        "no, the mask hides it: 0 in the mask": RIGHT,
        "yes, it is visible: 1 in the mask": NOTHING,
    },
    # e to the scores is 1, 2, 3. The first rows see 1, and 1 and 2.
    5: {
        "1/2": RIGHT, "3/6": RIGHT, "50 %": RIGHT, ".5": RIGHT, "3": "the division is left out",
        "1.1": "this step is left out", "0.61": "e is left out",
        "3/10": "the sum runs over all rows", "1": "softmax runs along the wrong axis",
        "1/6": KEY, "0.17": KEY, "2/6": KEY, "0.33": KEY, "0": QUERY, "4": NOTHING,
    },
    # 1/6 · 6 + 2/6 · 0 + 3/6 · 12; the other feature is −1, the second token reads 2. The weights
    # as printed give 0.17 · 6 + 0.33 · 0 + 0.50 · 12 = 7.02.
    6: {
        "7": RIGHT, "7.02": RIGHT, "7.05": NOTHING, "6.96": NOTHING,
        "18": "the weights are left out", "6": "each value gets the same weight",
        "42": "the weights do not add up to 1",
        "-1": FEATURE, "−1": FEATURE, "2": QUERY, "12": NOTHING,
    },
    # bank comes first and may not read river: 1 for itself. With 1.73 and 0 it were 0.15, and
    # with 1.73 and 1.15, which the mask should remove, 1 / (e^0.58 + 1).
    7: {
        "0": RIGHT, "0.00": RIGHT, "0.15": "hidden scores are set to 0",
        "0.36": "the mask is left out",
        "−∞": "this step is left out", "1": KEY, "0.76": QUERY, "2": NOTHING,
    },
    # Row 1 is 0 and ln 3 with the second hidden: 1 and 0. Without the mask 1/4 and 3/4.
    8: {
        "1": RIGHT, "1/4": "the mask comes after softmax", "1/2": "hidden scores are set to 0",
        "0": "this step is left out", "3/4": NOTHING,
    },
    # 24, 43, 58, 5, 57, moved on by one: the third token reads 43.
    9: {
        "43": RIGHT, "24": QUERY, "58": QUERY, "125": "the weights are left out", "7": NOTHING,
    },
}  # fmt: skip


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
    if number not in SCENES:
        assert asked_question(link).is_free
        return
    expected = SCENES[number]
    assert {typed: called(link, typed) for typed in expected} == expected
