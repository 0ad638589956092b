"""Questions that ask how many: counted one by one, or by the shapes of arrays."""

from fractions import Fraction

import numpy as np

from tests.stage.questions_solved.printed import Number, PrintedQuestion
from tests.stage.questions_solved.solver import Solvers

BY_COUNTING = Solvers()
solves = BY_COUNTING.of


@solves("parameters")
def _(printed: PrintedQuestion) -> Number:
    d_model, d_k = printed.wholes(
        r"of d_model = (\d+) features into queries and keys of d_k = (\d+)\. "
        r"How many parameters do W_Q and W_K have together"
    )
    return sum(np.zeros((d_model, d_k)).size for _matrix in ("W_Q", "W_K"))


@solves("cells-computed")
def _(printed: PrintedQuestion) -> Number:
    T, rows, columns = printed.wholes(r"has (\d+) tokens\. .* of the (\d+) × (\d+) pairs")
    assert T == rows == columns
    return sum(key <= query for query in range(T) for key in range(T))


@solves("heads-cache")
def _(printed: PrintedQuestion) -> Number:
    d, groups, T = printed.wholes(
        r"heads with d_k = d_v = (\d+)\..* G = (\d+) shared key/value heads?\. "
        r".*cache of keys and values hold after T = (\d+) tokens"
    )
    return len(("K", "V")) * groups * T * d


@solves("heads-feature")
def _(printed: PrintedQuestion) -> Number:
    d_model, heads, feature = printed.wholes(
        r"d_model = (\d+) and H = (\d+) heads of equal size\. Counted from 1, which head does "
        r"feature (\d+) of concat come from"
    )
    concat = [head for head in range(1, heads + 1) for _feature in range(d_model // heads)]
    return concat[feature - 1]


@solves("computed-again")
def _(printed: PrintedQuestion) -> Number:
    (tokens,) = printed.wholes(r"A model writes (\d+) tokens, one at a time, and keeps nothing")
    return sum(1 for step in range(tokens) for _row in range(step + 1))


@solves("cache-growth")
def _(printed: PrintedQuestion) -> Number:
    layers, d, groups, each = printed.wholes(
        r"has (\d+) layers\. .* of d_k = d_v = (\d+), on G = (\d+) key/value heads?\. "
        r"A number takes (\d) bytes\. By how many bytes does the cache grow with each token"
    )
    return layers * len(("K", "V")) * groups * d * each


@solves("tiles-needed")
def _(printed: PrintedQuestion) -> Number:
    T, queries, keys = printed.wholes(
        r"of (\S+) tokens is cut into blocks of (\d+) queries and (\d+) keys\. Under a causal mask"
    )
    seen = {(i // queries, j // keys) for i in range(queries - 1, T, queries) for j in range(i + 1)}
    return len(seen)


@solves("longer-text")
def _(printed: PrintedQuestion) -> Number:
    d, short, millions, long = printed.wholes(
        r"d = (\d+) features\. For a text of (\d+) tokens, .* take (\d+) million "
        r"multiplications\. How many million do they take for (\d+) tokens"
    )
    of = [Fraction(2 * T * T * d, 10**6) for T in (short, long)]
    assert of[0] == millions
    return of[1]


@solves("quadratic-share")
def _(printed: PrintedQuestion) -> Number:
    d, rows, columns, T = printed.wholes(
        r"d_model = (\d+), and .*two matrices of (\d+) × (\d+)\. A text has (\d+) tokens\. "
        r".*scores and weighted sum\? Count hidden pairs too"
    )
    assert rows == d
    pairs = 2 * T * T * d
    return Fraction(pairs, pairs + T * (4 * d * d + 2 * rows * columns))


@solves("layer-parameters")
def _(printed: PrintedQuestion) -> Number:
    d, heads, d_k, groups, rows, columns = printed.wholes(
        r"d_model = (\d+) and H = (\d+) heads of d_k = d_v = (\d+), on G = (\d+) key/value "
        r"heads?\. .*each (\d+) × (\d+)\. .*Do not count biases"
    )
    matrices = {"two": 2, "three": 3}[printed.find(r"feed-forward net has (\w+) matrices")[1]]
    shapes = [(d, heads * d_k), (heads * d_k, d), *[(d, groups * d_k)] * 2]
    return sum(a * b for a, b in [*shapes, *[(rows, columns)] * matrices])


@solves("padding-scores")
def _(printed: PrintedQuestion) -> Number:
    lengths = printed.wholes(r"Three texts of (\d+), (\d+) and (\d+) tokens .*The mask is causal")
    longest = max(lengths)
    return sum(
        not j <= i < length for length in lengths for i in range(longest) for j in range(longest)
    )


@solves("weights-between")
def _(printed: PrintedQuestion) -> Number:
    asking, read = printed.wholes(r"has written (\d+) tokens\. Each of them reads all (\d+) tokens")
    return np.zeros((asking, read)).size


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


@solves("state-size")
def _(printed: PrintedQuestion) -> Number:
    (d,) = printed.wholes(
        r"keys and values of (\d+) features\. .*the state and in the sum of the keys"
    )
    return np.zeros((d, d)).size + np.zeros(d).size
