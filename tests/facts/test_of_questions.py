"""What questions of the walkthrough, of masks, scores and softmax say of answers and of guesses."""

import math
import re

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as attention

from core.questions.engine import Question
from tests.core.questions import test_hints, test_questions, test_told
from tests.core.support import MAKERS, read
from tests.facts import test_of_more_questions
from tests.facts.asks import Checks, Values, hold, near, number, numbers
from tests.quotes import proves

KEEPS, BLOCKS = "F.scaled_dot_product_attention", "nn.MultiheadAttention"


def logs(q: Question) -> list[float]:
    """n of each score ln n of the prompt: e to it."""
    return [float(n) for n in re.findall(r"\\ln (\d+)", q.prompt)]


def table(q: Question) -> list[np.ndarray]:
    return [np.array([float(cell) for cell in row]) for row in q.tables[0].cells]


def late(a: float, s: Values, n: list[float], q: Question) -> bool:
    total = sum(logs(q))
    assert numbers(s.get("powers", logs(q))) == logs(q)
    return s.get("total", total) == total and near(
        s.get("visible", s.get("guess", 1) * total), s.get("guess", 1) * total
    )


def outside_0_to_1(a: float, s: Values, n: list[float], q: Question) -> bool:
    return not 0 < s["guess"] < 1 and 0 <= a <= 1


def leaks(a: float, s: Values, n: list[float], q: Question) -> bool:
    weights = torch.tensor([n[1], *[0] * (int(n[0]) - 1)]).double().softmax(0)
    given = {"tokens": n[0], "own": n[1], "hidden": n[0] - 1}
    assert {name: s.get(name, given[name]) for name in given} == given
    return abs(a - float(weights[1:].sum())) < 1e-9


def given_to(name: str, **of: object) -> str:
    return str(of[name]).strip("`")


def sees(new: float, keys: float) -> np.ndarray:
    """What PyTorch shows under `is_causal`."""
    rows, values = torch.zeros(1, int(new), 4), torch.eye(int(keys))[None]
    made = attention(rows, torch.zeros(1, int(keys), 4), values, is_causal=True)
    return made[0].numpy() > 0


def cached(a: float, s: Values, n: list[float], q: Question) -> bool:
    (seen,) = sees(1, n[0])
    assert s.get("answer", "only key 1") == q.answer
    return seen.nonzero()[0].tolist() == [0] and s.get("keys", n[0]) == n[0]


def cosine(a: float, s: Values, n: list[float], q: Question) -> bool:
    one, other = table(q)
    long, wide = np.linalg.norm(one), np.linalg.norm(other)
    true = {"length_q": long, "length_k": wide, "product": s.get("guess", 1) * long * wide}
    return abs(a - one @ other / long / wide) < 1e-9 and all(
        near(s[name], value) for name, value in true.items() if name in s
    )


def arrows(q: Question) -> dict[str, list[float]]:
    """The dot product of each with q, and the cosine."""
    one, *keys = table(q)
    length = np.linalg.norm
    found = [[one @ k, one @ k / length(one) / length(k)] for k in keys]
    return dict(zip(map(str, q.kind.options), found, strict=True))  # type: ignore[union-attr]


def favourite(a: float, s: Values, n: list[float], q: Question) -> bool:
    found, own = arrows(q), int("dot product" not in q.prompt)
    weights = torch.tensor([values[own] for values in found.values()]).double().softmax(0)
    largest = sorted(weights.tolist(), reverse=True)
    best = [max(found, key=lambda name: found[name][of]) for of in (own, 1 - own)]
    return (
        near(s["first"], largest[0]) and near(s["second"], largest[1])
        and [s["right"], s["other"]] == best and best[0] == q.answer
    )  # fmt: skip


def later(s: Values, q: Question) -> np.ndarray:
    """The weights that a row has after its own token."""
    at = q.tables[0].rows.index(s["token"])
    return table(q)[at][at + 1 :]


