"""What the glossary and the pages say of attention at large, from PyTorch and from plain loops."""

import math

import numpy as np
import pytest
import torch

from core.models.captures import load_capture
from core.path import PATH
from core.program.trace import Trace
from tests.core import support, test_practice_set
from tests.core.questions.test_hints import check_opposite
from tests.quotes import proves

SDPA = torch.nn.functional.scaled_dot_product_attention
close = np.testing.assert_allclose


def drawn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.fixture(scope="module")
def run() -> Trace:
    """Two heads, causal, on the walkthrough's own inputs."""
    return support.toy_run("The cat sat on the mat")


@proves("""
    weighted by how well its query matches their keys | How well a query matches a key: their dot
    product, before softmax | How much a query reads of a value: from 0 to 1 | The row of numbers
    that represents a token | In attention, the scores have a row for each query and a column for
    each key. If queries and keys have d_k features, attention divides the scores by √d_k
""")
def test_scores_are_of_queries_with_keys_and_weights_of_values(run: Trace) -> None:
    for h, i, j in np.ndindex(run["scores"].shape):
        close(run["scores"][h, i, j], run["Q"][h, i] @ run["K"][h, j], atol=1e-12)
    close(run["context"], run["weights"] @ run["V"], atol=1e-12)
    close(run["scaled"], run["scores"] / math.sqrt(run["K"].shape[2]), atol=1e-12)
    assert ((run["weights"] >= 0) & (run["weights"] <= 1)).all()
    assert len(run["X"]) == len(run.tokens)
    assert run.program.names.index("scores") < run.program.names.index("weights")


@proves("""
    What a token looks for, as a row of numbers: its row of X times W_Q | What a token can be found
    by, as a row of numbers: its row of X times W_K | What a token passes on, as a row of numbers:
    its row of X times W_V | Multiplying a row by a weight matrix, which gives a row of new features
""")
def test_a_row_of_x_becomes_a_query_a_key_and_a_value(run: Trace) -> None:
    for name in "QKV":
        for i, row in enumerate(run["X"]):
            close(run[name][:, i], [row @ W for W in run[f"W_{name}"]], atol=1e-12)


@proves("""
    The weights of a query add up to 1, or to 0 if it sees no key | A function that turns numbers
    into weights that add up to 1. It raises e to each number, then divides by the row's total |
    says which keys each query may see. The score of a hidden key becomes −∞
""")
def test_weights_of_a_query_add_up_to_1_or_to_0() -> None:
    """As PyTorch's, for a query that sees some keys, one that sees all and one that sees none."""
    mask = torch.tensor([[True, False, True], [True] * 3, [False] * 3])
    q, k = drawn(2, 1, 3, 4)
    weights = SDPA(q, k, torch.eye(3, dtype=torch.float64)[None], attn_mask=mask)[0].numpy()
    close(weights.sum(1), [1, 1, 0])
    powers = np.exp(np.where(mask, (q[0] @ k[0].T).numpy() / 2, -np.inf))[:2]
    close(weights[:2], powers / powers.sum(1, keepdims=True))
    ours = support.toy_run("a b c", 1, mask="custom", drawn=mask.numpy())
    assert np.isneginf(ours["masked"][0][~mask.numpy()]).all()
    close(ours["weights"][0].sum(1), [1, 1, 0])


@proves("""
    A number that divides every logit before softmax. Above 1 it makes the weights more even, below
    1 less even | It is 0 if one weight is 1, and largest if all weights are equal | How evenly
    weights are spread | At a low temperature, a model writes its likeliest words. At a high
    temperature, it surprises more often
""")
def test_a_temperature_makes_weights_more_even_above_1_and_entropy_measures_it() -> None:
    logits = drawn(6)
    entropy = [torch.special.entr((logits / T).softmax(0)).sum() for T in (0.25, 0.5, 1, 2, 4, 1e9)]
    assert entropy == sorted(entropy)
    assert entropy[-1] == pytest.approx(math.log(6))
    assert torch.special.entr(torch.eye(6)[0]).sum() == 0


@proves("""
    A mask is causal if no token sees a later token | With a causal mask, the first row has one
    weight, 1, whatever the head does
""")
def test_causal_is_what_pytorch_calls_causal() -> None:
    q, k = drawn(2, 1, 4, 4)
    weights = SDPA(q, k, torch.eye(4, dtype=torch.float64)[None], is_causal=True)[0]
    assert not weights.triu(1).any()
    assert (weights.tril() > 0).sum() == 10
    assert weights[0].tolist() == [1, 0, 0, 0]


