"""Every hint has been read as a claim: what states something is recomputed here.

A hint without an entry fails, and so does an entry that no hint is of.
"""

import math
import re
from collections.abc import Callable

import numpy as np
import pytest
import torch

from core.attention.costs import Layer, LayerCosts
from core.questions.engine import Question
from tests.core.support import MAKERS, asked, read
from tests.quotes import proves, whole
from tests.ui.plain_attention import softmax

Check = Callable[[re.Match[str], Question], object]
"""It asserts, or says whether it is so."""


def asks(match: re.Match[str], question: Question) -> None:
    """It asks or says what to do, and states nothing but what the question says."""


ROW = np.array([0.5, -1.0, 2.0])


def ratio(match: re.Match[str], question: Question) -> None:
    weights = softmax(ROW)
    np.testing.assert_allclose(np.exp(ROW) / weights, np.exp(ROW).sum())
    np.testing.assert_allclose(weights[0] / weights[1], np.exp(ROW[0] - ROW[1]))


def bilinear(match: re.Match[str], question: Question) -> None:
    X, W_Q, W_K = np.random.default_rng(0).standard_normal((3, 4, 4))
    np.testing.assert_allclose(X @ (W_Q @ W_K.T) @ X.T, (X @ W_Q) @ (X @ W_K).T)
    assert r"X (W_Q W_K^\top) X^\top" in match[0]


def log_of(match: re.Match[str], question: Question) -> None:
    powers = re.findall(r"\\ln (\w+)", match[0])
    said = re.findall(r"is \$([\d/]+|n)\$", match[0])[0]
    if powers == ["n"]:
        assert said == "n"
        return
    one, *other = map(int, powers)
    top, _, below = said.partition("/")
    worth = math.exp(math.log(one) - sum(map(math.log, other)))
    assert worth == pytest.approx(int(top) / int(below or 1))


def zeros(match: re.Match[str], question: Question) -> None:
    tokens, own, hidden = map(float, re.findall(r"[\d.]+", read(question.prompt))[:3])
    assert (float(match[1]), float(match[2])) == (own, hidden) == (own, tokens - 1)


def smallest(match: re.Match[str], question: Question) -> None:
    assert float(np.nextafter(0, 1)) == pytest.approx(5e-324)
    assert math.exp(-2.3) == pytest.approx(0.1, abs=0.005)
    assert r"5 \times 10^{-324}" in match[0]


def check_opposite(*_: object) -> None:
    """PyTorch's call keeps a key at True, and its layer hides it."""
    fused = torch.nn.functional.scaled_dot_product_attention
    layer = torch.nn.MultiheadAttention(2, 1)
    zeros, X = torch.zeros(1, 3, 1), torch.randn(3, 2)
    mask = torch.ones(3, 3, dtype=torch.bool).tril()
    assert ((fused(zeros, zeros, torch.eye(3)[None], attn_mask=mask)[0] > 0) == mask).all()
    assert ((layer(X, X, X, attn_mask=~mask)[1] > 0) == mask).all()


def upper_left(match: re.Match[str], question: Question) -> None:
    """`is_causal` on two queries and four keys, beside what is said of j and i."""
    made = torch.nn.functional.scaled_dot_product_attention(
        torch.zeros(1, 2, 1), torch.zeros(1, 4, 1), torch.eye(4)[None], is_causal=True
    )
    sees = {r"\le": np.less_equal, r"\ge": np.greater_equal, "<": np.less, ">": np.greater}
    j, sign, i = re.findall(r"\$(\w) (\S+) (\w)\$", match[0])[0]
    at = {"i": np.arange(2)[:, None], "j": np.arange(4)[None]}
    np.testing.assert_array_equal(made[0].numpy() > 0, sees[sign](at[j], at[i]))
    assert "from the first" in match[0]


def first_in_concat(match: re.Match[str], question: Question) -> None:
    context = torch.arange(24.0).reshape(2, 3, 4)
    assert (context.transpose(0, 1).flatten(1)[:, :4] == context[0]).all()
    assert match[1] == "1"


def counted(match: re.Match[str], question: Question) -> None:
    d = 8
    layer = Layer(d, 1, 1, d)
    assert layer.projecting(1) == 4 * d * d  # four matrices d × d
    assert LayerCosts(layer, 4 * d, 2).feeding(1) == 2 * d * 4 * d
    assert layer.attending(1, 5) == 2 * d * 5


