"""The questions on cost: a longer text, the quadratic share, parameters of a layer, padding."""

from collections.abc import Mapping
from types import MappingProxyType

from core.attention.costs import Block, Layer
from core.draws import Draw
from core.program.arithmetic import Difference, Product, Quotient, Sum, line
from core.program.arithmetic import Number as Count
from core.program.rounding import CELL_DECIMALS
from core.questions.answers import Number
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import D_MODEL, equation, number, total, whole

COUNT = Number(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
SHARE = Number(0.006)


@question_maker("longer-text")
def longer_text_question(draw: Draw) -> Question | None:
    """What do scores and weighted sum take for a text that is c times as long? c² times as much."""
    tokens, times = 100 * draw.whole(2, 9), draw.whole(2, 5)
    work = draw.whole(2, 20)
    answer = work * times**2
    return Question(
        id="",
        prompt=(
            f"For a text of {tokens} tokens, the products $Q K^\\top$ and weights times $V$ take "
            f"{work} million multiplications in one layer. How many million do they take for "
            f"{times * tokens} tokens?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(
                "you let them grow as the text does", work * times,
                "So the projections grow: each row has its own. Here each query meets each key, "
                "and there are more of both.",
            ),
            WrongAnswer(
                "you doubled for the two products", 2 * work * times,
                "Both products are in what is given. Ask how many pairs of tokens there are.",
            ),
            WrongAnswer(
                "you let them grow with the third power", work * times**3,
                "A pair is two tokens, a query and a key. There is no third one.",
            ),
        ),
        hint="How many times as many queries are there, and how many times as many keys?",
        explanation=(
            f"There are {times} times as many queries, and each of them meets {times} times as "
            "many keys. The features of a head do not change, so each pair takes what it took."
        ),
        working=(line(Product(whole(work, times, times)), 0),),
        would_mean=lambda given: (
            "Then the work would be multiplied by "
            f"{equation(Quotient(number(given), *whole(work)))}. The text is {times} times as long."
        ),
    )  # fmt: skip


