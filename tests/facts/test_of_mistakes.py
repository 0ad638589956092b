"""What is said of mistakes and of slips: attention with each of them, in PyTorch or plain loops."""

import math
import re

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention as attention

from core import attention_program, toy_inputs
from core.attention.mistakes.attention_mistakes import MISTAKES as USUAL
from core.attention.mistakes.attention_mistakes import TOO_SMALL
from core.attention.mistakes.wrong_lines_of_attention import of_product, of_scaling
from tests.core.attention.mistakes import test_hand_mistakes as test_by_hand
from tests.core.attention.mistakes import test_wrong_lines_of_attention as test_slips
from tests.core.chapters.debug_lab import test_checks, test_lab
from tests.core.questions import test_questions
from tests.quotes import proves

T, H, D_K = 5, 2, 2
MASK = torch.ones(T, T).tril().bool()
MASK[:, 0] = False  # a padded first token: its row sees no key
HIDDEN = ~MASK
drawn = torch.Generator().manual_seed(3)
X = torch.randn(T, H * D_K, generator=drawn, dtype=torch.float64)
W_Q, W_K, W_V = torch.randn(3, H, H * D_K, D_K, generator=drawn, dtype=torch.float64)
Q, K, V = X @ W_Q, X @ W_K, X @ W_V
SCORES = Q @ K.mT
SCALED = SCORES / math.sqrt(D_K)
MASKED = SCALED.masked_fill(HIDDEN, -math.inf)
WEIGHTS = attention(Q, K, torch.eye(T).double().expand(H, T, T), attn_mask=MASK)
SEES = MASK.any(1)
close = torch.testing.assert_close


@proves("""
    Softmax has already given weight to hidden keys. Setting these weights to 0 afterwards
    leaves rows that add up to less than 1 | If you mask before softmax, a row adds up to 1.
    Here softmax gives out the weights before any key is hidden | That is the weight of the
    hidden keys, which is now gone | After softmax, a row adds up to $1$. Setting weights to $0$
    can only lower that | Masked after softmax | Mask after softmax | the mask comes after
    softmax | Softmax has already given weight to hidden keys. Setting their weights to 0
    afterwards leaves rows that no longer add up to 1 | Softmax divides each by the sum of all.
    The keys that are hidden afterwards take their weight with them | drop the hidden keys
""")
def test_a_mask_after_softmax_takes_weight_away() -> None:
    before = SCALED.softmax(-1)
    late = before.masked_fill(HIDDEN, 0)
    close(before.sum(-1), torch.ones(H, T).double())
    assert (before[:, HIDDEN] > 0).all()
    assert (late.sum(-1) < 1).all()
    close(1 - late.sum(-1), (before * HIDDEN).sum(-1))
    close(WEIGHTS.sum(-1), SEES.double().expand(H, T))
    powers = SCALED.exp()
    close(late, powers / powers.sum(-1, keepdim=True) * MASK)


@proves(r"""
    A score of 0 does not hide a key. Because e⁰ = 1, a hidden key keeps a weight above 0 | $e^0$ is
    $1$, not $0$. Only a score of $-\infty$ gives a weight of exactly 0 | A score of $0$ does not
    hide a key. Because $e^0$ is $1$, each hidden key gets some weight | Hidden scores set to 0 | 0
    for −∞ | A score of 0 hides nothing: e⁰ = 1, so a hidden key keeps some weight | e to −∞ is 0,
    which removes a hidden key. But e to +∞ is not finite | hidden scores are multiplied by −∞ | A
    negative score times −∞ is +∞. Replace the score by −∞, or add −∞ to it | True means visible: −∞
    goes where the mask is False | The exponentials of a row become weights when you divide them by
    their total | That is the weight if no key of the row is hidden. Give hidden keys the score −∞
    first | How much of the row's weight leaks to them in total
""")
def test_zero_hides_no_key_and_minus_infinity_does() -> None:
    assert math.exp(0) == 1
    assert math.exp(-math.inf) == 0
    assert (SCALED.masked_fill(HIDDEN, 0).softmax(-1)[:, HIDDEN] > 0).all()
    assert not WEIGHTS[:, HIDDEN].any()
    powers = MASKED.exp()[:, SEES]
    close(powers / powers.sum(-1, keepdim=True), WEIGHTS[:, SEES])
    assert math.exp(math.inf) == math.inf
    assert (SCALED[SCALED < 0] * -math.inf == math.inf).all()
    close(SCALED + torch.zeros(T, T).double().masked_fill(HIDDEN, -math.inf), MASKED)


