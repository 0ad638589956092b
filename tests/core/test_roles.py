"""What is said of a query is said of queries: each role has its own words, in every program."""

import re

import numpy as np
import pytest

from core.attention.glossary import GLOSSARY
from core.program.explanations import explain
from core.program.labels import plainly
from tests.registry import REGISTRY
from tests.sampling import some

DOES = {
    "query": r"look\w* for|asks",
    "key": r"can be found by",
    "value": r"hands? over|pass(?:es)? on",
}
"""What a token does with each of its three vectors."""
NAMED = {"query": r"\bquer(?:y|ies)\b", "key": r"\bkeys?\b", "value": r"\bvalues?\b"}


@pytest.mark.parametrize("name", some(list(REGISTRY), 8, 6))
def test_no_role_is_told_in_the_words_of_another(name: str) -> None:
    trace = REGISTRY[name].run()
    for array, role in trace.program.roles.items():
        if role not in DOES or array not in trace:
            continue
        for cell in ((0,) * trace[array].ndim, tuple(n - 1 for n in trace[array].shape)):
            words = plainly(explain(trace, array, cell).words)
            for other in DOES.keys() - {role}:
                assert not re.search(DOES[other], words), (array, words)


def test_attention_says_all_three() -> None:
    trace = REGISTRY["attention"].run()
    for array, role in (("Q", "query"), ("K", "key"), ("V", "value")):
        for cell in np.ndindex(trace[array].shape):
            assert re.search(DOES[role], explain(trace, array, cell).words)


def phases() -> dict[str, str]:
    """What is said of every phase of every program."""
    listings = [entry.program for entry in REGISTRY.values()]
    every = [inner for p in listings for phase in p.phases for inner in (phase, *phase.innermost())]
    return {phase.words: phase.title for phase in every}


def test_a_phase_gives_each_role_its_own_words() -> None:
    said = " ".join(phases())
    pattern = r"[Ii]ts (query|key|value) is what it|its (key|value) what it"
    found = [
        (next(filter(None, match.groups())), said[match.end() : match.end() + 18])
        for match in re.finditer(pattern, said)
    ]
    assert {role for role, _ in found} == set(DOES)
    for role, words in found:
        assert re.match(rf" (?:{DOES[role]})", words), (role, words)


def test_a_row_is_a_query_and_a_column_a_key() -> None:
    """Row i of scores is query i, column j key j, and no phase pairs them otherwise."""
    pattern = r"Row (\w), column (\w) is the dot product of (\w+) (\w) and (\w+) (\w)"
    found = [match.groups() for words in phases() for match in re.finditer(pattern, words)]
    assert found
    trace = REGISTRY["attention"].run()
    for row, column, first, one, second, other in found:
        at = {row: 2, column: 1}
        vectors = {"query": trace["Q"][0], "key": trace["K"][0]}
        made = vectors[first][at[one]] @ vectors[second][at[other]]
        np.testing.assert_allclose(made, trace["scores"][0, at[row], at[column]])


def test_scaling_takes_out_all_of_the_spread_that_features_bring() -> None:
    """Scores of d_k features spread as √d_k does, and scaled ones as those of one feature."""
    drawn = np.random.default_rng(0)
    spreads = []
    for d_k in (1, 16, 256):
        q, k = drawn.standard_normal((2, 10_000, d_k))
        spreads.append(float(((q * k).sum(1) / np.sqrt(d_k)).std()))
    np.testing.assert_allclose(spreads, 1, atol=0.03)
    said = [words for words in phases() if "Dividing by √d_k" in words]
    assert said
    for words in said:
        assert "Dividing by √d_k undoes this." in words


def test_temperature_is_as_the_glossary_has_it() -> None:
    """Above 1 the largest weight falls and the smallest rises; below 1 it is the reverse."""
    (above, below) = re.findall(
        r"Above 1 it makes the weights (more even|less even), below 1 (more even|less even)\.$",
        GLOSSARY["temperature"],
    )[0]
    logits = np.array([0.3, 1.0, -0.5, 2.0])

    def apart(temperature: float) -> float:
        powers = np.exp(logits / temperature)
        return float(np.ptp(powers / powers.sum()))

    assert (apart(1.5) < apart(1)) == (above == "more even")
    assert (apart(0.5) > apart(1)) == (below == "less even")
    assert above != below
