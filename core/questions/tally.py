"""The answers of a class to one question, counted: right, by usual mistake, and as given."""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace

from core.errors import InputError
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import Choice, NumberAnswer, read_number
from core.questions.engine import Question, WrongAnswer, mark_answer, parse_answer, written_answer

Ways = Counter[str]
"""How often an answer was written in each way, such as 1/3 and 0.33."""


@dataclass(frozen=True)
class AnswerCount:
    """An answer that a class gave: the ways in which it was written, whether it is right, and the
    usual mistake that it shows.

    `means` is the same for all ways to write it. All numbers that are right are one answer, so are
    those that one mistake leads to, and any others that agree to two decimals.
    """

    means: Hashable
    ways: Ways
    is_right: bool
    mistake: WrongAnswer | None = None

    @property
    def times(self) -> int:
        """How often it was given."""
        return self.ways.total()

    @property
    def text(self) -> str:
        """The answer as most of the class wrote it, so that no text says more than the class."""
        return most_written(self.ways)


@dataclass(frozen=True)
class Tally:
    """A vote: how many answered, how many of them right, and each answer, the most frequent first.

    Of a choice, `given` has each option in the order of the question, even if nobody took it.
    `mistakes` are the names of those that somebody made, and how many did, the most frequent first.
    `unread` counts texts that are no answer to the question. Of a free text only `answered` counts:
    no text of a class stands in its tally.
    """

    answered: int
    right: int
    given: tuple[AnswerCount, ...]
    mistakes: tuple[tuple[str, int], ...]
    unread: int

    @property
    def most_given(self) -> AnswerCount | None:
        """The answer that was given most, if more than once; None in a tie."""
        most = max((each.times for each in self.given), default=0)
        found = [each for each in self.given if each.times == most > 1]
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True)
class TwoCounts:
    """An answer in both votes: how often it was given before talking, and how often after."""

    text: str
    first: int
    second: int
    is_right: bool
    mistake: WrongAnswer | None = None


def tally(question: Question, answers: Iterable[str]) -> Tally:
    """Return the answers of one vote, counted. Each is a text that a student sent."""
    answers = list(answers)
    if question.is_free:
        return Tally(len(answers), 0, (), (), 0)
    options = question.kind.options if isinstance(question.kind, Choice) else ()
    found = {count.means: count for count in (_read(question, option, 0) for option in options)}
    for text in answers:
        try:
            read = _read(question, text)
        except InputError:
            continue
        found.setdefault(read.means, replace(read, ways=Ways())).ways.update(read.ways)
    given = list(found.values())
    if not options:
        given.sort(key=lambda each: (-each.times, each.text))
    mistakes = Counter[str]()
    for each in given:
        if each.mistake and each.mistake.name and each.times:
            mistakes[each.mistake.name] += each.times
    return Tally(
        answered=len(answers),
        right=sum(each.times for each in given if each.is_right),
        given=tuple(given),
        mistakes=tuple(sorted(mistakes.items(), key=lambda item: (-item[1], item[0]))),
        unread=len(answers) - sum(each.times for each in given),
    )


def two_votes(first: Tally, second: Tally) -> tuple[TwoCounts, ...]:
    """Return each answer of two votes on one question, in the order of the first vote.

    Its text is as most of both votes wrote it.
    """
    before, after = ({each.means: each for each in vote.given} for vote in (first, second))
    return tuple(
        _both(before.get(means), after.get(means), each) for means, each in (before | after).items()
    )


def _both(before: AnswerCount | None, after: AnswerCount | None, either: AnswerCount) -> TwoCounts:
    ways = Ways()
    for vote in filter(None, (before, after)):
        ways.update(vote.ways)
    first, second = (vote.times if vote else 0 for vote in (before, after))
    return TwoCounts(most_written(ways), first, second, either.is_right, either.mistake)


def most_written(ways: Ways) -> str:
    """Return the way in which an answer was written most; of several the shortest."""
    return min(ways, key=lambda text: (-ways[text], len(text), text))


def _read(question: Question, text: str, times: int = 1) -> AnswerCount:
    """A text that was given, as an answer. Raises `InputError` if it is none."""
    answer = parse_answer(question, text)
    verdict = mark_answer(question, answer)
    means: Hashable = answer
    if isinstance(question.kind, NumberAnswer):
        means = verdict.right or verdict.mistake or _rounded(text)
    return AnswerCount(
        means, Ways({written_answer(question, text): times}), verdict.right, verdict.mistake
    )


def _rounded(text: str) -> Hashable:
    """A number to two decimals, or which end of all numbers it is."""
    number = read_number(text)
    assert number is not None
    return ("∞", number.endless) if number.endless else ("to", number.rounded(-CELL_DECIMALS))
