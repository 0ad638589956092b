"""The additive score, a convolution and a modern Hopfield update, each beside PyTorch or a loop."""

import math
import re

import numpy as np
import pytest
import torch

from core import Trace, explain
from core.chapters.other_kinds import convolution, recall, sentence
from core.chapters.other_kinds.scores import ADDITIVE, bound, scored_family
from tests.quotes import proves

TEXT = "The cat sat on the mat"


@proves(r"""
    needs no dot product of query and key. It adds query and key, applies tanh to each sum, and
    weights the results: $v_a^\top \tanh(q + k)$ | Without tanh, a query would add the same number
    to every score of its row, and softmax would ignore it | An additive score needs a tanh for
    every feature of every pair. All dot products are one fast product of matrices
""")
def test_the_additive_score_is_its_formula() -> None:
    """K4: v_a . tanh(q + k), entry by entry."""
    trace = scored_family(TEXT).run(kinds_score=ADDITIVE)
    v_a = trace["v_a"][0, :, 0]
    for i, j in np.ndindex(6, 6):
        q, k = trace["Q"][0, i], trace["K"][0, j]
        score = math.fsum(v * math.tanh(a + b) for v, a, b in zip(v_a, q, k, strict=True))
        assert trace["scores"][0, i, j] == pytest.approx(score, abs=1e-12)
    plain = (trace["Q"][0][:, None] + trace["K"][0]) @ v_a
    of_keys = torch.tensor(trace["K"][0] @ v_a).softmax(0).expand(6, 6)
    np.testing.assert_allclose(torch.tensor(plain).softmax(1), of_keys, atol=1e-12)
    assert abs(trace["scores"]).max() <= bound(trace) == pytest.approx(sum(map(abs, v_a)))
    shares = torch.softmax(torch.from_numpy(np.array(trace["masked"])), -1)
    np.testing.assert_allclose(trace["weights"], shares, rtol=0, atol=1e-12)


def test_a_cell_of_the_kernel_says_whose_weight_it_is_and_why_it_is_what_it_is() -> None:
    family = convolution.mixing_family("the cat saw the owl")
    trace = family.run(kinds_mixer=convolution.CONVOLUTION)
    labels = ("the₁", "cat", "saw", "the₂", "owl")
    for i, j in np.ndindex(5, 5):
        said = explain(trace, "kernel", (0, i, j)).words
        none = "kernel looks back only" if j > i else "kernel is 3 tokens wide"
        assert (none in said) == (j > i or i - j >= len(convolution.KERNEL))
        assert re.match(rf"(?:The weight that )?{labels[i]} (?:gives|reads nothing from) ", said)
        told = "itself" if i == j else labels[j]
        assert told in said.partition(" gives " if 0 <= i - j < 3 else " nothing from ")[2]
        assert (f"{i - j} back" in said) == (0 < i - j < 3)


@proves("""
    A large β gives nearly all weight to the pattern, or patterns, most like the state. A small β
    mixes several | In the modern update, softmax gives nearly all weight to the best pattern
""")
def test_a_large_beta_gives_the_pattern_most_like_the_state_unless_several_are() -> None:
    """As the stage says it: which of the two it is, the overlaps decide, not the first pattern."""
    kinds = set()
    for flips in range(len(recall.FLIPPED) + 1):
        for number in recall.PROBE.options:
            trace = recall.recall_family(flips).run(kinds_beta="4", kinds_pattern=number)
            overlaps, new = trace["overlaps"][0, 0], trace["new_state"][0, 0]
            best = np.flatnonzero(overlaps == overlaps.max())
            np.testing.assert_allclose(new, recall.PATTERNS[best].mean(axis=0), atol=0.01)
            if flips < 4:
                assert recall.wrong_entries(trace, int(number) - 1) == (flips, 0)
            kinds.add(len(best) > 1)
            mixed = recall.recall_family(flips).run(kinds_beta="0.1", kinds_pattern=number)
            assert trace["weights"][0, 0, best].sum() > 0.99 > 0.7 > mixed["weights"].max()
    assert kinds == {True, False}
    assert "unless several are equally like it" in _phase_words(trace, "new_state")


def _phase_words(trace: Trace, name: str) -> str:
    return next(phase.words for phase in trace.program.phases if name in phase.names)


@proves("A convolution mixes nearby rows. Their weights depend only on the distance")
def test_a_convolution_is_pytorchs() -> None:
    trace = convolution.mixing_family(TEXT).run(kinds_mixer=convolution.CONVOLUTION)
    V = torch.from_numpy(np.array(trace["V"][0])).T[:, None]  # features are channels of their own
    padded = torch.nn.functional.pad(V, (len(convolution.KERNEL) - 1, 0))
    weights = torch.tensor(convolution.KERNEL[::-1], dtype=torch.float64)[None, None]
    made = torch.nn.functional.conv1d(padded, weights)[:, 0].T
    np.testing.assert_allclose(trace["context"][0], made, rtol=0, atol=1e-12)
    for back in range(6):
        assert len(set(np.diag(trace["kernel"][0], -back).tolist())) == 1


@proves("""
    What a kernel learns at one place holds at all places, with few numbers. Attention reaches as
    far as the text goes | {changed} of {all}
""")
@pytest.mark.parametrize("changed", range(6))
def test_another_token_moves_weights_of_attention_and_none_of_a_convolution(changed: int) -> None:
    attention, convolved = (
        convolution.moved(TEXT, kind, changed, sentence.DRAWN)
        for kind in (convolution.ATTENTION, convolution.CONVOLUTION)
    )
    assert (convolved.weights, convolved.of_weights) == (0, 21)
    assert convolved.rows == min(len(convolution.KERNEL), 6 - changed)
    assert attention.weights > 0
    assert attention.rows == 6 - changed
    assert (attention.of_weights, attention.of_rows) == (21, 6)


@proves(r"""
    attention with one query $\xi$, a noisy pattern. The rows of $X$, the stored patterns, are both
    keys and values
""")
@pytest.mark.parametrize("beta", recall.BETA.options)
@pytest.mark.parametrize("pattern", recall.PROBE.options)
@pytest.mark.parametrize("flips", range(len(recall.FLIPPED) + 1))
def test_an_update_is_attention_with_beta(beta: str, pattern: str, flips: int) -> None:
    trace = recall.recall_family(flips).run(kinds_beta=beta, kinds_pattern=pattern)
    state, stored = (torch.from_numpy(np.array(trace[name])) for name in ("state", "patterns"))
    attend = torch.nn.functional.scaled_dot_product_attention
    made = attend(state, stored, stored, scale=float(beta))
    np.testing.assert_allclose(trace["new_state"], made, rtol=0, atol=1e-12)
    assert (state[0, 0].numpy() != recall.PATTERNS[int(pattern) - 1]).sum() == flips


def test_what_sets_the_size_of_an_additive_score_and_that_dividing_bounds_nothing() -> None:
    """Divided dot products have one spread for each d_k, and some are far out."""
    said = _phase_words(scored_family(TEXT).run(kinds_score=ADDITIVE), "scores")
    assert "Nothing is divided by √d_k: v_a is learned" in said
    wide = {d: np.random.default_rng(0).normal(size=(2, 5000, d)) for d in (4, 400)}
    scaled = {d: (q * k).sum(1) / d**0.5 for d, (q, k) in wide.items()}
    assert all(abs(found.std() - 1) < 0.05 for found in scaled.values())
    assert all(abs(found).max() > 3 for found in scaled.values())
