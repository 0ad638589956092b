"""What questions say beside their answers: each mistake makes its number, each reason is so.

The answers are worked out from the printed sheets, in `tests/stage/questions_solved/`.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pytest
import torch

from core.hash_random import Draw
from core.models.captures import captured_runs
from core.questions.engine import Question
from tests.core.support import MAKERS, asked, figure, read
from tests.quotes import proves, whole

attention = torch.nn.functional.scaled_dot_product_attention
length = np.linalg.norm


def rows(question: Question, table: int = 0) -> np.ndarray:
    """The numbers of a table as a person sees them."""
    return np.array([list(map(float, line)) for line in question.tables[table].cells])


def prompted(question: Question) -> list[float]:
    """The numbers of its prompt, in order."""
    return [float(text) for text in re.findall(r"\d+(?:\.\d+)?", read(question.prompt))]


MISTAKES: Mapping[str, Mapping[str, Callable[..., float]]] = {
    "aligned-score": {
        "you gave the cosine": lambda score, *_: math.copysign(1, score),
        "you forgot √d_k": lambda score, *_: math.copysign(score**2, score),
        "you lost the sign": lambda score, *_: -score,
        "you took the mean for independent vectors": lambda score, *_: 0,
    },
    "cells-computed": {
        "you counted all pairs": lambda seen, T, *_: T * T,
        "you took half of the square": lambda seen, T, *_: T * T / 2,
        "you left out the diagonal": lambda seen, T, *_: seen - T,
    },
    "computed-again": {
        "you counted each token once": lambda rows, T: T,
        "you took every step for the last one": lambda rows, T: T * T,
        "you left the new token out": lambda rows, T: rows - T,
    },
    "cosine": {
        "you gave the dot product": lambda cosine, q, k: q @ k,
        "you divided only by the length of k": lambda cosine, q, k: q @ k / length(k),
        "you divided only by the length of q": lambda cosine, q, k: q @ k / length(q),
        "you divided by the sum of the lengths":
            lambda cosine, q, k: q @ k / (length(q) + length(k)),
        "you lost the minus signs":
            lambda cosine, q, k: abs(q) @ abs(k) / length(q) / length(k),
        "you gave the angle": lambda cosine, q, k: math.degrees(math.acos(cosine)),
    },
    "divisor": {
        "you took the root of d_model": lambda root, d_model, H: math.sqrt(d_model),
        "you forgot the root": lambda root, d_model, H: d_model / H,
        "you took the root of H": lambda root, d_model, H: math.sqrt(H),
        "you gave the factor": lambda root, d_model, H: 1 / root,
    },
    "first-weight": {
        "you used the whole row": lambda weight, *rows: np.exp(rows[0])[0] / np.exp(rows[0]).sum(),
        "you made all weights equal": lambda weight, *rows: 1 / len(rows),
    },
    "heads-cache": {
        "you counted only K or V": lambda held, H, d, G, T: G * d * T,
        "you counted all heads": lambda held, H, d, G, T: 2 * H * d * T,
        "you counted one token": lambda held, H, d, G, T: 2 * G * d,
        "you counted one key/value head": lambda held, H, d, G, T: 2 * d * T,
    },
    "heads-feature": {
        "you dealt the features out in turn": lambda head, d, H, _, c: (c - 1) % H + 1,
        "you gave the place inside the head": lambda head, d, H, _, c: (c - 1) % (d / H) + 1,
        "you counted from 0": lambda head, d, H, _, c: head - 1,
    },
    "layer-parameters": {
        "you gave every head keys and values of its own":
            lambda held, d, H, d_k, G, _, d_ff: held + 2 * d * d_k * (H - G),
        "you counted attention only": lambda held, d, H, d_k, G, *_: 2 * d * d_k * (H + G),
        "you counted feed-forward only":
            lambda held, d, H, d_k, G, *_: held - 2 * d * d_k * (H + G),
        "you counted another number of matrices": lambda held, d, H, d_k, G, _, d_ff:
            4 * d * d_k * (H + G) + 5 * d * d_ff - held,
    },
    "longer-text": {
        "you let the work grow linearly": lambda more, d, T, work, long: work * long / T,
        "you doubled the factor and did not square it":
            lambda more, d, T, work, long: 2 * work * long / T,
        "you doubled for the two products": lambda more, *_: 2 * more,
        "you let the work grow with the third power":
            lambda more, d, T, work, long: more * long / T,
    },
    "parameters": {
        "you counted one projection": lambda both, n, d_model, d_k: both / 2,
        "you counted the scores": lambda both, n, d_model, d_k: n * n,
        "you counted W_V too": lambda both, n, d_model, d_k: 3 * d_model * d_k,
        "you made the projections square": lambda both, n, d_model, d_k: 2 * d_model**2,
        "you counted queries and keys": lambda both, n, d_model, d_k: 2 * n * d_k,
    },
    "previous-token-score": {
        "you forgot to divide": lambda mean, *rows: 3 * mean,
        "you divided by the number of all tokens": lambda mean, *rows: 3 * mean / 4,
        "you took the diagonal": lambda mean, *rows: sum(rows[i][i] for i in (1, 2, 3)) / 3,
        "you took the first column": lambda mean, *rows: sum(row[0] for row in rows[1:]) / 3,
    },
    "untrained-loss": {
        "you used the logarithm to base 2": lambda loss, size: loss / math.log(2),
        "you gave the probability": lambda loss, size: math.exp(-loss),
        "you counted the tokens": lambda loss, size: size,
    },
    "score": {
        "you forgot √d_k": lambda score, q, k: q @ k,
        "you divided by d_k": lambda score, q, k: q @ k / len(q),
        "you multiplied by √d_k": lambda score, q, k: q @ k * math.sqrt(len(q)),
        "you lost the minus signs": lambda score, q, k: abs(q * k).sum() / math.sqrt(len(q)),
        "you took only the first pair": lambda score, q, k: q[0] * k[0] / math.sqrt(len(q)),
        "you added the entries": lambda score, q, k: sum(q + k) / math.sqrt(len(q)),
        "you went on to the exponential": lambda score, q, k: math.exp(score),
    },
    "softmax-ratio": {
        "you divided the logits": lambda ratio, high, low, *_: high / low,
        "you took the difference of the logits": lambda ratio, high, low, *_: high - low,
        "you left out the temperature": lambda ratio, *n: ratio ** n[-1],
        "you multiplied by the temperature": lambda ratio, *n: ratio ** n[-1] ** 2,
    },
    "what-is-left": {
        **{f"you multiplied {t} times": lambda left, factor, *_, t=t: factor**t
           for t in range(3, 7)},
        "you multiplied the steps": lambda left, factor, *rest: factor * (rest[-1] - 1),
        "you took one step": lambda left, factor, *_: factor,
    },
}  # fmt: skip
"""What each is named for, of the answer and of the numbers that are given, by kind of question."""


@proves(whole(name for mistakes in MISTAKES.values() for name in mistakes))
@pytest.mark.parametrize("name", MISTAKES)
def test_each_mistake_makes_the_number_that_it_is_named_for(name: str) -> None:
    met, close = set[str](), 0.01 if name == "first-weight" else 1e-9  # of printed scores
    for question in asked(MAKERS[name]):
        given: Iterable[Any] = rows(question) if question.tables else prompted(question)
        for wrong in question.wrong:
            mistake = read(wrong.name)
            made = MISTAKES[name][mistake](question.answer, *given)
            assert wrong.value == pytest.approx(made, rel=1e-9, abs=close), (question.id, mistake)
            met.add(mistake)
    assert met == set(MISTAKES[name])


# What is shown of runs


@pytest.mark.parametrize("name", ["aligned-score", "cosine", "divisor", "first-weight", "score"])
def test_the_cell_that_is_shown_of_a_run_is_that_of_the_answer(name: str) -> None:
    for question in asked(MAKERS[name]):
        (seen,) = question.evidence
        found = seen.trace[seen.array][seen.cell]
        assert found == pytest.approx(question.answer, abs=1e-12), question.id


def test_aligned_vectors_are_of_signs_and_point_as_the_hint_says() -> None:
    said = set()
    for question in asked(MAKERS["aligned-score"]):
        (seen,) = question.evidence
        q, k = seen.trace["Q"][0, 0], seen.trace["K"][0, 1]
        assert set(q) | set(k) <= {1.0, -1.0}
        one, other, variance = re.findall(
            r"is (\S+) or (\S+) with equal chance, so its variance is (\S+)\.",
            read(question.prompt),
        )[0]
        assert np.var([figure(one), figure(other)]) == figure(variance)
        (hint,) = (read(w.hint) for w in question.wrong if read(w.name) == "you lost the sign")
        (told,) = re.findall(r"k points in the (.+) q, so each product .+ is (.+)\.$", hint)
        turned = {"same direction as": 1, "direction opposite to": -1}[told[0]]
        np.testing.assert_array_equal(k, turned * q)
        np.testing.assert_array_equal(q * k, figure(told[1]))
        said.add(turned)
    assert said == {1, -1}


def test_the_favourite_key_has_the_weight_that_is_said() -> None:
    for question in asked(MAKERS["favourite-key"]):
        q, *keys = map(torch.tensor, rows(question))
        K, dots = torch.stack(keys), "dot product" in read(question.prompt)
        weights = torch.softmax(K @ q if dots else torch.cosine_similarity(K, q[None], dim=-1), 0)
        (seen,) = question.evidence
        np.testing.assert_allclose(seen.trace["weights"][0, 0], weights, rtol=1e-12)
        assert seen.cell
        assert seen.trace.tokens[seen.cell[-1]] == question.answer
        said = re.findall(r" gets (?:≈ )?([.\d]+) of", read(question.explanation))
        assert abs(float(said[0]) - weights.max()) <= 0.005 + 1e-9
        by_dot, by_angle = K @ q, K @ q / K.norm(dim=1)
        mistakes = {
            "you looked only at the direction" if dots else "you let the length count": (
                by_angle if dots else by_dot
            ).argmax(),
            "you picked the longest arrow": K.norm(dim=1).argmax(),
        }
        names = question.kind.options  # type: ignore[union-attr]
        named = {name: names[at] for name, at in mistakes.items()}
        assert {read(w.name): w.value for w in question.wrong} == named


def test_scores_are_changed_as_the_prompt_says_and_the_largest_weight_is_shown() -> None:
    for question in asked(MAKERS["softmax-change"]):
        before, after = question.evidence
        cell = before.cell
        assert cell
        assert cell == after.cell
        row, changed = (seen.trace["scores"][cell[:2]] for seen in question.evidence)
        c, put = re.findall(
            r"(\d)(?: is (added|subtracted)|\. What)|$", read(question.prompt).partition("are. ")[2]
        )[0]
        wanted = row + int(c) * {"added": 1, "subtracted": -1}.get(put, 0)
        if not put:
            wanted = row * (int(c) if "multiplied" in question.prompt else 1 / int(c))
        np.testing.assert_allclose(changed, wanted, atol=1e-12)
        for seen in question.evidence:
            weights = torch.softmax(torch.tensor(seen.trace["scores"]), -1)
            np.testing.assert_allclose(seen.trace["weights"], weights, rtol=0, atol=1e-13)
        assert before.trace["weights"][cell] == before.trace["weights"][cell[:2]].max()
        assert question.tables[0].rows == (before.trace.tokens[cell[1]],)


def test_maps_change_as_the_prompt_says() -> None:
    swap, turn = np.array([[0, 1], [1, 0]]), np.array([[0, 1], [-1, 0]])
    one = np.eye(2)
    said = {
        "W_Q is doubled and W_K halved": (2 * one, one / 2),
        "W_Q is halved and W_K multiplied by 4": (one / 2, 4 * one),
        "W_Q and W_K are both doubled": (2 * one, 2 * one),
        "every entry of W_Q changes its sign": (-one, one),
        "every entry of W_Q and of W_K changes its sign": (-one, -one),
        "the two columns of W_Q change places": (swap, one),
        "the two columns of W_Q change places, and so do those of W_K": (swap, swap),
        "all queries and all keys are turned by the same quarter turn": (turn, turn),
        "W_Q and W_K change places": None,
    }
    met = set()
    for question in asked(MAKERS["basis"]):
        what = read(question.prompt).removeprefix("In a head with d_k = 2, ").split(". X stays")[0]
        before, after = (np.hsplit(rows(question, table), 2) for table in (1, 2))
        maps = said[what]
        wanted = before[::-1] if maps is None else [*map(np.matmul, before, maps)]
        np.testing.assert_array_equal(after, wanted)
        for seen, printed in zip(question.evidence, (before, after), strict=True):
            np.testing.assert_array_equal([seen.trace[w][0] for w in ("W_Q", "W_K")], printed)
        met.add(what)
    assert met == set(said)


@pytest.mark.parametrize("seed", [8, 207, 217, 304, 363])
def test_maps_whose_product_is_zero_are_drawn_again(seed: int) -> None:
    """The first draw of these seeds has W_Q W_Kᵀ = 0: no change of it could be seen."""
    assert MAKERS["basis"].draw_once(Draw(f"question:basis:{seed}:0")) is None


# What explanations say


def test_parameters_before_and_now_are_those_of_linear_layers() -> None:
    for question in asked(MAKERS["heads-parameters"]):
        d_model, _, heads, *_, d_k = map(int, prompted(question))
        held = []
        for outputs in (d_model, heads * d_k):
            maps = [torch.nn.Linear(d_model, outputs, bias=False, device="meta") for _ in range(4)]
            held.append(sum(each.weight.numel() for each in maps))
        assert "{:,} before, {:,} now".format(*held) in read(question.explanation)


def test_the_table_of_corners_is_what_is_causal_lets_queries_see() -> None:
    for question in asked(MAKERS["which-corner"]):
        new, keys, _ = map(int, prompted(question))
        q, k = torch.zeros(1, new, 4), torch.zeros(1, keys, 4)
        seen = attention(q, k, torch.eye(keys)[None], is_causal=True)[0] > 0
        assert [[cell == "1" for cell in row] for row in question.after[0].cells] == seen.tolist()


def test_over_columns_a_later_query_changes_the_weight_that_is_said() -> None:
    for question in asked(MAKERS["wrong-axis"]):
        said = read(question.explanation)
        masked = torch.tensor(rows(question))
        changed = masked.clone()
        before, after = map(figure, re.findall(r"from (−?\d) to (−?\d)\. Then", said)[0])
        assert changed[2, 0] == before
        changed[2, 0] = after
        texts = re.findall(r"from (\S+) to (\S+)\.$", said)[0]
        assert texts[0] != texts[1]
        for text, run in zip(texts, (masked, changed), strict=True):
            assert abs(figure(text) - run.softmax(-2)[0, 0]) <= 0.005 + 1e-9


def test_an_empty_row_is_nan_as_written_and_zeros_for_pytorch() -> None:
    for question in asked(MAKERS["empty-row"]):
        keys = int(read(question.prompt).partition("of the ")[2].split()[0])
        assert f"As written: {', '.join(['NaN'] * keys)}. " in read(question.explanation)
        some, hidden = torch.ones(keys, 2), torch.zeros(1, keys, dtype=torch.bool)
        assert not attention(some[:1], some, some, attn_mask=hidden).any()


def test_why_a_head_is_of_no_other_kind_names_what_that_kind_would_read() -> None:
    digits = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
    texts = {run.prompt: [token.replace("Ġ", "") for token in run.tokens]
             for run in captured_runs() if run.mask == "causal"}  # fmt: skip
    kinds: dict[str, Callable[[list[str], int], list[int]]] = {
        "Previous token": lambda t, i: [i - 1],
        "Own token": lambda t, i: [i],
        "First token": lambda t, i: [0],
        "Same token again": lambda t, i: [j for j in range(i) if t[j] == t[i]],
        "Induction": lambda t, i: [j + 1 for j in range(i - 1) if t[j] == t[i]],
    }
    for question in asked(MAKERS["what-head-does"]):
        (tokens,) = (tokens for prompt, tokens in texts.items() if prompt in question.prompt)
        labels = [
            token + (str(tokens[: n + 1].count(token)) if tokens.count(token) > 1 else "")
            for n, token in enumerate(tokens)
        ]
        reads = {
            row.translate(digits): cells[0].translate(digits)
            for row, cells in zip(question.tables[0].rows, question.tables[0].cells, strict=True)
        }
        for wrong in question.wrong:
            ((row, would, does),) = re.findall(
                r"Look at \*(.+)\*\. .* would read (.+) most\. This head reads (.+)\.$",
                wrong.hint.translate(digits),
            )
            expected = kinds[str(wrong.value)](tokens, labels.index(row))
            assert does == reads[row]
            assert labels.index(does) not in expected
            assert all(labels[j] in would for j in expected)


@pytest.mark.parametrize(
    ("name", "answers"),
    [("basis", 2), ("does-bank-change", 2), ("heads-parameters", 2), ("main-contributor", 2),
     ("softmax-change", 3), ("symmetric", 3)],
)  # fmt: skip
def test_so_many_answers_come_up_often(name: str, answers: int) -> None:
    met = Counter(question.answer for question in asked(MAKERS[name]))
    assert len(met) >= answers
    assert met.most_common()[answers - 1][1] > met.total() / 10
