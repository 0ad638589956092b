"""What questions of layers, costs, pieces and word order say of answers and of guesses."""

import math
import re
from itertools import pairwise

import numpy as np
import pytest
import torch

from core.questions.engine import Question
from tests.core.support import read
from tests.facts.asks import Checks, Values, hold, near, number, numbers
from tests.quotes import proves

sdpa = torch.nn.functional.scaled_dot_product_attention


def to(n: float) -> float:
    return sum(range(1, int(n) + 1))


def features(head: float, n: list[float]) -> tuple[float, float]:
    """The first and the last of a head."""
    return (head - 1) * n[0] / n[1] + 1, head * n[0] / n[1]


def of_norm(s: Values, row: np.ndarray) -> bool:
    squares = numbers(s["squares"].replace("+", ","))
    said = [s["total"], s["variance"], s["root"]]
    return squares == [*(row - row.mean()) ** 2] and said == [4 * row.var(), row.var(), row.std()]


def prompted(q: Question) -> list[str]:
    return re.findall(r"“(.+?)”", read(q.prompt))[0].split()


def copied(q: Question) -> str:
    """What followed the last word the last time."""
    words = prompted(q)
    return [word for before, word in pairwise(words) if before == words[-1]][-1]


def attention(n: list[float]) -> float:
    return 2 * n[0] * n[2] * (n[1] + n[3])


