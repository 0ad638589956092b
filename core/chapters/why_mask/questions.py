"""The questions on masks (M7, M8, and what a mask saves). Answers are read from runs."""

from collections.abc import Mapping
from types import MappingProxyType

from core.attention.from_scores import run_of_equal_scores
from core.attention.masks import Rule
from core.chapters.why_mask.causality import work
from core.draws import Draw
from core.program.arithmetic import Difference, Product, Quotient, line
from core.questions.answers import Number
from core.questions.attention import first_weight_question, unchanged_row_question
from core.questions.engine import Evidence, Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, numeral, whole


@question_maker("cells-computed")
def cells_question(draw: Draw) -> Question | None:
    """How many scores does a causal mask leave to compute? T(T+1)/2."""
    T = draw.whole(4, 40)
    trace = run_of_equal_scores(Rule("causal").mask(T, T))
    counted = work(trace["mask"])

    def would_mean(given: float) -> str:
        if not 0 <= given <= T * T or given != int(given):
            return f"It is a whole number of pairs, at most {equation(Product(whole(T, T)), 0)}."
        hidden = equation(Difference(Product(whole(T, T)), *whole(int(given))), 0)
        return f"Then {hidden} pairs would be hidden. Count the keys that come after each query."

    pairs = Product(whole(T, T + 1))
    return Question(
        id="",
        prompt=(
            f"A sentence has {T} tokens. Under a causal mask, for how many of the "
            rf"${T} \times {T}$ pairs is the query allowed to see the key? A program that skips "
            "the rest computes those scores."
        ),
        kind=Number(0.5, decimals=0),
        answer=counted.computed,
        wrong=(
            WrongAnswer("you counted all pairs", T * T,
                        "Of two different tokens the earlier one does not see the later one."),
            WrongAnswer("you took half of the square", T * T / 2,
                        "The diagonal is visible too: every token sees itself."),
            WrongAnswer("you left out the diagonal", counted.skipped,
                        "Those are the hidden ones; every token also sees itself."),
        ),
        hint="How many keys does the first query see, how many the second, how many the last?",
        explanation=(
            f"The query of token $i$ sees $i$ keys, from 1 up to {T}: added up, half of "
            rf"${T} \cdot {T + 1}$. That is {numeral(counted.percent, 1)} % of all pairs."
        ),
        working=(line(Quotient(pairs, *whole(2)), 0),),
        would_mean=would_mean,
        evidence=(Evidence("The causal mask", trace, "mask"),),
    )  # fmt: skip


MASK_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "The first token": first_weight_question,
    "Which row stays the same": unchanged_row_question,
    "What is computed": cells_question,
})  # fmt: skip