def of_one_key(a: float, s: Values, n: list[float], q: Question) -> bool:
    assert s["token"] == q.tables[0].rows[0]
    return number(s.get("answer", 1)) == a == 1 and near(s.get("rest", 0), 1 - s.get("guess", 1))


def score(a: float, s: Values, n: list[float], q: Question) -> bool:
    one, other = table(q)
    dot, root = one @ other, math.sqrt(len(one))
    guess = s.get("guess", a)
    true = {
        "score": dot, "root_of": root, "root": root if "guess" in s else len(one), "given": guess,
        "product": guess * root, "d_k": len(one),
    }  # fmt: skip
    return abs(a - dot / root) < 1e-9 and all(
        near(numbers(s[name])[-1], value) for name, value in true.items() if numbers(s.get(name))
    )


def directions(a: float, s: Values, n: list[float], q: Question) -> bool:
    rows = dict(zip(q.tables[0].rows, table(q), strict=True))
    one, other = rows[s["one"]], rows[s["other"]]
    assert s["alike"] == all((row[:2] == row[2:]).all() for row in (one, other))
    return [number(s["there"]), number(s["back"])] == [one[:2] @ other[2:], other[:2] @ one[2:]]


def words_before(a: float, s: Values, n: list[float], q: Question) -> bool:
    words = re.findall(r"“(.+?)”", read(q.prompt))[0].split()
    named = [word for word in re.findall(r"\w+", str(s["earlier"])) if word != "and"]
    return named == [word for word in words[: words.index(s["bank"])] if word != "and"]


