"""What the steps of a block, of a model and of its words say."""

import math

import numpy as np
import torch
from transformers.loss.loss_utils import ForCausalLMLoss

from core.chapters.words import neighbours, vectors
from tests.facts.steps import Said, said

close = np.testing.assert_allclose


@said("The input of the first layer")
def begins(one: Said) -> None:
    assert one.is_input
    assert one.phase is one.trace.program.phases[0]


@said("""
    Each row's own mean | The mean is the sum of a row's numbers, divided by how many there are |
    The sum of all numbers, divided by their count | Then the row adds up to 0 | Each number, minus
    the mean | After this the row adds up to 0
""")
def centred(one: Said) -> None:
    for name in one.phase.names:
        row, *mean = one.of(name)
        for at in range(len(row)):
            plain = sum(row[at]) / len(row[at])
            close(one[name][at], row[at] - plain if mean else plain, atol=1e-12)
            assert not mean or abs(one[name][at].sum()) < 1e-9


@said("""
    Divide by the root of the row's variance | The variance is the mean of the squares | Divided by
    its root, the row has variance 1, or nearly so | Now the row has variance 1, or nearly so: a
    small ε is added to the variance before the root is taken | Divide by the root of the variance |
    First {epsilon} is added to the variance, so that a row without any spread is not divided by 0
""")
def spread(one: Said) -> None:
    rows = one.of()[0]
    variance = (rows**2).mean(-1, keepdims=True)
    close(one.made, rows / np.sqrt(variance + 1e-5), rtol=1e-6)
    close(one.made.var(-1), (variance / (variance + 1e-5))[:, 0], rtol=1e-6)
    assert not (np.zeros(4) / np.sqrt(0 + 1e-5)).any()


@said("Each row to mean 0 and variance 1, then gain and bias")
def normed(one: Said) -> None:
    """As PyTorch's layer norm; gain and bias are the last step's."""
    rows, (_, gain, bias) = one.of(one.phase.names[0])[0], one.of(one.phase.names[-1])
    made = torch.nn.functional.layer_norm(torch.tensor(rows), rows.shape[-1:]).numpy()
    close(one[one.phase.names[-1]], made * gain.ravel() + bias.ravel(), rtol=1e-3, atol=1e-5)


@said("""
    Each feature is multiplied by its gain, then its bias is added. Both are the same for every
    token. Before training, gains are 1 and biases 0, so they change nothing
""")
def gain_and_bias(one: Said) -> None:
    rows, gain, bias = one.of()
    assert gain.size == bias.size == rows.shape[-1]
    close(one.made, rows * gain.ravel() + bias.ravel())
    fresh = torch.nn.LayerNorm(4)
    assert (fresh.weight == 1).all()
    assert (fresh.bias == 0).all()


@said("""
    Each feature is multiplied by its gain, which is the same for every token | There is no bias |
    the same for every token and every head of the layer
""")
def gain_only(one: Said) -> None:
    rows, gain = one.of()
    close(one.made, rows * gain.ravel())


@said("""
    Divide by the root of the mean of the row's squares | Each row is divided by the root of the
    mean of its squares | Divide each {role} by the root of the mean of its squares | First
    {epsilon} is added to that mean, so that a row of zeros is not divided by 0 | The mean of the
    row is not subtracted, as a layer norm would | Each {role} is divided by the root of the mean of
    its squares | so that a {role} of zeros is not divided by 0
""")
def size(one: Said) -> None:
    rows, _ = one.of()
    close(one.made, rows / np.sqrt((rows**2).mean(-1, keepdims=True) + 1e-5), rtol=1e-6)


@said("Each row to mean square 1, then the gain")
def rms_normed(one: Said) -> None:
    rows = torch.tensor(one.of(one.phase.names[0])[0])
    made = torch.nn.functional.rms_norm(rows, rows.shape[-1:], eps=1e-5).numpy()
    gain = one.of(one.phase.names[-1])[1].ravel()
    close(one[one.phase.names[-1]], made * gain, rtol=1e-3)


@said("""
    The input is kept, and the result is added to it: a residual connection | What it does not
    change passes through | The layer's input is added to the product | What the units that are not
    shown add | Each unit adds its own part to the result | So everything that the other units add
    is given here as one matrix
""")
def residual(one: Said) -> None:
    close(one.made, sum(one.of()))


