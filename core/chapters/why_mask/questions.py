"""The questions on masks (M7, M8, and what a mask saves). Answers are read from runs."""

from core.attention.from_scores import run_of_equal_scores
from core.attention.masks import Rule
from core.chapters.why_mask.causality import count_cells
from core.hash_random import Draw
from core.questions.answers import NumberAnswer
from core.questions.asking import Asking
from core.questions.attention import first_weight_question, unchanged_row_question
from core.questions.engine import Evidence, Question, question_maker
from core.questions.texts import difference_of, equation, numeral, product_of, quotient_of
from core.texts import core_texts

TEXTS = core_texts("why_mask")


@question_maker("cells-computed")
def cells_question(draw: Draw) -> Question | None:
    """How many scores does a causal mask leave to compute? T(T+1)/2."""
    T = draw.whole(4, 40)
    trace = run_of_equal_scores(Rule("causal").mask(T, T))
    counted = count_cells(trace["mask"])
    ask = Asking(TEXTS, "visible", T=T, percent=numeral(counted.percent, 1))
    pairs = product_of(T, T)

    def would_mean(given: float) -> str:
        if not 0 <= given <= T * T or given != int(given):
            return ask("visible_not_whole", most=equation(pairs, 0))
        return ask("visible_would_mean", hidden=equation(difference_of(pairs, int(given)), 0))

    return ask.question(
        NumberAnswer(0.5, decimals=0),
        counted.computed,
        {"all_pairs": T * T, "half": T * T / 2, "no_diagonal": counted.skipped},
        working=[quotient_of(product_of(T, T + 1), 2)],
        would_mean=would_mean,
        evidence=(Evidence(TEXTS("causal_evidence"), trace, "mask"),),
    )


QUESTIONS = {
    TEXTS("first_title"): first_weight_question,
    TEXTS("unchanged_title"): unchanged_row_question,
    TEXTS("visible_title"): cells_question,
}
