"""What questions of masks, scores and softmax say of answers: recomputed from what is printed."""

import math
import re

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as attention

from core.questions.engine import Question
from tests.core.questions.test_hints import check_opposite
from tests.core.support import read
from tests.facts.asks import number, numbers, told
from tests.quotes import proves

close = np.testing.assert_allclose


def logs(question: Question) -> list[float]:
    """n of each score ln n of the prompt: e to it."""
    return [float(n) for n in re.findall(r"\\ln (\d+)", question.prompt)]


def table(question: Question, at: int = 0) -> torch.Tensor:
    rows = [
        [cell.strip("$").replace(r"-\infty", "-inf") for cell in row]
        for row in question.tables[at].cells
    ]
    return torch.tensor([[float(cell) for cell in row] for row in rows], dtype=torch.float64)


@proves("""
    $e$ to the scores is {powers}; divide by their sum, {total} | Softmax divides each
    exponential by the sum of all, {total}. Then the visible exponentials would add up to
    {visible} | $e$ to the scores is {powers}. Softmax divides each by the sum of all. The keys
    that are hidden afterwards take their weight with them
""")
def test_a_mask_after_softmax_divides_by_the_sum_of_all() -> None:
    for id in ("late_undivided_why", "late_means", "late_answer"):
        for question, said in told("mask-after-softmax", id):
            powers = logs(question)
            assert numbers(said.get("powers", powers)) == powers
            assert said.get("total", sum(powers)) == sum(powers)
            if "visible" in said:
                close(number(said["visible"]), said["guess"] * sum(powers), atol=0.006)


@proves("""
    The first of {tokens} tokens has the score {own} with itself; the {hidden} after it are
    hidden by setting their scores to 0. How much of the row's weight leaks to them in total?
    Two decimals are enough | The row of scores is {own} and {hidden} times 0. What is $e$ to
    each of them? | you took one hidden key | There are {hidden} of them, each with this weight
    | It is a part of the row's weight, between $0$ and $1$ | Then each hidden key would get
    {each}, and the token itself {stays}. The second number divided by the first must be
    {ratio}: is it?
""")
def test_zeros_in_place_of_infinity_leak() -> None:
    for id in ("fill", "fill_one_why", "fill_means"):
        for question, said in told("zero-fill", id):
            T, own, *_ = map(int, numbers(read(question.prompt)))
            weights = torch.tensor([own, *[0] * (T - 1)]).double().softmax(0)
            close(float(str(question.answer)), weights[1:].sum())
            assert 0 < weights[1:].sum() < 1
            assert said.get("tokens", T) == T
            assert said.get("own", own) == own
            assert said.get("hidden", T - 1) == T - 1
            if id == "fill_means":
                assert said["ratio"] == f"$e^{{{own}}}$"
                close(weights[0] / weights[1], math.exp(own))
                close(number(said["each"]), said["guess"] / (T - 1), atol=0.006)
                close(number(said["stays"]), 1 - said["guess"], atol=0.006)


@proves("""
    These are the scores, with the future masked. Another program takes softmax of all scores
    and then sets the weights of future keys to 0. Then it divides each row by its sum. How do
    its weights compare with those of masking before softmax? | By what is the row divided in
    the end: which of the two sums is still in it? | In row 2 the visible scores are {one} and
    {other}. Either way the two weights have the ratio of $e$ to these scores, and add up to 1 |
    Each row adds up to 1 either way, so its weights cannot all be larger | Softmax's own sum
    cancels when the row is divided again. It fails only if all visible exponentials underflow |
    You may mask after softmax and divide each row by its sum. The weights are those of masking
    first, unless all visible exponentials underflow | Scores, the future masked | Masked before
    softmax | Masked after it, rows divided by their sums
""")
def test_dividing_again_gives_the_weights_of_masking_first() -> None:
    for question, said in told("renormalise", "not_different"):
        masked = table(question)
        seen = masked > -math.inf
        assert seen.equal(torch.ones(3, 3).tril().bool())
        late = masked.masked_fill(~seen, 1.5).softmax(-1) * seen
        late /= late.sum(-1, keepdim=True)
        first, again = (evidence.trace["weights"][0] for evidence in question.evidence)
        for weights in (first, again, late):
            close(weights, masked.softmax(-1))
        close(late.sum(-1), 1)
        one, other = number(said["one"]), number(said["other"])
        assert [one, other] == masked[1, :2].tolist()
        close(late[1, 0] / late[1, 1], math.exp(one - other))
    lost = torch.tensor([-1e3, 0]).double().softmax(0)[0]
    assert lost / lost != 1