@proves("""
    Subtracting {subtracted} makes e to a hidden score about {times} times smaller, but not 0.
    So a hidden key keeps a weight above 0. With −∞ the weight is exactly 0; with a large
    negative number only if e to it underflows | Subtracting {subtracted} makes e to a hidden
    score only about {times} times smaller, so the key keeps some weight. With −∞ its weight is
    exactly 0. With a large negative number it is 0 only if e to the score underflows
""")
def test_a_number_too_small_hides_no_key() -> None:
    said = re.findall(r"Subtracting (\S+) .* about (\S+) times", USUAL["additive"].why)
    assert said == [(f"{TOO_SMALL:g}", f"{1 / math.exp(-TOO_SMALL):.0f}")]
    assert ((SCALED - TOO_SMALL * HIDDEN).softmax(-1)[:, HIDDEN] > 0).all()
    assert not WEIGHTS[:, HIDDEN].any()
    for large in (1e2, 1e9):
        gone = (SCALED - large - SCALED.amax(-1, keepdim=True))[:, SEES].exp() == 0
        found = (SCALED - large * HIDDEN).softmax(-1)[:, SEES] == 0
        assert (found == (gone & HIDDEN[SEES])).all()
        assert gone.any() == (large == 1e9)


@proves("""
    A score is a sum of d_k products, those of one head, and not of d_model products. Divided by
    √d_model, scores are too close to 0 and weights too even | The scores are transposed: entry i, j
    says how well the query of token j matches the key of token i | Each score adds up d_k products
    of one head, not d_model products. Divided by √d_model, the scores are too close to 0 and the
    weights too even | The divisor is the root of {name}.shape[-1], which is {width} here | That is
    the score divided by the number of features of a key. Divide it by the root of that number |
    Divide by the root of the number of features of a key, so that scores come closer to 0
""")
def test_a_score_is_of_one_head_and_of_query_with_key() -> None:
    for h, i, j in np.ndindex(H, T, T):
        products = Q[h, i] * K[h, j]
        assert len(products) == D_K < X.shape[1]
        close(SCORES[h, i, j], products.sum())
        close((K @ Q.mT)[h, i, j], Q[h, j] @ K[h, i])
    causal = torch.ones(T, T).tril().bool()
    close(attention(Q, K, V), (SCORES / K.shape[-1] ** 0.5).softmax(-1) @ V)
    trace = attention_program(heads=2).run(toy_inputs("a b c", heads=2, d_model=6))
    for slip in of_scaling(trace, trace.steps["scaled"]):
        assert f"root of K.shape[-1], which is {trace['K'].shape[-1]} here" in slip.why
    wrong = SCORES / math.sqrt(X.shape[1])
    assert (wrong.abs() < SCALED.abs()).all()
    for right, even in zip(*(s[:, causal[-1]].softmax(-1) for s in (SCALED, wrong)), strict=True):
        assert (even.amax(-1) < right.amax(-1)).all()
    assert (SCALED.abs() < (SCORES * math.sqrt(D_K)).abs()).all()


@proves("""
    Memory holds one token after another. If you cut it directly into heads, the first head gets all
    features of the first tokens, and the last head all features of the last tokens | Memory holds
    one token after another. If you cut it directly into heads, the first head gets all features of
    the first tokens, and the last head gets those of the last tokens | Memory holds one head after
    another. If you cut it directly into rows, a row holds several tokens of one head. Swap the
    first two axes first | Each row joins that row of every head: all features of head 1 first, then
    those of head 2 | Each row joins that row of every head, one after another | Head 1 takes the
    first features of each row, head 2 the next ones
""")
def test_memory_holds_one_token_after_another() -> None:
    rows = torch.arange(T * H * D_K).view(T, H * D_K)
    assert rows.view(-1)[: H * D_K].equal(rows[0])
    wrong, per_head = rows.view(H, T, D_K), rows.numel() // H
    assert wrong[0].flatten().equal(rows.flatten()[:per_head])
    assert wrong[-1].flatten().equal(rows.flatten()[-per_head:])
    assert {*rows[0].tolist()} <= {*wrong[0].flatten().tolist()}
    heads = rows.view(T, H, D_K).transpose(0, 1)
    assert heads[0].equal(rows[:, :D_K])
    assert heads[1].equal(rows[:, D_K : 2 * D_K])
    memory = heads.contiguous()
    assert memory.flatten()[:per_head].equal(memory[0].flatten())
    assert memory.view(T, -1)[0].equal(memory[0, :H].flatten())
    for i, row in enumerate(memory.transpose(0, 1).reshape(T, -1)):
        assert row.equal(torch.cat([head[i] for head in heads]))
    assert torch.cat([*heads])[:T].equal(heads[0])


