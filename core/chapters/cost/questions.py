"""The questions on cost: a longer text, the quadratic part, parameters of a layer, padding."""

from itertools import starmap

from core.attention.costs import Layer, LayerCosts
from core.hash_random import Draw
from core.questions.answers import COUNT, TWO_DECIMALS
from core.questions.asking import Asking
from core.questions.engine import Question, question_maker
from core.questions.texts import difference_of, equation, product_of, quotient_of, sum_of_terms
from core.texts import core_texts

TEXTS = core_texts("cost")
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
    ask = Asking(TEXTS, "longer", d=d, tokens=tokens, work=work, longer=times * tokens, times=times)
    return ask.question(
        COUNT,
        work * times**2,
        {
            "longer_linear": work * times,
            "longer_factor": work * 2 * times,
            "longer_twice": 2 * work * times**2,
            "longer_cubic": work * times**3,
        },
        working=[product_of(work, times, times)],
        would_mean=lambda x: ask("longer_would_mean", factor=equation(quotient_of(x, work))),
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
    ask = Asking(TEXTS, "quadratic", d=d, wide=4 * d, tokens=T)

    def would_mean(given: float) -> str:
        if not 0 <= given < 1:
            return ask("quadratic_outside")
        ratio = quotient_of(given, difference_of(1, given))
        return ask("quadratic_would_mean", ratio=equation(ratio))

    return ask.question(
        TWO_DECIMALS,
        block.quadratic_share(T),
        {
            "quadratic_no_feeding": quadratic / (quadratic + projections),
            "quadratic_no_projections": quadratic / (quadratic + feeding),
            "quadratic_one_product": quadratic / (sum(work) + sum(work[:2])),
        },
        working=[quotient_of(T, sum_of_terms(product_of(6, d), T))],
        would_mean=would_mean,
    )


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
    sizes = {"d": d, "heads": heads, "d_k": d_k, "groups": groups, "d_ff": d_ff}
    ask = Asking(TEXTS, "layer", matrices=matrices, **sizes)
    parts = starmap(product_of, ((2, d, heads * d_k), (2, d, groups * d_k), (matrices, d, d_ff)))
    return ask.question(
        COUNT,
        block.parameters,
        {
            "layer_own_keys": 4 * d * d + feeding,
            "layer_attention": layer.parameters,
            "layer_feeding": feeding,
            "layer_matrices": LayerCosts(layer, d_ff, 5 - matrices).parameters,
        },
        working=[sum_of_terms(*parts)],
        would_mean=lambda x: ask("layer_would_mean", attention=equation(difference_of(x, feeding))),
    )


@question_maker("padding-scores")
def padding_question(draw: Draw) -> Question | None:
    """How many scores of a padded batch lead no token to one it may read? B·L² − Σ n(n+1)/2."""
    lengths = draw.some_of(range(2, 10), 3)
    longest = max(lengths)
    computed = len(lengths) * longest**2
    read = [n * (n + 1) // 2 for n in lengths]
    used = sum(read)
    first, second, third = lengths
    ask = Asking(TEXTS, "padding", first=first, second=second, third=third, longest=longest)
    padded = product_of(len(lengths), longest, longest)
    return ask.question(
        COUNT,
        computed - used,
        {
            "padding_only": computed - sum(n * n for n in lengths),
            "padding_used": used,
            "padding_rows": len(lengths) * longest - sum(lengths),
            "padding_all": computed,
        },
        working=[padded, sum_of_terms(*read), difference_of(computed, used)],
        would_mean=lambda x: ask("padding_would_mean", used=equation(difference_of(computed, x))),
    )


QUESTIONS = {
    TEXTS("longer"): longer_text_question,
    TEXTS("quadratic"): quadratic_share_question,
    TEXTS("layer"): layer_parameters_question,
    TEXTS("padding"): padding_question,
}