@proves("""
    each on narrower queries, keys and values | A token's rows from all heads, joined into one wider
    row
""")
def test_heads_are_narrow_and_joined(run: Trace) -> None:
    H, T, d_k = run["Q"].shape
    assert d_k == run["K"].shape[2] == run["V"].shape[2] == run["X"].shape[1] / H
    assert run["concat"].shape == (T, H * run["context"].shape[2])


@proves("""
    Both vectors need the same number of entries | divided by both their lengths: a number from −1
    to 1
""")
def test_a_dot_product_needs_as_many_entries_and_a_cosine_is_at_most_1() -> None:
    with pytest.raises(RuntimeError):
        torch.dot(drawn(3), drawn(4))
    rows = drawn(50, 3)
    cosines = torch.nn.functional.cosine_similarity(rows[:, None], rows[None], dim=2)
    assert cosines.max() == pytest.approx(1)
    close(torch.nn.functional.cosine_similarity(rows, -rows), -1)


@proves(r"""
    Another order of the same things. Its matrix has one 1 in each row and each column | moving its
    inputs moves its outputs in the same way and changes nothing else | Put the same tokens in
    another order. Then compare two results: attention on the new order, and attention on the old
    order with its rows moved along. In symbols, with a permutation matrix $P$ that moves rows:
    $f(PX)$ and $P\,f(X)$ | Moving a row of $X$ moves its query, its key and its value. In the
    scores of the first layer a row and a column move, but no number changes. The order of a row's
    numbers makes no difference to softmax, nor to a sum of values, each times its weight. Only a
    mask depends on positions
""")
def test_a_permutation_and_attention_without_a_mask() -> None:
    P = torch.eye(4, dtype=torch.float64)[[2, 0, 3, 1]]
    assert P.sum(0).tolist() == P.sum(1).tolist() == [1] * 4
    X = drawn(1, 4, 3)
    close(SDPA(P @ X, P @ X, P @ X), P @ SDPA(X, X, X))
    assert (SDPA(P @ X, P @ X, P @ X, is_causal=True) - P @ SDPA(X, X, X, is_causal=True)).any()
    W, scores = drawn(3, 3), X[0] @ X[0].T
    close((P @ X) @ W, P @ (X @ W))
    close((P @ X)[0] @ (P @ X)[0].T, P @ scores @ P.T)
    weights = scores.softmax(1)
    close((scores @ P.T).softmax(1), weights @ P.T)
    close((weights @ P.T) @ (P @ X[0]), weights @ X[0])


@proves("""
    turns pairs of features by an angle that grows with the position | The number of rows of a
    matrix that are independent of each other | the mean of their squared distances from their mean
""")
def test_angles_ranks_and_variances() -> None:
    from transformers.models.llama.modeling_llama import LlamaConfig, LlamaRotaryEmbedding

    config = LlamaConfig(hidden_size=8, num_attention_heads=1, head_dim=8)
    cos, sin = LlamaRotaryEmbedding(config)(torch.zeros(1), torch.arange(4)[None])
    angles = torch.atan2(sin, cos)[0]
    assert (angles[:, :4].diff(dim=0) > 0).all()
    assert np.linalg.matrix_rank(np.array([[1, 0, 0], [0, 1, 0], [2, 3, 0]])) == 2
    close(torch.tensor([1.0, 2, 6]).var(correction=0), (4 + 1 + 9) / 3)


@proves("""
    computes each row from the few rows around it | adds the input of a part of a network to its
    output
""")
def test_convolution_and_residual() -> None:
    rows = drawn(1, 1, 9)
    kernel = torch.nn.Conv1d(1, 1, 3, padding=1, dtype=torch.float64)
    other = rows.clone()
    other[0, 0, 0] += 1
    assert ((kernel(rows) - kernel(other)).abs()[0, 0] > 0).tolist() == [True, True] + [False] * 7
    layer = torch.nn.TransformerEncoderLayer(4, 1, 8, batch_first=True, norm_first=True).eval()
    for name in ("self_attn.out_proj", "linear2"):
        for weights in layer.get_submodule(name).parameters():
            torch.nn.init.zeros_(weights)
    rows = drawn(1, 3, 4).float()
    torch.testing.assert_close(layer(rows), rows)


@proves("""
    Keys and values of earlier tokens, kept | queries come from one, keys and values from the other
    | All tokens that can influence a token | Putting several texts one after another in one row | A
    recurrent net reads one token after another | In a matrix product, each multiplication comes
    with an addition | Both are kept: $K$ for the scores, $V$ for what is read | Both are kept: $K$
    to score with, $V$ to read from
""")
def test_what_a_cache_keeps_and_a_query_crosses_to(run: Trace) -> None:
    """The last row of causal attention, from the rows of K and V up to its own."""
    at = len(run["X"]) - 1
    q, k, v = (torch.tensor(run[name]) for name in "QKV")
    close(SDPA(q[:, at:], k[:, : at + 1], v[:, : at + 1])[:, 0], run["context"][:, at])
    first = SDPA(q, k, v, is_causal=True)
    k[:, -1] += 1
    assert torch.equal(SDPA(q, k, v, is_causal=True)[:, :-1], first[:, :-1])
    reads, read = drawn(1, 2, 4), drawn(1, 5, 4)
    attention = torch.nn.MultiheadAttention(4, 1, batch_first=True, dtype=torch.float64)
    assert attention(reads, read, read)[1].shape == (1, 2, 5)


