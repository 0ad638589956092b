"""The questions on graphs: an edge taken away, two sentences, how far layers reach."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from core.attention.masks import Rule
from core.draws import Draw
from core.program.arithmetic import Difference, Product, Quotient, line
from core.program.rounding import CELL_DECIMALS
from core.questions.answers import Number
from core.questions.engine import Question, QuestionMaker, WrongAnswer, question_maker
from core.questions.texts import equation, number, printed, whole

COUNT = Number(0.3, decimals=0)
"""Whole numbers are asked for; two of them never pass for one another."""
READ = Number(0.006)


@question_maker("edge-taken-away")
def edge_question(draw: Draw) -> Question | None:
    """What weight does an edge have when another one is taken away? w / (1 − w')."""
    tenths = draw.some_of((1, 2, 3, 4, 5, 6), 2)
    third = 10 - sum(tenths)
    if third < 1:
        return None
    first, gone = (Fraction(n, 10) for n in tenths)
    answer = first / (1 - gone)
    shown = [printed(f"0.{n}") for n in (*tenths, third)]
    return Question(
        id="",
        prompt=(
            f"Three edges lead to a node, from *a*, *b* and *c*. Their weights are {shown[0]}, "
            f"{shown[1]} and {shown[2]}. The edge from *b* is taken away: the mask hides it. What "
            "is the weight of the edge from *a* now?"
        ),
        kind=READ,
        answer=float(answer),
        wrong=(
            WrongAnswer(
                "you left the weight as it was", float(first),
                "The weights that lead to a node still add up to 1. What *b* had is shared out.",
            ),
            WrongAnswer(
                "you shared what *b* had in equal parts", float(first + gone / 2),
                "Softmax keeps how many times as heavy one edge is as another.",
            ),
            WrongAnswer(
                "you gave all of it to *a*", float(first + gone),
                "The edge from *c* is still there, and gets its share too.",
            ),
        ),
        hint="The mask makes the score −∞ before softmax. The other scores stay, so only the sum "
        "they are divided by changes.",
        explanation=(
            "The exponentials of *a* and *c* are what they were, and their sum is smaller by what "
            "*b* had. So both weights grow, by the same factor."
        ),
        working=(
            line(
                Quotient(number(float(first)), Difference(number(1), number(float(gone)))),
                CELL_DECIMALS, trim=False,
            ),
        ),
        would_mean=lambda given: (
            f"That is {equation(Quotient(number(given), number(float(first))))} times what it was. "
            "Both edges that stay grow by the same factor. Would the two add up to 1?"
        ),
    )  # fmt: skip


@question_maker("weights-between")
def between_question(draw: Draw) -> Question | None:
    """How many weights has cross-attention between two sentences? L_q · L_k."""
    asking, read = draw.whole(2, 9), draw.whole(2, 9)
    if asking == read:
        return None
    return Question(
        id="",
        prompt=(
            f"A decoder has written {asking} tokens. Each of them reads all {read} tokens of the "
            "encoder's sentence, in one head of cross-attention without a mask. How many weights "
            "are there?"
        ),
        kind=COUNT,
        answer=asking * read,
        wrong=(
            WrongAnswer(
                "you counted the tokens", asking + read,
                "A weight belongs to an edge, and not to a token.",
            ),
            WrongAnswer(
                "you took the encoder's sentence for both", read * read,
                "Queries come from the decoder alone.",
            ),
            WrongAnswer(
                "you took the decoder's sentence for both", asking * asking,
                "Keys come from the encoder alone.",
            ),
        ),
        hint="Draw the edges: how many lead to one token of the decoder?",
        explanation=(
            f"Each of {asking} queries has a row with a weight for each of {read} keys. The matrix "
            "need not be square."
        ),
        working=(line(Product(whole(asking, read)), 0),),
        would_mean=lambda given: (
            f"Then each query would have {equation(Quotient(number(given), *whole(asking)))} "
            "weights. How many keys does it read?"
        ),
    )  # fmt: skip


@question_maker("layers-reach")
def reach_question(draw: Draw) -> Question | None:
    """How many tokens back does information come from in n layers? n(w − 1)."""
    window, layers = draw.whole(2, 6), draw.whole(2, 5)
    answer = layers * (window - 1)
    T = answer + window
    seen = Rule("window", window).mask(T, T)
    reached = seen
    for _ in range(layers - 1):
        reached = reached @ seen
    if T - 1 - int(reached[-1].argmax()) != answer:
        return None
    return Question(
        id="",
        prompt=(
            f"A sliding window lets each token read itself and the {window - 1} before it "
            f"($w = {window}$). There are {layers} such layers, one after another. How many tokens "
            "back does the farthest one stand from which anything can come to a token?"
        ),
        kind=COUNT,
        answer=answer,
        wrong=(
            WrongAnswer(
                "you took one layer", window - 1,
                "In the second layer the tokens that are read have read others before.",
            ),
            WrongAnswer(
                "you counted the token itself in every layer", layers * window,
                "The window has the token itself in it: one less is how far it reaches back.",
            ),
            WrongAnswer(
                "you multiplied the reach with itself", (window - 1) ** layers,
                "Each layer goes back by the same number of tokens. Reaches add up.",
            ),
        ),
        hint="How far back does one layer reach? And from there, the layer before it?",
        explanation=(
            "A path of edges leads from layer to layer, and each of its edges goes back by "
            f"{window - 1} at most."
        ),
        working=(line(Product(whole(layers, window - 1)), 0),),
        would_mean=lambda given: (
            f"Then each layer would go back by {equation(Quotient(number(given), *whole(layers)))} "
            "tokens. How many are in the window beside the token itself?"
        ),
    )  # fmt: skip


GRAPH_QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType({
    "An edge less": edge_question,
    "Between two sentences": between_question,
    "Layers reach": reach_question,
})  # fmt: skip