SAYS: dict[str, Checks] = {
    "edge-taken-away": {"edge_would_mean": lambda a, s, n, q: near(s["times"], s["guess"] / n[0])},
    "weights-between": {
        "between_explanation":
            lambda a, s, n, q: [s["asking"], s["read"]] == n and a == n[0] * n[1],
        "between_would_mean": lambda a, s, n, q: near(s["weights"], s["guess"] / n[0]),
    },
    "layers-reach": {
        "reach_explanation": lambda a, s, n, q: s["back"] == n[0] == n[1] - 1,
        "reach_would_mean": lambda a, s, n, q: near(s["back"], s["guess"] / n[2]),
    },
    "norm-entry": {
        "norm_explanation": lambda a, s, n, q:
            near(s["mean"], sum(n[2:6]) / 4) and of_norm(s, np.array(n[2:6])),
        "norm_would_mean": lambda a, s, n, q: near(s["away"], s["guess"] * float(np.std(n[2:6]))),
    },
    "layers-deep": {
        "deep_explanation":
            lambda a, s, n, q: number(s["both"]) == 1 + number(s["factor"]) == 1 + n[1],
        "deep_would_mean": lambda a, s, n, q:
            near(s["times"], s["guess"] / n[0]) and a == n[0] * (1 + n[1]) ** n[2],
    },
    "copied-next": {
        "next_explanation": lambda a, s, n, q:
            s["last"] == prompted(q)[-1] and s["copied"] == copied(q) == q.answer,
        "next_first_hint": lambda a, s, n, q: prompted(q)[:-1].count(s["last"]) == 2,
    },
    "longer-text": {
        "longer_explanation":
            lambda a, s, n, q: s["times"] == n[3] / n[1] and a == n[2] * s["times"] ** 2,
        "longer_would_mean": lambda a, s, n, q:
            near(s["factor"], s["guess"] / n[2]) and s["times"] == n[3] / n[1],
    },
    "layer-parameters": {
        "layer_explanation": lambda a, s, n, q: s["heads"] == n[1],
        "layer_own_keys_hint": lambda a, s, n, q: s["groups"] == n[3],
        "layer_attention_hint": lambda a, s, n, q: a > 2 * attention(n),
        "layer_would_mean":
            lambda a, s, n, q: near(s["attention"], s["guess"] - (a - attention(n))),
    },
    "padding-scores": {
        "padding_explanation": lambda a, s, n, q:
            s["longest"] == max(n) and a == 3 * max(n) ** 2 - sum(map(to, n)),
        "padding_would_mean": lambda a, s, n, q: near(s["used"], 3 * max(n) ** 2 - s["guess"]),
    },
    "computed-again": {
        "again_explanation": lambda a, s, n, q: s["tokens"] == n[0] and a == to(n[0]),
        **dict.fromkeys(
            ("again_once_hint", "again_every_last_hint"), lambda a, s, n, q: s["tokens"] == n[0]
        ),
        "again_would_mean": lambda a, s, n, q:
            s["tokens"] == n[0] and near(s["average"], s["guess"] / n[0]),
    },
    "cache-growth": {
        "growth_explanation":
            lambda a, s, n, q: s["d_k"] == n[2] and a == n[0] * n[3] * 2 * n[2] * n[4],
        "growth_one_layer_hint": lambda a, s, n, q: s["layers"] == n[0],
        "growth_all_heads_hint": lambda a, s, n, q: [s["heads"], s["groups"]] == [n[1], n[3]],
        "growth_numbers_hint": lambda a, s, n, q: s["each"] == n[4],
        "growth_would_mean": lambda a, s, n, q: near(s["in_layer"], s["guess"] / n[0]),
    },
    "heads-cache": {
        "all_heads_hint": lambda a, s, n, q: [s["heads"], s["groups"]] == [n[0], n[2]],
        "one_group_hint": lambda a, s, n, q: s["groups"] == n[2],
        "cache_explanation": lambda a, s, n, q: number(s["unshared"]) == 2 * n[0] * n[1] * n[3]
            and 2 * math.prod(numbers(s["each"].replace(r"\cdot", ","))) == a,
        "cache_means":
            lambda a, s, n, q: s["tokens"] == n[3] and near(s["each"], s["guess"] / n[3]),
    },
    "what-is-left": {
        "left_explanation":
            lambda a, s, n, q: s["token"] == n[4] == s["steps"] + 1 and number(s["factor"]) == n[0],
        "left_one_step_hint": lambda a, s, n, q: s["token"] == n[4],
        "left_would_mean":
            lambda a, s, n, q: s["next"] == n[4] + 1 and near(s["after"], s["guess"] * n[0]),
    },
    "heads-feature": {
        "feature_explanation": lambda a, s, n, q:
            s["head"] == a and number(s["width"]) == n[0] / n[1]
            and (s["first"], s["last"]) == features(a, n),
        "feature_means": lambda a, s, n, q: s["head"] == s["guess"]
            and (s["first"], s["last"]) == features(s["guess"], n),
        "feature_range": lambda a, s, n, q: s["heads"] == n[1] and not 1 <= s["guess"] <= n[1],
    },
    "two-pieces": {
        "two_pieces_explanation": lambda a, s, n, q:
            [s["a"], s["b"], s["total"]] == [n[0], n[1], n[0] + n[1]]
            and abs(a - (n[0] * n[2] + n[1] * n[3]) / s["total"]) < 1e-9,
        "two_pieces_would":
            lambda a, s, n, q: near(s["weight"], (s["guess"] - n[3]) / (n[2] - n[3])),
        "two_pieces_undivided_hint": lambda a, s, n, q: s["total"] == n[0] + n[1],
    },
    "larger-maximum": {
        "larger_maximum_explanation": lambda a, s, n, q:
            s["times"] == n[2] / n[0] > 1 and abs(a - (n[1] / s["times"] + 1)) < 1e-9,
        "larger_maximum_other_way_hint": lambda a, s, n, q: s["times"] == n[2] / n[0],
        "larger_maximum_would": lambda a, s, n, q: near(s["left"], s["guess"] - 1),
    },
    "tiles-needed": {
        "tiles_needed_explanation": lambda a, s, n, q: s["blocks"] == n[0] / n[1]
            and s["all"] == s["blocks"] ** 2 and s["all"] / 2 < a == to(s["blocks"]),
        "tiles_needed_row_hint": lambda a, s, n, q: s["blocks"] == n[0] / n[1],
        "tiles_needed_would": lambda a, s, n, q: near(s["each"], s["guess"] / (n[0] / n[1])),
    },
    "counted-twice": {
        "counted_twice_explanation": lambda a, s, n, q: [s["doubled"], s["single"]]
            == [2 * n[1], n[1]] and [s["with_it"], s["without"]] == [sum(n[:3]) + n[1], sum(n[:3])],
        "counted_twice_would":
            lambda a, s, n, q: near(s["product"], s["guess"] * (sum(n[:3]) + n[1])),
    },
    "softmax-ratio": {
        "ratio_explanation": lambda a, s, n, q: abs(a - math.exp((n[0] - n[1]) / n[4])) < 1e-9,
        "ratio_would_mean": lambda a, s, n, q: near(s["actual"], (n[0] - n[1]) / n[4])
            and near(s["given"], math.log(s["guess"])),
        "ratio_not_positive": lambda a, s, n, q: s["guess"] <= 0 < a,
    },
    "order-turn": {
        "turn_explanation": lambda a, s, n, q: [s["query"], s["key"]] == n[1:]
            and s["apart"] == abs(n[1] - n[2]) and abs(a - n[0] * s["apart"]) < 1e-9,
        "turn_would": lambda a, s, n, q:
            near(s["steps"], s["guess"] / n[0]) and number(s["frequency"]) == n[0],
    },
    "order-slope": {
        "slope_explanation": lambda a, s, n, q: number(s["slope"]) == 2 ** n[3]
            and s["back"] == n[4] and a == -number(s["slope"]) * n[4] < 0,
        "slope_would": lambda a, s, n, q: near(s["each"], s["guess"] / n[4]),
    },
}  # fmt: skip
"""By the names of questions: what is so wherever they say a text of this id."""


