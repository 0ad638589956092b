"""A vote counted agrees with a plain loop over its answers."""

import math
import random

import pytest

from core.questions.answers import Choice, NumberAnswer, written_number
from core.questions.engine import Question, WrongAnswer, written_answer
from core.questions.tally import tally, two_votes
from tests.core.support import refuses

ROWS = WrongAnswer("you took the other row", 2.0, "Look at its own row.")
HALF = WrongAnswer("you halved it", 0.25, "Do not halve it.")
HALVES = WrongAnswer("you halved it", 0.125, "Do not halve it twice.")
NUMBER = Question("n.0", "?", NumberAnswer(0.005), 0.5, (ROWS, HALF, HALVES), "")
PICK = Question(
    "c.0", "?", Choice(("up", "down", "both")), "down",
    (WrongAnswer("a", "up", "b"), WrongAnswer("b", "both", "c")), "",
)  # fmt: skip


def test_numbers_that_mean_one_thing_are_one_answer() -> None:
    answers = ["0.5", "1/2", "1/2", "50 %", "0.502", "2", "2.0", "1/4", ".125", "7", "7", "-3", "x"]
    found = tally(NUMBER, answers)
    assert (found.answered, found.right, found.unread) == (13, 5, 1)
    assert [(each.text, each.times, each.is_right, each.mistake) for each in found.given] == [
        ("1/2", 5, True, None), ("2", 2, False, ROWS), ("7", 2, False, None),
        (".125", 1, False, HALVES), ("1/4", 1, False, HALF), ("−3", 1, False, None),
    ]  # fmt: skip
    assert found.mistakes == (("you halved it", 2), ("you took the other row", 2))
    assert found.most_given is not None
    assert found.most_given.text == "1/2"


FORMS = {
    "1/3": ["1/3", "0.33", ".333", "0,33", "33 %", "33.3%", "1 / 3", "2/6", "+0.33", " 0.333 ",
            "1⁄3"],
    "-1": ["-1", "−1", "–1", "-1.0", "-1,00", "-2/2", "-100%", "−1.004", "-1e0"],
    "7": ["7", "7.0", "+7", "7,00", "14/2", "700 %", "7.004", "6.996", "7e0"],
    "0": ["0", "0.00", "-0", ".004", "0/5"],
    "inf": ["∞", "inf", "infinity", "+∞", "Infinity"],
    "-inf": ["-∞", "−∞", "-inf", "- inf", "–Infinity"],
    "": ["", "seven", "1/0", "nan", "1,234", "--1", "0x10", "1 2"],
}  # fmt: skip
"""What is one number, in as many ways as people type it; and what is no number."""


@pytest.mark.parametrize("answer", [0.5, -1.0, 1 / 3, -math.inf])
def test_a_number_is_one_answer_in_whatever_way_it_is_typed(answer: float) -> None:
    question = Question("n.0", "?", NumberAnswer(0.01), answer, (), "")
    draw = random.Random(str(answer))
    for _ in range(20):
        typed = draw.choices([text for forms in FORMS.values() for text in forms], k=60)
        found = tally(question, typed)
        counts = {name: sum(text in forms for text in typed) for name, forms in FORMS.items()}
        assert (found.answered, found.unread) == (60, counts.pop(""))
        assert sorted(each.times for each in found.given) == sorted(filter(None, counts.values()))
        for each in found.given:
            (name,) = (name for name in counts if each.text in map(written_number, FORMS[name]))
            assert each.times == counts[name]
            most = max(each.ways.values())
            assert each.ways[each.text] == most
            assert len(each.text) == min(len(t) for t, n in each.ways.items() if n == most)
            assert not {"-", "–"} & set(each.text)
            assert "inf" not in each.text
            value = 1 / 3 if name == "1/3" else float(name)
            assert each.is_right == (value == answer or abs(value - answer) < 0.01)


def test_what_a_person_typed_comes_back_as_it_was_typed() -> None:
    said = {"1/3": "1/3", " -0.50 ": "−0.50", "0,5": "0,5", "50 %": "50 %", "-INF": "−∞"}
    said |= {"Infinity": "∞", "–1 / 3": "−1 / 3"}
    assert {text: written_answer(NUMBER, text) for text in said} == said
    assert written_answer(PICK, "Down") == "down"
    refuses("", written_answer, NUMBER, "much")


def test_two_votes_stay_next_to_each_other_though_they_are_written_in_other_ways() -> None:
    first = ["1/2"] * 3 + [".33"] * 2 + ["1/4"]
    second = ["0.5"] * 4 + ["0.334", "1/3", "1/3", "1/3"] + ["25 %"] * 2
    rows = two_votes(tally(NUMBER, first), tally(NUMBER, second))
    assert [(row.text, row.first, row.second) for row in rows] == [
        ("0.5", 3, 4), ("1/3", 2, 4), ("25 %", 1, 2),
    ]  # fmt: skip


def test_nothing_that_nobody_typed_is_in_the_count_of_a_number() -> None:
    found = tally(NUMBER, ["0.502", "x"])
    assert [each.text for each in found.given] == ["0.502"]
    assert found.mistakes == ()
    empty = tally(NUMBER, [])
    assert (empty.answered, empty.given, empty.most_given) == (0, (), None)


def test_in_a_tie_or_if_each_was_given_once_no_answer_was_given_most() -> None:
    assert tally(NUMBER, ["1", "2", "7"]).most_given is None
    assert tally(NUMBER, ["1"]).most_given is None
    assert tally(NUMBER, ["1", "1", "7", "7.0"]).most_given is None
    most = tally(NUMBER, ["1", "1", "7", "7.0", "7"]).most_given
    assert most
    assert (most.text, most.times) == ("7", 3)


def test_options_stay_in_their_order_also_if_nobody_took_them() -> None:
    found = tally(PICK, ["both", "both", "Down", "sideways"])
    counts = [(each.text, each.times, each.is_right) for each in found.given]
    assert counts == [("up", 0, False), ("down", 1, True), ("both", 2, False)]
    assert (found.answered, found.right, found.unread) == (4, 1, 1)
    assert found.mistakes == (("b", 2),)
    assert tally(PICK, []).most_given is None


def test_two_votes_are_next_to_each_other() -> None:
    rows = two_votes(tally(NUMBER, ["7", "7", "2", "0.5"]), tally(NUMBER, ["0.5", "1/2", "9", "2"]))
    assert [(row.text, row.first, row.second, row.is_right) for row in rows] == [
        ("7", 2, 0, False), ("0.5", 1, 2, True), ("2", 1, 1, False), ("9", 0, 1, False),
    ]  # fmt: skip
    assert rows[2].mistake == ROWS
    options = two_votes(tally(PICK, ["up"]), tally(PICK, []))
    assert [(row.text, row.first, row.second) for row in options] == [
        ("up", 1, 0), ("down", 0, 0), ("both", 0, 0),
    ]  # fmt: skip
