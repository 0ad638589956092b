"""What questions of the walkthrough, of masks and of scaling say of answers and of guesses."""

import math
import re

import numpy as np
import pytest
import torch

from tests.core.support import read
from tests.facts.asks import hold, near, number, numbers, told
from tests.quotes import proves


@proves("""
    No key comes after {token}, so the mask hides nothing from it. Its row is {numbers} with the
    mask and without | The last row is the same with the causal mask and without, whatever the
    numbers | {token} comes first and can see only itself: its weight on itself changes from
    {before} to {after} | {token} sees only itself. Softmax of a single number is {answer}, whatever
    the number is: training cannot change it | Under a causal mask, the first token's weight on
    itself is {answer}, whatever the scores | The keys after {token} are hidden, so their scores do
    not enter its softmax | Weights are equal only if scores are equal, and hidden keys get no
    weight | A weight is never negative, and never larger than the total of its row | Then keys
    after {token} would get the rest of the row, {rest}. Can {token} see them? | The mask hides
    {hidden} after {token}. Without the mask, {token} gives {taken} of its weight to
""")
def test_the_first_and_the_last_row_under_a_causal_mask() -> None:
    for id in ("unchanged_explanation", "loses_most_hint", "loses_some_hint"):
        for question, said in told("unchanged-row", id):
            (table,) = question.tables
            at = table.rows.index(said["token"])
            seen = [float(text) for text in table.cells[at]]
            later = seen[at + 1 :]
            if id == "unchanged_explanation":
                assert not later
                assert numbers(said["numbers"]) == seen
            elif id == "loses_most_hint":
                assert (at, numbers(said["before"]), number(said["after"])) == (0, seen[:1], 1)
            else:
                assert said["hidden"] == len(later) > 0
                assert number(said["taken"]) == pytest.approx(sum(later), abs=0.011)
    for id in ("first_explanation", "other_weight", "whole_row_hint"):
        for question, said in told("first-weight", id):
            assert said["token"] == question.tables[0].rows[0]
            assert question.answer == torch.tensor([3.0]).softmax(0) == 1
            assert number(said.get("answer", 1)) == 1
            assert near(said.get("rest", 0), 1 - said.get("guess", 1))
    scores = torch.tensor([1.0, 1, -math.inf, 2])
    weights = scores.softmax(0)
    assert weights[0] == weights[1] != weights[3]
    assert weights[2] == 0 <= weights.min() <= weights.max() <= weights.sum()


@proves(r"""
    Query $i$ sees $i$ keys: 1 for the first query, {T} for the last. Their sum is half of ${T}
    \cdot {T}$. That is {percent} % of all pairs | Then {hidden} pairs would be hidden. Count the
    keys that come after each query | It is a whole number of pairs, at most {most} | Of two
    different tokens, the earlier one does not see the later one | The diagonal is visible too:
    every token sees itself | That is the number of hidden pairs. Every token sees itself, too |
    Each of the {d_k} products $q_i \cdot k_i$ is {sign}. If $q$ and $k$ were independent, the
    standard deviation of their scaled score would be 1. This score is {deviations} standard
    deviations from 0. Scaling undoes the spread of independent vectors, but it leaves a real match
    far from 0 | Then $q \cdot k$ would be {needed}. It is a sum of {d_k} products $q_i \cdot k_i$:
    what is each of them? | That is $q \cdot k$ divided by $d_k$. Scaling divides by {root} only, so
    a scaled score can be larger than 1 | That is $q \cdot k$ without scaling: {dot}. Divide it by
    {root} | Independent $q$ and $k$ score 0 on average. This $k$ is not independent of $q$ | A
    query of one head has | entries, and the scores of the head are divided by | Then $d_k$ would be
    its square, {square}. The divisor is a root, so it is positive | Each head multiplies vectors of
    | entries. Only that number decides how wide its scores spread | The variance of $q \cdot k$
    grows like $d_k = {d_k}$. Its standard deviation grows like the root of $d_k$
""")
def test_how_many_pairs_are_visible_and_how_far_scores_spread() -> None:
    def hidden(T: float) -> float:
        return float(np.triu(np.ones((int(T), int(T))), 1).sum())

    hold(
        "cells-computed",
        visible_explanation=lambda a, s, n: (
            s["T"] == n[0]
            and a == n[0] * (n[0] + 1) / 2 == n[0] ** 2 - hidden(n[0])
            and abs(number(s["percent"]) - 100 * a / n[0] ** 2) <= 0.051
        ),
        visible_would_mean=lambda a, s, n: near(s["hidden"], n[0] ** 2 - s["guess"]),
        visible_not_whole=lambda a, s, n: near(s["most"], n[0] ** 2),
    )
    assert np.tri(3).diagonal().all()
    hold(
        "aligned-score",
        aligned_explanation=lambda a, s, n: (
            s["d_k"] == n[0]
            and a == number(s["sign"]) * math.sqrt(n[0])
            and s["deviations"] == abs(a)
        ),
        aligned_would_mean=lambda a, s, n: (
            s["d_k"] == n[0] and near(s["needed"], s["guess"] * math.sqrt(n[0]))
        ),
        cosine_hint=lambda a, s, n: f"{n[0]:g}" in s["root"] and abs(a) > 1,
        unscaled_hint=lambda a, s, n: (
            number(s["dot"]) == a * math.sqrt(n[0]) and f"{n[0]:g}" in s["root"]
        ),
    )
    hold(
        "divisor",
        root_of_model_hint=lambda a, s, n: s["d_k"] == n[0] / n[1] == a**2,
        no_root_hint=lambda a, s, n: s["d_k"] == n[0] / n[1],
        divisor_would_mean=lambda a, s, n: (
            s["positive"] == (s["guess"] > 0)
            and (not s["positive"] or near(s["square"], s["guess"] ** 2))
        ),
    )
    draw = np.random.default_rng(0)
    for d in (16, 64):
        q, k = draw.choice([-1, 1], size=(2, 20_000, d))
        dots = (q * k).sum(1)
        assert abs(dots.mean()) < 0.2
        assert np.std(dots) == pytest.approx(math.sqrt(d), rel=0.03)