SAYS: dict[str, Checks] = {
    "mask-after-softmax": {
        **dict.fromkeys(("late_undivided_hint", "late_means", "late_explanation"), late),
        "late_range": outside_0_to_1,
    },
    "zero-fill": {
        "fill_prompt": leaks,
        "fill_one_hint": leaks,
        "fill_range": outside_0_to_1,
        "fill_means": lambda a, s, n, q: s["ratio"] == f"$e^{{{n[1]:g}}}$"
            and near(s["each"], s["guess"] / (n[0] - 1)) and near(s["stays"], 1 - s["guess"]),
    },
    "underflow": {
        "not_0": lambda a, s, n, q: number(s["smallest"]) == math.ulp(0) <= math.exp(n[1]),
        "not_above": lambda a, s, n, q: math.exp(n[1]) < math.ulp(0),
        "underflow_explanation": lambda a, s, n, q:
            math.exp(number(s["limit"])) > 0 == math.exp(number(s["limit"]) - 1),
    },
    "boolean-mask": {
        "not_sees": lambda a, s, n, q: given_to("blocks", **s) == BLOCKS,
        "not_blocked": lambda a, s, n, q: given_to("keeps", **s) == KEEPS,
        "boolean_explanation": lambda a, s, n, q: s["kept"] == (given_to("function", **s) == KEEPS)
            and {given_to("function", **s), given_to("other", **s)} == {KEEPS, BLOCKS},
    },
    "cached-keys": dict.fromkeys(("not_last", "not_all", "cached_explanation"), cached),
    "which-corner": {
        "corner_explanation": lambda a, s, n, q: s["keys"] == n[1] and n[2] == n[1] - n[0]
            and sees(n[0], n[1]).sum(1).tolist() == [*range(1, int(a) + 1)] and s["seen"] == a,
        "corner_would_mean": lambda a, s, n, q: near(s["first"], s["guess"] - (n[0] - 1)),
    },
    "cosine": {
        **dict.fromkeys(("would_be", "sum_of_lengths_hint"), cosine),
        "too_far": lambda a, s, n, q: abs(s["guess"]) > 1,
        "only_k_hint": lambda a, s, n, q: near(s["length_q"], float(np.linalg.norm(table(q)[0]))),
        "only_q_hint": lambda a, s, n, q: near(s["length_k"], float(np.linalg.norm(table(q)[1]))),
        "lost_minus_hint": lambda a, s, n, q: np.prod(table(q), 0).min() < 0,
    },
    "favourite-key": {
        "best_explanation": favourite,
        "both_scores": lambda a, s, n, q: near(s["dot"], arrows(q)[s["arrow"]][0])
            and near(s["cosine"], arrows(q)[s["arrow"]][1]),
    },
    "unchanged-row": {
        "unchanged_explanation": lambda a, s, n, q:
            not later(s, q).size and numbers(s["numbers"]) == [*table(q)[-1]],
        "loses_most_hint": lambda a, s, n, q: s["token"] == q.tables[0].rows[0]
            and number(s["before"]) == table(q)[0][0] and number(s["after"]) == 1,
        "loses_some_hint": lambda a, s, n, q: s["hidden"] == later(s, q).size
            and abs(number(s["taken"]) - later(s, q).sum()) < 0.011,
    },
    "first-weight": {
        **dict.fromkeys(("first_explanation", "other_weight", "whole_row_hint"), of_one_key),
        "no_weight": outside_0_to_1,
    },
    "cells-computed": {
        "visible_explanation": lambda a, s, n, q: s["T"] == n[0] and a == np.tri(int(n[0])).sum()
            and abs(number(s["percent"]) - 100 * a / n[0] ** 2) <= 0.051,
        "visible_would_mean": lambda a, s, n, q: near(s["hidden"], n[0] ** 2 - s["guess"]),
        "visible_not_whole": lambda a, s, n, q: near(s["most"], n[0] ** 2),
    },
    "aligned-score": {
        "aligned_explanation": lambda a, s, n, q: s["d_k"] == n[0] and s["deviations"] == abs(a)
            and a == number(s["sign"]) * math.sqrt(n[0]),
        "aligned_would_mean": lambda a, s, n, q:
            s["d_k"] == n[0] and near(s["needed"], s["guess"] * math.sqrt(n[0])),
        "cosine_hint": lambda a, s, n, q: f"{n[0]:g}" in s["root"] and abs(a) > 1,
        "unscaled_hint": lambda a, s, n, q:
            number(s["dot"]) == a * math.sqrt(n[0]) and f"{n[0]:g}" in s["root"],
    },
    "divisor": {
        "root_of_model_hint": lambda a, s, n, q: s["d_k"] == n[0] / n[1] == a**2,
        "no_root_hint": lambda a, s, n, q: s["d_k"] == n[0] / n[1],
        "divisor_would_mean": lambda a, s, n, q: s["positive"] == (s["guess"] > 0)
            and (not s["positive"] or near(s["square"], s["guess"] ** 2)),
    },
    "score": dict.fromkeys(
        ("score_explanation", "would_mean", "no_root_hint", "whole_d_k_hint", "multiplied_hint",
         "no_signs_hint", "first_pair_hint"), score,
    ),
    "symmetric": {"symmetric_explanation": directions},
    "parameters": {
        **dict.fromkeys(("the_scores_hint", "rows_counted_hint"),
                        lambda a, s, n, q: s["n"] == n[0]),
        "parameters_explanation":
            lambda a, s, n, q: number(s["scores"]) == n[0] ** 2 and a == 2 * n[1] * n[2],
        "parameters_would_mean": lambda a, s, n, q: near(s["half"], s["guess"] / 2),
    },
    "does-bank-change": {"bank_explanation": words_before},
    "main-contributor": {
        "one_product": lambda a, s, n, q:
            near(s["part"], n[0] * n[1]) or near(s["part"], n[2] * n[3]),
        "adds_explanation": lambda a, s, n, q:
            near(s["first_part"], n[0] * n[1]) and near(s["second_part"], n[2] * n[3]),
    },
}  # fmt: skip
"""By the names of questions: what is so wherever they say a text of this id."""


