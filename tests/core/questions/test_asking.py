"""How a question is stated: by the id of its texts, its values and what mistakes lead to."""

from fractions import Fraction
from pathlib import Path

import pytest

from core.questions.answers import COUNT, TWO_DECIMALS, Choice
from core.questions.asking import Asking
from core.questions.texts import product_of, quotient_of
from core.texts.text_file import Plain, TextFile

TEXTS = """
<!-- half_prompt -->
What is half of {{ n }}?
<!-- half_hint -->
Divide.
<!-- half_explanation -->
{{ n }} has {{ parts }} equal parts.
<!-- twice -->
you doubled
<!-- twice_hint -->
{{ n }} is doubled, not divided.
<!-- none -->
you took {{ option }}
<!-- why_not -->
It is not {{ option }}.
"""


@pytest.fixture
def ask(tmp_path: Path) -> Asking:
    file = tmp_path / "texts.md"
    file.write_text(TEXTS, encoding="utf-8")
    return Asking(TextFile(file, Plain), "half", n=3, parts=2)


def test_each_text_gets_those_of_the_values_that_it_asks_for(ask: Asking) -> None:
    question = ask.question(TWO_DECIMALS, Fraction(3, 2), {"twice": Fraction(6)})
    assert (question.prompt, question.hint) == ("What is half of 3?", "Divide.")
    assert question.explanation == "3 has 2 equal parts."
    (w,) = question.wrong
    assert (w.name, w.value, w.hint) == ("you doubled", 6.0, "3 is doubled, not divided.")
    assert question.answer == 1.5
    assert ask("none", option="4") == "you took 4"
    with pytest.raises(TypeError, match="not given: option"):
        ask("none")
    with pytest.raises(TypeError, match="not in it: more"):
        ask("half_hint", more=1)


def test_no_mistake_of_a_choice_is_its_answer_and_a_number_keeps_them_all(ask: Asking) -> None:
    wrong = [ask.mistake("none", option, "why_not", option=option) for option in ("1", "2")]
    (mistake,) = ask.question(Choice(("1", "2")), "2", wrong).wrong
    assert (mistake.value, mistake.name, mistake.hint) == ("1", "you took 1", "It is not 1.")
    # A number that a mistake leads to by chance is drawn again: `is_askable` sees it.
    assert len(ask.question(COUNT, 6, {"twice": 6}).wrong) == 1


def test_the_last_line_has_the_decimals_of_the_answer(ask: Asking) -> None:
    product = product_of(3, 5)
    made = ask.question(TWO_DECIMALS, 1.5, {}, [product, quotient_of(15, 10)]).working
    assert [line.plain() for line in made] == ["3*5 = 15", "15 / 10 = 1.50"]
    (whole,) = ask.question(COUNT, 15, {}, [product]).working
    assert whole.plain() == "3*5 = 15"
