"""What the steps of the chapters on softmax, on one query and on word order say."""

import numpy as np

from tests.facts.steps import Said, said
from tests.ui.plain_attention import softmax

close = np.testing.assert_allclose


# Softmax by its parts.
@said("""
    Raise e to each | Add all four | Divide each by the total | e to any power is above 0, and a
    larger exponent gives a larger result. Adding 1 to the exponent multiplies the result by e | In
    the next step each number is divided by this total | Each number is divided by the row's total |
    No weight is negative. The weights add up to 1 | Each logit is divided by the row's total
""")
def by_parts(one: Said) -> None:
    for name in one.phase.names:
        given, *more = one.of(name)
        if name == "raised" and not more:
            close(one[name], np.e**given)
            close(np.e ** (given + 1), np.e * one[name])
            assert (one[name] > 0).all()
            assert (np.argsort(one[name]) == np.argsort(given)).all()
        elif name == "totals":
            close(one[name], given.sum(-1, keepdims=True))
        elif name == "weights" and more:
            close(one[name], given / more[0])
            close(one[name].sum(), 1)


@said("""
    Subtract the largest, then raise e to each | First the largest logit is subtracted from all of
    them. Then every exponential is at most 1, so none is too large for the machine. The weights are
    the same as without | Subtract the largest score, then raise e to each | e to each score minus
    the largest so far: at most 1, so nothing overflows
""")
def largest_first(one: Said) -> None:
    scores, largest = one.of()
    if not np.isfinite(largest).all():
        return  # a block of hidden keys alone
    close(one.made, np.exp(scores - largest))
    assert one.made.max() <= 1
    if scores.shape[-2] == 1:
        close(softmax(scores - largest), softmax(scores))


@said("""
    Add the same number to each | Every logit changes by the same amount, so the differences between
    logits stay the same
""")
def moved(one: Said) -> None:
    scores, constant = one.of()
    close(one.made - scores, np.broadcast_to(constant, scores.shape))
    close(np.diff(one.made), np.diff(scores), atol=1e-12)


@said("""
    Above 1, differences shrink; below 1, they grow | Divide each logit by T
""")
def tempered(one: Said) -> None:
    before, after = (np.abs(np.diff(a)) for a in (one.of()[0], one.made))
    T = before.sum() / after.sum()
    close(one.made * T, one.of()[0])
    assert (before > after).all() == (T > 1)
    assert (np.abs(np.diff(one.of()[0] / 0.5)) > before).all()


@said("""
    Squares are not negative either. But a number and its opposite have the same square, so a logit
    far below 0 counts as much as one far above
""")
def squared(one: Said) -> None:
    close(one.made, one.of()[0] ** 2)
    close((-one.of()[0]) ** 2, one.made)


@said("the result can be below 0 or above 1, and a total near 0 makes it huge")
def signed(one: Said) -> None:
    made = np.array([3.0, -2.9, 0, 0])
    made = made / made.sum()
    assert made.min() < 0 < 1 < made.max()
    assert made.max() > 20


@said("""
    Each column becomes weights that add up to 1 | Here each exponential is divided by the total of
    its column: the queries compete for each key | It depends on the scores of other queries, later
    ones too
""")
def over_columns(one: Said) -> None:
    powers = np.exp(one.of()[0])
    close(one.made, powers / powers.sum(-2, keepdims=True))
    close(one.made.sum(-2), 1)
    powers[0, -1, 0] += 1
    assert powers[0, 0, 0] / powers[0, :, 0].sum() < one.made[0, 0, 0]


@said("""
    Raise e to each score, without dividing | e raised to a score is above 0 | so a query reads more
    when it sees more keys | nothing makes a row add up to 1
""")
def no_total(one: Said) -> None:
    close(one.made, np.exp(one.of()[0]))
    assert (np.cumsum(one.made[0, -1])[1:] >= np.cumsum(one.made[0, -1])[:-1]).all()


# Queries, keys, values; dot products.
@said("It is the row of X")
def own_row(one: Said) -> None:
    close(one.made[0], one["X"])


@said("A row for each search: how much it asks for each topic")
def searches(one: Said) -> None:
    assert one.made.shape[1] in one.counts


