"""Questions with options: what they tell is tried on the printed numbers, or on random ones."""

import math
import re
from fractions import Fraction

import numpy as np
import torch

from tests.stage.questions_solved.by_numbers import dot
from tests.stage.questions_solved.printed import PrintedQuestion
from tests.stage.questions_solved.solver import Solvers, ticked

BY_TRYING = Solvers()
solves = BY_TRYING.of
Matrix = np.ndarray


def softmax(scores: Matrix, axis: int = -1) -> Matrix:
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return raised / raised.sum(axis=axis, keepdims=True)


def causal(T: int) -> Matrix:
    return np.where(np.tri(T, dtype=bool), 0, -np.inf)


def random_rows(words: list[str]) -> Matrix:
    """A random row for each word: the same word, the same row."""
    rows = {word: np.random.default_rng(list(word.encode())).normal(size=6) for word in words}
    return np.array([rows[word] for word in words])


def attention(X: Matrix, is_causal: bool, layer: int = 0) -> Matrix:
    """What each row reads in a layer of random weights, so small that no row is read by none."""
    W_Q, W_K, W_V = np.random.default_rng(layer).normal(size=(3, 6, 6)) / 3
    scores = (X @ W_Q) @ (X @ W_K).T / 6**0.5 + (causal(len(X)) if is_causal else 0)
    return softmax(scores) @ (X @ W_V)


def table_of(printed: PrintedQuestion, at: int = 0) -> Matrix:
    return np.array(printed.tables[at].numbers, dtype=float)


def larger(a: Fraction | float, b: Fraction | float, words: tuple[str, str, str]) -> str:
    """What a is, compared with b: smaller, the same or larger."""
    return words[1 + (a > b) - (a < b)]


@solves("does-bank-change")
def _(printed: PrintedQuestion) -> str:
    printed.find(
        "each word reads itself and the words before it, and its new row is a weighted average"
    )
    (words,), word = printed.quoted, printed.find(r"happens to the row of (\S+)\?")[1]
    table, at = printed.tables[0], words.index(word)
    assert table.rows == words
    if not at or not np.ptp(table_of(printed)[: at + 1], axis=0).any():
        return ticked(printed, "stays the same")
    return ticked(printed, "towards the words before it")


@solves("main-contributor")
def _(printed: PrintedQuestion) -> str:
    first, its, second, other = printed.find_numbers(
        r"two values: (\S+) with the weight (\S+), and (\S+) with the weight (\S+)\. Which"
    )
    found = larger(first * its, second * other, ("second value", "Both the same", "first value"))
    return ticked(printed, found)


@solves("favourite-key")
def _(printed: PrintedQuestion) -> str:
    score = printed.find(
        r"score of each arrow is (the cosine of its angle|its dot product) with q"
    )[1]
    q, *arrows = printed.tables[0].numbers
    scores = [float(dot(q, k)) / (math.sqrt(dot(k, k)) if "cosine" in score else 1) for k in arrows]
    return printed.tables[0].rows[1 + int(np.argmax(scores))]


@solves("softmax-change")
def _(printed: PrintedQuestion) -> str:
    scores = table_of(printed)[0]
    change = printed.find(
        r"(?P<c>\d+) is (?P<put>added to|subtracted from) each"
        r"|Each score is (?P<times>multiplied|divided) by (?P<by>\d+)"
    )
    if change["put"]:
        new = scores + int(change["c"]) * (1 if "added" in change["put"] else -1)
    else:
        new = scores * (int(change["by"]) if "multi" in change["times"] else 1 / int(change["by"]))
    before, after = softmax(scores), softmax(new)
    moved = after - before
    if np.abs(moved).max() < 1e-9:
        return ticked(printed, "No weight changes")
    assert not (moved > 0).all()
    return ticked(printed, f"largest weight {'grows' if moved[before.argmax()] > 0 else 'shrinks'}")


@solves("unchanged-row")
def _(printed: PrintedQuestion) -> str:
    printed.find("The causal mask hides from each query the keys that come after it")
    weights = table_of(printed)
    (row,) = (i for i in range(len(weights)) if not weights[i, i + 1 :].any())
    return printed.tables[0].rows[row]


@solves("symmetric")
def _(printed: PrintedQuestion) -> str:
    one, other, told = printed.find(r"(\S+) gives (\S+) the score (\S+):").groups()
    table = printed.tables[0]
    assert table.columns == ["q 1", "q 2", "k 1", "k 2"]
    rows = dict(zip(table.rows, table.numbers, strict=True))
    there, back = (dot(rows[a][:2], rows[b][2:]) for a, b in ((one, other), (other, one)))
    assert there == int(told.replace("−", "-"))
    return ticked(printed, larger(back, there, ("smaller", "the same", "larger")))