@question_maker("quadratic-share")
def quadratic_share_question(draw: Draw) -> Question | None:
    """Which share of a layer's multiplications are scores and weighted sum? T/(6d + T)."""
    d = draw.one_of((64, 128, 256, 512, 1024))
    T = d * draw.one_of((1, 2, 3, 4, 6, 8, 12, 24))
    block = Block(Layer(d, 8, 8, d // 8), 4 * d)
    layer = block.attention
    answer = block.quadratic_share(T)
    work = (layer.projecting(T), block.feeding(T), layer.attending(T, T))
    projections, feeding, quadratic = work
    return Question(
        id="",
        prompt=(
            f"A layer has ${D_MODEL} = {d}$, as many features in all heads together, and after "
            f"attention a feed-forward layer with two matrices of ${d} \\times {4 * d}$. A text "
            f"has {T} tokens. Which share of the multiplications of both layers are scores and "
            "weighted sum, hidden pairs counted too?"
        ),
        kind=SHARE,
        answer=answer,
        wrong=(
            WrongAnswer(
                "you left out feed-forward", quadratic / (quadratic + projections),
                "That is their share in attention alone. The feed-forward layer multiplies too.",
            ),
            WrongAnswer(
                "you left out the projections", quadratic / (quadratic + feeding),
                "Four products with weight matrices belong to attention: $W_Q$, $W_K$, $W_V$ and "
                "$W_O$.",
            ),
            WrongAnswer(
                "you counted one of the two products", quadratic / (sum(work) + sum(work[:2])),
                "Each pair is multiplied twice: for its score, and for what is read.",
            ),
        ),
        hint=(
            "Count for one token, in multiplications: four matrices of attention, two of "
            "feed-forward, and two products with each token of the text."
        ),
        explanation=(
            r"With $d$ short for the number of features and $T$ tokens, a token takes $4d^2$ in "
            r"projections, $8d^2$ in feed-forward and $2Td$ in scores and weighted sum. Divided "
            r"by $2d$, the share is $T$ over $6d + T$."
        ),
        working=(
            line(
                Quotient(Count(str(T)), Sum((Product(whole(6, d)), Count(str(T))))), CELL_DECIMALS,
                trim=False,
            ),
        ),
        would_mean=_ratio,
    )  # fmt: skip


def _ratio(given: float) -> str:
    """What a share would mean for the two kinds of work."""
    if not 0 <= given < 1:
        return "A share of something is from 0 to 1, and here both kinds of work take some of it."
    rest = Difference(Count("1"), number(given))
    return (
        "Then scores and weighted sum would take "
        f"{equation(Quotient(number(given), rest))} times what projections and feed-forward take. "
        "Count both for one token."
    )


@question_maker("layer-parameters")
def layer_parameters_question(draw: Draw) -> Question | None:
    """How many parameters have attention and feed-forward of one layer, heads grouped?"""
    d_k, heads = draw.one_of((4, 8, 16)), draw.one_of((4, 8))
    groups, matrices = draw.one_of((1, 2)), draw.one_of((2, 3))
    d = heads * d_k
    d_ff = d * draw.one_of((2, 3, 4))
    layer = Layer(d, heads, groups, d_k)
    block = Block(layer, d_ff, matrices)
    answer = block.parameters
    feeding = block.feeding(1)
    other = Block(layer, d_ff, 5 - matrices).parameters
    named = "three matrices, one of them a gate" if matrices == 3 else "two matrices"
    return Question(
        id="",
        prompt=(
            f"A layer has ${D_MODEL} = {d}$ and $H = {heads}$ heads of $d_k = d_v = {d_k}$ that "
            f"share $G = {groups}$ key/value {'head' if groups == 1 else 'heads'}. Its "
            f"feed-forward has {named}, each ${d} \\times {d_ff}$. How many parameters have both "
            "together, without biases?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(
                "you gave every head keys and values of its own", 4 * d * d + feeding,
                f"Heads share them: $W_K$ and $W_V$ are only as wide as $G = {groups}$ "
                f"{'head' if groups == 1 else 'heads'}.",
            ),
            WrongAnswer(
                "you counted attention alone", layer.parameters,
                "The feed-forward layer has parameters too, more than attention has.",
            ),
            WrongAnswer(
                "you counted feed-forward alone", feeding,
                "Attention has four matrices: $W_Q$, $W_K$, $W_V$ and $W_O$.",
            ),
            WrongAnswer(
                "you counted another number of matrices", other,
                f"Feed-forward has {matrices} matrices here.",
            ),
        ),
        hint="How wide are $W_Q$ and $W_O$, and how wide are $W_K$ and $W_V$?",
        explanation=(
            f"$W_Q$ and $W_O$ are as wide as all {heads} heads, $W_K$ and $W_V$ as the key/value "
            "heads. Scores, softmax and the weighted sum have no parameters at all."
        ),
        working=(
            line(
                Sum((
                    Product(whole(2, d, heads * d_k)), Product(whole(2, d, groups * d_k)),
                    Product(whole(matrices, d, d_ff)),
                )), 0,
            ),
        ),
        would_mean=lambda given: (
            "Less what feed-forward has, attention would have "
            f"{equation(Difference(number(given), *whole(feeding)))}. Compare that with "
            "its four matrices."
        ),
    )  # fmt: skip


@question_maker("padding-scores")
def padding_question(draw: Draw) -> Question | None:
    """How many scores of a padded batch lead no token to one it may read? B·L² − Σ n(n+1)/2."""
    lengths = draw.some_of(range(2, 10), 3)
    longest = max(lengths)
    computed = len(lengths) * longest**2
    used = sum(n * (n + 1) // 2 for n in lengths)
    within = sum(n * n for n in lengths)
    answer = computed - used
    first, second, third = lengths
    return Question(
        id="",
        prompt=(
            f"Three texts of {first}, {second} and {third} tokens make a batch, each filled up to "
            "the longest. The mask is causal. One head computes its scores for all rows and keys. "
            "How many of them are thrown away: they are of padding, or hidden by the mask?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(
                "you counted padding alone", computed - within,
                "Within a text the mask hides later keys, and their scores are computed too.",
            ),
            WrongAnswer(
                "you counted the scores that are used", used,
                "So many are left. Asked are the others.",
            ),
            WrongAnswer(
                "you counted rows", len(lengths) * longest - sum(lengths),
                "So many rows are padding. Each row has a score for every key.",
            ),
            WrongAnswer(
                "you counted all scores", computed,
                "Some of them lead a token to one that it may read.",
            ),
        ),
        hint="How many scores are computed in all, and how many does a text of its length need?",
        explanation=(
            f"Each of the three texts is computed with {longest} rows and {longest} keys. Used is "
            "the triangle of each: one score for its first token, one more for each next."
        ),
        working=(
            line(Product(whole(len(lengths), longest, longest)), 0),
            line(total([n * (n + 1) // 2 for n in lengths]), 0),
            line(Difference(Count(str(computed)), Count(str(used))), 0),
        ),
        would_mean=lambda given: (
            "Then so many would be used: "
            f"{equation(Difference(Count(str(computed)), number(given)))}. Compare that with the "
            "triangles of the three texts."
        ),
    )  # fmt: skip


COST_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "A longer text": longer_text_question,
    "The quadratic share": quadratic_share_question,
    "Parameters of a layer": layer_parameters_question,
    "Padding": padding_question,
})  # fmt: skip
