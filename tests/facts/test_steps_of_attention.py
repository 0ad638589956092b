"""What the steps of attention say, by plain loops over their drawn numbers."""

import numpy as np

from tests.facts.steps import Said, said
from tests.ui.plain_attention import softmax as plain_softmax

close = np.testing.assert_allclose


def shared(rows: np.ndarray, heads: int) -> np.ndarray:
    """Keys or values of each head: several heads may share them."""
    made: np.ndarray = np.repeat(rows, heads // len(rows), axis=0)
    return made


@said("""
    One row of numbers for each token | One row for each token. | each token becomes a row | Each
    token has one row of numbers
""")
def rows_are_tokens(one: Said) -> None:
    assert one.made.shape[-2] in one.counts or "grows" in one.phase.words


@said("No row has been mixed with another yet")
def nothing_is_computed(one: Said) -> None:
    assert one.is_input


@said("""
    Each token gets a query, a key and a value | A query, a key and a value for each new token | A
    key and a value for each head | Each token's row is multiplied by W_Q, W_K and W_V, the same
    matrices for every token | The new rows are multiplied by W_Q, W_K and W_V | Queries of one,
    keys and values of the other | keys and values from X_kv
""")
def projected(one: Said) -> None:
    for name in one.phase.names:
        X, W, *bias = one.of(name)
        for h, i in np.ndindex(one[name].shape[:2]):
            close(one[name][h, i], X[i] @ W[h] + (bias[0][h] if bias else 0), atol=1e-12)
    if "X_kv" in one.trace:
        assert one.trace.program.step["Q"].operands[0] == "X_q"
        assert one.trace.program.step["K"].operands[0] == "X_kv"


@said("""
    Its query is what it looks for, its key what it can be found by, its value what it passes | A
    token's query is what it looks for, its key what it can be found by, its value what | a query, a
    key and a value for each token of each head
""")
def roles(one: Said) -> None:
    """Row i of the scores is of query i, column j of key j; what is mixed are values."""
    step, names = one.trace.program.step, [name.split("_")[0] for name in one.phase.names]
    made = {s.name.split("_")[0]: s.operands for s in step.values()}
    met = made.get("scores") or made.get("pairs") or ("Q", made["outer"][0])
    assert names == ["Q", "K", "V"]
    assert [name.split("_")[0] for name in met[:2]] == ["Q", "K"]
    mixed = [made[name] for name in ("context", "outer") if name in made] or made.values()
    read = [operand for operands in mixed for operand in operands]
    assert "V" in [name.split("_")[0] for name in read]


@said("A bias is added to every row of {names}: the same numbers for every token")
def biases(one: Said) -> None:
    for name in one["names"].replace(" and ", ", ").split(", "):
        left, right, bias = one.of(name)
        each = one[name] - left @ right
        close(each, np.broadcast_to(bias.reshape((*bias.shape[:-1], 1, -1)), each.shape), atol=1e-9)


@said("""
    Each query meets each key: a dot product | Each search text meets each title | Row i, column j
    is the dot product of query i and key j | A dot product for each query and key | every query is
    compared with every key | The dot product of the query with each key so far | This makes one
    row, with a score for each token that may be read | One row: the query meets each key so far |
    Queries meet the keys of this block | The scaled query meets the keys | Dot products of the
    block's queries, already scaled | Each score is the dot product of a row of q and a row of k |
    Multiply entry by entry, then add up
""")
def each_pair(one: Said) -> None:
    name = next(n for n in one.phase.names if len(one.of(n)) == 2 and "mask" not in n)
    Q, K = (a.reshape(-1, *a.shape[-2:]) for a in one.of(name))
    S = one[name].reshape(-1, *one[name].shape[-2:])
    K = shared(K, len(Q))
    for h, i, j in np.ndindex(S.shape):
        close(S[h, i, j], sum(a * b for a, b in zip(Q[h, i], K[h, j], strict=True)), atol=1e-12)


@said("""
    It is above 0 if they point in similar directions, and below 0 if they point apart | Longer
    vectors bring it further from 0
""")
def sign_and_length(one: Said) -> None:
    Q, K = one.of()
    for h, i, j in np.ndindex(one.made.shape):
        q, k = Q[h, i], shared(K, len(Q))[h, j]
        apart = np.linalg.norm(q) * np.linalg.norm(k)
        angle = np.arccos(np.clip(q @ k / apart, -1, 1)) if apart else np.pi / 2
        assert (one.made[h, i, j] > 0) == (angle < np.pi / 2)
        assert abs(2 * q @ k) > abs(one.made[h, i, j]) or not one.made[h, i, j]


@said("""
    Divide each score by √d_k, so that softmax does not give nearly all weight to one key | Divided
    by √d_k, as in the matrix form | Dividing by √d_k undoes this
""")
def divided(one: Said) -> None:
    """By what is made of it: softmax of undivided scores is sharper."""
    before, keys = one.of()
    close(one.made * np.sqrt(keys.shape[-1]), before)
    assert (plain_softmax(before).max(-1) >= plain_softmax(one.made).max(-1)).all()


@said("""
    The order does not change: the largest score of a row is still the largest | The largest score
    of a row is still the largest
""")
def same_order(one: Said) -> None:
    assert (one.made.argmax(-1) == one.of()[0].argmax(-1)).all()


@said("""
    with more features, scores lie further apart | The more features queries and keys have, the
    wider their dot products spread | dot products of more features spread wider | Softmax of a wide
    row gives nearly all weight to one key | If one key had all the weight, training could hardly
    change the scores
""")
def spread_of_dot_products(one: Said) -> None:
    draw = np.random.default_rng(0)
    few, many = ((draw.normal(size=(2, 4000, d)).prod(0)).sum(1).std() for d in (4, 256))
    assert many > 4 * few
    top = []
    for d in (4, 256):
        q, k = draw.normal(size=d), draw.normal(size=(8, d))
        powers = np.exp(k @ q - (k @ q).max())
        top.append((powers / powers.sum()).max())
    assert top[1] > 0.9
    one_has_all = np.array([1.0, 0, 0])
    assert not (np.diag(one_has_all) - np.outer(one_has_all, one_has_all)).any()


@said("""
    Scores often go through 1/√d_k | Off: the scores do not change | Here they stay as they are
""")
def not_scaled(one: Said) -> None:
    close(one.made, one.of()[0])


@said("""
    Every score is multiplied by {factor}, instead of 1/√d_k, and so is every difference | Times
    {factor}, as chosen
""")
def chosen_scale(one: Said) -> None:
    close(one.made, float(one["factor"]) * one.of()[0])


@said("""
    A hidden key's score becomes −∞ | A hidden score becomes −∞, drawn hatched | A hidden score
    becomes −∞ | A key that it may not read has −∞
""")
def hidden_scores(one: Said) -> None:
    name = next(n for n in one.trace if n.split("_")[0] in ("masked", "S"))
    scores, mask = one.of(name)
    visible = np.broadcast_to(mask.astype(bool), one[name].shape)
    assert np.isneginf(one[name][~visible]).all()
    close(one[name][visible], scores[visible])


@said("Its exponential is 0, so softmax gives its key no weight")
def hidden_weights(one: Said) -> None:
    name = one.named("masked")
    made = (one[s.name] for s in one.trace.program.steps if s.operands == (name,))
    for softened in (array for array in made if array.shape == one[name].shape):
        assert not softened[np.exp(one[name]) == 0].any()


@said("""
    so no token may read from later ones | No token may read from later ones | Everything to the
    right of the diagonal is the future
""")
def triangle(one: Said) -> None:
    T, S = one.mask.shape[-2:]
    assert not one.mask[..., np.triu(np.ones((T, S), dtype=bool), 1 + S - T)].any()


@said("""
    Off: every key is visible | Nothing is hidden | The last query sees every key | The last query
    belongs to the newest token, so it sees every key
""")
def sees_all(one: Said) -> None:
    assert (one.mask[-1] if "last" in one.phase.summary else one.mask).all()


@said("""
    The triangle begins at the first key | It sees only the first key, and each next query sees one
    key more | keys that each query should read are hidden from it | Here the mask treats the first
    query as if its token were the first
""")
def upper_left(one: Said) -> None:
    assert one.mask.sum(1).tolist() == [*range(1, len(one.mask) + 1)]
    assert one.mask[0, 0]
    assert one.mask.shape[1] > one.mask.shape[0]


@said("""
    Each token may read only the last {window} tokens, itself included | Each token may read itself,
    earlier tokens, and always the first {prefix} | Each token may read itself and earlier tokens
    whose distance is a multiple of {dilation} | each token may read itself and earlier tokens of
    its own block | any of the first {first} tokens that is not later | Each token may read itself,
    the token before it, and any of the first | cut into blocks of {length}
""")
def rules(one: Said) -> None:
    """Row by row, from the words."""
    words, mask = one.phase.words, one.mask
    size = int(next(c for c in words if c.isdigit()))
    assert all(said.split()[0] == str(size) for said in one.values.values())
    for i, j in np.ndindex(mask.shape):
        if "only the last" in words:
            sees = i - size < j <= i
        elif "always the first" in words:
            sees = j <= i or j < size
        elif "multiple" in words:
            sees = j <= i and (i - j) % size == 0
        elif "block" in words:
            sees = j <= i and i // size == j // size
        else:
            sees = j in (i, i - 1) or (j < size and j <= i)
        assert mask[i, j] == sees


@said("given cell by cell: 1 means that a query may see a key")
def cell_by_cell(one: Said) -> None:
    assert one.mask.dtype == bool
    assert (np.isneginf(one["masked"]) == ~np.broadcast_to(one.mask, one["masked"].shape)).all()


@said("Every token may read from every other, even from later ones")
def later_ones_too(one: Said) -> None:
    assert one.mask.all()
    assert len(one.mask) > 1


@said("""
    Each row of scores becomes a row of weights | Softmax raises e to each score, then divides by
    the row's total | Weights are never negative, and each row adds up to 1 (if no key is visible,
    all are 0) | In a row, the weights of visible keys keep the order of their scores | Each row of
    scores becomes weights that add up to 1 | The row becomes weights that add up to 1 | Softmax
    over this one row | As in attention: e raised to each number, divided by the row's | Softmax
    over the whole row, as always
""")
def softmax(one: Said) -> None:
    (scores, *_), weights = one.of(one.phase.names[0]), one[one.phase.names[0]]
    for at in np.ndindex(scores.shape[:-1]):
        powers = np.exp(scores[at])
        total = powers.sum()
        close(weights[at], powers / total if total else powers, rtol=1e-9)
        assert (weights[at] >= 0).all()
        close(weights[at].sum(), 1 if np.isfinite(scores[at]).any() else 0, atol=1e-12)
        assert (np.diff(weights[at][scores[at].argsort()]) >= 0).all()


@said("""
    Each token reads a mixture of value rows | Multiply each row of V by its weight and add them up,
    column by column: that is its row of context | A key with weight 0 adds nothing | Value rows,
    each times its score, added up | Contents, each times its weight, added up | Each value times
    its weight, added up | Each row times its weight, added up | Multiply each row by its weight,
    then add them up | Each row of V so far is multiplied by its weight, and the products are added
    up | The values, each times its weight, added up | Multiply each value by its weight, then add
    them up | row i is the sum of the messages to | an average in which some rows count more | The
    product of weights and V does the same for every node at once | values times weights, added up
""")
def mixed(one: Said) -> None:
    weights, V = one.of()
    V, weights = (a.reshape(-1, *a.shape[-2:]) for a in (V, weights))
    V = shared(V, len(weights))
    made = one.made.reshape(-1, *one.made.shape[-2:])
    for h, i in np.ndindex(made.shape[:2]):
        parts = [w * v for w, v in zip(weights[h, i], V[h], strict=True) if w]
        close(made[h, i], sum(parts), atol=1e-12)


def widths(one: Said) -> int:
    """Of a row that goes in: as many rows as the matrix of queries has."""
    name = next(n for n in one.trace if n.startswith("W_Q"))
    return int(one[name].shape[-2])


@said("""
    Put what each head has read next to each other | In concat, the results of all heads are next to
    each other | W_O mixes them into rows as wide as the rows of X | into one row for each token,
    head 1's features first | W_O turns each row into a row as wide as a row of X | W_O mixes the
    features of each row into a row as wide as the input | With a single head there is nothing to
    join: concat is its context
""")
def joined(one: Said) -> None:
    for name in one.phase.names:
        first, *rest = one.of(name)
        if rest:
            assert one[name].shape == (len(first), rest[0].shape[1])
            assert one[name].shape[1] == widths(one)
        else:
            close(one[name], np.concatenate(list(first), axis=1))
            assert len(first) == 1 or "single head" not in one.phase.words


@said("The queries of all heads in one product")
def fused(one: Said) -> None:
    X, W = one.of()
    close(one.made, X @ (W if W.ndim == 2 else np.concatenate(list(W), axis=1)))


@said("""
    All rows one after another, in one long line | One long row | So all tokens are joined into one
    long row
""")
def one_line(one: Said) -> None:
    close(one.made.ravel(), np.concatenate(list(one.of()[0])))
    assert one.made.shape[0] == 1


@said("Each head takes its features of every token")
def split(one: Said) -> None:
    close(np.concatenate(list(one.made), axis=1), one["Q_all"])


@said("""
    Each head takes the next piece of memory | Memory holds one token after another. Without the
    transpose, head 1 takes its rows from the first tokens
""")
def cut_straight(one: Said) -> None:
    memory = one.of()[0].ravel()
    close(one.made.ravel(), memory)
    close(memory[: one["Q_all"].shape[1]], one["Q_all"][0])
    close(one.made[0].ravel(), memory[: one.made[0].size])