@solves("basis")
def _(printed: PrintedQuestion) -> str:
    assert [table.title for table in printed.tables] == ["X", "Before", "After"]
    X, *maps = (table_of(printed, at) for at in range(3))
    runs = [(X @ W[:, :2], X @ W[:, 2:]) for W in maps]
    before, after = (softmax(Q @ K.T / 2**0.5) for Q, K in runs)
    if not np.allclose(before, after):
        return ticked(printed, "the weights change")
    kept = all(np.array_equal(a, b) for a, b in zip(*runs, strict=True))
    return ticked(printed, "and so do" if kept else "Q and K change")


@solves("heads-parameters")
def _(printed: PrintedQuestion) -> str:
    d_model, own, heads = printed.wholes(
        r"d_model = (\d+) has one head with d_k = d_v = (\d+)\. It gets (\d+) heads instead"
    )
    (d_k,) = printed.wholes(r"instead, each with d_k = d_v = d_model(?:/\d+)? = (\d+)\.")
    before, now = (4 * n * d_model * d for n, d in ((1, own), (heads, d_k)))
    for row, each in zip(printed.tables[0].numbers, (own, d_k), strict=True):
        assert row[1:] == [d_model * each] * 3
    return ticked(printed, larger(now, before, ("fewer", "the same", "more")))


@solves("renormalise")
def _(printed: PrintedQuestion) -> str:
    masked = table_of(printed)
    free = np.where(np.isinf(masked), np.random.default_rng(0).normal(size=masked.shape), masked)
    late = softmax(free) * ~np.isinf(masked)
    late /= late.sum(axis=1, keepdims=True)
    assert np.allclose(late, softmax(masked))
    return ticked(printed, "the same")


@solves("wrong-axis")
def _(printed: PrintedQuestion) -> str:
    scores, later = table_of(printed), table_of(printed)
    later[2] += np.where(np.isinf(later[2]), 0, [1.0, 2.0, -1.0])
    moved = not np.allclose(softmax(scores, axis=0)[0], softmax(later, axis=0)[0])
    return ticked(printed, "no" if moved else "yes")


@solves("underflow")
def _(printed: PrintedQuestion) -> str:
    scores = printed.find_numbers(r"visible keys with the scores (\S+) and (\S+)\. .*in float64")
    with np.errstate(under="ignore"):
        weight = softmax(np.array(scores, dtype=np.float64))[1]
    return ticked(printed, "more than 0" if weight > 0 else "exactly 0")


@solves("empty-row")
def _(printed: PrintedQuestion) -> str:
    (keys,) = printed.wholes(r"may see none of the (\d+) keys: every score of its row is −∞")
    printed.find("as written")
    with np.errstate(invalid="ignore"):
        weights = softmax(np.full(keys, -np.inf))
    assert np.isnan(weights).all()
    return ticked(printed, "NaN")


@solves("boolean-mask")
def _(printed: PrintedQuestion) -> str:
    told = r"for (\d+) tokens\. It is True at query (\d+), key (\d+) and False"
    T, query, key = printed.wholes(told)
    mask = torch.zeros(T, T, dtype=torch.bool)
    mask[query - 1, key - 1] = True
    x = torch.eye(T)[None]
    if "F.scaled_dot_product_attention" in printed.text:
        read = torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)
    else:
        printed.find("You pass nn.MultiheadAttention")
        read = torch.nn.MultiheadAttention(T, 1, batch_first=True)(x, x, x, attn_mask=mask)[1]
    return ticked(printed, "yes" if read[0, query - 1, key - 1] > 0 else "no")


def seen_causally(queries: int, keys: int) -> list[int]:
    """Which keys, from 1 on, PyTorch lets the last query read with `is_causal=True`."""
    q, k, values = torch.zeros(1, queries, 4), torch.zeros(1, keys, 4), torch.eye(keys)[None]
    read = torch.nn.functional.scaled_dot_product_attention(q, k, values, is_causal=True)
    return [1 + int(at) for at in read[0, -1].nonzero()]


@solves("cached-keys")
def _(printed: PrintedQuestion) -> str:
    (keys,) = printed.wholes(r"one new query meets (\d+) cached keys; its own key is the last")
    seen = seen_causally(1, keys)
    return ticked(printed, f"only key {seen[0]}" if len(seen) == 1 else f"all {keys}")


@solves("which-corner")
def _(printed: PrintedQuestion) -> int:
    queries, keys, kept = printed.wholes(r"(\d+) new queries meet (\d+) keys: (\d+) that were kept")
    assert keys - queries == kept
    return len(seen_causally(queries, keys))


@solves("earlier-shuffled")
def _(printed: PrintedQuestion) -> str:
    through = printed.find(r"through (\w+ layers?) of attention")[1]
    layers = {"one layer": 1, "two layers": 2}[through]
    printed.find("with a causal mask and without positions")
    last, runs = printed.find(r"what (\S+) reads\?")[1], []
    for words in printed.quoted:
        X = random_rows(words)
        for layer in range(layers):
            X = attention(X, is_causal=True, layer=layer)
        runs.append(X[words.index(last)])
    return ticked(printed, "stays the same" if np.allclose(*runs) else "changes")