@proves("""
    masked = scaled[:] makes no copy, so masking it overwrites the scores before the mask. The
    output is right, but the scores that should be unmasked are not | masked = scaled[:] makes
    no copy: masking it overwrites the scores that you wanted to keep. The output is right, but
    the array that should be unmasked is masked too | Neighbouring heads read the same head of
    {name}. Repeat each head {times} times in place (np.repeat), not all of them one after
    another (np.tile)
""")
def test_a_view_is_no_copy_and_heads_are_repeated_in_place() -> None:
    scaled = SCALED.numpy().copy()
    masked = scaled[:]
    masked[:, HIDDEN.numpy()] = -np.inf
    np.testing.assert_array_equal(scaled, MASKED.numpy())
    close(torch.tensor(masked).softmax(-1)[:, SEES], WEIGHTS[:, SEES])
    more = torch.cat([Q, Q + 1])
    times = len(more) // len(K)
    made = attention(more[None], K[None], V[None], enable_gqa=True)[0]
    keys, values = (torch.tensor(np.repeat(a.numpy(), times, axis=0)) for a in (K, V))
    close(made, attention(more, keys, values))
    run = attention_program(heads=4, kv_heads=2).run(toy_inputs("a b", heads=4, kv_heads=2))
    (slip,) = (s for s in of_product(run, run.steps["scores"]) if "np.tile" in s.why)
    assert "the same head of K. Repeat each head 2 times" in slip.why
    assert not np.allclose(made, attention(more, K.repeat(times, 1, 1), V.repeat(times, 1, 1)))


proves("""
    e to a large negative score underflows to 0, so every row with a visible key is right. The first
    row has no visible key: it becomes equal weights on hidden keys. With −∞ such a row is 0/0, so
    it needs a case of its own: zeros | a large negative number replaces −∞ | If some key is
    visible, the weights are right: e to such a score underflows to 0. But a row without any visible
    key, as for a padded first token, gives equal weights to hidden keys. With −∞ such a row is 0/0
    and needs its own case: zeros | Each column is divided by its sum, instead of each row. So a
    later query changes what an earlier query reads: the result is not causal | With softmax over
    the queries, the scores of a later token change the rows before it. So the weights are not
    causal, although the future is masked | Nothing changed | Each column is divided by its total,
    instead of each row. So a later query changes what an earlier one reads: attention is no longer
    causal
""")(test_checks.test_each_check_finds_what_it_says)
proves("""
    Every score of the first row is −∞, and so is the largest. But −∞ − (−∞) is not a number. NaN
    then fills the row's weights, context and output: any sum with NaN is NaN, and 0 × NaN is too. A
    row without a visible key needs a case of its own: zeros | Softmax as it is written gives NaN
    for a row without a visible key. Such a row needs a case of its own | softmax has no case for an
    empty row | If every score of a row is −∞, as for a padded first token, the largest score is −∞
    too. And −∞ − (−∞) is not a number (NaN). NaN then fills the row's weights, its context and its
    output: any sum with NaN in it is NaN, and 0 × NaN is too. An empty row needs its own case:
    zeros
""")(test_lab.test_nan_fills_the_row_its_context_and_its_output_and_nothing_else)
proves("""
    a row without a key reads nothing | F.scaled_dot_product_attention gives zeros too (from 2.5
    on), but torch.softmax gives NaN
""")(test_questions.test_an_empty_row_is_nan_as_written_and_zeros_for_pytorch)
proves("""
    It should run along the last axis, the keys: axis=-1, so that each row adds up to 1 | Each row
    needs its own total: axis=-1, with keepdims=True | Without keepdims=True, column j is divided by
    the total of row j | That is e to the score. Divide it by the total of its row | Each row has
    its own total, because the weights of each query add up to 1
""")(test_slips.test_a_usual_slip_is_named)
proves("""
    That is the number before this step | Each score is divided by the sum of the scores. Raise e to
    each score first | The largest score is subtracted, and e is raised to the rest. Divide that by
    the total of its row | That is the plain sum of the values. Multiply each value by its weight
    first | That is the plain mean of the values. Multiply each value by its own weight first | Each
    value is multiplied by e to its score. Divide that by the total of its row first
""")(test_by_hand.test_a_slip_is_named)