@proves(r"""
    That is {times} times the weight before. The edge from c grows by the same factor. Would the two
    weights add up to 1? | Each of the {asking} queries has a row with one weight for each of the
    {read} keys. The matrix need not be square | Then each query would have {weights} weights. How
    many keys does it read? | A path of edges leads from layer to layer. Each of its edges goes back
    by at most {back} | Then each layer would go back by {back} tokens. How many tokens are in the
    window, besides the token itself? | The mean is {mean}. The squared differences from it add up
    to ${squares} = {total}$, so the variance is {variance} and its root {root} | Then the number
    would be {away} away from the mean | ReLU outputs no negative number. Then the two other
    products would add up to {rest} | Under a causal mask, an earlier token does not see {word}. In
    which part do tokens read from each other? Not in this part | In attention, every token that
    sees {word} reads from it, so other rows change too | Without a mask, earlier tokens see {word}
    too. In which part do tokens read from each other? Not in this part | One layer multiplies its
    input by {both}: once the input, plus {factor} times the input | That is {times} times the first
    number | The last earlier {last} is followed by {copied}. In layer 1 {copied} reads the token
    before it. So in layer 2 the final {last} finds {copied}, and copies it | {last} occurred twice
    before: the last occurrence counts | Find where {last} occurred before, and read the next word |
    Attention mixes rows: every token that sees {word} reads from it | There are {times} times the
    queries, and each of them meets {times} times the keys. The features of a head do not change, so
    each pair takes the same work | Then the work would be multiplied by {factor}. The text is
    {times} times as long | $W_Q$ and $W_O$ are as wide as all {heads} heads, $W_K$ and $W_V$ as the
    key/value heads. Scores, softmax and weighted sum have no parameters | $W_K$ and $W_V$ are only
    as wide as $G = {groups}$ {?} | Without feed-forward, attention would have {attention}
    parameters. Compare that with its four matrices | Each of the three texts is computed with
    {longest} rows and {longest} keys. It uses only a triangle: one score for its first token, and
    one more for each next token | Then the number of used scores would be {used}. Compare that with
    the triangles of the three texts | With a cache it would be {tokens} rows, one for each step.
    Without a cache the rows add up: a text of twice the length takes about four times the rows |
    That is enough with a cache. Without one, the first token's key is computed in each of the
    {tokens} steps | Only the last step has {tokens} tokens. The first step has one | Over {tokens}
    steps, that would be {average} rows a step on average. The first step computes one row, the last
    step {tokens} | Each key/value head of each layer keeps a key and a value of {d_k} numbers. The
    cache grows by the same amount with every token, however long the text already is | Each of the
    {layers} layers has its own keys and values | Only key/value heads are kept: {heads} heads use
    {groups} of them | The question asks for bytes, and each number takes {each} of them | Then each
    layer would keep {in_layer} bytes of a token. Compare that with a key and a value for each
    key/value head | From token 1 to token {token} there are {steps} steps, and each multiplies by
    {factor}. Attention has no such steps: one weight leads from token 1 to any later token | That
    is left at token 2. Go on to token {token} | Then at token {next} it would be {after}. Start
    from token 1: first 1, then multiplied once, then twice | Only key/value heads are kept:
    {groups} here. The {heads} heads differ in their queries, which are not kept | Then each of the
    {tokens} tokens would leave {each} numbers. Compare that with a key and a value for each
    key/value head | There are {groups} of them | $K$ and $V$ have {each} numbers each. With a
    key/value head for each head, the cache would hold {unshared} numbers | Each head has {width}
    features. Features {first} to {last} of concat are head {head}'s | Head {head} has the features
    {first} to {last} of concat | The heads are counted from 1 to {heads} | The first piece counts
    {a} of {total}, the second {b} of {total}. Which keys they hold, and how many, no longer matters
    | Divide by the sum of e to both scores, {total} | The old sum is divided by {times}. The new
    key now has the largest score, so it adds 1. No earlier score is needed again | The new largest
    score is larger, so the old sum becomes {times} times smaller | Without the new key, that would
    leave {left} of the old sum | That is what the last block of queries needs. There are {blocks}
    blocks of queries | That would be {each} tiles for each block of queries on average | Multiplied
    by the sum of all exponentials, that is {product}. Compare it with the sum of each exponential
    times its value, with key 2 twice | {blocks} blocks of keys: a little more than half of all
    {all} | Key 2 counts {doubled} of {with_it} instead of {single} of {without} | Both weights are
    divided by the same sum, so it cancels. What is left is $e^{(a - b)/T}$ for the logits $a$ and
    $b$. The other keys do not matter | Then the logits, divided by $T$, would differ by {given}.
    They differ by {actual} | The query is turned by {query} steps and the key by {key}. They are
    {apart} steps apart, wherever the two are. So a score depends on the distance | That would be
    {steps} steps of {frequency}. Count the steps from the key to the query | One position costs
    {slope} in this head, and {back} cost {back} times that. The head with the largest slope sees
    mostly what is near | That would be {each} for each position. Compare it with the slope | Two
    pieces of one query's keys have the scores $s(I) = \ln {a}$ and $s(J) = \ln {b}$, and the values
    $v(I) = {x}$ and $v(J) = {y}$. They have no key in common | Four keys have the logits ${high}$,
    ${low}$, ${third}$ and ${fourth}$. Softmax is taken at temperature $T = {temperature}$. The
    weight of the first key is how many times the weight of the second key
""")
@pytest.mark.parametrize("name", SAYS)
def test_what_a_question_says_is_so(name: str) -> None:
    hold(name, SAYS[name])


