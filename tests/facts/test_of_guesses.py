"""What prompts, usual mistakes, options and tables of questions are called, from their numbers."""

import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention as attention

from core.questions.engine import Question, QuestionTable
from tests.core.support import MAKERS, read
from tests.facts.asks import numbers
from tests.facts.test_of_more_questions import prompted
from tests.quotes import proves
from tests.sampling import SEEDS
from tests.stage.questions_solved import test_questions_solved

Numbers = list[float]


def merged(n: Numbers, *counted: float) -> float:
    """The value of three keys, each counted so many times."""
    weights = np.array(n[:3]) * counted
    return float(weights @ n[3:6] / weights.sum())


def followed(q: Question) -> list[str]:
    """What came after the last word before."""
    words = prompted(q)
    return [b for a, b in pairwise(words) if a == words[-1]]


def softmax_of(q: Question, change: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    return change(cells(q.tables[0])[0]).softmax(0)


def cells(table: QuestionTable) -> torch.Tensor:
    return torch.tensor([[float(cell) for cell in row] for row in table.cells]).double()


def changes(q: Question) -> Callable[[torch.Tensor], torch.Tensor]:
    way, c = re.findall(r"(added|subtracted|multiplied|divided)", q.prompt)[0], numbers(q.prompt)[0]
    return {
        "added": lambda x: x + c, "subtracted": lambda x: x - c,
        "multiplied": lambda x: x * c, "divided": lambda x: x / c,
    }[way]  # fmt: skip


CALLED = """
edge-taken-away: you left the weight as it was = n[0]
unit-says: you left ReLU out = np.dot(n[:3], n[3:])
layers-deep: you let each layer add to the first number = n[0] * (1 + n[1] * n[2])
layers-deep: you stopped after one layer = n[0] * (1 + n[1])
copied-next: you used the first occurrence = followed(q)[0]
padding-scores: you counted rows = 3 * max(n) - sum(n)
padding-scores: you counted all scores = 3 * max(n) ** 2
which-corner: you let the last query see everything = n[1]
which-corner: you counted the keys that were kept = n[2]
which-corner: you took the first query for the last = 1
counted-twice: you counted each key once = merged(n, 1, 1, 1)
counted-twice: you left key 2 out = merged(n, 1, 0, 1)
larger-maximum: you left the new key out = n[1] * n[0] / n[2]
tiles-needed: you counted all tiles = (n[0] / n[1]) ** 2
tiles-needed: you counted one row of tiles = n[0] / n[1]
softmax-change: you let every weight grow = "Every weight grows"
symmetric: you expected a smaller score = "smaller"
symmetric: you expected a larger score = "larger"
state-size: you counted a cache of keys and values = 2 * n[0] * n[1]
order-turn: you took the query's own angle = n[0] * n[1]
does-bank-change: you let bank read what comes after it = "It moves towards the words after it"
unchanged-row: you picked the row that loses the most keys = prompted(q)[0]
"""
"""Of a question a mistake by its name, from the numbers n of the prompt."""


@proves("""
    you left the weight as it was | you left ReLU out | you let each layer add to the first number |
    you stopped after one layer | you used the first occurrence | you counted rows | you counted all
    scores | you let the last query see everything | you counted the keys that were kept | you took
    the first query for the last | you counted each key once | you left key 2 out | you left the new
    key out | you counted all tiles | you counted one row of tiles | you expected a smaller score |
    you expected a larger score | you counted a cache of keys and values | you took the query's own
    angle | you picked the row that loses the most keys | Every weight grows | It moves towards the
    words after it
""")
@pytest.mark.parametrize("line", CALLED.strip().split("\n"))
def test_a_mistake_leads_to_what_it_is_called(line: str) -> None:
    name, called, wanted = re.match(r"(\S+): (.*?) ?= (.*)", line).groups()  # type: ignore[union-attr]
    met = 0
    for q in map(MAKERS[name], SEEDS):
        so = eval(wanted, globals(), {"q": q, "n": numbers(read(q.prompt))})
        for value in (w.value for w in q.wrong if read(w.name) == called):
            met += 1
            assert value == so if isinstance(so, str) else np.isclose(value, so)
    assert met


@proves("""
    this table has the weights without a mask, one row for each query. The causal mask hides from
    each query the keys that come after it | Weights without a mask | Weights with the causal mask |
    For each query, count the keys after it: the mask removes them from its row | you picked a row
    with keys after it | this table has the scaled scores, before the causal mask. After mask and
    softmax, what is the weight of {token} on itself | Which keys can {token} see? Softmax uses only
    their scores | here each word reads itself and the words before it, and its new row is a
    weighted average of the rows it reads. The table shows the rows before that | Before it reads |
    After it has read | these are the scores of the query {query}. They enter softmax as they are |
    query ↓ key → | Weights of the query {query} | Weight of the first key | Weight of the second
    key | What is_causal=True lets them see: 1 is visible
""")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_has_what_its_title_says(seed: int) -> None:
    q = MAKERS["unchanged-row"](seed)
    free, causal = (cells(table) for table in (*q.tables, *q.after))
    titles = [table.title for table in (*q.tables, *q.after)]
    assert titles == ["Weights without a mask", "Weights with the causal mask"]
    assert (free.triu(1) > 0).sum() > 1 > causal.triu(1).sum() == 0
    rows, keys = q.tables[0].rows, q.tables[0].columns
    some = {w.value for w in q.wrong if w.name == "you picked a row with keys after it"}
    assert some == {*rows[1:-1]}
    assert rows == keys
    q = MAKERS["first-weight"](seed)
    assert (cells(q.tables[0]).triu(1) != 0).any()
    q = MAKERS["does-bank-change"](seed)
    X, read_so = cells(q.tables[0]), cells(q.after[0])
    assert [q.tables[0].title, q.after[0].title] == ["Before it reads", "After it has read"]
    torch.testing.assert_close(attention(X, X, X, is_causal=True), read_so, atol=0.0051, rtol=0)
    q = MAKERS["softmax-change"](seed)
    (asking,) = q.tables[0].rows
    assert all(asking in said for said in (q.tables[0].columns, q.after[0].title, q.prompt))
    assert (q.tables[0].corner, q.after[0].corner) == ("query ↓ key →", "key →")
    made = torch.stack([softmax_of(q, lambda x: x), softmax_of(q, changes(q))])
    torch.testing.assert_close(made, cells(q.after[0]), atol=0.1, rtol=0)
    assert q.after[0].rows == ("before", "after")
    for one, row, when in zip(q.evidence, cells(q.after[0]), ("before", "after"), strict=True):
        weights = one.trace["weights"][0, list(one.trace.tokens).index(asking)]
        assert np.abs(weights - row.numpy()).max() < 0.0051
        assert one.title == f"Weights {when}"
    named = {shown.title: shown.cell for shown in MAKERS["softmax-ratio"](seed).evidence}
    assert named == {"Weight of the first key": (0, 0, 0), "Weight of the second key": (0, 0, 1)}
    (seen,) = MAKERS["which-corner"](seed).tables or MAKERS["which-corner"](seed).after
    assert seen.title.endswith("lets them see: 1 is visible")
    assert (cells(seen) == torch.ones_like(cells(seen)).tril()).all()


proves(r"""
    Only its own row | Its own row and the later ones | The largest weight grows | The largest
    weight shrinks | It stays the same | It moves towards the words before it | The first value |
    Both the same | Their weights are {a}, {b} and {c}. Now the mask hides the edge from b. What is
    the weight of the edge from a now | A sliding window lets each token read itself and {before}
    before it ($w = {window}$). There are {layers} such layers | A token's row is {row}. A unit's
    column of $W … is {column} | In the input of the {part}, only the row of {word} changes. Which
    rows of its output change | each token reads the token before it. In layer 2 the final token
    looks for tokens that read its own word, and copies the latest of them. The model reads
    “{prompt}”. Which word does it write next | {new} new queries meet {keys} keys: {kept} that were
    kept, and then their own. You pass is_causal=True to scaled_dot_product_attention. How many keys
    does the last query see | Token 1 put $1$ into it, the others put in $0$. What does the state
    hold at token {token} | The state of a linear recurrent net is multiplied by {factor} at each
    step | Three keys have the scores ${scores}$ and the values ${x}$, ${y}$ and ${z}$. By mistake,
    somebody merges the pieces $\{1, 2\}$ and $\{2, 3\}$ | A query's largest score so far is $\ln
    {largest}$. The sum so far is {sum}: $e$ to each score minus the largest, added up. The next key
    has the score $\ln {new}$ | A text of {tokens} tokens is cut into blocks of {width} queries and
    {width} keys. Under a causal mask, tiles that are entirely hidden are not computed. How many
    tiles are left | What happens to the weights of the row | {one} gives {other} the score {there}:
    its query times the key of {other}. The score that {other} gives {one} is | keys and values of
    {features} features. It has read {tokens} tokens. How many numbers does it keep in all, in the
    state and in the sum of the keys | A token reads two values: {first} with the weight
    {first_weight}, and {second} with the weight {second_weight}. Which value adds more | What
    happens to the row of {bank} | Which row stays exactly the same
""")(
    test_questions_solved.test_each_question_is_solved_from_its_sheet_which_says_if_two_decimals_do
)