@proves(r"""
    No key comes after {token}, so the mask hides nothing from it. Its row is {numbers} with the
    mask and without | {token} comes first and can see only itself: its weight on itself changes
    from {before} to {after} | {token} sees only itself. Softmax of a single number is {answer},
    whatever the number is: training cannot change it | Under a causal mask, the first token's
    weight on itself is {answer}, whatever the scores | The keys after {token} are hidden, so their
    scores do not enter its softmax | Then keys after {token} would get the rest of the row, {rest}.
    Can {token} see them? | The mask hides {hidden} after {token}. Without the mask, {token} gives
    {taken} of its weight to | Query $i$ sees $i$ keys: 1 for the first query, {T} for the last.
    Their sum is half of ${T} \cdot {T}$. That is {percent} % of all pairs | Then {hidden} pairs
    would be hidden. Count the keys that come after each query | It is a whole number of pairs, at
    most {most} | Each of the {d_k} products $q_i \cdot k_i$ is {sign}. If $q$ and $k$ were
    independent, the standard deviation of their scaled score would be 1. This score is {deviations}
    standard deviations from 0. Scaling undoes the spread of independent vectors, but it leaves a
    real match far from 0 | Then $q \cdot k$ would be {needed}. It is a sum of {d_k} products $q_i
    \cdot k_i$: what is each of them? | That is $q \cdot k$ divided by $d_k$. Scaling divides by
    {root} only, so a scaled score can be larger than 1 | That is $q \cdot k$ without scaling:
    {dot}. Divide it by {root} | Then $d_k$ would be its square, {square}. The divisor is a root, so
    it is positive | The variance of $q \cdot k$ grows like $d_k = {d_k}$. Its standard deviation
    grows like the root of $d_k$ | First the dot product {dot}, then its division by {root} | For
    {given} to come out, {dot} would have to be {product}, because {root}. Compare that with your
    sum of products | {dot} is {score}. Divide it by {root_of} | Divide by the root, {root_of}: the
    spread of {dot} grows like {root} | {dot} is {score}. Divide it by {root_of}: scaling makes
    large scores smaller | A dot product multiplies all {d_k} pairs of entries and adds them up |
    There are ${n}^2$ scores. The two projections have the same size for any $n$ | That is the
    number of entries in $Q$ and $K$, with {n} rows each. The parameters are in $W_Q$ and $W_K$ |
    Multiply the query of {other} with the key of {one}, entry by entry, and add up | The query of
    {one} times the key of {other} is {there}; the query of {other} times the key of {one} is
    {back}. Each token's query equals its key here, so both directions multiply the same two rows.
    The two directions multiply different rows. So $QK^\top$ need not be symmetric, while $XX^\top$
    always is | Look at the words before {bank}: it reads them too | No word comes before {bank}
    here | {bank} does not read the words after it | you looked for a word before {bank} | you let
    {bank} read what comes after it | What each value adds is its weight times the value:
    {first_part} and {second_part}. A large weight on a small value adds little | That value adds
    {part}. Work out
    what the other value adds | {bank} reads itself and {earlier}. Its new row is a weighted average
    of their rows. {bank} reads only itself, because no word comes before it. So all weight is on
    its own row | $e$ to the scores is {powers}; divide by their sum, {total} | Softmax divides each
    exponential by the sum of all, {total}. Then the visible exponentials would add up to {visible}
    | $e$ to the scores is {powers}. Softmax divides each by the sum of all. The keys that are
    hidden afterwards take their weight with them | The first of {tokens} tokens has the score {own}
    with itself; the {hidden} after it are hidden by setting their scores to 0. How much of the
    row's weight leaks to them in total? Two decimals are enough | The row of scores is {own} and
    {hidden} times 0. What is $e$ to each of them? | There are {hidden} of them, each with this
    weight | Then each hidden key would get {each}, and the token itself {stays}. The second number
    divided by the first must be {ratio}: is it? | A row has two visible keys with the scores $0$
    and {score}. What is the weight of the second in float64? | Compare $e$ to the score with the
    smallest float64 above 0, about {smallest}. ($e^{-2.3} \approx 0.1$.) | float64 holds numbers
    down to about {smallest}, and {power} is larger | {power} is smaller than any float64 above 0:
    it underflows | In exact arithmetic only $-\infty$ gives 0. In float64, exp underflows below
    about {limit}: a large additive mask relies on that | You pass {function} a boolean attn_mask
    for {tokens} tokens. It is True at query {query}, key {key} and False elsewhere. Does query
    {query} then see key {key}? | {keeps} and {blocks} read a boolean mask in opposite ways. Which
    of them keeps a key at True? | In {blocks} True means: do not attend | In {keeps} True means:
    takes part | In {function} True means: takes part | do not attend. In {other} it means the
    opposite. If both get the same mask, one of the models is trained on what it should not see |
    only key {key} | all {keys} keys | While generating, one new query meets {keys} cached keys; its
    own key is the last. You pass is_causal=True to {function}. Which keys does the query see? | Key
    {keys} is the last, and $j \le i$ fails for it: the query here has $i = 1$ | That is what was
    meant. But rows are counted from the first query given. The query here has $i = 1$, and key
    {keys} would need $j \le 1$ | The mask is aligned at the upper left corner: the new query is row
    1 of 1, so it sees {answer}. With one new query and a cache, no mask is needed at all |
    is_causal=True is aligned at the upper left corner: a single query sees {first} | Each query
    sees one key more than the query before it, so the first would see {first} keys. How many keys
    does the first row of the triangle have? | The triangle begins in the upper left corner. So the
    last query sees {seen} of {keys} keys, and the others are hidden from it. A mask whose triangle
    ends in the lower right corner must be given as attn_mask | Then $q \cdot k$ would be {product},
    the cosine times both lengths. Compare that with your dot product | Multiply the lengths:
    {length_q} times {length_k} | That is the shadow of $q$ on $k$. Divide by the length of $q$,
    {length_q}, too | That is the shadow of $k$ on $q$. Divide by the length of $k$, {length_k},
    too |
    {arrow}: {dot} and {cosine} | A larger score gets a larger weight: {right} gets {first} of the
    total weight, the next one {second} | {other} would get the most
""")
@pytest.mark.parametrize("name", SAYS)
def test_what_a_question_says_is_so(name: str) -> None:
    hold(name, SAYS[name])