@proves("""
    The future is masked, but softmax runs down the columns, over the queries. Is row 1 still
    independent of everything after token 1? | By which sum is the weight of query 1 on key 1
    divided, and whose scores are in it? | Column 1 is divided by its sum, and {power} of query
    3 is a part of that sum | Weights, query 3 scoring key 1 with {score} | The score of query 3
    with key 1 changes from {old} to {new}. Then the weight of query 1 on key 1 changes from
    {before} to {after}
""")
def test_over_columns_a_later_score_is_in_the_sum() -> None:
    for question, said in told("wrong-axis", "not_still"):
        masked = table(question)
        assert said["power"] == f"$e^{{{masked[2, 0]:g}}}$"
        close(masked.softmax(0)[0, 0], masked[0, 0].exp() / masked[:, 0].exp().sum())
    pairs = ("old", "new"), ("before", "after")
    for question, said in told("wrong-axis", "columns_answer"):
        for seen, score, weight in zip(question.evidence, *pairs, strict=True):
            masked = torch.tensor(seen.trace["masked"][0])
            assert masked[2, 0] == number(said[score])
            close(number(said[weight]), masked.softmax(0)[0, 0], atol=0.006)


@proves(r"""
    A row has two visible keys with the scores $0$ and {score}. What is the weight of the second
    in float64? | Compare $e$ to the score with the smallest float64 above 0, about {smallest}.
    ($e^{-2.3} \approx 0.1$.) | float64 holds numbers down to about {smallest}, and {power} is
    larger | {power} is smaller than any float64 above 0: it underflows | No power of $e$ is
    below 0, for any score | In exact arithmetic only $-\infty$ gives 0. In float64, exp
    underflows below about {limit}: a large additive mask relies on that
""")
def test_how_small_a_weight_can_be() -> None:
    smallest = math.ulp(0)
    for id in ("not_0", "not_above"):
        for question, said in told("underflow", id):
            score = number(said["power"].strip("$}"))
            assert score == numbers(read(question.prompt))[1]
            assert (math.exp(score) >= smallest) == (id == "not_0")
            if id == "not_0":
                assert number(said["smallest"]) == smallest
    assert smallest == pytest.approx(5e-324)
    for _, said in told("underflow", "underflow_answer"):
        limit = number(said["limit"])
        assert math.exp(limit) > 0 == math.exp(limit - 1)
    assert math.exp(-math.inf) == 0


@proves(r"""
    Token {padded} of {keys} is padding and may see none of the {keys} keys: every score of its
    row is $-\infty$. What does the formula {formula}, as written, give for the row? | Begin
    with $s - \max s$, when both are $-\infty$ | Equal finite scores would get equal weights.
    But the scores here are not finite, and $-\infty - (-\infty)$ is no finite number | $-\infty
    - (-\infty)$ is not a number, and no result computed from it is a number | Weights as
    written, row {row} without a key | As written: {written}. This site gives such a row {ours}
""")
def test_a_row_of_minus_infinities_as_written() -> None:
    for question, said in told("empty-row", "no_key_answer"):
        padded, keys, *_ = map(int, numbers(read(question.prompt)))
        row = torch.full((keys,), -math.inf).double()
        assert (row.softmax(0).isnan()).all()
        assert said["written"].count("NaN") == keys
        assert numbers(said["ours"]) == [0] * keys
        (evidence,) = question.evidence
        assert f"row {padded} without a key" in evidence.title
        close(evidence.trace["masked"][0][padded - 1], row)
    assert math.isnan(-math.inf + math.inf)
    close(torch.full((4,), 3.0).softmax(0), 0.25)