@proves("""
    First the dot product {dot}, then its division by {root} | For {given} to come out, {dot} would
    have to be {product}, because {root}. Compare that with your sum of products | {dot} is {score}.
    Divide it by {root_of} | Divide by the root, {root_of}: the spread of {dot} grows like {root} |
    {dot} is {score}. Divide it by {root_of}: scaling makes large scores smaller | Minus times minus
    is plus, minus times plus is minus: entries of opposite signs lower a score | A dot product
    multiplies all {d_k} pairs of entries and adds them up | Multiply each entry of $q$ with the
    entry of $k$ below it, then add up the products | Softmax makes that from the number first. The
    question asks which number goes into softmax
""")
def test_a_score_is_a_dot_product_over_the_root() -> None:
    for id in (
        "explanation",
        "would_mean",
        "no_root_why",
        "whole_d_k_why",
        "multiplied_why",
        "no_signs_why",
        "first_pair_why",
    ):
        for question, said in told("score", id):
            q, k = np.array([[float(text) for text in row] for row in question.tables[0].cells])
            root = math.sqrt(len(q))
            assert question.answer == pytest.approx(q @ k / root)
            assert said.get("dot", r"$q \cdot k$") == r"$q \cdot k$"
            assert near(said.get("score", q @ k), q @ k)
            assert near(said.get("root_of", root), root)
            assert said.get("d_k", len(q)) == len(q)
            if id == "would_mean":
                assert near(said["given"], said["guess"])
                assert near(said["product"], said["guess"] * root)
                assert near(said["root"], root)
            if id == "no_signs_why":
                assert q @ k != np.abs(q) @ np.abs(k)
    assert (-2) * (-3) > 0 > (-2) * 3


@proves(r"""
    Queries and keys each have a projection of their own | $W_V$ makes the values. The question is
    about queries and keys | There are ${n}^2$ scores. The two projections have the same size for
    any $n$ | That is the number of entries in $Q$ and $K$, with {n} rows each. The parameters are
    in $W_Q$ and $W_K$ | Multiply the query of {other} with the key of {one}, entry by entry, and
    add up | There are two projections, each with | rows and $d_k$ columns, for any number of tokens
    | The query of {one} times the key of {other} is {there}; the query of {other} times the key of
    {one} is {back}. Each token's query equals its key here, so both directions multiply the same
    two rows. The two directions multiply different rows. So $QK^\top$ need not be symmetric, while
    $XX^\top$ always is
""")
def test_both_directions_of_a_pair_and_what_two_projections_hold() -> None:
    for question, said in told("symmetric", "symmetric_explanation"):
        (table,) = question.tables
        rows = {
            row: [float(text) for text in line]
            for row, line in zip(table.rows, table.cells, strict=True)
        }
        one, other = rows[said["one"]], rows[said["other"]]
        assert number(said["there"]) == np.dot(one[:2], other[2:])
        assert number(said["back"]) == np.dot(other[:2], one[2:])
        assert said["alike"] == (one[:2] == one[2:] and other[:2] == other[2:])
    hold(
        "parameters",
        the_scores_words=lambda a, s, n: s["n"] == n[0],
        rows_counted_words=lambda a, s, n: s["n"] == n[0],
        parameters_explanation=lambda a, s, n: (
            number(s["scores"]) == n[0] ** 2 and a == 2 * n[1] * n[2]
        ),
        parameters_would_mean=lambda a, s, n: near(s["half"], s["guess"] / 2),
    )


@proves("""
    Look at the words before {bank}: it reads them too | No word comes before {bank} here | {bank}
    does not read the words after it | you looked for a word before {bank} | you let {bank} read
    what comes after it | What each value adds is its weight times the value: {first} and {second}.
    A large weight on a small value adds little | That value adds {part}. Work out what the other
    value adds | {bank} reads itself and {earlier}. Its new row is a weighted average of their rows.
    {bank} reads only itself, because no word comes before it. So all weight is on its own row
""")
def test_what_a_word_reads_and_what_a_value_adds() -> None:
    for question, said in told("does-bank-change", "bank_explanation"):
        words = re.findall(r"“(.+?)”", read(question.prompt))[0].split()
        earlier = words[: words.index(said["bank"])]
        assert re.findall(r"\w+", str(said["earlier"])) in (
            earlier,
            [*earlier[:-1], "and", *earlier[-1:]],
        )
    for id in ("adds_explanation", "one_product"):
        for question, said in told("main-contributor", id):
            first, one, second, other = numbers(read(question.prompt))
            adds = [first * one, second * other]
            if id == "one_product":
                assert any(near(said["part"], value) for value in adds)
            else:
                assert near(said["first"], adds[0])
                assert near(said["second"], adds[1])