def test_what_every_guess_would_mean_is_checked() -> None:
    asking = {name for name, maker in MAKERS.items() if maker(0).would_mean}
    assert asking <= {*SAYS, *test_of_more_questions.SAYS, *test_told.QUANTITIES}


@proves(r"""
    The last row is the same with the causal mask and without, whatever the numbers | Weights are
    equal only if scores are equal, and hidden keys get no weight | A weight is never negative, and
    never larger than the total of its row | Of two different tokens, the earlier one does not see
    the later one | The diagonal is visible too: every token sees itself | That is the number of
    hidden pairs. Every token sees itself, too | Independent $q$ and $k$ score 0 on average. This
    $k$ is not independent of $q$ | A query of one head has | entries, and the scores of the head
    are divided by | Each head multiplies vectors of | entries. Only that number decides how wide
    its scores spread | Minus times minus is plus, minus times plus is minus: entries of opposite
    signs lower a score | Multiply each entry of $q$ with the entry of $k$ below it, then add up the
    products | Softmax makes that from the number first. The question asks which number goes into
    softmax | Queries and keys each have a projection of their own | $W_V$ makes the values. The
    question is about queries and keys | There are two projections, each with | rows and $d_k$
    columns, for any number of tokens | you took one hidden key | It is a part of the row's weight,
    between $0$ and $1$ | No power of $e$ is below 0, for any score | yes, it sees that key |
    is_causal builds $j \le i$, with $i$ counted from the first query given. Which $i$ does the new
    query have? | What the new query sees with is_causal=True: 1 is visible | That is what was
    meant. But positions are counted from the first given query and the first key, as if both were
    the first token | That is what the first query sees. Each next query sees one more key | The
    mask knows only two numbers: how many queries and how many keys there are. It does not know
    which keys were kept | Entries of opposite sign have a negative product, which makes the cosine
    smaller | No cosine is that far from 0: $q \cdot k$ is never further from 0 than the product of
    the two lengths | The dot product still counts the lengths. Divide it by both lengths | That is
    $\theta$ in degrees. Its cosine is the dot product divided by both lengths | Work out $q \cdot
    k$ for each arrow $k$. Work out $q \cdot k$ for each arrow $k$ and divide it by the length of
    $k$. The length of $q$ is the same for all | The score of each arrow is its dot product with $q$
    | The score of each arrow is the cosine of its angle with $q$
""")
def test_what_is_so_of_all_rows_of_scores() -> None:
    test_hints.check_opposite()
    assert [math.exp(-math.inf), math.isnan(-math.inf + math.inf)] == [0, True]
    weights = torch.tensor([1.0, 1, -math.inf, 2]).softmax(0)
    assert weights[0] == weights[1] != weights[3]
    assert weights[2] == 0 <= weights.min() <= weights.max() <= weights.sum()
    lost = torch.tensor([-1e3, 0]).double().softmax(0)[0]
    assert lost / lost != 1
    assert (-2) * (-3) > 0 > (-2) * 3
    draw = np.random.default_rng(0)
    for d in (16, 64):
        dots = draw.choice([-1, 1], size=(2, 20_000, d)).prod(0).sum(1)
        assert abs(dots.mean()) < 0.2
        assert np.std(dots) == pytest.approx(math.sqrt(d), rel=0.03)