@said("""
    A dot product: length and direction count | Each row, divided by its length | The cosine of the
    angle: only direction counts
""")
def length_and_direction(one: Said) -> None:
    if one.phase.main == "scores":
        Q, K = one.of()
        close(one.made[0, 0, 0], Q[0, 0] @ K[0, 0])
        assert abs(2 * Q[0, 0] @ K[0, 0]) > abs(one.made[0, 0, 0])
    else:
        close(one.made, one.of()[0] / np.linalg.norm(one.of()[0], axis=-1, keepdims=True))


@said("Always 0: query and key are ignored")
def uniform(one: Said) -> None:
    assert not one.made.any()


@said("""
    Query and key are added, feature by feature | v_a with the tanh of query plus key | tanh of
    query plus key, then a sum weighted by v_a | tanh bends each sum to between −1 and 1 | No score
    is further from 0 than the sum of v_a's entries without their signs | Nothing is divided by √d_k
""")
def additive(one: Said) -> None:
    Q, K, v_a = one.of()
    bent = np.tanh(Q[0][:, None] + K[0][None])
    assert np.abs(bent).max() < 1
    close(one.made[0], (bent @ v_a.reshape(-1)), atol=1e-12)
    assert np.abs(one.made).max() <= np.abs(v_a).sum()


# One query at a time.
@said("""
    One row of Q: one token asks | Its query q_t is its row of Q. No other row of Q is needed
""")
def one_row_of_Q(one: Said) -> None:
    close(one.made[:, 0], one["Q"][:, one["K_t"].shape[1] - 1])


@said("""
    Keys and values up to its own | The token may read itself and earlier tokens. So K_t and V_t are
    the rows of K and V up to its own. Later tokens do not exist yet
""")
def up_to_its_own(one: Said) -> None:
    for name in ("K", "V"):
        rows = one[f"{name}_t"]
        close(rows, one[name][:, : rows.shape[1]])
    (at,) = [t for t in range(one["Q"].shape[1]) if np.allclose(one["Q"][:, t], one["q_t"][:, 0])]
    assert one["K_t"].shape[1] == at + 1


@said("""
    The same numbers as y_t | This token's row of context has the same numbers as y_t | their
    difference is 0 | The same numbers as y_i | This node's row of context has the same numbers as
    y_i, so the difference is 0 | Merged, minus all at once | It is 0 (up to rounding) if every key
    was counted once | 0 (up to rounding) | The matrix form: a row for each query
""")
def same_numbers(one: Said) -> None:
    if "difference" in one.phase.names and "(2 3" not in one.run:
        close(one["difference"], 0, atol=1e-9)
        left, right = one.of("difference")
        close(left, right, atol=1e-9)
    elif one.phase.main == "context":
        assert one.made.shape[-2] == one["Q"].shape[-2]


@said("""
    Nothing has to be masked, because there is no later key | No other query is needed for it | The
    matrix form is many queries, asked at once
""")
def no_later_key(one: Said) -> None:
    assert one["s_t"].shape[-1] == one["K_t"].shape[1]
    assert one["q_t"].shape[1] == 1


@said("""
    Token 1 has a 1, all others 0 | The value of token 1 is 1, and every other value is 0
""")
def impulse(one: Said) -> None:
    """What the page's run gives; the registry's is drawn."""
    if one.run == "influence":
        assert one["V"].ravel().tolist() == [1] + [0] * (one["V"].size - 1)


@said("""
    Chosen: they look at token 1 | the chosen weight on token 1 for each later token. The rest of
    the weight is split evenly among the other tokens | Each token reads token 1 directly: the
    weight on token 1, times 1
""")
def on_token_1(one: Said) -> None:
    if one.run == "influence":
        rows = one["weights"][0, 1:]
        close(rows[:, 0], rows[0, 0])
        for n, row in enumerate(rows, 2):
            close(row[1:n], (1 - row[0]) / (n - 1))
        close(one["context"][0, 1:, 0], rows[:, 0])


@said("""
    Each step multiplies the state by the same factor and adds the new token | is multiplied once
    for every later step | One step after another
""")
def recurrent(one: Said) -> None:
    tokens = one.of()[0][0]
    ratio = (one.made[0, 1] - tokens[1]) / one.made[0, 0]
    for before, now, token in zip(one.made[0], one.made[0, 1:], tokens[1:], strict=False):
        close(now, ratio * before + token, atol=1e-9)