@said("""
    Each token's row meets every unit | The feed-forward net takes one row at a time, so no token
    sees another here | Each unit takes the dot product of the row and a column of W_up | Each row
    meets two columns for each unit | Each unit has a column of W_gate and a column of W_up | The
    outputs of the units, added up | Each unit has a row of W_down | Every row is multiplied by the
    output of its unit, and the results add up to a row as wide as the input | Each token's last row
    meets a column of W_U for each word
""")
def widened(one: Said) -> None:
    """Rows times columns, and a bias if there is one."""
    for name in one.phase.names:
        rows, W, *bias = one.of(name)
        close(one[name], rows @ W + sum(b.ravel() for b in bias), atol=1e-9)


@said("""
    ReLU keeps numbers above 0 and turns all others into 0 | GELU keeps numbers far above 0 nearly
    as they are, and turns numbers far below 0 into nearly 0 | It keeps numbers far above 0 nearly
    as they are, and turns numbers far below 0 into nearly 0. Then a gate is nearly shut | Without
    it, widening and narrowing would be one product of matrices | This model computes it with tanh,
    which is nearly the same
""")
def activated(one: Said) -> None:
    """As PyTorch's function of that name; far from 0 it is x, or 0."""
    name = one.phase.words.partition(" ")[0]
    way = {"approximate": "tanh"} if "with tanh" in one.phase.words else {}
    function = getattr(torch.nn.functional, name.lower())
    close(one.made, function(torch.tensor(one.of()[0]), **way).numpy(), atol=1e-9)
    close(function(torch.tensor([20.0, -20.0])).tolist(), [20, 0], atol=1e-6)
    assert function(torch.tensor(-0.5)) > -0.5
    W, V = np.random.default_rng(0).normal(size=(2, 4, 4))
    close((np.ones(4) @ W) @ V, np.ones(4) @ (W @ V))


@said("""
    The opened gate of each unit is multiplied by the unit's number in up | If a gate is nearly 0,
    little of its unit passes
""")
def gated(one: Said) -> None:
    close(one.made, one["opened"] * one["up"])


@said("Attention has already added to each row what its token reads from others")
def after_attention(one: Said) -> None:
    """The net takes rows that are given: those after attention have their name in a layer."""
    assert one.is_input
    assert one.phase.main == "Z"


@said("Rows in, rows of the same size out")
def same_size(one: Said) -> None:
    assert one[one.phase.names[-1]].shape == one.of(one.phase.names[0])[0].shape


@said("""
    Each token's row of the table | the table E has a row for each | A token is a row of zeros with
    a 1 at its word (one-hot) | Multiplied by E, it picks the row of that word | The 1 picks a row
    of E | A row with one 1, multiplied by E, is that row of E, because all other products are 0
""")
def looked_up(one: Said) -> None:
    hot, E = one.of()
    single = np.eye(len(E))
    assert hot.shape[1] == len(E)
    close(single @ E, E)
    close(one.made, hot @ E)


@said("""
    A 1 in the column of the word, 0 elsewhere | Each word of the vocabulary has a column | The row
    of a token has a 1 in the column of its word, and 0 elsewhere
""")
def one_hot(one: Said) -> None:
    """As wide as E has rows; a run of tokens of the vocabulary has rows of one 1."""
    assert one.made.shape[1] == len(one["E"])
    run = vectors.lookup_of("river bank")
    assert (run["one_hot"] == np.array([[1, 0, 0, 0], [0, 0, 0, 1]])).all()
    assert run.more_tokens["words"][0] == "river"
    assert run.more_tokens["words"][3] == "bank"


@said("""
    A row for the position is added | So a row for the position is added to each embedding | The row
    of the position is added | Each token's embedding plus the row of its position
""")
def positions(one: Said) -> None:
    rows, places = one.of()
    assert rows.shape == places[: len(rows)].shape
    close(one.made, rows + places[: len(rows)])


@said("""
    Softmax turns each row of logits into probabilities | Row i says which word comes after token i
    | a model uses only the last row | In training, every row is compared
""")
def next_word(one: Said) -> None:
    """As in transformers: the row of a token is asked for the token after it."""
    close(one.made, torch.tensor(one.of()[0]).softmax(-1).numpy())
    rows = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 1, 2])
    loss = ForCausalLMLoss(rows[None], labels[None], 5)
    torch.testing.assert_close(loss, torch.nn.functional.cross_entropy(rows[:-1], labels[1:]))


