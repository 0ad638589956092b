"""What the steps of the chapters on pieces, on graphs and on other kinds say."""

import re

import numpy as np
import torch

from tests.facts.steps import Said, said
from tests.ui.plain_attention import softmax

close = np.testing.assert_allclose


# Pieces.
@said("""
    One query's scores, and the keys' values | Its row of scores | One score for each piece | One
    row for each piece | Each piece has one row of values | One query each | The scores of the two
    pieces form a row. Their values are two rows | The scores of the pieces form a row, like the
    scores of keys
""")
def a_row_of_scores(one: Said) -> None:
    if one.phase.main.startswith("q_"):
        assert one["q_last"].shape[1] == 1
        close(one["q_last"][:, 0], one["Q_own"][:, -1])
    elif one.phase.main.startswith("values"):
        assert one.made.shape[-2] == len(one.of())
    else:
        assert one[one.phase.names[0]].shape[-2] == 1


@said("""
    How much all pieces count together | The logarithm of the sum of e to each score | The logarithm
    of the sum of e to each of its scores | e to a piece's score is already the sum over its keys
""")
def logarithm(one: Said) -> None:
    if one.phase.main.startswith("s_"):
        close(one.made[..., 0], np.log(np.exp(one.of()[0]).sum(-1)))
    else:
        close(np.exp(one.of()[0]).sum(-1), np.exp(np.log(np.exp(one.of()[0]).sum(-1))))


@said("""
    Every key is already a piece: it has a score and a value of its own | The smallest pieces: a
    score and a value
""")
def single_keys(one: Said) -> None:
    assert all(one[name].shape[-1] == 1 for name in one.phase.names if name.startswith("s_"))


@said("""
    The rows of queries, keys and values are cut into blocks | The rows of keys and values are cut
    into blocks | A tile is one block of queries with one block of keys | A tile is all queries with
    one block of keys | Queries are divided by √d_k once | Rows that are read together
""")
def blocks(one: Said) -> None:
    close(one["Q_scaled"] * np.sqrt(one["Q"].shape[-1]), one["Q"])
    for name in "QKV":
        parts = [one[each] for each in one.phase.names if re.fullmatch(rf"{name}_\d", each)]
        if parts:
            close(np.concatenate(parts, axis=1), one["Q_scaled"] if name == "Q" else one[name])
    assert ("queries, keys" in one.phase.words) == ("Q_1" in one.phase.names)


@said("""
    The same rows and columns of the mask | This block's part of the mask
""")
def part_of_mask(one: Said) -> None:
    whole, part = one["mask"], one[one.phase.names[0]]
    rows, columns = part.shape
    assert any(
        (whole[i : i + rows, j : j + columns] == part).all()
        for i in range(len(whole) - rows + 1)
        for j in range(whole.shape[1] - columns + 1)
    )


@said("""
    Of every query | The largest score that each query has met so far | If it grew, the sums so far
    are too large: the factor c corrects them
""")
def largest_so_far(one: Said) -> None:
    *before, scores = one.of(one.phase.names[0])
    now = scores.max(-1, keepdims=True)
    close(one[one.phase.names[0]], np.maximum(before[0], now) if before else now)
    if len(one.phase.names) > 1 and np.isfinite(before[0]).all():
        close(one[one.phase.names[1]], np.exp(before[0] - one[one.phase.names[0]]))
        assert (one[one.phase.names[1]] <= 1).all()


@said("""
    Exponentials added up | The exponentials of all keys so far, added up | The old sum times c |
    The old mixture times c | Values times exponentials, added up | The values of all keys so far,
    each times its exponential, added up | The sum before this block, adjusted to the new largest
    score | The mixture before this block, adjusted to the new largest score | The values of this
    block, each times its exponential | Once, at the end | Only now is anything divided: the mixture
    of each query by its sum
""")
def running(one: Said) -> None:
    name, (left, *right) = one.phase.main, one.of()
    if name.startswith("l_"):
        new = left if not right else right[0]
        made = new.sum(-1, keepdims=True) if not right else left + new.sum(-1, keepdims=True)
        close(one.made, made)
    elif name.startswith(("kept", "merged")):
        close(one.made, left * right[0] if name.startswith("kept") else left / right[0])
    elif name.startswith("new"):
        close(one.made, left @ right[0])


@said("""
    The blocks of queries below each other | The rows of each block of queries, in the order of the
    text
""")
def below_each_other(one: Said) -> None:
    close(one.made, np.concatenate(one.of(), axis=1))


