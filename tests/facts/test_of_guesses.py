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


def of_largest(q: Question) -> str:
    before, after = (softmax_of(q, change).max() for change in (torch.Tensor.clone, changes(q)))
    if abs(before - after) < 0.02:
        return "No weight changes"
    return f"The largest weight {'grows' if after > before else 'shrinks'}"


def of_rows(q: Question) -> str:
    if "attention" not in q.prompt.split("input of")[1]:
        return "Only its own row"
    return "Its own row and the later ones" if "causal" in q.prompt else "Every row"


def of_bank(q: Question) -> str:
    before = prompted(q)[0] != "bank"
    return f"It {'moves towards the words before it' if before else 'stays the same'}"


def of_parts(n: Numbers) -> str:
    first, second = n[0] * n[1], n[2] * n[3]
    if first == second:
        return "Both the same"
    return "The first value" if first > second else "The second value"


def of_symmetric(n: Numbers, q: Question) -> str:
    rows = cells(q.tables[0])
    assert q.tables[0].columns[::2] == ("$q$ 1", "$k$ 1")
    there, back = rows[0, :2] @ rows[1, 2:], rows[1, :2] @ rows[0, 2:]
    assert there == n[0]
    return "the same" if there == back else "larger" if back > there else "smaller"


CALLED = """
edge-taken-away: = n[0] / (n[0] + n[2])
edge-taken-away: you left the weight as it was = n[0]
layers-reach: = n[0] * n[2]
unit-says: = max(0, np.dot(n[:3], n[3:]))
unit-says: you left ReLU out = np.dot(n[:3], n[3:])
rows-moved: = of_rows(q)
layers-deep: you let each layer add to the first number = n[0] * (1 + n[1] * n[2])
layers-deep: you stopped after one layer = n[0] * (1 + n[1])
copied-next: = followed(q)[-1]
copied-next: you used the first occurrence = followed(q)[0]
padding-scores: you counted rows = 3 * max(n) - sum(n)
padding-scores: you counted all scores = 3 * max(n) ** 2
which-corner: you let the last query see everything = n[1]
which-corner: you counted the keys that were kept = n[2]
which-corner: you took the first query for the last = 1
what-is-left: = n[0] ** (n[4] - n[1])
counted-twice: = merged(n, 1, 2, 1)
counted-twice: you counted each key once = merged(n, 1, 1, 1)
counted-twice: you left key 2 out = merged(n, 1, 0, 1)
larger-maximum: you left the new key out = n[1] * n[0] / n[2]
tiles-needed: you counted all tiles = (n[0] / n[1]) ** 2
tiles-needed: you counted one row of tiles = n[0] / n[1]
softmax-change: = of_largest(q)
softmax-change: you let every weight grow = "Every weight grows"
symmetric: = of_symmetric(n, q)
symmetric: you expected a smaller score = "smaller"
symmetric: you expected a larger score = "larger"
state-size: = n[0] * (n[0] + 1)
state-size: you counted a cache of keys and values = 2 * n[0] * n[1]
order-turn: you took the query's own angle = n[0] * n[1]
does-bank-change: = of_bank(q)
does-bank-change: you let bank read what comes after it = "It moves towards the words after it"
main-contributor: = of_parts(n)
unchanged-row: = prompted(q)[-1]
unchanged-row: you picked the row that loses the most keys = prompted(q)[0]
"""
"""Of a question the answer, or a mistake by its name, from the numbers n of the prompt."""


@proves(r"""
    you left the weight as it was | you left ReLU out | you let each layer add to the first number |
    you stopped after one layer | you used the first occurrence | you counted rows | you counted all
    scores | you let the last query see everything | you counted the keys that were kept | you took
    the first query for the last | you counted each key once | you left key 2 out | you left the new
    key out | you counted all tiles | you counted one row of tiles | you expected a smaller score |
    you expected a larger score | you counted a cache of keys and values | you took the query's own
    angle | you picked the row that loses the most keys | Only its own row | Its own row and the
    later ones | The largest weight grows | The largest weight shrinks | Every weight grows | It
    stays the same | It moves towards the words before it | It moves towards the words after it |
    The first value | Both the same | Their weights are {a}, {b} and {c}. Now the mask hides the
    edge from b. What is the weight of the edge from a now | A sliding window lets each token read
    itself and {before} before it ($w = {window}$). There are {layers} such layers | A token's row
    is {row}. A unit's column of $W … is {column} | In the input of the {part}, only the row of
    {word} changes. Which rows of its output change | each token reads the token before it. In layer
    2 the final token looks for tokens that read its own word, and copies the latest of them. The
    model reads “{prompt}”. Which word does it write next | {new} new queries meet {keys} keys:
    {kept} that were kept, and then their own. You pass is_causal=True to
    scaled_dot_product_attention. How many keys does the last query see | Token 1 put $1$ into it,
    the others put in $0$. What does the state hold at token {token} | The state of a linear
    recurrent net is multiplied by {factor} at each step | Three keys have the scores ${scores}$
    and the values ${x}$, ${y}$ and ${z}$. By mistake, somebody merges the pieces $\{1, 2\}$ and
    $\{2, 3\}$ | A query's largest score so far is $\ln {largest}$. The sum so far is {sum}: $e$ to
    each score minus the largest, added up. The next key has the score $\ln {new}$ | A text of
    {tokens} tokens is cut into blocks of {width} queries and {width} keys. Under a causal mask,
    tiles that are entirely hidden are not computed. How many tiles are left | What happens to the
    weights of the row | {one} gives {other} the score {there}: its query times the key of {other}.
    The score that {other} gives {one} is | keys and values of {features} features. It has read
    {tokens} tokens. How many numbers does it keep in all, in the state and in the sum of the keys |
    A token reads two values: {first} with the weight {first_weight}, and {second} with the weight
    {second_weight}. Which value adds more | What happens to the row of {bank} | Which row stays
    exactly the same
""")
@pytest.mark.parametrize("line", CALLED.strip().split("\n"))
def test_a_mistake_leads_to_what_it_is_called(line: str) -> None:
    name, called, wanted = re.match(r"(\S+): (.*?) ?= (.*)", line).groups()  # type: ignore[union-attr]
    met = 0
    for q in map(MAKERS[name], SEEDS):
        so = eval(wanted, globals(), {"q": q, "n": numbers(read(q.prompt))})
        made = [q.answer, *(w.value for w in q.wrong)]
        for said, value in zip(["", *(read(w.name) for w in q.wrong)], made, strict=True):
            if said == called:
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
