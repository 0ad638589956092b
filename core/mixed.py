"""A mixed set: questions over chosen chapters, drawn from a seed, and how a person did in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.chapters.attention_graph.questions import GRAPH_QUESTIONS
from core.chapters.block.questions import BLOCK_QUESTIONS
from core.chapters.cost.questions import COST_QUESTIONS
from core.chapters.debug_lab.questions import DEBUG_QUESTIONS
from core.chapters.dot_products.questions import SIMILARITY_QUESTIONS
from core.chapters.heads.questions import HEAD_QUESTIONS
from core.chapters.one_query.questions import ONE_QUERY_QUESTIONS
from core.chapters.other_kinds.questions import KIND_QUESTIONS
from core.chapters.queries_keys_values.questions import PROJECTION_QUESTIONS
from core.chapters.recursive_attention.questions import RECURSIVE_QUESTIONS
from core.chapters.softmax.questions import SOFTMAX_QUESTIONS
from core.chapters.walkthrough.questions import WALKTHROUGH_QUESTIONS
from core.chapters.why_mask.questions import MASK_QUESTIONS
from core.chapters.why_scale.questions import SCALE_QUESTIONS
from core.chapters.word_order.questions import ORDER_QUESTIONS
from core.chapters.words.questions import WORD_QUESTIONS
from core.draws import Draw
from core.limits import MAX_SEED
from core.questions.engine import Question, QuestionMaker, mark
from core.questions.tries import Tries, settled

MOST = 10
"""So many questions has a set, where the chapters have as many."""
QUESTIONS: Mapping[str, Mapping[str, QuestionMaker]] = MappingProxyType({
    "words": WORD_QUESTIONS,
    "dot_products": SIMILARITY_QUESTIONS,
    "softmax": SOFTMAX_QUESTIONS,
    "walkthrough": WALKTHROUGH_QUESTIONS,
    "queries_keys_values": PROJECTION_QUESTIONS,
    "why_scale": SCALE_QUESTIONS,
    "why_mask": MASK_QUESTIONS,
    "heads": HEAD_QUESTIONS,
    "debug_lab": DEBUG_QUESTIONS,
    "one_query": ONE_QUERY_QUESTIONS,
    "recursive_attention": RECURSIVE_QUESTIONS,
    "cost": COST_QUESTIONS,
    "word_order": ORDER_QUESTIONS,
    "attention_graph": GRAPH_QUESTIONS,
    "block": BLOCK_QUESTIONS,
    "other_kinds": KIND_QUESTIONS,
})  # fmt: skip
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


def mixed_set(chapters: Sequence[str], seed: int, count: int = MOST) -> tuple[Drawn, ...]:
    """Questions over some chapters, the same for the same seed.

    None comes twice before all have come; one whose answer never varies comes once. So there may
    be fewer than `count`.
    """
    draw = Draw(f"mixed:{'.'.join(chapters)}:{seed}")
    # Two chapters may ask one and the same question: it counts as the first one's.
    first = {
        maker: (chapter, title, maker)
        for chapter in reversed(chapters)
        for title, maker in QUESTIONS[chapter].items()
    }
    makers = list(first.values())[::-1]
    found: list[Drawn] = []
    while makers and len(found) < count:
        round_of = draw.some_of(makers, len(makers))
        for chapter, title, maker in round_of[: count - len(found)]:
            question = maker(draw.whole(0, MAX_SEED))
            found.append(Drawn(chapter, title, question))
            if question.fact:
                makers.remove((chapter, title, maker))
    return tuple(found)


def score(drawn: Iterable[Drawn], tries: Mapping[str, Tries]) -> Score:
    """How a person did, by what they did with each question (`tries`, by its id)."""
    told = [(d.question, tries.get(d.question.id, Tries())) for d in drawn]
    over = [(question, done) for question, done in told if settled(question, done)]
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
        if settled(d.question, done := tries.get(d.question.id, Tries()))
        and not is_right_at_once(d.question, done)
    ]


def _is_found(question: Question, tries: Tries) -> bool:
    """Whether the person gave the right answer; one that is shown is not found."""
    return not tries.shown and any(mark(question, answer).right for answer in tries.given)
