"""What every question says, on every page: equations hold and reasons are true.

Each equation in each text is read as LaTeX and worked out here; each number in a reason is compared
with the printed tables or with PyTorch.
"""

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import pytest
import torch

from core.questions import engine
from core.questions.answers import Choice, NumberAnswer
from core.questions.engine import Question, QuestionMaker, mark_answer, parse_answer, tables_after
from core.questions.texts import text_parts
from tests.core.support import MAKERS, asked, every_maker, figure, read
from tests.sampling import SEEDS

GUESSES = (0.0, 0.3, 1.0, 2.0, 3.0, 7.0, 0.123456, -2.5, 41.0, 1000.0)


def before(question: Question) -> Iterator[str]:
    """All that may be said before the answer is found or asked for."""
    yield question.hint
    yield from (wrong.hint for wrong in question.wrong)
    yield from (wrong.name for wrong in question.wrong)
    for guess in GUESSES if question.would_mean else ():
        verdict = mark_answer(question, guess)
        said = question.would_mean(guess) if question.would_mean else ""
        yield "" if verdict.right or verdict.mistake else said


def texts(question: Question) -> Iterator[str]:
    yield from (question.prompt, question.explanation, question.fact, *before(question))
    for table in (*question.tables, *tables_after(question)):
        yield from (table.title, *table.rows, *table.columns)
    if isinstance(question.kind, Choice):
        yield from question.kind.options


def worth(latex: str) -> float | None:
    """What an expression of numbers comes to; None where it has a letter in it."""
    plain = latex
    for pattern, put in (
        (r"\\dfrac\{([^{}]*)\}\{([^{}]*)\}", r"((\1) / (\2))"),
        (r"\\sqrt\{([^{}]*)\}", r"(math.sqrt(\1))"),
        (r" \\times 10\^\{(-?\d+)\}", r"e\1"),
        (r"\\exp\(([^()]*)\)", r"(math.exp(\1))"),
        (r"\be\^\{([^{}]*)\}", r"(math.exp(\1))"),
        (r"\)\s*\(", r") * ("), (r"(\d)\s*\(", r"\1 * ("), (r"\\cdot|\\times", "*"),
        (r"\{,\}", ""),
    ):  # fmt: skip
        plain = re.sub(pattern, put, plain)
    bare = re.sub(r"math\.(sqrt|exp)", "", plain)
    if re.search(r"[A-Za-z\\^_{}]", re.sub(r"\de-?\d", "1", bare)):
        return None
    return float(eval(plain, {"math": math}))


def check_equations(text: str) -> int:
    """How many equations a text has; each is true, and has = or ≈ as it should."""
    found = 0
    for kind, latex in text_parts(text):
        sides = re.split(r"\s*(=|\\approx)\s*", latex) if kind == "maths" else []
        for left, sign, right in zip(sides[::2], sides[1::2], sides[2::2], strict=False):
            values = worth(left) if left else None, worth(right)
            if None in values:
                continue
            a, b = map(float, values)  # type: ignore[arg-type]
            decimals = len(right.partition(".")[2].partition(" ")[0])
            close = 0.5 * 10.0**-decimals if "times 10" not in right else 0.5 * abs(b)
            assert abs(a - b) <= close * (1 + 1e-6), text
            assert (abs(a - b) <= 1e-9 * max(1, abs(a))) == (sign == "="), text
            found += 1
    return found


@every_maker
def test_every_instance_can_be_asked_and_tells_mistakes_apart(maker: QuestionMaker) -> None:
    made = asked(maker)
    assert len(made) == len(SEEDS)
    assert all(engine.is_askable(question) for question in made)
    has_few_instances = maker.name in ("cached-keys", "zero-fill", "state-size")
    assert len({read(q.prompt) + str(q.tables) for q in made}) >= (7 if has_few_instances else 12)
    for question in made[:100]:
        for text in (str(question.answer), question.kind.text(question.answer)):
            assert mark_answer(question, parse_answer(question, text)).right
        for wrong in question.wrong:
            assert mark_answer(question, parse_answer(question, str(wrong.value))).mistake == wrong


@every_maker
def test_what_is_said_holds_is_typeset_and_is_not_rounded_unsaid(maker: QuestionMaker) -> None:
    for question in asked(maker):
        told = list(texts(question))
        for text in told:
            check_equations(text)
            check_symbols(text)
        for made in question.working:
            value, printed = (Fraction(side.value()[0]) for side in (made.left, made.right))
            assert abs(value - printed) <= Fraction(1, 200) + Fraction(1, 10**9)
            assert made.exact == (value == printed)
        assert rounded_unsaid(question, told) == [], question.id