@proves("""
    yes, it sees that key | You pass {function} a boolean attn_mask for {tokens} tokens. It is
    True at query {query}, key {key} and False elsewhere. Does query {query} then see key {key}?
    | {keeps} and {blocks} read a boolean mask in opposite ways. Which of them keeps a key at
    True? | In {blocks} True means: do not attend | In {keeps} True means: takes part | In
    {function} True means: takes part | do not attend. In {other} it means the opposite. If both
    get the same mask, one of the models is trained on what it should not see
""")
def test_who_keeps_a_key_at_true() -> None:
    check_opposite()
    keeps, blocks = "F.scaled_dot_product_attention", "nn.MultiheadAttention"
    for id, name, is_it in (("not_sees", "blocks", blocks), ("not_blocked", "keeps", keeps)):
        assert {str(said[name]).strip("`") for _, said in told("boolean-mask", id)} == {is_it}
    for _, said in told("boolean-mask", "boolean_answer"):
        one, other = (str(said[name]).strip("`") for name in ("function", "other"))
        assert {one, other} == {keeps, blocks}
        assert said["kept"] == (one == keeps)


@proves(r"""
    only key {key} | all {keys} keys | While generating, one new query meets {keys} cached keys;
    its own key is the last. You pass is_causal=True to {function}. Which keys does the query
    see? | is_causal builds $j \le i$, with $i$ counted from the first query given. Which $i$
    does the new query have? | Key {keys} is the last, and $j \le i$ fails for it: the query
    here has $i = 1$ | That is what was meant. But rows are counted from the first query given.
    The query here has $i = 1$, and key {keys} would need $j \le 1$ | The mask is aligned at the
    upper left corner: the new query is row 1 of 1, so it sees {answer}. With one new query and
    a cache, no mask is needed at all | is_causal=True is aligned at the upper left corner: a
    single query sees {first} | What the new query sees with is_causal=True: 1 is visible | That
    is what was meant. But positions are counted from the first given query and the first key,
    as if both were the first token | That is what the first query sees. Each next query sees
    one more key | The mask knows only two numbers: how many queries and how many keys there
    are. It does not know which keys were kept | Each query sees one key more than the query
    before it, so the first would see {first} keys. How many keys does the first row of the
    triangle have? | The triangle begins in the upper left corner. So the last query sees {seen}
    of {keys} keys, and the others are hidden from it. A mask whose triangle ends in the lower
    right corner must be given as attn_mask
""")
def test_which_keys_is_causal_lets_new_queries_see() -> None:
    for id in ("not_last", "not_all", "cached_answer"):
        for question, said in told("cached-keys", id):
            keys = int(numbers(read(question.prompt))[0])
            made = attention(
                torch.zeros(1, 1, 4), torch.zeros(1, keys, 4), torch.eye(keys)[None], is_causal=True
            )
            assert (made[0, 0] > 0).nonzero().flatten().tolist() == [0]
            assert said.get("keys", keys) == keys
            assert said.get("answer", "only key 1") == question.answer == "only key 1"
            assert [cell == "1" for cell in question.after[0].cells[0]] == (made[0, 0] > 0).tolist()
    for id in ("corner_explanation", "corner_would_mean"):
        for question, said in told("which-corner", id):
            new, keys, kept = map(int, numbers(read(question.prompt)))
            made = attention(
                torch.zeros(1, new, 4),
                torch.zeros(1, keys, 4),
                torch.eye(keys)[None],
                is_causal=True,
            )
            counts = (made[0] > 0).sum(-1).tolist()
            assert (counts[0], counts[-1], keys - new) == (1, question.answer, kept)
            assert np.diff(counts).tolist() == [1] * (new - 1)
            if id == "corner_would_mean":
                close(number(said["first"]), said["guess"] - (new - 1), atol=0.006)
            else:
                assert (said["seen"], said["keys"]) == (counts[-1], keys)


