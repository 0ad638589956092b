"""The answers of a class to one question, counted: right, by usual mistake, and as given."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.errors import InputError
from core.questions.answers import Answer, Choice
from core.questions.engine import Question, WrongAnswer, mark_answer, parse_answer


@dataclass(frozen=True)
class AnswerCount:
    """How often an answer was given: its text as it was heard, whether it is right, and the usual
    mistake that it shows.

    Two numbers that are both near enough count as two answers: so no text says more than the class.
    """

    text: str
    times: int
    is_right: bool
    mistake: WrongAnswer | None = None


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
        """The answer that was given most, the first of several; None before the first answer."""
        given = [each for each in self.given if each.times]
        return max(given, key=lambda each: each.times, default=None)


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
    times = Counter({_meant(question, option): 0 for option in options})
    for text in answers:
        try:
            times[_meant(question, parse_answer(question, text))] += 1
        except InputError:
            continue
    given = [AnswerCount(text, n, right, wrong) for (text, right, wrong), n in times.items()]
    if not options:
        given.sort(key=lambda each: (-each.times, each.text))
    mistakes = Counter[str]()
    for each in given:
        if each.mistake and each.times:
            mistakes[each.mistake.name] += each.times
    return Tally(
        answered=len(answers),
        right=sum(each.times for each in given if each.is_right),
        given=tuple(given),
        mistakes=tuple(sorted(mistakes.items(), key=lambda item: (-item[1], item[0]))),
        unread=len(answers) - sum(each.times for each in given),
    )


def two_votes(first: Tally, second: Tally) -> tuple[TwoCounts, ...]:
    """Return each answer of two votes on one question, in the order of the first vote."""
    before, after = (
        {(each.text, each.is_right, each.mistake): each.times for each in vote.given}
        for vote in (first, second)
    )
    return tuple(
        TwoCounts(text, before.get(meant, 0), after.get(meant, 0), right, mistake)
        for meant in before | after
        for text, right, mistake in [meant]
    )


def _meant(question: Question, answer: Answer) -> tuple[str, bool, WrongAnswer | None]:
    verdict = mark_answer(question, answer)
    return verdict.given, verdict.right, verdict.mistake
