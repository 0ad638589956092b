"""The questions on graphs: an edge taken away, two sentences, how far layers reach."""

from fractions import Fraction

from core.attention.masks import Rule
from core.hash_random import Draw
from core.questions.answers import COUNT, TWO_DECIMALS
from core.questions.asking import Asking
from core.questions.engine import Question, question_maker
from core.questions.texts import difference_of, equation, printed, product_of, quotient_of
from core.texts import core_texts

TEXTS = core_texts("attention_graph")


@question_maker("edge-taken-away")
def edge_question(draw: Draw) -> Question | None:
    """What weight does an edge have when another one is taken away? w / (1 − w')."""
    tenths = draw.some_of((1, 2, 3, 4, 5, 6), 2)
    third = 10 - sum(tenths)
    if third < 1:
        return None
    first, gone = (Fraction(n, 10) for n in tenths)
    a, b, c = (printed(f"0.{n}") for n in (*tenths, third))
    ask = Asking(TEXTS, "edge", a=a, b=b, c=c)
    wrong = {"edge_as_it_was": first, "edge_equal_parts": first + gone / 2}
    return ask.question(
        TWO_DECIMALS,
        first / (1 - gone),
        wrong | {"edge_all_of_it": first + gone},
        working=[quotient_of(first, difference_of(1, gone))],
        would_mean=lambda x: ask("edge_would_mean", times=equation(quotient_of(x, first))),
    )


@question_maker("weights-between")
def between_question(draw: Draw) -> Question | None:
    """How many weights has cross-attention between two sentences? L_q · L_k."""
    asking, read = draw.whole(2, 9), draw.whole(2, 9)
    if asking == read:
        return None
    ask = Asking(TEXTS, "between", asking=asking, read=read)
    return ask.question(
        COUNT,
        asking * read,
        {
            "between_tokens": asking + read,
            "between_encoder": read * read,
            "between_decoder": asking * asking,
        },
        working=[product_of(asking, read)],
        would_mean=lambda x: ask("between_would_mean", weights=equation(quotient_of(x, asking))),
    )


@question_maker("layers-reach")
def reach_question(draw: Draw) -> Question | None:
    """How many tokens back does information come from in n layers? n(w − 1)."""
    window, layers = draw.whole(2, 6), draw.whole(2, 5)
    back = window - 1
    T = layers * back + window
    seen = Rule("window", (window,)).mask(T, T)
    reached = seen
    for _ in range(layers - 1):
        reached = reached @ seen
    answer = T - 1 - int(reached[-1].argmax())
    ask = Asking(TEXTS, "reach", before=back, back=back, window=window, layers=layers)
    return ask.question(
        COUNT,
        answer,
        {
            "reach_one_layer": back,
            "reach_itself": layers * window,
            "reach_multiplied": back**layers,
        },
        working=[product_of(layers, back)],
        would_mean=lambda x: ask("reach_would_mean", back=equation(quotient_of(x, layers))),
    )


QUESTIONS = {
    TEXTS("edge_question"): edge_question,
    TEXTS("between_question"): between_question,
    TEXTS("reach_question"): reach_question,
}
