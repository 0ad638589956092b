"""What is said of a query is said of queries: each role has its own words, in every program."""

import re

import numpy as np
import pytest

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
