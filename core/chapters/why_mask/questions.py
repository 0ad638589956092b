"""The questions on masks (M7, M8, and what a mask saves). Answers are read from runs."""

from collections.abc import Mapping
from types import MappingProxyType

from core.attention.from_scores import run_of_equal_scores
from core.attention.masks import Rule
from core.chapters.why_mask.causality import count_cells
from core.hash_random import Draw
from core.program.numbers.arithmetic import Product, Quotient, Subtraction, arithmetic_line
from core.questions.answers import NumberAnswer
from core.questions.attention import first_weight_question, unchanged_row_question
from core.questions.engine import Evidence, Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, numeral, sum_of_wholes
from core.texts import core_texts

TEXTS = core_texts("why_mask")


@question_maker("cells-computed")
def cells_question(draw: Draw) -> Question | None:
    """How many scores does a causal mask leave to compute? T(T+1)/2."""
    T = draw.whole(4, 40)
    trace = run_of_equal_scores(Rule("causal").mask(T, T))
    counted = count_cells(trace["mask"])

    def would_mean(given: float) -> str:
        if not 0 <= given <= T * T or given != int(given):
            return TEXTS("visible_not_whole", most=equation(Product(sum_of_wholes(T, T)), 0))
        hidden = equation(Subtraction(Product(sum_of_wholes(T, T)), *sum_of_wholes(int(given))), 0)
        return TEXTS("visible_would_mean", hidden=hidden)

    pairs = Product(sum_of_wholes(T, T + 1))
    return Question(
        id="",
        prompt=TEXTS("visible", T=T),
        kind=NumberAnswer(0.5, decimals=0),
        answer=counted.computed,
        wrong=(
            WrongAnswer(TEXTS("all_pairs"), T * T, TEXTS("all_pairs_hint")),
            WrongAnswer(TEXTS("half"), T * T / 2, TEXTS("half_hint")),
            WrongAnswer(TEXTS("no_diagonal"), counted.skipped, TEXTS("no_diagonal_hint")),
        ),
        hint=TEXTS("visible_hint"),
        explanation=TEXTS("visible_explanation", T=T, percent=numeral(counted.percent, 1)),
        working=(arithmetic_line(Quotient(pairs, *sum_of_wholes(2)), 0),),
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("causal_evidence"), trace, "mask"),),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("first_title"): first_weight_question,
        TEXTS("unchanged_title"): unchanged_row_question,
        TEXTS("visible_title"): cells_question,
    }
)