proves("""
    The dot product counts length too: {arrow} points most nearly along $q$, but another arrow is
    longer | A cosine ignores length: {arrow} has the largest dot product, but another arrow points
    more nearly along $q$ | Length is not enough: {arrow} is the longest, but its | with $q$ is
    {score}, and another arrow has a larger one
""")(test_told.test_why_a_key_is_not_the_favourite_holds)
proves("""
    These are the scores, with the future masked. Another program takes softmax of all scores and
    then sets the weights of future keys to 0. Then it divides each row by its sum. How do its
    weights compare with those of masking before softmax? | By what is the row divided in the end:
    which of the two sums is still in it? | In row 2 the visible scores are {one} and {other}.
    Either way the two weights have the ratio of $e$ to these scores, and add up to 1 | Each row
    adds up to 1 either way, so its weights cannot all be larger | Softmax's own sum cancels when
    the row is divided again. It fails only if all visible exponentials underflow | You may mask
    after softmax and divide each row by its sum. The weights are those of masking first, unless all
    visible exponentials underflow | Scores, the future masked | Masked before softmax | Masked
    after it, rows divided by their sums
""")(test_told.test_what_the_debug_lab_says_of_the_scores_is_in_its_tables)
proves("""
    The future is masked, but softmax runs down the columns, over the queries. Is row 1 still
    independent of everything after token 1? | By which sum is the weight of query 1 on key 1
    divided, and whose scores are in it? | Column 1 is divided by its sum, and {power} of query 3 is
    a part of that sum | Weights, query 3 scoring key 1 with {score} | The score of query 3 with key
    1 changes from {old} to {new}. Then the weight of query 1 on key 1 changes from {before} to
    {after}
""")(test_questions.test_over_columns_a_later_query_changes_the_weight_that_is_said)
proves(r"""
    Token {padded} of {keys} is padding and may see none of the {keys} keys: every score of its row
    is $-\infty$. What does the formula {formula}, as written, give for the row? | Begin with $s -
    \max s$, when both are $-\infty$ | Equal finite scores would get equal weights. But the scores
    here are not finite, and $-\infty - (-\infty)$ is no finite number | $-\infty - (-\infty)$ is
    not a number, and no result computed from it is a number | Weights as written, row {row} without
    a key | As written: {written}. This site gives such a row {ours}
""")(test_questions.test_an_empty_row_is_nan_as_written_and_zeros_for_pytorch)
