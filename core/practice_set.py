"""A mixed set: questions over chosen chapters, drawn from a seed, and how a person did in it."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.hash_random import Draw
from core.limits import MAX_SEED
from core.path import PATH
from core.questions.engine import Question, QuestionMaker, mark_answer
from core.questions.tries import Tries, is_settled

SET_SIZE = 10
"""So many questions has a set, where the chapters have as many."""
MOST_SEEDS = 50
"""Tried for a question that the set has not: it may have all that there are."""
QUESTIONS: Mapping[str, Mapping[str, QuestionMaker]] = {
    name: chapter.questions for name, chapter in PATH.items()
}
"""The questions of each chapter, by their titles."""


@dataclass(frozen=True)
class Drawn:
    """A question of a set: of which chapter it is, and its title there."""

    chapter: str
    title: str
    question: Question


@dataclass(frozen=True)
class Score:
    """How a person did: questions that are settled, and those of them right at the first try.

    `helped` were found after a hint or another try.
    """

    settled: int
    first: int
    helped: int

    @property
    def shown(self) -> int:
        """Questions whose answer was shown, or was the only one left."""
        return self.settled - self.first - self.helped


def mixed_set(
    chapters: Sequence[str], seed: int, count: int = SET_SIZE, only: Container[str] = ()
) -> tuple[Drawn, ...]:
    """Questions over some chapters, the same for the same seed; if `only` some, those by name.

    No kind comes twice before all have come, and one whose answer never varies comes once. None
    comes again with the same words and numbers. So there may be fewer than `count`.
    """
    draw = Draw(f"mixed:{'.'.join(chapters)}:{seed}")
    # Two chapters may ask one and the same question: it counts as the first one's.
    first = {
        maker: (chapter, title, maker)
        for chapter in reversed(chapters)
        for title, maker in QUESTIONS[chapter].items()
        if not only or maker.name in only
    }
    makers = list(first.values())[::-1]
    found: list[Drawn] = []
    while makers and len(found) < count:
        round_of = draw.some_of(makers, len(makers))
        for chapter, title, maker in round_of[: count - len(found)]:
            question = _not_yet_asked(maker, draw, found)
            if question:
                found.append(Drawn(chapter, title, question))
            if not question or question.fact:
                makers.remove((chapter, title, maker))
    return tuple(found)


def _not_yet_asked(maker: QuestionMaker, draw: Draw, found: Iterable[Drawn]) -> Question | None:
    """A question of a maker that differs from all that are in the set; None if it draws no such."""
    asked = {(d.question.prompt, d.question.tables) for d in found}
    drawn = (maker(draw.whole(0, MAX_SEED)) for _ in range(MOST_SEEDS))
    return next((each for each in drawn if (each.prompt, each.tables) not in asked), None)


def score_of_set(drawn: Iterable[Drawn], tries: Mapping[str, Tries]) -> Score:
    """How a person did, by what they did with each question (`tries`, by its id)."""
    told = [(d.question, tries.get(d.question.id, Tries())) for d in drawn]
    over = [(question, done) for question, done in told if is_settled(question, done)]
    first = sum(is_right_at_once(question, done) for question, done in over)
    found = sum(_is_found(question, done) for question, done in over)
    return Score(len(over), first, found - first)


def is_right_at_once(question: Question, tries: Tries) -> bool:
    """Whether the first answer was right, and no help asked for before."""
    return _is_found(question, tries) and len(tries.given) == 1 and not tries.hinted


def to_look_at_again(drawn: Iterable[Drawn], tries: Mapping[str, Tries]) -> list[Drawn]:
    """The questions that were settled, but not right at the first try."""
    return [
        d
        for d in drawn
        if is_settled(d.question, done := tries.get(d.question.id, Tries()))
        and not is_right_at_once(d.question, done)
    ]


def _is_found(question: Question, tries: Tries) -> bool:
    """Whether the person gave the right answer; one that is shown is not found."""
    return not tries.shown and any(mark_answer(question, answer).right for answer in tries.given)
