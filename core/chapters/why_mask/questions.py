"""The questions on masks (M7, M8, and what a mask saves). Answers are read from runs."""

from collections.abc import Mapping
from types import MappingProxyType

from core.attention.from_scores import run_of_equal_scores
from core.attention.masks import Rule
from core.chapters.why_mask.causality import work
from core.draws import Draw
from core.program.rounding import decimal_text
from core.questions.answers import Number
from core.questions.attention import first_weight_question, unchanged_row_question
from core.questions.engine import Evidence, Question, QuestionMaker, WrongAnswer, question_maker


@question_maker("cells-computed")
def cells_question(draw: Draw) -> Question | None:
    """How many scores does a causal mask leave to compute? T(T+1)/2."""
    T = draw.whole(4, 40)
    trace = run_of_equal_scores(Rule("causal").mask(T, T))
    counted = work(trace["mask"])
    return Question(
        id="",
        prompt=(
            f"A sentence has {T} tokens. Under a causal mask, for how many of the {T} × {T} pairs "
            "may the query see the key? A program that skips the rest computes those scores."
        ),
        kind=Number(0.5, decimals=0),
        answer=counted.computed,
        wrong=(
            WrongAnswer("you counted all pairs", T * T, "Half of them, about, are in the future."),
            WrongAnswer("you took half of the square", T * T / 2,
                        "The diagonal is visible too: every token sees itself."),
            WrongAnswer("you left out the diagonal", counted.skipped,
                        "Those are the hidden ones; every token also sees itself."),
        ),
        explanation=(
            f"Row i sees i keys: 1 + 2 + … + {T} = {counted.computed}, a share of "
            f"{decimal_text(counted.percent, 1)} %."
        ),
        evidence=(Evidence("The causal mask", trace, "mask"),),
    )  # fmt: skip


MASK_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "The first token": first_weight_question,
    "Which row stays the same": unchanged_row_question,
    "What is computed": cells_question,
})  # fmt: skip