def rounded_unsaid(question: Question, told: list[str]) -> list[tuple[str, str]]:
    """Numbers in the words of a question that are one of its lines, with decimals left off.

    A reader who goes on with a number of the words comes to what the lines come to.
    """
    lines = " ".join(made.left.plain() for made in question.working)
    worked_with = {n.lstrip("-") for n in re.findall(r"-?\d+\.\d+", lines)}
    maths = [x for text in told for kind, x in text_parts(text) if kind == "maths"]
    said = [x for x in maths if re.fullmatch(r"-?[\d.]+", x)]  # alone, with no ≈ before it
    found = []
    for short, full in product({n.lstrip("-") for n in said} - worked_with, worked_with):
        d, gap = len(short.partition(".")[2]), abs(Fraction(full) - Fraction(short))
        if 2 <= d < len(full.partition(".")[2]) and 0 < gap <= Fraction(1, 2 * 10**d):
            found.append((short, full))
    return found


def test_an_equation_that_does_not_hold_is_noticed() -> None:
    holds = r"so $(2)(1.5) = 3$ and $\dfrac{1}{3} \approx 0.33$, $q \cdot k = 3$"
    assert check_equations(holds) == 2
    for text in (r"$(2)(1.5) = 3.1$", r"$\dfrac{1}{3} = 0.33$", r"$\dfrac{1}{4} \approx 0.25$"):
        with pytest.raises(AssertionError):
            check_equations(text)


@every_maker
def test_each_question_has_what_teaches(maker: QuestionMaker) -> None:
    for question in asked(maker):
        for text in (question.hint, question.explanation, *(w.hint for w in question.wrong)):
            assert text[-1] in ".?)", text
            assert "  " not in text
        if isinstance(question.kind, Choice):
            wrong = {w.value for w in question.wrong}
            assert wrong == set(question.kind.options) - {question.answer}
        else:
            assert isinstance(question.kind, NumberAnswer)
            assert question.would_mean
            if question.working:
                ends = question.working[-1].right.text
                assert float(ends) == float(question.kind.text(question.answer))
            else:
                assert question.id.startswith("heads-feature.")


def check_symbols(text: str) -> None:
    assert text.count("$") % 2 == 0, text
    prose = "".join(piece for kind, piece in text_parts(text) if kind == "prose")
    prose = prose.replace("'s", "")
    assert not re.search(r"[_^\\${}=≈√·²ᵀ]", prose), text
    assert not re.search(r"\b[a-zHTGXQKV]\b(?<!\ba)(?<!\be)", prose), text


@every_maker
def test_what_never_varies_is_a_fact(maker: QuestionMaker) -> None:
    questions = asked(maker)
    answers = set()
    for question in questions:
        options = question.kind.options if isinstance(question.kind, Choice) else ()
        at = options.index(str(question.answer)) if options else 0
        last = bool(options) and at == len(options) - 1 and maker.name == "unchanged-row"
        answers.add("the last" if last else question.answer)
    assert (len(answers) == 1) == bool(questions[0].fact)
    if questions[0].fact:
        assert len({question.fact for question in questions}) == 1
        assert len({str(tables_after(question)) for question in questions}) > 3
        assert all(tables_after(question) for question in questions)


def exact(question: Question, row: int, table: int = 0) -> list[Fraction]:
    return [Fraction(text) for text in question.tables[table].cells[row]]


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def ints(question: Question) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", read(question.prompt))]


def found(pattern: str, question: Question) -> list[float]:
    return [float(text) for text in re.findall(pattern, question.prompt)]


def other_products(question: Question) -> float:
    """What the other two products add up to, where the answer is their sum."""
    said, answer = found(r"\$(-?\d+)\$", question), float(question.answer)  # type: ignore[arg-type]
    products = [said[at] * said[3 + at] for at in range(3)]
    return answer - next(product for product in products if product != answer)


def linear_row(question: Question) -> float:
    numbers = ints(question)
    query, keys, values = numbers[:2], numbers[2:8], numbers[8:]
    met = [query[0] * keys[at] + query[1] * keys[at + 1] for at in (0, 2, 4)]
    return sum(m * v for m, v in zip(met, values, strict=True))


QUANTITIES: dict[str, Callable[..., float]] = {
    "quadratic-share": lambda q, d, _, __, T: T / (6 * d),
    "unit-says": lambda q, *_: other_products(q),
    "linear-row": lambda q, *_: linear_row(q),
    "state-size": lambda q, features, *_: features + 1,
    "untrained-loss": lambda q, size, *_: size,
    "previous-token-score": lambda q, *_: sum(  # below the diagonal
        float(row[i]) for i, row in enumerate(q.tables[0].cells[1:])
    ),
}
"""What `would_mean` says of the right answer has to come to this, of the numbers of the prompt.

Of every guess, what other questions say is checked in tests/facts/.
"""


@pytest.mark.parametrize("name", QUANTITIES)
def test_what_a_number_would_mean_comes_true_for_the_answer(name: str) -> None:
    for question in asked(MAKERS[name]):
        assert question.would_mean
        assert isinstance(question.answer, int | float)
        said = question.would_mean(float(question.answer))
        maths = [x for kind, x in text_parts(said) if kind == "maths"]
        ends = [x for x in maths if re.search(r".(=|\\approx)", x)] or maths
        value = float(re.split(r"=|\\approx", ends[0])[-1])
        assert value == pytest.approx(QUANTITIES[name](question, *ints(question)), abs=0.006), said