@said("""
    Rows that all texts have in common | Its keys and values | Keys and values of the beginning do
    not depend on anything later | Each continuation has its own queries, keys and values for its
    new tokens | Rows of one continuation; choose which | All other tokens come before it, so no
    mask is needed | asks with its last token, to predict the next one
""")
def beginnings(one: Said) -> None:
    for name in one.phase.names:
        if re.fullmatch("[QKV]_(own|prefix)", name):
            rows, W = one.of(name)
            close(one[name], rows @ W)
    assert one["X_prefix"].shape[0] == 1
    assert len(one["X_own"]) > 1
    close(one["q_last"][:, -1], one["Q_own"][:, -1])


@said("""
    The same keys for every query | The keys of its own tokens | Block {block} of the keys arrives
""")
def whose_keys(one: Said) -> None:
    """One matrix of keys for all texts, or one for each; a block is some rows of K."""
    if "block" in one.values:
        assert f"K_{one['block']}" in one.trace
    else:
        name = "prefix" if "same" in one.phase.summary else "own"
        assert one.trace.program.step[f"scores_{name}"].operands[1] == f"K_{name}"
        assert len(one[f"K_{name}"]) == (1 if name == "prefix" else len(one["q_last"]))


@said("""
    Scored, scaled and masked, as always | The usual way, with all its scores | Blocks: {pairs}
""")
def as_always(one: Said) -> None:
    """In the walkthrough's order; and blocks one after another."""
    if "pairs" not in one.values:
        names = [step.name for step in one.trace.program.steps]
        made = ["scores", "scaled", "masked"]
        assert [name for name in names if name in made] == made


@said("""
    Keep only the rows of the text | Keep the rows of one text | All texts, one after another |
    every text needs the same number of rows | A query, a key or a value comes from one row of X
""")
def rows_of_a_text(one: Said) -> None:
    if not one.is_input:
        whole, rows = one.of()[0], one.made
        assert all((np.abs(whole - row).sum(1) < 1e-12).any() for row in rows)
        assert len(rows) < len(whole)


# The graph.
@said("""
    Its row of the weights has one number for each edge that leads to it. A key that the mask hides
    has no edge | One message after another | The sum of all messages | Each row is the sum of the
    messages down to that row | After the last message, the sum is what the node reads | The message
    from node j is w_ij v_j: the value of node j, times the weight of the edge | A row without a
    message leaves the sum unchanged | A node without incoming edges reads 0 | Without an edge there
    is no message
""")
def messages(one: Said) -> None:
    w, V, sent = one["w_i"][0, 0], one["V"][0], one["message"][0]
    close(sent, w[:, None] * V)
    close(one["so_far"][0], np.cumsum(sent, axis=0))
    close(one["y_i"][0, 0], sent.sum(0))


@said("""
    1 if a token reads another, else 0 | row i, column j is 1 if token i reads token j, and 0 if it
    does not | Each 1 is an edge that carries a message within one layer | Row i, column j counts
    the paths of {n} edges from token j to token i | If the number is 0, nothing from token j can
    reach token i in {n} layers | the product adds up the ways through every token in between
""")
def paths(one: Said) -> None:
    A = np.tril(np.ones((3, 3))) * [[1, 1, 1], [1, 1, 1], [0, 1, 1]]
    if one.phase.main.startswith("P_"):
        left, right = one.of()
        close(one.made, left @ right)
        assert (A @ A)[2, 0] == sum(A[2, mid] * A[mid, 0] for mid in range(3)) == 1
    else:
        assert one.is_input


# Other kinds.
@said("""
    φ makes every entry of queries and keys 0 or more | a function φ that is never below 0 is
    applied to each entry of queries and keys. So their dot products are never below 0 either
""")
def positive(one: Said) -> None:
    for name in one.phase.names:
        close(one[name], (torch.nn.functional.elu(torch.tensor(one.of(name)[0])) + 1).numpy())
        assert (one[name] >= 0).all()


@said("""
    A hidden pair becomes 0 | So a hidden pair becomes 0, not −∞
""")
def hidden_pairs(one: Said) -> None:
    pairs, mask = one.of("kept")
    close(one["kept"], pairs * mask)


@said("""
    Each row divided by its sum | Each row is divided by its sum | A row whose sum is 0 stays 0 |
    Without φ, dot products may be below 0. Then the results may lie outside 0 to 1
""")
def row_sums(one: Said) -> None:
    kept, totals = one.of("weights")
    close(totals[..., 0], kept.sum(-1))
    close(one["weights"], np.divide(kept, totals, out=np.zeros_like(kept), where=totals != 0))


