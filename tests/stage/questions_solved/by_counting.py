"""Questions that ask how many: counted one by one, or by the shapes of arrays."""

from fractions import Fraction

from tests.stage.questions_solved.printed import Number, PrintedQuestion
from tests.stage.questions_solved.solver import Solvers, counted

BOTH = 2
"""W_Q and W_K; keys and values."""
BY_COUNTING = Solvers(
    {
        "parameters": counted(
            r"of d_model = (\d+) features into queries and keys of d_k = (\d+)\. "
            r"How many parameters do W_Q and W_K have together",
            lambda d_model, d_k: BOTH * d_model * d_k,
        ),
        "cells-computed": counted(
            r"has (\d+) tokens\. .* of the \1 × \1 pairs",
            lambda T: sum(key <= query for query in range(T) for key in range(T)),
        ),
        "heads-cache": counted(
            r"heads with d_k = d_v = (\d+)\..* G = (\d+) shared key/value heads?\. "
            r".*cache of keys and values hold after T = (\d+) tokens",
            lambda d, groups, T: BOTH * groups * T * d,
        ),
        "heads-feature": counted(
            r"d_model = (\d+) and H = (\d+) heads of equal size\. Counted from 1, which head does "
            r"feature (\d+) of concat come from",
            lambda d, heads, feature: [
                head for head in range(1, heads + 1) for _feature in range(d // heads)
            ][feature - 1],
        ),
        "computed-again": counted(
            r"A model writes (\d+) tokens, one at a time, and keeps nothing",
            lambda tokens: sum(1 for step in range(tokens) for _row in range(step + 1)),
        ),
        "cache-growth": counted(
            r"has (\d+) layers\. .* of d_k = d_v = (\d+), on G = (\d+) key/value heads?\. "
            r"A number takes (\d) bytes\. By how many bytes does the cache grow with each token",
            lambda layers, d, groups, each: layers * BOTH * groups * d * each,
        ),
        "tiles-needed": counted(
            r"of (\S+) tokens is cut into blocks of (\d+) queries and (\d+) keys\. "
            r"Under a causal mask",
            lambda T, queries, keys: len(
                {
                    (i // queries, j // keys)
                    for i in range(queries - 1, T, queries)
                    for j in range(i + 1)
                }
            ),
        ),
        "quadratic-share": counted(
            r"d_model = (\d+), and .*two matrices of \1 × (\d+)\. A text has (\d+) tokens\. "
            r".*scores and weighted sum\? Count hidden pairs too",
            lambda d, wide, T: Fraction(2 * T * T * d, T * (2 * T * d + 4 * d * d + 2 * d * wide)),
        ),
        "padding-scores": counted(
            r"Three texts of (\d+), (\d+) and (\d+) tokens .*The mask is causal",
            lambda *lengths: sum(
                not j <= i < length
                for length in lengths
                for i in range(max(lengths))
                for j in range(max(lengths))
            ),
        ),
        "weights-between": counted(
            r"has written (\d+) tokens\. Each of them reads all (\d+) tokens",
            lambda asking, read: len([(i, j) for i in range(asking) for j in range(read)]),
        ),
        "state-size": counted(
            r"keys and values of (\d+) features\. .*the state and in the sum of the keys",
            lambda d: d * d + d,
        ),
    }
)
solves = BY_COUNTING.of


@solves("longer-text")
def _(printed: PrintedQuestion) -> Number:
    d, short, millions, long = printed.wholes(
        r"d = (\d+) features\. For a text of (\d+) tokens, .* take (\d+) million "
        r"multiplications\. How many million do they take for (\d+) tokens"
    )
    of = [Fraction(2 * T * T * d, 10**6) for T in (short, long)]
    assert of[0] == millions
    return of[1]


@solves("layer-parameters")
def _(printed: PrintedQuestion) -> Number:
    d, heads, d_k, groups, rows, columns = printed.wholes(
        r"d_model = (\d+) and H = (\d+) heads of d_k = d_v = (\d+), on G = (\d+) key/value "
        r"heads?\. .*each (\d+) × (\d+)\. .*Do not count biases"
    )
    matrices = {"two": 2, "three": 3}[printed.find(r"feed-forward net has (\w+) matrices")[1]]
    shapes = [(d, heads * d_k), (heads * d_k, d), *[(d, groups * d_k)] * 2]
    return sum(a * b for a, b in [*shapes, *[(rows, columns)] * matrices])


@solves("layers-reach")
def _(printed: PrintedQuestion) -> Number:
    back, window, layers = printed.wholes(
        r"read itself and (\d+) tokens? before it \(w = (\d+)\)\. There are (\d+) such layers"
    )
    assert window == back + 1
    reached = {0}
    for _layer in range(layers):
        reached = {at - step for at in reached for step in range(window)}
    return -min(reached)
