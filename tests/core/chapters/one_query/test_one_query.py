"""Generation: rows of the matrix form, growing inputs, and how far the first token reaches."""

import re
from collections import deque

import numpy as np
import pytest
import torch

from core.attention.chosen_token import LAST_TOKEN, settled_choice, token_toggle
from core.chapters.one_query import cached, growing, one_row, through_time
from core.chapters.one_query.cached import corner_family
from core.chapters.one_query.one_row import ROW_TOKEN as ASKING
from tests.core.support import refuses
from tests.quotes import proves

TEXT = "The cat sat on the mat"


@proves("Without a cache, each step computes all rows so far and all their scores")
@pytest.mark.parametrize("token", ["1", "2", "3", "4", "5", LAST_TOKEN])
def test_each_step_is_the_row_of_the_whole_pass_with_a_cache_and_without(token: str) -> None:
    family = cached.writing_family(TEXT)
    t = 6 if token == LAST_TOKEN else int(token)
    for again in cached.CACHE.options:
        step = family.run(**{cached.TOKEN: token, cached.CACHE.key: again})
        assert len(step.tokens) == t
        assert step["K"].shape[1] == t
        assert len(step["X"]) == (t if again == cached.AGAIN else 1)
        assert step["scores"].shape[-2:] == (len(step["X"]), t)
        assert cached.difference(step, TEXT) <= 1e-12
    wrong = family.run(**{cached.TOKEN: token, cached.CACHE.key: cached.AGAIN})
    assert cached.difference(wrong, "A dog ran off to sea") > 0.01  # it can be seen to differ


