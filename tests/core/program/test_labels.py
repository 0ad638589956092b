"""How cells and positions are named."""

from core import attention_program, toy_inputs
from core.attention.words import repeated
from core.program.labels import axis_labels, cell_name


def test_cells_are_named_by_token_and_feature() -> None:
    trace = attention_program(heads=2).run(toy_inputs("the cat saw the dog"))
    assert cell_name(trace, "scores", (1, 2, 3)) == "scores[saw, the₂] of head 2"
    assert cell_name(trace, "W_O", (0, 3)) == "W_O[1, 4]"
    assert axis_labels(trace, "Q")[1] == ["the₁", "cat", "saw", "the₂", "dog"]


def test_a_head_is_named_only_where_there_are_several() -> None:
    trace = attention_program(heads=1).run(toy_inputs("a b", heads=1))
    assert cell_name(trace, "scores", (0, 1, 0)) == "scores[b, a]"


def test_words_that_stand_twice_are_noted() -> None:
    trace = attention_program().run(toy_inputs("the cat saw the dog"))
    assert repeated(trace).startswith("the₁ and the₂: the same word")
    assert repeated(attention_program().run(toy_inputs("the The"))) == ""