@proves("""
    Tokens without meaning that fill up a text | Setting numbers to 0 at random during training. The
    other numbers are made larger, so that the mean stays the same
""")
def test_padding_and_dropout() -> None:
    assert torch.nn.utils.rnn.pad_sequence([torch.ones(2), torch.ones(5)]).shape == (5, 2)
    torch.manual_seed(0)
    dropped = torch.nn.functional.dropout(torch.ones(100_000), 0.2)
    assert set(dropped.tolist()) == {0.0, 1.25}
    assert dropped.mean() == pytest.approx(1, abs=0.01)
    assert (torch.nn.functional.dropout(torch.ones(9), 0.2, training=False) == 1).all()


@proves("""
    It subtracts the mean of a row and divides by the row's spread | max(0, x): a number below 0
    becomes 0 | x times the fraction of a standard normal distribution that is below x | A number
    that a feed-forward net computes from a row | The layer after attention. It transforms each row
    separately, with two or three weight matrices
""")
def test_norms_and_activations() -> None:
    rows = drawn(3, 8)
    made = (rows - rows.mean(1, keepdim=True)) / rows.std(1, correction=0, keepdim=True)
    close(torch.nn.LayerNorm(8, dtype=torch.float64)(rows).detach(), made, atol=1e-4)
    assert torch.relu(torch.tensor([-2.0, 0, 3])).tolist() == [0, 0, 3]
    below = torch.distributions.Normal(0, 1).cdf(rows)
    close(torch.nn.functional.gelu(rows), rows * below, atol=1e-6)
    widen, narrow = torch.nn.Linear(8, 32).double(), torch.nn.Linear(32, 8).double()
    net = torch.nn.Sequential(widen, torch.nn.ReLU(), narrow)
    close(torch.cat([net(row[None]) for row in rows]).detach(), net(rows).detach())
    names = [name for name, _ in torch.nn.TransformerEncoderLayer(4, 1).named_children()]
    assert names.index("self_attn") < names.index("linear1")


@proves("2e−9 is 2 × 10⁻⁹, which is 0.000000002")
def test_scientific_notation() -> None:
    assert float("2e-9") == 2 * 10**-9 == 0.000000002


proves("The same link always asks the same questions")(
    test_practice_set.test_a_set_over_all_chapters_has_ten_different_questions
)


@proves("""
    some look one token back, some find what followed the same word earlier, some put most weight on
    the first token
""")
def test_trained_heads_look_back_find_and_rest() -> None:
    names = "previous-token", "induction", "first-token"
    back, finds, rests = (load_capture(f"smollm2-{name}") for name in names)
    assert (back.weights.argmax(1)[1:] == np.arange(len(back.weights) - 1)).mean() > 0.8
    assert (rests.weights.argmax(1) == 0).mean() > 0.9
    words = finds.run.tokens
    again = [i for i in range(len(words)) if words[i] in words[:i]]
    assert all(finds.weights[i].argmax() == words.index(words[i]) + 1 for i in again)


@proves("the steps stay the same")
def test_a_real_models_head_has_the_walkthroughs_steps(run: Trace) -> None:
    real = PATH["real_heads"].programs["a captured head, mask causal"].program
    steps = [(step.name, step.operands) for step in run.program.steps[3:8]]
    assert steps == [(s.name, s.operands) for s in real.steps if s.name in dict(steps)]


@proves("""
    May look in PyTorch's scaled_dot_product_attention, in Keras, JAX and Hugging Face's
    attention_mask. May not look in PyTorch's MultiheadAttention
""")
def test_a_mask_means_in_each_library_what_is_said_of_it() -> None:
    """Of those that are installed. Keras says of `attention_mask` that 1 indicates attention; JAX
    and Flax, of `mask`, that weights are masked out where it is False.
    """
    from transformers import BertConfig, BertModel

    check_opposite()
    sizes = {"hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": 3}
    model = BertModel(BertConfig(**sizes, intermediate_size=4, attn_implementation="eager"))
    ids, mask = torch.zeros(1, 3, dtype=torch.long), torch.tensor([[1, 0, 1]])
    (weights,) = model(ids, attention_mask=mask, output_attentions=True).attentions
    assert ((weights[0, 0] > 0) == mask.bool()).all()