@proves("""
    The exponentials of a and c stay the same, and their total loses the exponential of b. So both
    weights grow by the same factor | The weights of the edges to a node still add up to 1. The
    weight of b goes to the other edges | Softmax keeps the ratio between two weights that stay |
    The edge from c is still there, and its weight grows too | A weight belongs to an edge, not to a
    token | Queries come only from the decoder | Keys come only from the encoder | In the second
    layer, the tokens that are read have already read others | The window includes the token itself,
    so it reaches back by one less than its size | Each layer goes back by the same number of
    tokens. Reaches add up | You have subtracted the mean. Now divide by the root of the variance |
    The variance is made of squares. Dividing by its root gives the row variance 1 | First subtract
    the mean of the row from each number | ReLU blocks a negative number; it does not change the
    sign | ReLU lets no negative number pass | The unit gets one number, the sum of all products.
    ReLU acts on that sum | ReLU blocks only numbers below 0 | A residual connection adds the input
    of each layer to its result | The input of each layer is the output of the layer before it | It
    looks for what came after that word | The projections grow like that, because each row has its
    own. Here each query meets each key, and there are more of both | By this factor there are more
    queries, and each of them meets more keys. How many times as large is the number of pairs? | The
    given number already has both products. How many pairs of tokens are there? | A pair has two
    tokens, a query and a key. There is no third one | The feed-forward net has parameters too, more
    than attention has | Attention has four matrices: $W_Q$, $W_K$, $W_V$ and $W_O$ | Within a text
    the mask hides later keys, and their scores are computed too | That is the number of used
    scores. The question asks for the others | That is the number of padding rows. Each row has a
    score for every key | Some scores are used: those of a key that the query may read | Each step
    computes the key of its new token too | At token 1 the state holds all of it: nothing has been
    multiplied yet | Every step multiplies what is left, not what there was at first | The first
    head is head 1 here | Heads are not interleaved: all features of head 1 come first | The pieces
    do not count equally: each is weighted by e to its score | Each value is multiplied by e to the
    score of its own piece | The old sum belongs to the old largest score. Multiply it by e to the
    old largest score minus the new one | The new key adds a term too: e to 0, which is 1 | The
    first block of queries needs only the first block of keys | It is in both pieces, so it counts
    more, not less | That would be correct, but key 2 is in both pieces, and the merge cannot know |
    What counts twice is e to its score: above and below the fraction line | The blocks of queries
    need 1, 2, 3 | The difference is an exponent, not yet the ratio | Divide each logit by the
    temperature first | Divide each logit by the temperature, do not multiply by it | Softmax raises
    $e$ to each logit. Divide the exponentials, not the logits | Weights are positive, so their
    ratio is positive too | The ratio of two weights depends only on the difference of their scores.
    Adding the same number to all scores keeps the differences. Multiplying by more than 1 makes the
    differences larger, dividing by more than 1 makes them smaller | The weights of a row sum to 1
    before and after, so they cannot all grow | The key is turned too, by its own position | Both
    are turned in the same direction | A key that is far away gets a lower score, not a higher one |
    That is the cost of one position | Its softmax runs over the same keys, and a sum does not
    depend on the order of its terms. What would have to be different? | In the second layer it
    reads what the others have read, and the others see different tokens now | The last token sees
    the same tokens, with the same embeddings. So its softmax and its sum are the same. In the first
    layer each earlier token reads itself and the tokens before it, and those are different now. The
    second layer mixes these rows, so what it reads depends on the order
""")
def test_what_is_so_of_all_attention() -> None:
    weights = torch.tensor([0.1, 0.5, 0.4]).double()
    now = weights.log().masked_fill(torch.tensor([False, True, False]), -math.inf).softmax(0)
    torch.testing.assert_close(now / weights, torch.tensor([2.0, 0, 2]).double())
    made = torch.nn.LayerNorm(4, eps=0, elementwise_affine=False)(torch.tensor([4.0, 10, 2, -4]))
    assert abs(made.var(correction=0) - 1) < 1e-6
    assert torch.relu(torch.tensor([-3.0, 5])).tolist() == [0, 5]
    X = torch.randn(1, 4, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    changed = X.clone()
    changed[0, 1] += 1
    for causal, rows in ((True, [False, True, True, True]), (False, [True] * 4)):
        one, other = (sdpa(of, of, of, is_causal=causal) for of in (X, changed))
        assert ((one - other).abs().amax(-1)[0] > 0).tolist() == rows
    assert 3.9 < to(2_000) / to(1_000) < 4
    once, moved = X, X[:, [2, 1, 0, 3]]
    for layer in (1, 2):
        once, moved = (sdpa(rows, rows, rows, is_causal=True) for rows in (once, moved))
        assert np.allclose(once[0, -1], moved[0, -1]) == (layer == 1)