def only_the_sum(match: re.Match[str], question: Question) -> None:
    hidden = np.array([0.5, -np.inf, 2.0])
    kept = [0, 2]
    np.testing.assert_allclose(softmax(hidden)[kept], np.exp(ROW[kept]) / np.exp(ROW[kept]).sum())
    assert softmax(hidden)[1] == 0


def begins_at_1(match: re.Match[str], question: Question) -> None:
    """The rule of the prompt, from that state on, comes to the answer."""
    factor, put, _ = map(float, re.findall(r"\$([\d.]+)\$", question.prompt))
    (token,) = map(int, re.findall(r"at token (\d+)\?", question.prompt))
    assert put == 1
    assert question.answer == pytest.approx(factor ** (token - 1))


def over_a_sum(match: re.Match[str], question: Question) -> None:
    numbers = list(map(float, re.findall(r"\$(-?[\d.]+)\$", question.prompt)))
    query, keys, values = np.array(numbers[:2]), np.array(numbers[2:-3]), np.array(numbers[-3:])
    products = keys.reshape(-1, 2) @ query
    assert question.answer == pytest.approx(products @ values / products.sum())


def same_for_any_length(match: re.Match[str], question: Question) -> None:
    """The answer follows from the features alone."""
    features, _ = map(int, re.findall(r"\d+", read(question.prompt)))
    assert question.answer == features * features + features