@proves(r"""
    Entries of opposite sign have a negative product, which makes the cosine smaller | No cosine
    is that far from 0: $q \cdot k$ is never further from 0 than the product of the two lengths
    | Then $q \cdot k$ would be {product}, the cosine times both lengths. Compare that with your
    dot product | Multiply the lengths: {length_q} times {length_k} | That is the shadow of $q$
    on $k$. Divide by the length of $q$, {length}, too | That is the shadow of $k$ on $q$.
    Divide by the length of $k$, {length}, too | The dot product still counts the lengths.
    Divide it by both lengths | That is $\theta$ in degrees. Its cosine is the dot product
    divided by both lengths
""")
def test_a_cosine_is_a_dot_product_over_both_lengths() -> None:
    for id in ("would_be", "sum_of_lengths_hint", "only_k_hint", "only_q_hint", "lost_minus_hint"):
        for question, said in told("cosine", id):
            q, k = table(question)
            close(float(str(question.answer)), q @ k / (q.norm() * k.norm()), atol=1e-9)
            assert abs(q @ k) <= q.norm() * k.norm()
            lengths = {"length_q": q, "length_k": k, "length": q if id == "only_k_hint" else k}
            for name, vector in lengths.items():
                if name in said:
                    close(number(said[name]), vector.norm(), atol=0.006)
            if id == "would_be":
                close(number(said["product"]), said["guess"] * q.norm() * k.norm(), atol=0.006)
            if id == "lost_minus_hint":
                assert (q * k < 0).any()
                assert q @ k < q.abs() @ k.abs()


@proves(r"""
    The dot product counts length too: {arrow} points most nearly along $q$, but another arrow
    is longer | A cosine ignores length: {arrow} has the largest dot product, but another arrow
    points more nearly along $q$ | {arrow}: {dot} and {cosine} | Work out $q \cdot k$ for each
    arrow $k$. Work out $q \cdot k$ for each arrow $k$ and divide it by the length of $k$. The
    length of $q$ is the same for all | Length is not enough: {arrow} is the longest, but its |
    with $q$ is {score}, and another arrow has a larger one | A larger score gets a larger
    weight: {right} gets {first} of the total weight, the next one {second} | {other} would get
    the most | The score of each arrow is its dot product with $q$ | The score of each arrow is
    the cosine of its angle with $q$
""")
def test_the_favourite_arrow_by_dot_product_and_by_cosine() -> None:
    for id in (
        "only_direction_hint",
        "counted_length_hint",
        "picked_longest_hint",
        "best_explanation",
        "both_scores",
    ):
        for question, said in told("favourite-key", id):
            q, *keys = table(question)
            names = [str(option) for option in question.kind.options]  # type: ignore[union-attr]
            dots = {name: float(q @ k) for name, k in zip(names, keys, strict=True)}
            lengths = {name: float(k.norm()) for name, k in zip(names, keys, strict=True)}
            cosines = {name: dots[name] / lengths[name] / float(q.norm()) for name in names}
            own = dots if "dot product" in question.prompt else cosines
            other = cosines if own is dots else dots
            if id == "best_explanation":
                weights = (
                    torch.tensor(list(own.values())).double().softmax(0).sort(descending=True)[0]
                )
                close([number(said["first"]), number(said["second"])], weights[:2], atol=0.006)
                assert said["right"] == question.answer == max(own, key=lambda name: own[name])
                assert said["other"] == max(other, key=lambda name: other[name])
                continue
            arrow = str(said["arrow"])
            if id == "both_scores":
                close(
                    [number(said["dot"]), number(said["cosine"])],
                    [dots[arrow], cosines[arrow]],
                    atol=0.006,
                )
            elif id == "picked_longest_hint":
                assert lengths[arrow] == max(lengths.values())
                close(number(said["score"]), own[arrow], atol=0.006)
                assert max(own.values()) > own[arrow]
            else:
                assert other[arrow] == max(other.values())
                assert (lengths[arrow] < max(lengths.values())) or own is cosines