@said("""
    Only the new rows | Only new tokens come in | Kept rows, then the new ones | Kept keys come
    first, then new keys | So K has a row for every token up to now, and it grows by one row for
    each token | The same for values | Keys and values of all tokens up to now are the cache |
    Earlier tokens have been here already
""")
def appended(one: Said) -> None:
    if one.is_input:
        assert one.made.shape == one["output"].shape
        assert len(one["K_kept"][0]) > 0
    else:
        kept, new = one.of()
        close(one.made, np.concatenate([kept, new], axis=1))
        assert new.shape[1] == len(one["X"])


@said("""
    One is read, the other is written | There is a row for each token | The encoder has the whole
    sentence to translate | X_q has a row for each token that reads, X_kv for each token that is
    read | Rows of the tokens that read, and of the tokens that are read | If a sentence reads
    itself, both matrices are the same
""")
def two_texts(one: Said) -> None:
    """Whoever reads has rows in the queries' matrix, whoever is read in the keys'."""
    reads, read = ("X_write", "X_read") if "X_read" in one.trace else ("X_q", "X_kv")
    last = [a for n, a in one.trace.items() if n.startswith("weights")]
    if "X_q" in one.trace:
        assert last[0].shape[-2:] == (len(one[reads]), len(one[read]))
    assert len(last[-1][0]) == len(one[reads])


@said("""
    Its context times its rows of W_O | Its rows of W_O turn each row of the context into a row as
    wide as a row of X | The layer adds up the parts of all its heads
""")
def part_of_a_head(one: Said) -> None:
    rows, W, *_ = one.of()
    close(one.made, rows @ W)
    assert one.made.shape[1] == one["X"].shape[1]


@said("""
    Each position, counted from 0, times each frequency is an angle in radians | Each position,
    counted from 0, times each frequency: an angle | With a high frequency the angle grows fast from
    position to position, with a low frequency slowly
""")
def angles(one: Said) -> None:
    places, frequency = one.of(one.named("angles"))
    close(one[one.named("angles")], np.outer(places, frequency))
    fast, slow = (np.diff(np.arange(3) * turn)[0] for turn in (1, 0.01))
    assert fast > slow


@said("""
    A row of numbers for each word, the same in every sentence | each column has a meaning | Each
    word that reads has a row of weights: numbers of at least 0 that add up to 1 | Here a word reads
    itself and the words before it
""")
def rows_of_words(one: Said) -> None:
    family = neighbours.reading_family()
    runs = [family.run(words_neighbour=word) for word in ("river", "money")]
    for run in runs:
        assert len(run["X"]) == len(run.tokens)
        assert (run["weights"] >= 0).all()
        close(run["weights"].sum(-1), 1)
        assert (run["weights"] == np.tril(run["weights"])).all()
        assert (np.diag(run["weights"]) > 0).all()
    close(*(run["X"][run.tokens.index("bank")] for run in runs))


@said("""
    numbers from 0 to 1 that add up to 1 | Each value has a dial: any number of at least 0 | Each
    dial, divided by their sum
""")
def dials(one: Said) -> None:
    given, weights = one["dials"], one["weights"]
    assert (given >= 0).all()
    close(weights, given / given.sum())
    assert (weights <= 1).all()


@said("""
    If D is 0, the weight is left out. If D is 1, the weight stays, and is divided by the
    probability of staying | So a row need not add up to 1 any more
""")
def dropped(one: Said) -> None:
    weights, D = one.of()
    seen = (weights * D) != 0
    factor = (one.made[seen] / (weights * D)[seen])[0]
    close(one.made, weights * D * factor)  # the registry draws other numbers for D
    rate = float(one.run.rpartition(" ")[2]) if one.run.startswith("dropout,") else 1 - 1 / factor
    close(factor, 1 / (1 - rate))


@said("""
    The row becomes the row times J, and the layer's input is lost. If J makes rows shorter, little
    is left after a few layers | A row times a matrix: this is all that the layer computes
""")
def times_J(one: Said) -> None:
    row, J = one.of()
    close(one.made, row @ J)
    assert np.linalg.norm(np.ones(2) @ np.linalg.matrix_power(np.eye(2) / 2, 5)) < math.sqrt(2) / 20