@said("""
    What each token adds | first each key meets its own value. Each key feature is multiplied by
    each value feature | Row i is the state after token i: the sum of the rows up to row i | It
    replaces the row above it, so only one row is kept at a time | Its size is the same for any text
    | The keys are added up too | Each query times its state | The query of token i is multiplied
    with the state after token i, and with no single key | Later tokens are not in this state | Each
    row is divided by the total of its query | The same result as with all pairs | Added up, token
    by token | both over j ≤ i
""")
def states(one: Said) -> None:
    K, V, Q = one.of("outer")[0][0], one["V"][0], one.of("sums")[0][0]
    close(one["outer"][0], np.einsum("jk,jv->jkv", K, V).reshape(len(K), -1))
    close(one["state"][0], np.cumsum(one["outer"][0], axis=0))
    close(one["key_sum"][0], np.cumsum(K, axis=0))
    pairs = np.tril(Q @ K.T)
    close(one["sums"][0], pairs @ V)
    close(one["totals"][0, :, 0], pairs.sum(1))
    close(one["context"][0], pairs @ V / pairs.sum(1, keepdims=True), rtol=1e-6)


@said("""
    The same number along each diagonal | A weight depends only on the distance between two tokens,
    so each diagonal has one number | Then they are the same for every text | There are no queries
    and no keys: nothing is compared | Each row of X times W_V | Nearby values, each times its
    weight
""")
def kernel(one: Said) -> None:
    assert not {"Q", "K"} & {*one.trace}
    if one.run in ("mixed", "weights by distance"):
        for offset in range(len(one["kernel"][0])):
            assert len({*np.diagonal(one["kernel"][0], -offset)}) == 1
    close(one["V"][0], one["X"] @ one["W_V"][0])
    close(one["context"][0], one["kernel"][0] @ one["V"][0])


@said("""
    Each entry with each | the number of patterns in which they are equal, minus the number in which
    they are not | None to itself | No entry has a weight to itself | The field of an entry is the
    sum of all others, each times the weight between the two | Entries that are equal in most
    patterns get a weight above 0. Entries that differ in most get one below 0 | An entry that is
    updated takes the sign of its field: 1 if the field is 0 or above, −1 if it is below | One sum
    over all entries | Only one entry is updated at a time. All others keep their numbers | The
    state after this update | The picture after this update | If it had that sign before, nothing
    has changed | What the other entries say | Each column is a stored pattern: a list of 1 and −1 |
    Each column of patterns is one picture
""")
def hopfield(one: Said) -> None:
    """Three patterns of four entries, by loops; and the same products in the run."""
    patterns = np.array([[1, 1, -1, 1], [1, 1, 1, -1], [1, -1, 1, 1]])
    for a, b in np.ndindex(4, 4):
        agree = [row[a] == row[b] for row in patterns]
        assert (patterns.T @ patterns)[a, b] == sum(agree) - (3 - sum(agree))
    pairs = one["pairs"]
    close(pairs, one["patterns"] @ one["patterns"].T)
    assert len(one["patterns"]) == one["state"].shape[1]
    close(one["W"], pairs * one.of("W")[1])
    close(one["field"], one["state"] @ one["W"])
    close(one["signs"], np.where(one["field"] >= 0, 1, -1))
    close(one["wish"], one["signs"] - one["state"])
    close(one["new_state"], one["state"] + one["turn"])
    if "agreement" in one.trace:
        close(one["agreement"], (one["field"] * one["state"]).sum(1, keepdims=True))


@said("""
    Never higher than before | How well all entries agree | The state: it acts as the query | With
    every stored pattern | The state acts as the query | the number of entries that agree, minus the
    number that do not. The patterns act as keys | the larger β is, the more weight goes to the
    largest overlap | the new state is nearly the stored pattern most like the state
""")
def recalled(one: Said) -> None:
    if "energy" in one.trace:
        close(one["new_energy"] - one["energy"], (one["new_agreement"] - one["agreement"]) / -2)
        W = np.outer([1, 1, -1], [1, 1, -1]) - np.eye(3)
        for state in np.array([*np.ndindex(2, 2, 2)]) * 2 - 1:
            for at in range(3):
                new = state.copy()
                new[at] = 1 if W[at] @ state >= 0 else -1
                assert new @ W @ new >= state @ W @ state  # the energy is minus half of it
        return
    state, patterns = (a[0] for a in one.of("overlaps"))
    close(one["overlaps"][0], state @ patterns.T)
    a, b = np.array([1, 1, -1, 1]), np.array([1, -1, -1, -1])
    assert a @ b == sum(a == b) - sum(a != b)
    top = [softmax(beta * one["overlaps"][0]).max(-1) for beta in (1, 4)]
    assert (top[1] >= top[0]).all()
    close(one["new_state"][0], one["weights"][0] @ patterns)
