"""What attention costs: growth counted on runs, shares of the work, a batch padded and packed."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from core import Inputs, toy_inputs
from core.attention import configurations, inputs, masks
from core.chapters.cost import batch, growth
from core.limits import MAX_TOKENS
from tests.core.support import toy_run
from tests.quotes import proves

TEXTS = ("The cat sat on the mat", "cat", "red green", " ".join("abcdefghijklmnop"))
every_text = pytest.mark.parametrize("text", TEXTS)


@pytest.mark.parametrize("T", [1, 6, growth.LENGTHS[0], growth.LENGTHS[-1]])
def test_twice_the_tokens_are_four_times_the_score_work(T: int) -> None:
    """B1; and every quantity is multiplied by two to the power of its degree."""
    for quantity in (*growth.WORK, *growth.HELD):
        assert quantity.times(T) == 2**quantity.degree
        once, twice = growth.quantity_counts(quantity, (T, 2 * T))
        assert Fraction(twice, once) == quantity.times(T)
    assert growth.WORK[0].times(T) == growth.HELD[0].times(T) == 4
    assert growth.bytes_of(growth.HELD[0], T) == np.float64().nbytes * growth.HELD[0].count(T)


def test_a_written_token_meets_every_key_so_far() -> None:
    """Summed over a text: projections of each row once, and a triangle of pairs."""
    T = 9
    pairs = sum(1 for i in range(T) for j in range(i + 1))
    works = [growth.cached_token_work(t) for t in range(1, T + 1)]
    assert sum(works) == T * 4 * 8 * 8 + 2 * 2 * 4 * pairs
    assert {*np.diff(works)} == {16}


@proves("""
    Here all layers are counted in full | All layers take {flops} billion FLOPs a token: a
    multiplication and an addition are two
""")
@pytest.mark.parametrize("name", growth.NAMES)
@pytest.mark.parametrize("T", [128, 2048, 65536])
def test_shares_are_those_of_loops_over_matrices(name: str, T: int) -> None:
    m = growth.model_named(name)
    maps = [(m.d_model, m.heads * m.d_head)] * 2 + [(m.d_model, m.kv_heads * m.d_head)] * 2
    projections = sum(T * a * b for a, b in maps)
    feeding = sum(T * m.d_model * m.d_ff for _ in range(m.matrices))
    quadratic = sum(T * T * m.d_head for _ in range(m.heads) for _ in "sc")
    total = projections + feeding + quadratic
    found = growth.work_shares(m, T)
    three = (found.projections, found.feeding, found.quadratic)
    np.testing.assert_allclose(three, [p / total for p in (projections, feeding, quadratic)])
    assert found.attention == pytest.approx((projections + quadratic) / total)
    assert growth.per_token(m, T) == Fraction(2 * m.layers * total, T * 10**9)
    assert growth.is_plain(m) == (name in ("GPT-2", "GPT-3"))
    assert [column[0] for column in growth.shares_over(m, (T, 2 * T))] == list(three)


@proves("Both layouts keep the same rows, up to {apart} (rounding)")
@every_text
def test_pytorch_computes_the_same_with_a_real_batch_and_with_one_row(text: str) -> None:
    """An axis of texts, and a mask of its own for each; or one row, and a mask of blocks."""
    texts = batch.batch_texts(text)
    lengths = [len(words) for words in texts]
    weights = toy_inputs("a")
    maps = {name: torch.tensor(np.array(weights[name])) for name in ("W_Q", "W_K", "W_V", "W_O")}

    def layer(X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        Q, K, V = (X[:, None] @ maps[name] for name in ("W_Q", "W_K", "W_V"))
        read = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask[:, None])
        return read.transpose(1, 2).flatten(2) @ maps["W_O"]

    longest = max(lengths)
    filled = [[*words, *[batch.PAD] * (longest - len(words))] for words in texts]
    X = torch.tensor(np.array([[inputs.embedding(word, 8) for word in words] for words in filled]))
    real = torch.arange(longest) < torch.tensor(lengths)[:, None]
    batched = layer(X, torch.ones(longest, longest, dtype=torch.bool).tril() & real[:, None])
    rows = torch.tensor(np.array([[inputs.embedding(w, 8) for words in texts for w in words]]))
    blocks = torch.block_diag(*[torch.ones(n, n).tril() for n in lengths]).bool()
    in_a_row = layer(rows, blocks[None])[0].split(lengths)
    family = batch.batch_family(text)
    for n, length in enumerate(lengths):
        ours = {
            layout: family.run(**{batch.LAYOUT.key: layout, batch.TEXT.key: str(n + 1)})["kept"]
            for layout in batch.LAYOUT.options
        }
        np.testing.assert_allclose(ours[batch.PADDED], batched[n, :length], rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours[batch.PACKED], in_a_row[n], rtol=0, atol=1e-12)
    assert batch.batch(text).apart < 1e-12


@proves("""
    The causal mask hides padding at the end from the text. Padding in front has to be masked as
    well
