"""What attention takes, counted on runs and on real tensors, and the sizes of published models."""

import numpy as np
import pytest

from core.attention.configurations import CONFIGURATIONS
from core.attention.costs import Layer, LayerCosts, plain_share, size_text
from core.attention.layers.decoding import decoding_program, last_rows
from core.operations.products import matmul
from core.program.trace import Trace
from tests.core.support import toy_run
from tests.quotes import proves


def multiplications(trace: Trace) -> dict[str, int]:
    """Of each product of a run: its terms, cell by cell."""
    return {
        name: sum(len(list(bound.pattern.terms(cell))) for cell in np.ndindex(bound.result.shape))
        for name, bound in trace.steps.items()
        if isinstance(bound.operation, matmul)
    }


@pytest.mark.parametrize(("heads", "groups"), [(2, 2), (4, 2), (1, 1)])
def test_a_layers_multiplications_are_those_of_its_run(heads: int, groups: int) -> None:
    trace = toy_run("a b c d e", heads, groups)
    layer, found = Layer(8, heads, groups, 8 // heads), multiplications(trace)
    attending = found["scores"] + found["context"]
    assert layer.attending(5, 5) == attending
    assert layer.projecting(5) == sum(found.values()) - attending
    assert layer.cached(5) == trace["K"].size + trace["V"].size


def test_a_step_with_a_cache_has_one_row() -> None:
    found = multiplications(decoding_program(2, 4).run(last_rows(toy_run("a b c d e"), 1)))
    layer = Layer(8, 2, 2, 4)
    assert sum(found.values()) == layer.projecting(1) + layer.attending(1, 5)


PUBLISHED = {
    "GPT-2": (12, 768, 12, 12, 64, 1024, 3072, 2, 50257, 1024, True),
    "GPT-3": (96, 12288, 96, 96, 128, 2048, 49152, 2, 50257, 2048, True),
    "Llama 2 70B": (80, 8192, 64, 8, 128, 4096, 28672, 3, 32000, 0, False),
    "Llama 3 8B": (32, 4096, 32, 8, 128, 8192, 14336, 3, 128256, 0, False),
}
"""As their papers print them: layers, width, heads, key/value heads, width of a head, tokens;
d_ff, matrices of feed-forward, vocabulary, learned positions, one embedding for both ends."""


def test_configurations_are_as_published() -> None:
    assert {
        m.name: (m.layers, m.d_model, m.heads, m.kv_heads, m.d_head, m.context,
                 m.d_ff, m.matrices, m.vocabulary, m.positions, m.tied)
        for m in CONFIGURATIONS
    } == PUBLISHED  # fmt: skip
    assert all(m.heads * m.d_head == m.d_model and m.heads % m.kv_heads == 0 and m.source
               for m in CONFIGURATIONS)  # fmt: skip


def test_bytes_of_a_cache_are_those_of_its_tensors() -> None:
    for model in CONFIGURATIONS:
        kept = np.empty((2, model.kv_heads, 3, model.d_head), dtype=np.float16)
        assert model.cache_bytes(3) == model.layers * kept.nbytes
    (gpt3,) = (m for m in CONFIGURATIONS if m.name == "GPT-3")
    assert size_text(gpt3.cache_bytes(2048)) == "9.0 GiB"


@pytest.mark.parametrize(
    ("count", "said"),
    [(1, "1 byte"), (1023, "1,023 bytes"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
     (2**20, "1.0 MiB"), (9 * 2**30, "9.0 GiB"), (2**50, "1024.0 TiB")],
)  # fmt: skip
def test_bytes_are_said_in_the_unit_that_fits(count: int, said: str) -> None:
    assert size_text(count) == said


# Without biases and norms; those are the difference to the counts that are published.
@proves("Biases and norms are not counted")
@pytest.mark.parametrize(
    ("name", "published", "left_out"),
    [
        # Norms of 2·d each, and biases of 9·d in a layer.
        ("GPT-2", 124_439_808, 12 * (2 * 2 + 9) * 768 + 2 * 768),
        ("Llama 2 70B", 68_976_648_192, (2 * 80 + 1) * 8192),
        ("Llama 3 8B", 8_030_261_248, (2 * 32 + 1) * 4096),
    ],
)
def test_biases_and_norms_make_published_counts(name: str, published: int, left_out: int) -> None:
    (model,) = (m for m in CONFIGURATIONS if m.name == name)
    assert model.parameters.all + left_out == published


@pytest.mark.parametrize("matrices", [2, 3])
def test_a_blocks_multiplications_are_those_of_its_matrices(matrices: int) -> None:
    T, d, d_ff = 5, 8, 24
    block = LayerCosts(Layer(d, 4, 2, 2), d_ff, matrices)
    maps = [(d, d_ff)] * (matrices - 1) + [(d_ff, d)]
    assert block.feeding(T) == sum(T * rows * columns for rows, columns in maps)
    assert block.parameters == block.feeding(1) + 8 * (8 + 4 + 4 + 8)
    assert block.working(T) == T * block.parameters + 2 * 4 * T * T * 2
    assert block.quadratic_share(T) == 2 * 4 * T * T * 2 / block.working(T)
    half = block.half
    assert half * block.parameters == half**2 * 2 * 4 * 2


@proves(r"the fraction of scores and weighted sum is $$\frac{2T^2d}{12d^2T+2T^2d}=")
@pytest.mark.parametrize("d", [8, 512, 12288])
def test_the_plain_share_is_that_of_the_usual_sizes(d: int) -> None:
    block = LayerCosts(Layer(d, 4, 4, d // 4), 4 * d)
    for T in (1, 100, 6 * d, 10**6):
        assert block.quadratic_share(T) == pytest.approx(T / (6 * d + T), rel=1e-12)
        assert plain_share(T, d) == T / (6 * d + T)
        share = 2 * T**2 * d / (12 * d**2 * T + 2 * T**2 * d)
        assert block.quadratic_share(T) == pytest.approx(share, rel=1e-12)
    assert block.half == 6 * d
    assert block.quadratic_share(6 * d) == 0.5