@solves("moved-row")
def _(printed: PrintedQuestion) -> str:
    mask = printed.find(r"(with a causal|without a) mask and without positions")[1]
    is_causal = mask == "with a causal"
    typed, moved = printed.quoted
    (place,) = printed.wholes(r"at position (\d) of the new result")
    before, after = (attention(random_rows(words), is_causal) for words in (typed, moved))
    rows = zip(typed, before, strict=True)
    same = [word for word, row in rows if np.allclose(row, after[place - 1])]
    assert printed.tables[0].rows == typed
    return ticked(printed, same[0] if same else "None")


@solves("rows-moved")
def _(printed: PrintedQuestion) -> str:
    is_causal = printed.find(r"block (with a causal|without a) mask")[1] == "with a causal"
    part, word = printed.find(r"In the input of the (.+), only the row of (\S+) changes").groups()
    (words,) = printed.quoted
    X, at = random_rows(words), words.index(word)
    changed = X.copy()
    changed[at] += 1 + np.arange(6)
    W = np.random.default_rng(1).normal(size=(6, 6))
    parts = {
        "layer norm": lambda x: (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True),
        "RMSNorm": lambda x: x / (x * x).mean(1, keepdims=True) ** 0.5,
        "feed-forward net": lambda x: np.maximum(x @ W, 0) @ W.T,
        "attention": lambda x: attention(x, is_causal),
    }
    pairs = zip(parts[part](X), parts[part](changed), strict=True)
    moved = [not np.allclose(one, other) for one, other in pairs]
    patterns = {
        "Only its own": [row == at for row in range(4)],
        "the later ones": [row >= at for row in range(4)],
        "Every": [True] * 4,
    }
    return ticked(printed, next(words for words, rows in patterns.items() if rows == moved))


@solves("copied-next")
def _(printed: PrintedQuestion) -> str:
    printed.find("In layer 1 .* each token reads the token before it")
    printed.find(
        "final token looks for tokens that read its own word, and copies the latest of them"
    )
    (words,) = printed.quoted
    before = [None, *words[:-1]]
    return max((at, word) for at, word in enumerate(words) if before[at] == words[-1])[1]


@solves("what-head-does")
def _(printed: PrintedQuestion) -> str:
    text, table = printed.find(r"It reads the text (.+)$")[1], printed.tables[0]
    digits = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
    tokens = re.findall(r"\w+|[^\w\s]", text)
    labels = [
        token + (str(tokens[: at + 1].count(token)) if tokens.count(token) > 1 else "")
        for at, token in enumerate(tokens)
    ]
    pairs = [
        [labels.index(label.translate(digits)) for label in (row, cells[0])]
        for row, cells in zip(table.rows, table.cells, strict=True)
    ]
    explains = {
        "Previous token": lambda i, j: j == i - 1,
        "Own token": lambda i, j: j == i,
        "First token": lambda i, j: j == 0,
        "Same token again": lambda i, j: j < i and tokens[j] == tokens[i],
        "Induction": lambda i, j: 0 < j < i and tokens[j - 1] == tokens[i],
    }
    (kind,) = (kind for kind, does in explains.items() if all(does(i, j) for i, j in pairs))
    return ticked(printed, kind)


@solves("kernel-moves")
def _(printed: PrintedQuestion) -> str:
    told = r"a layer of causal (\w+)\. .*another row of X for (\S+)\. Which"
    kind, word = printed.find(told).groups()
    (words,) = printed.quoted
    X = random_rows(words)
    changed = X.copy()
    changed[words.index(word)] += 1
    if kind == "convolution":  # what mixes the rows is learned, and reads none of them
        return ticked(printed, "None")
    assert kind == "attention"
    before, after = (softmax(x @ x.T + causal(len(x))) for x in (X, changed))
    return ticked(printed, "None" if np.allclose(before, after) else "Some")


@solves("recalled")
def _(printed: PrintedQuestion) -> str:
    four = r"\((\S+), (\S+), (\S+), (\S+)\)"
    found = printed.find_numbers(
        rf"stored 1: {four}; 2: {four}; 3: {four}\. The state is {four}, and β is large"
    )
    rows = np.array(found, dtype=float).reshape(4, 4)
    weights = softmax(50 * rows[:3] @ rows[3])
    assert weights.max() > 0.99
    return ticked(printed, f"Pattern {1 + weights.argmax()}")


@solves("cheating-cell")
def _(printed: PrintedQuestion) -> str:
    sentence, query = printed.find(
        r"without a mask is trained to predict the next token of (.+)\. At (\S+), which key gives"
    ).groups()
    words = sentence.split()
    return ticked(printed, words[words.index(query) + 1])


@solves("induction-looks")
def _(printed: PrintedQuestion) -> str:
    row = printed.find(r"A perfect induction head reads (.+)\. Which token")[1].split()
    return ticked(printed, row[row.index(row[-1]) + 1])