""")
def test_what_stands_in_padding_and_whether_the_mask_names_it_does_not_matter() -> None:
    """It stands at the end, where causal hides it; in front, causal alone would not."""
    built = batch.batch_family("The cat sat on the mat").built(cost_which="3")
    given = {name: np.array(built.inputs[name]) for name in built.inputs}
    kept = built.run()["kept"]
    given["X"][2:] = 7.7
    changed = built.program.run(Inputs(given, ("",) * 6))
    np.testing.assert_array_equal(changed["kept"], kept)
    assert np.abs(changed["output"][2:] - built.run()["output"][2:]).max() > 0.2
    program = batch.batch_program(batch.Padded(batch.PADDED, real=6), 0, 2)
    unnamed = program.run(Inputs(given, ("",) * 6))
    np.testing.assert_allclose(unnamed["kept"], kept, rtol=0, atol=1e-12)
    front = toy_run("PAD PAD Good morning")["output"][2:]
    assert np.abs(front - kept).max() > 0.05


@proves("""
    In one square, scores between two texts are computed, then hidden by the mask. A kernel that
    knows where each text begins leaves them out
""")
@every_text
def test_counts_are_those_of_loops_over_pairs(text: str) -> None:
    lengths = [len(text.split()), *(len(other.split()) for other in batch.OTHERS)]
    made, longest, total = batch.batch(text), max(lengths), sum(lengths)
    assert made.lengths == tuple(lengths)
    used = 2 * sum(1 for n in lengths for i in range(n) for j in range(n) if j <= i)
    within = 2 * sum(n * n for n in lengths)
    for counted, rows, scores in (
        (made.padded, 3 * longest, 2 * 3 * longest**2),
        (made.packed, total, 2 * total**2),
    ):
        assert (counted.rows, counted.padding) == (rows, rows - total)
        assert (counted.scores, counted.used, counted.within) == (scores, used, within)
    assert list(made.table.values()) == [
        (3 * longest, 3 * longest - total, 6 * longest**2, used, 6 * longest**2 - used),
        (total, 0, 2 * total**2, used, 2 * total**2 - used),
        (total, 0, within, used, within - used),
    ]


def test_no_sentence_makes_both_layouts_compute_the_same_number_of_scores() -> None:
    """So the page says whether packing computes more or fewer."""
    others = [len(other.split()) for other in batch.OTHERS]
    for n in range(1, MAX_TOKENS + 1):
        assert (n + sum(others)) ** 2 != 3 * max(n, *others) ** 2


@pytest.mark.parametrize("lengths", [(3,), (1, 3), (2, 1, 4)])
def test_a_packed_mask_is_triangles_on_the_diagonal(lengths: tuple[int, ...]) -> None:
    rule, total = batch.Packed(batch.PACKED, lengths=lengths), sum(lengths)
    blocks = torch.block_diag(*[torch.ones(n, n).tril() for n in lengths]).bool().numpy()
    np.testing.assert_array_equal(rule.mask(total, total), blocks)
    check_spelled(rule, total)


@pytest.mark.parametrize("real", [1, 2, 4])
def test_a_padded_mask_hides_the_keys_at_the_end_from_every_row(real: int) -> None:
    rule = batch.Padded(batch.PADDED, real=real)
    mask = rule.mask(4, 4)
    assert not mask[:, real:].any()
    np.testing.assert_array_equal(mask[:, :real], np.tri(4, 4, dtype=bool)[:, :real])
    assert mask.any(axis=1).all()  # a row of padding has something to read, too
    check_spelled(rule, 4)


def check_spelled(rule: batch.Padded | batch.Packed, size: int) -> None:
    """Its lines of numpy and of PyTorch make the same mask; reasons fit what they are given for."""
    mask = rule.mask(size, size)
    np.testing.assert_array_equal(eval(rule.code(size, size), {"np": np}), mask)
    np.testing.assert_array_equal(eval(rule.torch_code(size, size), {"torch": torch}), mask)
    for i, j in np.ndindex(mask.shape):
        said = rule.reason(i, j)
        hides = "padding" in said or "in text" in said or "in the future" in said
        assert hides == (not mask[i, j]), (i, j, said)


def test_why_a_key_of_another_text_is_hidden_names_both_texts() -> None:
    rule = batch.Packed(batch.PACKED, lengths=(2, 1, 3))
    assert rule.reason(4, 1) == "the query is in text 3, the key in text 1"
    assert rule.reason(0, 1) == masks.Rule("causal").reason(0, 1)
    assert batch.Padded(batch.PADDED, real=2).reason(1, 3) == "key 4 is padding"


@proves("Pairs and projections take equal work at $T = 2d$ = {even}. Hidden pairs are counted too")
def test_projections_and_pairs_are_even_at_twice_the_features() -> None:
    pairs, projections = growth.WORK
    assert pairs.count(growth.even_at()) == projections.count(growth.even_at())
    T, d = 2 * 8, 8
    assert growth.even_at() == T
    assert pairs.count(T) == sum(2 * d for query in range(T) for key in range(T))


def test_a_share_of_parameters_is_no_share_of_the_work() -> None:
    for model in configurations.CONFIGURATIONS:
        attention, feeding, embedded = growth.parameter_shares(model)
        assert attention + feeding + embedded == pytest.approx(1)
        assert growth.work_shares(model, model.context).attention > attention
        work = [growth.work_shares(model, T).attention for T in (model.context, 2 * model.context)]
        assert work[0] < work[1]
    assert growth.percent_text(1 / 3) == "33.3 %"
