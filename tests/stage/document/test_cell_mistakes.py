"""What mistakes would make of a run: told for every program that they fit."""

import pytest

from core.attention.mistakes.hand_mistakes import KNOWN_MISTAKES
from core.program.numbers.display import shown_texts
from stage.document.cell_mistakes import mistaken
from tests.registry import REGISTRY
from tests.sampling import some


@pytest.mark.parametrize("name", some(list(REGISTRY), 8, 1))
def test_every_mistake_fits_a_program_or_is_left_out(name: str) -> None:
    trace = REGISTRY[name].run()
    for found in mistaken(trace, KNOWN_MISTAKES):
        assert found["why"]
        assert found["arrays"]
        for array, texts in found["arrays"].items():
            right = shown_texts(trace, array)
            assert len(texts.split(" ")) == len(right)
            assert array in trace.steps


def test_the_walkthrough_s_own_mistakes_are_found() -> None:
    names = {found["name"] for found in mistaken(REGISTRY["attention"].run(), KNOWN_MISTAKES)}
    assert {"Q and K are swapped", "the divisor is √d_model"} <= names
