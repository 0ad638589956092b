"""Every sentence of 'dot products', at the ends of its controls."""

import re
from collections.abc import Mapping

import pytest
from streamlit.testing.v1 import AppTest

from core.chapters.dot_products.similarity import changed_arrays, kept_arrays, similarity_run
from core.chapters.dot_products.vector_pair import VectorPair
from core.program.labels import token_labels
from tests.core.chapters.dot_products import test_similarity
from tests.quotes import proves
from tests.ui.agreement import Filled, number, row_of
from tests.ui.claims import Inventory
from tests.ui.support import opened

RULES = ("dot", "scaled", "cosine", "additive", "uniform")
LONG = "the cat sat on the mat the cat " * 8
LINK = re.compile(r"\[(.+?)\]\(#stage-([^)]*)\)")


def arrow(text: str) -> tuple[float, ...]:
    """As a page prints it: (1.0, −2.0)."""
    return tuple(number(x) for x in text.strip("()").split(", "))


def flat(page: AppTest) -> VectorPair:
    q, k = (map(float, page.session_state[name].split(",")) for name in ("dot_q", "dot_k"))
    return VectorPair(tuple(q), tuple(k))


def or_dash(value: float | None) -> float | str:
    """What hangs on the angle: a dash where an arrow has no length."""
    return "–" if value is None else value


@proves("""
    By dot product, k = {longer} matches q = {q} better than k = {nearer}, because it is longer. By
    cosine, which ignores length, k = {nearer} matches better | The formula holds for any number of
    features. Give only k a third feature. Then q·k does not change, but k is longer [angled] , so
    the cosine comes closer to 0, or stays 0 | Values do not change the weights. Turning every value
    by {degrees}° changes [changed] {changed}; {kept} stay exactly the same. [else] nothing here,
    because every value is 0. Queries and keys decide what is read; values are what is read |
    {longer} points {degrees} away from q, but it is {length} long | q = {q}, k = {k} θ = {degrees},
    ‖q‖ = {length_q}, ‖k‖ = {length_k} q·k = {dot}, cos θ = {cosine}; in the plane above they were
    {flat_dot} and {flat_cosine}
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, plane = page.session_state, flat(page)
    pair = VectorPair((*plane.q, state.dot_qz), (*plane.k, state.dot_kz))
    space = {
        "q": lambda said: arrow(said) == pair.q, "k": lambda said: arrow(said) == pair.k,
        "degrees": or_dash(pair.degrees), "dot": pair.dot, "cosine": or_dash(pair.cosine),
    }  # fmt: skip
    degrees = state.dot_turn % 360 or 90
    before, turned = (similarity_run(state.dot_text, state.dot_rule, by) for by in (0, degrees))
    moved, kept = changed_arrays(turned, before), kept_arrays(turned, before)
    longer = VectorPair((1.0, 0.0), (3.0, 4.0))
    return {
        "notice": {
            "q": lambda said: arrow(said) == (1, 0), "longer": lambda said: arrow(said) == (3, 4),
            "nearer": lambda said: arrow(said) == (1, 0),
        },
        "length_counts": {
            "longer": lambda said: arrow(said) == (3, 4), "degrees": longer.degrees, "length": 5,
        },
        "space_alt": space,
        "in_space": space | {
            "length_q": pair.lengths[0], "length_k": pair.lengths[1], "flat_dot": plane.dot,
            "flat_cosine": or_dash(plane.cosine),
        },
        "any_number": {"angled": plane.cosine is not None},
        "rules": {"rules": len(RULES)},
        "turning": {
            "degrees": degrees,
            "changed": lambda said: [name for _, name in LINK.findall(said)] == moved,
            "kept": lambda said: [name for _, name in LINK.findall(said)] == kept,
        },
    }  # fmt: skip


proves("Drag the tip of k past 90° from q. Then make k longer")(
    test_similarity.test_the_dot_product_is_lengths_times_cosine_of_the_angle
)
proves("""
    A row of numbers is an arrow | With it, a model decides how much one word reads from another
""")(test_similarity.test_every_step_is_pytorchs)


def on_paper(match: re.Match[str], page: AppTest) -> None:
    """Every line of the two arrows, which a test of the core evaluates."""
    [block] = [text.value for text in page.markdown if "By hand" in text.value]
    lines = flat(page).latex
    assert lines
    assert all(line in block for line in lines)


def of_key(page: AppTest, key: str) -> list[float | str]:
    """Its length, the product with q and the cosine."""
    pair = VectorPair((1.0, 0.0), arrow(key))
    return [pair.lengths[1], pair.dot, or_dash(pair.cosine)]


def reader(page: AppTest) -> list[str]:
    """The third token or the last, with its number among equal ones."""
    labels = token_labels(page.session_state.dot_text.split())
    return [labels[min(3, len(labels)) - 1]]


INVENTORY = Inventory(
    "dot_products",
    claims={
        r"\\begin\{aligned\}": on_paper,
        r"\| (\(.+?\)) \| (\S+ \| \S+ \| \S+) \|": row_of(of_key),
        r"Random weights \(\S+ = (\d+), one head, seed 0\)": row_of(
            lambda page: [similarity_run(page.session_state.dot_text)["X"].shape[1]]
        ),
        r"What (\S+) reads from each token, under each rule:$": row_of(reader),
    },
    module=globals(),
    texts={"each_sums_to_1": test_similarity.test_every_step_is_pytorchs},
    panels=["fold_rules"],
)


@pytest.mark.parametrize("text", ["*b* <i> $x$", "[a](b) _c_ d"])
def test_a_token_that_looks_like_markdown_is_set_off_as_it_is(text: str) -> None:
    page = opened("dot_products", dot_text=text)
    [said] = [made.value for made in page.markdown if "reads from each" in made.value]
    assert re.match(r"What \*(\\.|\w)+\* reads from each", said)