def reasons(question: Question) -> dict[str, str]:
    return {str(wrong.value): read(wrong.hint) for wrong in question.wrong}


def test_why_a_key_is_not_the_favourite_holds() -> None:
    for question in asked(MAKERS["favourite-key"]):
        q, *keys = (exact(question, row) for row in range(4))
        assert isinstance(question.kind, Choice)
        dots = [dot(q, k) for k in keys]
        squares = [dot(k, k) for k in keys]
        cosines = [float(d) / math.sqrt(s * dot(q, q)) for d, s in zip(dots, squares, strict=True)]
        for wrong in question.wrong:
            at = question.kind.options.index(str(wrong.value))
            said = read(wrong.hint)
            values = list(map(float, dots)) if "dot product" in question.prompt else cosines
            assert max(values) > values[at]
            if "the longest" in said:
                assert squares[at] == max(squares)
                told = figure(re.findall(r"is (?:≈ )?(\S+),", said)[0])
                assert told == pytest.approx(values[at], abs=0.005 + 1e-9)
            elif said.startswith("The dot product counts"):
                assert cosines[at] == max(cosines)
                assert max(squares) > squares[at]
            else:
                assert dots[at] == max(dots)


def test_why_a_score_is_not_smaller_or_larger_holds() -> None:
    for question in asked(MAKERS["symmetric"]):
        (there,) = re.findall(r"the score (−?\d+): its", read(question.prompt))
        signs = {"below": -1, "equal to": 0, "above": 1}
        for wrong in question.wrong:
            (sum_of,) = (x for kind, x in text_parts(wrong.hint) if kind == "maths" and "(" in x)
            ((where, bound),) = re.findall(r"not (below|equal to|above) (\S+)\.$", read(wrong.hint))
            value = worth(sum_of)
            assert value is not None
            gap = value - figure(there)
            assert figure(bound) == figure(there)
            assert (gap > 0) - (gap < 0) != signs[where]


def test_what_is_said_of_two_bases_is_in_the_tables() -> None:
    for question in asked(MAKERS["basis"]):
        tables = ([[float(x) for x in line] for line in t.cells] for t in question.tables)
        X, before_, after = map(torch.tensor, tables)
        for value, said in reasons(question).items():
            if "and so do" in value:
                name, token = re.findall(r"^([QK]) is X W_[QK]\. The row of (\w+)", said)[0]
                row = X[list(question.tables[0].rows).index(token)]
                part = slice(0, 2) if name == "Q" else slice(2, 4)
                told = [figure(n) for n in re.findall(r"−?\d+(?:\.\d+)?", said)]
                now = [*(row @ before_[:, part]).tolist(), *(row @ after[:, part]).tolist()]
                assert told == pytest.approx(now)
                assert now[:2] != now[2:]
                continue
            i, j, *entries = re.findall(r"−?\d+(?:\.\d+)?", said)
            cells = [m[int(i) - 1, :2] @ m[int(j) - 1, 2:] for m in (before_, after)]
            assert list(map(figure, entries)) == pytest.approx([float(c) for c in cells])
            assert (cells[0] == cells[1]) == ("Work out" in said)


def test_how_far_scores_are_apart_is_what_decides() -> None:
    for question in asked(MAKERS["softmax-change"]):
        scores = sorted(map(float, question.tables[0].cells[0]))
        lead = scores[-1] - scores[-2]
        change = read(question.prompt).partition("they are. ")[2]
        c = int(re.findall(r"(\d)(?: is|\. What)", change)[0])
        later = lead * c if "multiplied" in change else lead / c
        for said in reasons(question).values():
            if "apart" in said:
                apart = re.findall(r"are (?:≈ )?(\S+) apart before and (?:≈ )?(\S+) after", said)[0]
                gaps = list(map(figure, apart))
                assert gaps == pytest.approx([lead, later], abs=0.01 * c + 0.006)
                assert gaps[0] != gaps[1]
            else:
                assert "sum to 1" in said or f"by e^{{{c}}}" in said
        before_, now = (list(map(float, line)) for line in question.after[0].cells)
        assert (before_ == now) == (question.answer == "No weight changes")


def test_what_the_debug_lab_says_of_the_scores_is_in_its_tables() -> None:
    for question in asked(MAKERS["renormalise"]):
        said = reasons(question)["different, some larger and some smaller"]
        told = re.findall(r"scores are (\S+) and (\S+)\. E", said)[0]
        assert [figure(n) for n in told] == [float(x) for x in question.tables[0].cells[1][:2]]
        one, other = (torch.tensor(seen.trace["weights"].copy()) for seen in question.evidence)
        assert torch.allclose(one, other)
    for question in asked(MAKERS["wrong-axis"]):
        (said,) = reasons(question).values()
        assert f"e^{{{float(question.tables[0].cells[2][0]):g}}}".replace("-", "−") in said
    for question in asked(MAKERS["underflow"]):
        score = -int(re.findall(r"−(\d+)", read(question.prompt))[0])
        if question.answer == "more than 0":
            assert math.exp(score) >= 5e-324
        else:
            assert torch.tensor(score, dtype=torch.float64).exp() == 0