@proves("""
    A single query of token $t$ reads the tokens up to $t$ | This is row $t$ of the matrix form | A
    single query needs no mask: later tokens do not exist yet. In training the whole text is known,
    so all queries are asked at once
""")
@pytest.mark.parametrize("token", ["1", "3", LAST_TOKEN])
def test_the_single_query_is_its_row_of_the_matrix_form(token: str) -> None:
    """C4: and by a plain formula for that one row."""
    trace = one_row.one_row_family(TEXT).run(**{ASKING: token})
    t = 5 if token == LAST_TOKEN else int(token) - 1
    np.testing.assert_allclose(trace["y_t"], trace["row_t"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(trace["difference"], 0, atol=1e-12)
    for h in range(2):
        q, K, V = trace["Q"][h, t], trace["K"][h, : t + 1], trace["V"][h, : t + 1]
        powers = np.exp(K @ q / np.sqrt(len(q)))
        np.testing.assert_allclose(trace["y_t"][h, 0], powers @ V / powers.sum(), atol=1e-12)
        np.testing.assert_array_equal(trace["row_t"][h, 0], trace["context"][h, t])


def test_work_grows_with_the_square_without_a_cache_and_hardly_with_one() -> None:
    made = cached.writing_work(64)
    assert made.with_cache[0] == made.without[0]
    assert made.without[63] - made.with_cache[63] == (
        cached.LAYER.projecting(63) + cached.LAYER.attending(64, 64) - cached.LAYER.attending(1, 64)
    )
    assert made.times == sum(made.without) / sum(made.with_cache) > cached.writing_work(6).times > 1
    growth = np.diff(made.with_cache)
    assert (growth == growth[0]).all()


def test_a_token_is_named_by_its_number_the_last_by_its_place() -> None:
    toggle = token_toggle("x", TEXT)
    assert list(toggle.options) == ["1", "2", "3", "4", "5", LAST_TOKEN]
    assert list(toggle.options.values())[-1] == "6 mat"
    assert settled_choice("6", TEXT) == LAST_TOKEN
    assert settled_choice("5", TEXT) == "5"
    toggle.check("6")
    for value in ("7", "0", "x", "²", "1.5", ""):
        refuses("choose 1 to 6", toggle.check, value)
    refuses(r"choose 1$", token_toggle("x", "a").check, "2")
    long = token_toggle("x", " ".join("abcdefghij"))
    assert list(long.options.values()) == [str(n) for n in range(1, 11)]


def test_a_map_of_fixed_size_takes_its_own_number_of_tokens_alone() -> None:
    for made_for in range(1, 5):
        for tokens in range(1, 5):
            assert bool(growing.refused(tokens, made_for)) == (tokens != made_for)
    assert [int(n) for n in re.findall(r"\d+", growing.refused(4, 3))] == [6, 8]


@proves("""
    always with the same matrices. A map of fixed size cannot do that. Here it is one matrix,
    applied to all tokens joined into one row
""")
@pytest.mark.parametrize("tokens", [1, 2, 3, 4])
def test_a_map_of_fixed_size_is_a_product_with_all_rows(tokens: int) -> None:
    trace = growing.fixed_family().run(query_fixed=str(tokens))
    X, W = trace["X"], trace["W_fixed"]
    assert W.size == growing.size_of_fixed(tokens, 2)
    np.testing.assert_allclose(trace["y"][0], np.concatenate(list(X)) @ W, atol=1e-12)
    assert growing.FIXED.run(growing.fixed_inputs(tokens, tokens))["y"].shape == (1, 2 * tokens)


@proves("So if a text grows, its beginning need not be computed again")
def test_rows_stay_as_the_sentence_grows() -> None:
    for row in range(6):
        changes = growing.row_changes(TEXT, row)
        assert len(changes) == 6 - row
        assert max(changes) <= 1e-12


@proves("""
    A recurrent net passes everything on in one state of fixed size. Here the state has one feature:
    each step multiplies it by a factor, which training would learn, and adds the new token. Token 1
    has the value 1, all others 0
""")
@pytest.mark.parametrize("factor", through_time.FACTORS)
@pytest.mark.parametrize("weight", through_time.WEIGHTS)
def test_a_recurrent_net_is_a_loop_and_attention_a_chosen_weight(factor: str, weight: str) -> None:
    """C2: .5^t against a weight that is the same at every distance."""
    reach = through_time.influence(float(factor), float(weight), 32)
    state, looped = 0.0, []
    for t in range(32):
        state = float(factor) * state + (t == 0)
        looped.append(state)
    np.testing.assert_allclose(reach.recurrent, looped, rtol=1e-12)
    np.testing.assert_allclose(reach.recurrent, float(factor) ** np.arange(32), rtol=1e-12)
    np.testing.assert_allclose(reach.attention, [1, *[float(weight)] * 31], atol=1e-12)
    trace = through_time.influence_family().run(query_factor=factor, query_weight=weight)
    np.testing.assert_allclose(trace["state"][0, :, 0], looped[:8], rtol=1e-12)
    np.testing.assert_allclose(trace["weights"][0].sum(axis=1), 1)
    others = trace["weights"][0, 7, 1:]
    np.testing.assert_allclose(others, others[0])


def steps_to_reach(n: int, reads: list[list[int]]) -> int:
    """Over the same layer again and again: how many layers until the last place sees the first."""
    seen, layers = {n - 1}, 0
    while 0 not in seen:
        seen |= {j for i in seen for j in reads[i]}
        layers += 1
    return layers


@proves("""
    Layers are stacked until the last token sees the first | A convolution needs more layers to
    reach further; a dilated one reads rows that are further apart in each next layer | The path
    counts products with weights: learning travels back along it
""")
@pytest.mark.parametrize("n", [2, 3, 9, 16, 64])
@pytest.mark.parametrize("kernel", [2, 3, 5])
def test_paths_are_those_of_a_search_over_what_reads_what(n: int, kernel: int) -> None:
    recurrent, plain, dilated, attention = through_time.layer_kinds(n, 8, kernel)
    assert recurrent.path == steps_to_reach(n, [[max(i - 1, 0)] for i in range(n)])
    back = [[j for j in range(i - kernel + 1, i + 1) if j >= 0] for i in range(n)]
    assert plain.layers == plain.path == steps_to_reach(n, back)
    assert attention.path == steps_to_reach(n, [list(range(i + 1)) for i in range(n)])
    frontier, layer = deque([n - 1]), 0
    while 0 not in frontier:
        step = kernel**layer
        frontier = deque({max(i - step * m, 0) for i in frontier for m in range(kernel)})
        layer += 1
    assert dilated.layers == dilated.path == layer


@proves("""
    Only the last tokens of “{sentence}” ask. With fewer queries than keys, the mask is not square,
    and its triangle can lie in two corners | this hides keys that should be read. Leave it out for
    a single query, and give attn_mask for several
""")
def test_the_corners_differ_where_queries_are_fewer() -> None:
    family = corner_family()
    for new in ("1", "2", "3"):
        left, right = (family.run(query_corner=c, query_new=new) for c in ("left", "right"))
        n = int(new)
        assert left["mask"].sum(axis=1).tolist() == list(range(1, n + 1))
        assert right["mask"].sum(axis=1).tolist() == list(range(7 - n, 7))
        assert right["mask"].shape == (n, 6)
        q, k, v = (torch.tensor(right[name]) for name in "QKV")
        attention, mask = torch.nn.functional.scaled_dot_product_attention, right["mask"]
        made = attention(q, k, v, attn_mask=None if n == 1 else torch.tensor(mask))
        np.testing.assert_allclose(made, right["context"], atol=1e-12)
        np.testing.assert_allclose(attention(q, k, v, is_causal=True), left["context"], atol=1e-12)


@proves("""
    Each row counts its whole stack | Layers, counted for $n$ tokens of $d$ features, causal and
    without biases |
    Attention pays for its short path with work that grows as $n^2$, and with a growing cache
""")
@pytest.mark.parametrize(("n", "d", "kernel"), [(7, 4, 3), (1, 2, 2), (16, 8, 5)])
def test_multiplications_are_those_of_loops(n: int, d: int, kernel: int) -> None:
    recurrent, plain, dilated, attention = through_time.layer_kinds(n, d, kernel)
    assert recurrent.multiplications == sum(2 * d * d for _ in range(n))
    for convolution in (plain, dilated):
        in_all = sum(kernel * d * d for _ in range(convolution.layers) for _ in range(n))
        assert convolution.multiplications == in_all
    pairs = sum(2 * d for _ in range(n) for _ in range(n))
    assert attention.multiplications == sum(4 * d * d for _ in range(n)) + pairs


def test_what_must_be_kept_to_write_on_is_what_the_next_token_reads() -> None:
    n, d, kernel = 9, 4, 3
    recurrent, plain, dilated, attention = through_time.layer_kinds(n, d, kernel)
    assert recurrent.kept == d
    assert plain.kept == plain.layers * (kernel - 1) * d
    assert dilated.kept == (2 * 1 + 2 * 3) * d  # two layers: rows up to 2 and up to 6 back
    assert attention.kept == 2 * n * d