# Word order.
@said("""
    Each row of P has one 1: it takes one row of X | A 1 in row i, column t moves the token at
    position t, as typed, to the new position i. No number of X changes, only its row
""")
def permutation(one: Said) -> None:
    P = np.eye(3)[[2, 0, 1]]
    X = np.arange(6.0).reshape(3, 2)
    for i, t in np.argwhere(P == 1):
        close((P @ X)[i], X[t])
    close(one["X_new"], one["P"] @ one["X"])


@said("""
    Attention on X, before any move | What layer 1 has read | The next layer takes what this layer
    has read, one row for each token | The result as typed, with its rows moved to the positions of
    their tokens in the new order | The result in the new order, minus the moved result. In a row of
    zeros (up to rounding) the token reads the same in both orders | P times what was read
""")
def typed_and_moved(one: Said) -> None:
    if one.phase.main == "moved":
        P, read = one.of()
        close(one.made, P @ read)
    elif one.phase.main == "difference":
        new, as_typed = one.of()
        close(one.made, new - as_typed)
        assert one.trace.program.step["difference"].operands[1] == "moved"
    elif one.phase.main == "X_2":
        close(one.made, one.of()[0][0])
    else:
        assert "X_new" not in one.trace.program.step[one.phase.names[0]].operands


@said("""
    One row for each position. The paper takes sine and cosine in turn; here all sines come first.
    That is only another order of the features and changes no dot product of two rows | Sines and
    cosines next to each other | Every angle gives a sine and a cosine, from −1 to 1 | Along each
    diagonal all entries are equal | Each position meets each
""")
def sinusoids(one: Said) -> None:
    sines, cosines, PE = one["sines"], one["cosines"], one["PE"]
    close(PE, np.concatenate([sines, cosines], axis=1))
    close(sines**2 + cosines**2, 1)
    in_turn = np.stack([sines, cosines], axis=2).reshape(len(PE), -1)
    close(in_turn @ in_turn.T, PE @ PE.T)
    angles = np.outer(np.arange(5), [1.0, 0.1])
    rows = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    for offset in range(5):
        close(np.diagonal(rows @ rows.T, offset), (rows @ rows.T)[0, offset])


@said("""
    The distance from the query back to the key, times the slope of the head, is subtracted from the
    scaled score. The mask hides everything after the query in any case
""")
def alibi(one: Said) -> None:
    scaled, penalty = one.of("biased")
    close(one["biased"], scaled - penalty)
    close(penalty, one["slope"] * one["distance"])


@said("""
    Features 1 and 2 are a pair, 3 and 4 the next. A pair (a, b) turned by a right angle is (−b, a)
    | (a, b) becomes (−b, a)
""")
def right_angle(one: Said) -> None:
    """With the page's matrix of quarter turns; the registry's is drawn."""
    rows, quarter = one.of()
    if set(np.unique(quarter)) <= {-1.0, 0.0, 1.0}:
        for a in range(0, rows.shape[-1], 2):
            close(one.made[..., a], -rows[..., a + 1])
            close(one.made[..., a + 1], rows[..., a])


@said("""
    so each cosine and sine occurs twice | The two features of a pair have the same angle | Of every
    angle
""")
def twice(one: Said) -> None:
    close(one[one.named("cosines")] ** 2 + one[one.named("sines")] ** 2, 1)


@said("""
    Turn each pair by its angle | A pair times the cosine, plus its right-angled copy times the
    sine, is the pair turned by the angle. No length changes | A query and a key at the same
    position turn by the same angle, so their dot product does not change | Keys are turned like
    queries, each by the angle of its own position
""")
def turned(one: Said) -> None:
    rows, cosines, copy, sines = one.of(one.phase.names[-1])
    close(one[one.phase.names[-1]], rows * cosines + copy * sines)
    q, k = np.array([1 + 2j]), np.array([3 - 1j])
    turn = np.exp(0.7j)
    close(abs(q * turn), abs(q))
    close((q * turn * (k * turn).conj()).real, (q * k.conj()).real)
