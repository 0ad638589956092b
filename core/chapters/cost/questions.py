"""The questions on cost: a longer text, the quadratic part, parameters of a layer, padding."""

from collections.abc import Mapping
from types import MappingProxyType

from core.attention.costs import Layer, LayerCosts
from core.hash_random import Draw
from core.program.numbers.arithmetic import PrintedNumber as Count
from core.program.numbers.arithmetic import Product, Quotient, Subtraction, Sum, arithmetic_line
from core.program.numbers.rounding import CELL_DECIMALS
from core.questions.answers import NumberAnswer
from core.questions.engine import Question, QuestionMaker, question_maker, usual_mistake
from core.questions.texts import equation, sum_of_wholes, sum_text, typeset_number
from core.texts import core_texts

TEXTS = core_texts("cost")
COUNT = NumberAnswer(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
FRACTION = NumberAnswer(0.006)
SHORT_TEXTS = (500, 1000, 1500, 2000)
"""The lengths whose work is told, none of which is asked for: one set may have both."""


@question_maker("longer-text")
def longer_text_question(draw: Draw) -> Question | None:
    """What do scores and weighted sum take for c times the tokens? c² times the work."""
    tokens, times = draw.one_of(SHORT_TEXTS), draw.whole(3, 5)
    d = draw.one_of((64, 128, 256, 512))
    if tokens * times in SHORT_TEXTS:
        return None
    work = Layer(d, 8, 8, d // 8).attending(tokens, tokens) // 10**6
    return Question(
        id="",
        prompt=TEXTS("longer_prompt", d=d, tokens=tokens, work=work, longer=times * tokens),
        kind=COUNT,
        answer=work * times**2,
        wrong=(
            usual_mistake(TEXTS, "longer_linear", work * times),
            usual_mistake(TEXTS, "longer_factor", work * 2 * times),
            usual_mistake(TEXTS, "longer_twice", 2 * work * times**2),
            usual_mistake(TEXTS, "longer_cubic", work * times**3),
        ),
        hint=TEXTS("longer_hint"),
        explanation=TEXTS("longer_explanation", times=times),
        working=(arithmetic_line(Product(sum_of_wholes(work, times, times)), 0),),
        would_mean=lambda given: TEXTS(
            "longer_would_mean",
            factor=equation(Quotient(typeset_number(given), *sum_of_wholes(work))),
            times=times,
        ),
    )


@question_maker("quadratic-share")
def quadratic_share_question(draw: Draw) -> Question | None:
    """What fraction of the multiplications is scores and weighted sum? T/(6d + T)."""
    d = draw.one_of((64, 128, 256, 512, 1024))
    T = d * draw.one_of((1, 2, 3, 4, 6, 8, 12, 24))
    block = LayerCosts(Layer(d, 8, 8, d // 8), 4 * d)
    layer = block.attention
    work = (layer.projecting(T), block.feeding(T), layer.attending(T, T))
    projections, feeding, quadratic = work
    return Question(
        id="",
        prompt=TEXTS("quadratic_prompt", d=d, wide=4 * d, tokens=T),
        kind=FRACTION,
        answer=block.quadratic_share(T),
        wrong=(
            usual_mistake(TEXTS, "quadratic_no_feeding", quadratic / (quadratic + projections)),
            usual_mistake(TEXTS, "quadratic_no_projections", quadratic / (quadratic + feeding)),
            usual_mistake(TEXTS, "quadratic_one_product", quadratic / (sum(work) + sum(work[:2]))),
        ),
        hint=TEXTS("quadratic_hint"),
        explanation=TEXTS("quadratic_explanation"),
        working=(
            arithmetic_line(
                Quotient(Count(str(T)), Sum((Product(sum_of_wholes(6, d)), Count(str(T))))),
                CELL_DECIMALS,
                trim=False,
            ),
        ),
        would_mean=_ratio,
    )


def _ratio(given: float) -> str:
    """Return what a fraction would mean for the two kinds of work."""
    if not 0 <= given < 1:
        return TEXTS("quadratic_outside")
    rest = Subtraction(Count("1"), typeset_number(given))
    return TEXTS("quadratic_would_mean", ratio=equation(Quotient(typeset_number(given), rest)))


@question_maker("layer-parameters")
def layer_parameters_question(draw: Draw) -> Question | None:
    """How many parameters do attention and feed-forward of a layer have, heads grouped?"""
    d_k, heads = draw.one_of((4, 8, 16)), draw.one_of((4, 8))
    groups, matrices = draw.one_of((1, 2)), draw.one_of((2, 3))
    d = heads * d_k
    d_ff = d * draw.one_of((2, 3, 4))
    layer = Layer(d, heads, groups, d_k)
    block = LayerCosts(layer, d_ff, matrices)
    feeding = block.feeding(1)
    return Question(
        id="",
        prompt=TEXTS(
            "layer_prompt", d=d, heads=heads, d_k=d_k, groups=groups, matrices=matrices, d_ff=d_ff
        ),
        kind=COUNT,
        answer=block.parameters,
        wrong=(
            usual_mistake(TEXTS, "layer_own_keys", 4 * d * d + feeding, groups=groups),
            usual_mistake(TEXTS, "layer_attention", layer.parameters),
            usual_mistake(TEXTS, "layer_feeding", feeding),
            usual_mistake(
                TEXTS,
                "layer_matrices",
                LayerCosts(layer, d_ff, 5 - matrices).parameters,
                matrices=matrices,
            ),
        ),
        hint=TEXTS("layer_hint"),
        explanation=TEXTS("layer_explanation", heads=heads),
        working=(
            arithmetic_line(
                Sum(
                    (
                        Product(sum_of_wholes(2, d, heads * d_k)),
                        Product(sum_of_wholes(2, d, groups * d_k)),
                        Product(sum_of_wholes(matrices, d, d_ff)),
                    )
                ),
                0,
            ),
        ),
        would_mean=lambda given: TEXTS(
            "layer_would_mean",
            attention=equation(Subtraction(typeset_number(given), *sum_of_wholes(feeding))),
        ),
    )


@question_maker("padding-scores")
def padding_question(draw: Draw) -> Question | None:
    """How many scores of a padded batch lead no token to one it may read? B·L² − Σ n(n+1)/2."""
    lengths = draw.some_of(range(2, 10), 3)
    longest = max(lengths)
    computed = len(lengths) * longest**2
    used = sum(n * (n + 1) // 2 for n in lengths)
    within = sum(n * n for n in lengths)
    first, second, third = lengths
    return Question(
        id="",
        prompt=TEXTS("padding_prompt", first=first, second=second, third=third),
        kind=COUNT,
        answer=computed - used,
        wrong=(
            usual_mistake(TEXTS, "padding_only", computed - within),
            usual_mistake(TEXTS, "padding_used", used),
            usual_mistake(TEXTS, "padding_rows", len(lengths) * longest - sum(lengths)),
            usual_mistake(TEXTS, "padding_all", computed),
        ),
        hint=TEXTS("padding_hint"),
        explanation=TEXTS("padding_explanation", longest=longest),
        working=(
            arithmetic_line(Product(sum_of_wholes(len(lengths), longest, longest)), 0),
            arithmetic_line(sum_text([n * (n + 1) // 2 for n in lengths]), 0),
            arithmetic_line(Subtraction(Count(str(computed)), Count(str(used))), 0),
        ),
        would_mean=lambda given: TEXTS(
            "padding_would_mean",
            used=equation(Subtraction(Count(str(computed)), typeset_number(given))),
        ),
    )


QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("longer"): longer_text_question,
        TEXTS("quadratic"): quadratic_share_question,
        TEXTS("layer"): layer_parameters_question,
        TEXTS("padding"): padding_question,
    }
)
