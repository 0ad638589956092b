"""No question says its answer before it is found or asked for: every question of every chapter.

The chapters are the folders of `core/chapters`; what is said is what `reply` says to many answers,
tried first and tried again, and the hint.
"""

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

import pytest

from core.program import formulas as f
from core.questions.answers import NumberAnswer
from core.questions.engine import Question, QuestionMaker, mark_answer
from core.questions.tries import Tries, is_settled, reply
from tests.core.support import MAKERS, asked, read
from tests.sampling import some

GUESSES = (
    0.0, 1.0, 2.0, 3.0, 7.0, 8.0, 41.0, 43.0, 1000.0, 54321.0, 0.3, 0.123456, 0.77, 13.7, 2.25,
    -2.5, -7.0, -0.4,
)  # fmt: skip
"""Numbers of every kind, two or more of each: what is said to a single one may hit by chance."""
_WHOLE = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
_NUMBER = re.compile(rf"(-?)({_WHOLE}(?:\.\d+)?|\.\d+)(e-?\d+)?(?: ?\\?%|(?: ?/ ?)({_WHOLE}))?")
_OVER = re.compile(r"\\d?frac\{(-?[\d.]+)\}\{(-?[\d.]+)\}")


def numbers(text: str, known: Collection[float] = ()) -> set[float]:
    """Each number of a text, in whatever notation: decimals, fractions, percent, thousands.

    A fraction of two `known` numbers is for the reader to work out.
    """
    plain = text.replace("{,}", ",").replace("−", "-")
    found, fractions = set(), [(float(a), float(b)) for a, b in _OVER.findall(plain)]
    for match in _NUMBER.finditer(plain):
        sign, digits, power, under = match.groups()
        value = float(f"{sign}{digits.replace(',', '')}{power or ''}")
        found |= {value, value / 100} if match[0].endswith("%") else {value}
        fractions += [(value, float(under.replace(",", "")))] if under else []
    open_ones = {pair for pair in fractions if pair[1] and not set(pair) <= set(known)}
    return found | {over / under for over, under in open_ones}


def test_numbers_are_found_in_every_notation() -> None:
    said = "so 72, −1,5 or 1,234.50; 25 %, 25\\%, 3/8 and $\\dfrac{7}{2}$, 4e−3, .5"
    assert {72, 1234.5, 0.25, 0.375, 3.5, 4e-3, 0.5} <= numbers(said)


def given(question: Question) -> set[float]:
    """The numbers that stand in the question itself."""
    return numbers(read(f"{question.prompt} {question.tables}"))


def fixed(question: Question) -> dict[str, str]:
    """What is said whatever is typed: the hint, and why each usual mistake is one."""
    return {"hint": question.hint} | {w.name: f"{w.name}. {w.hint}" for w in question.wrong}


def unfinished(question: Question) -> set[float]:
    """The results in the working that is left to finish, but those that its last line works on."""
    *lines, last = question.working or [None]
    results = {float(made.right.text) for made in lines if made}
    return results - numbers(f.latex(last.left.tree())) if last else set()


def leaks_of(question: Question) -> set[str]:
    """Where a number that is the answer is said, and does not stand in the question."""
    kind, known = question.kind, given(question)
    assert isinstance(kind, NumberAnswer)

    near = NumberAnswer(min(kind.tolerance, 0.006))

    def tells(said: set[float], typed: float | None = None) -> bool:
        return any(near.same(n, question.answer) for n in said - known if n != typed)

    values = {w.name: float(w.value) for w in question.wrong}  # type: ignore[arg-type]
    found = {
        name
        for name, text in fixed(question).items()
        if tells(numbers(read(text), known), values.get(name))
    }
    if tells(unfinished(question)):
        found.add("the working")
    hits = defaultdict(set)
    for guess in GUESSES:
        for tries in (Tries((guess,)), Tries((99.9, guess))):
            said = reply(question, tries)
            assert said
            told = numbers(read(f"{said.said} {said.why}"), known)
            if not is_settled(question, tries) and tells(told, guess):
                hits["a wrong number"].add(guess)
    return found | {name for name, guesses in hits.items() if len(guesses) > 1}


@pytest.mark.parametrize("maker", some(list(MAKERS.values()), 8), ids=some(list(MAKERS), 8))
def test_the_answer_is_not_given_away(maker: QuestionMaker) -> None:
    for question in asked(maker):
        if isinstance(question.kind, NumberAnswer):
            assert not leaks_of(question), question.id
        else:
            assert not named_in(question), question.id


def named_in(question: Question) -> set[str]:
    """Where the option that is the answer is named, and no other option is."""
    kind = question.kind
    assert not isinstance(kind, NumberAnswer)
    options = {read(kind.text(option)): option for option in kind.options}  # type: ignore[union-attr]
    found = set()
    for name, text in fixed(question).items():
        named = [
            option
            for words, option in options.items()
            if re.search(rf"(?<![\w.−-]){re.escape(words)}(?!\w)", read(text), re.IGNORECASE)
        ]
        if named and all(mark_answer(question, option).right for option in named):
            found.add(name)
    return found


def test_a_question_that_says_its_answer_is_noticed() -> None:
    question = MAKERS["state-size"](0)
    answer = question.kind.text(question.answer)
    said = {f"It keeps ${answer}$.", f"That is $\\dfrac{{5}}{{{answer}}}$ times as many."}
    assert all(leaks_of(replace(question, hint=text)) == {"hint"} for text in said)
    told = replace(question, would_mean=lambda given: " ".join(said))
    assert leaks_of(told) == {"a wrong number"}
    chosen = MAKERS["moved-row"](0)
    assert named_in(replace(chosen, hint=f"Look at *{chosen.answer}*.")) == {"hint"}