READ = (
    "First compute the dot product q·k: multiply each entry of q with the entry of k below it, "
    "and add up the products. Then divide by √d_k.",
    "Work out the dot product q·k and the two lengths: the root of the sum of squares. Then "
    "divide by both lengths.",
    "Work out q·k for each arrow k and divide it by the length of k. The length of q is the same "
    "for all.",
    "Work out q·k for each arrow k.",
    "How many entries do a query and a key of one head have?",
    "Which words does bank read here?",
    "Multiply each value by its weight.",
    "How many keys does the first query see, how many the second, how many the last?",
    "Multiply the numbers of one head by the number of heads, before and now.",
    "What does one token leave in one key/value head? Then count heads and tokens.",
    "By what is the row divided in the end: which of the two sums is still in it?",
    "By which sum is the weight of query 1 on key 1 divided, and whose scores are in it?",
    "Begin with s − max s, when both are −∞.",
    "How many tokens are there in the first step, in the second, in the third?",
    "What does a token leave in one key/value head? Then count heads, layers and bytes.",
    "Write the sum of e to each score times its value, with key 2 in it twice.",
    "How many blocks of keys does the first block of queries need, and the second?",
    "By what factor does the number of queries grow, and by what factor the number of keys?",
    "How wide are W_Q and W_O, and how wide are W_K and W_V?",
    "How many scores are computed in all, and how many does each text use?",
    "Which tokens does it see, and which rows do these have, layer by layer?",
    "Which token is there now, and which tokens does it see?",
    "By what angle is each of the two turned?",
    "Draw the edges: how many lead to one token of the decoder?",
    "How far back does one layer reach? And from there, the layer before it?",
    "Compute the mean of the row first. Then compute the mean of the squared differences from it.",
    "First compute the dot product of row and column. Then apply ReLU to it.",
    "Does this part look at one row at a time, or does it mix rows?",
    "By which number does one layer multiply its input?",
    "Find the last earlier occurrence of the final word. What came after it?",
    "Which token is read most: the token itself, the one before it, the first one, an earlier "
    "equal token, or the one after that?",
    "Which weights are just below the diagonal? Take their mean.",
    "What are these weights computed from?",
    "What is the probability of each token?",
)
"""Hints that ask or say what to do, and state nothing, as a person reads them."""
W = r"\*[^*]+\*"
HINTS: dict[str, tuple[str, Check]] = {
    "unchanged-row": (r"For each query, count the keys after it: the mask removes them from its "
                      r"row\.", lambda _, q: q.answer == q.tables[0].rows[-1]),
    "symmetric": (rf"Multiply the query of {W} with the key of {W}, entry by entry, and add up\.",
                  asks),
    "basis": (r"The scores are \$X \(W_Q W_K\^\\top\) X\^\\top\$\. Work out "
              r"\$W_Q W_K\^\\top\$ before and after\.", bilinear),
    "parameters": (r"A matrix takes \d+ features to \d+\. How many rows and columns does it have\?",
                  asks),
    "aligned-score": (r"What is each of the (\d+) products \$q_i \\cdot k_i\$\? Add them up, then "
                      r"divide by \$\\sqrt\{\1\}\$\.", asks),
    "softmax-ratio": (r"Both weights have the same sum below them\. What is left of it in their "
                      r"ratio\?", ratio),
    "softmax-change": (r"The ratio of two weights is \$e\$ to the difference of their scores\. "
                       r"What happens to the differences\?", ratio),
    "first-weight": (rf"Which keys can {W} see\? Softmax uses only their scores\.", asks),
    "heads-feature": (r"A head has \d+ / \d+ features\. In concat head (\d+)'s come first\.",
                      first_in_concat),
    "mask-after-softmax": (r"\$e\^\{\\ln n\}\$ is \$n\$\. Work out softmax of the whole row, then "
                           r"drop the hidden keys\.", log_of),
    "zero-fill": (r"The row of scores is (\S+) and (\d+) times 0\. What is \$e\$ to each of "
                  r"them\?", zeros),
    "underflow": (r"Compare \$e\$ to the score with the smallest float64 above 0, about .+\. "
                  r"\(\$e\^\{-2\.3\} \\approx 0\.1\$\.\)", smallest),
    "boolean-mask": (r"`F\.scaled_dot_product_attention` and `nn\.MultiheadAttention` read a "
                     r"boolean mask in opposite ways\. Which of them keeps a key at True\?",
                     check_opposite),
    "cached-keys": (r"`is_causal` builds .+, with \$i\$ counted from the first query given\. "
                    r"Which \$i\$ does the new query have\?", upper_left),
    "which-corner": (r"`is_causal` keeps key \$j\$ for query \$i\$ if .+, both counted from "
                     r"the first that is given\.", upper_left),
    "what-is-left": (r"At token 1 the state is 1\. What is it at token 2, and at token 3\?",
                     begins_at_1),
    "two-pieces": (r"\$e\^\{\\ln \d+\}\$ is \$\d+\$\. How much does each piece weigh\?", log_of),
    "larger-maximum": (r"\$e\^\{\\ln \d+ - \\ln \d+\}\$ is \$[\d/]+\$\. And the new key itself\?",
                       log_of),
    "quadratic-share": (r"Count the multiplications for one token: four matrices of attention, "
                        r"two of feed-forward, and two products with each token of the text\.",
                        counted),
    "linear-row": (r"First compute the dot product of the query and each key\. Divided by their "
                   r"sum, these are the weights\.", over_a_sum),
    "order-slope": (r"What does one position cost in this head, and what do \d+ cost\?", asks),
    "edge-taken-away": (r"The mask makes the score −∞ before softmax\. The other scores stay, so "
                        r"only the total that divides them changes\.", only_the_sum),
    "state-size": (r"The number of tokens does not matter\.", same_for_any_length),
    "cheating-cell": (rf"Which token has to be predicted at {W}\?", asks),
    "induction-looks": (rf"Where was {W} before\? What came next there\?", asks),
    "recalled": (r"Softmax of a large multiple gives nearly all weight to the largest dot "
                 r"product\.", lambda *_: softmax(50 * ROW)[ROW.argmax()] > 0.99),
}  # fmt: skip


@proves(whole(READ))
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_what_a_hint_states_is_so(name: str) -> None:
    pattern, check = HINTS.get(name, ("", asks))
    stating = [q for q in asked(MAKERS[name]) if read(q.hint) not in READ]
    assert bool(stating) == (name in HINTS)
    for question in stating:
        match = re.fullmatch(pattern, question.hint)
        assert match, f"nobody has read this hint as a claim: {question.hint!r}"
        assert check(match, question) in (None, True)


def test_no_hint_is_kept_that_no_question_gives() -> None:
    given = {read(question.hint) for maker in MAKERS.values() for question in asked(maker)}
    assert set(HINTS) <= set(MAKERS)
    assert set(READ) <= given
