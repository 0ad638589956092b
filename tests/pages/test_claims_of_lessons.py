"""What the scenes of the lessons say and ask, recomputed from the runs that they open."""

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from urllib.parse import urlencode

import numpy as np
import pytest

from core.attention.examples.river_bank import RIVER_BANK, RIVER_BANK_TEXT
from core.attention.examples.two_meanings import FEATURE_NAMES
from core.attention.mistakes.attention_mistakes import MISTAKES
from core.attention.mistakes.wrong_lines_of_attention import WRONG_LINES
from core.attention.setups import DEFAULT_TEXT, Setup
from core.chapters.words.neighbours import reading_family
from core.chapters.words.pieces import learned, split, stages
from core.path import PATH
from core.practice_set import mixed_set
from core.program.code.exercise import exercise_script
from core.program.code.exercise_checker import Checks
from core.program.explanations import explain
from core.program.families import Family
from core.program.labels import axis_labels, parse_cell
from core.program.numbers.display import shown, shown_texts
from core.program.trace import Trace
from tests.data import data_of
from tests.ui.plain_attention import softmax
from tools.mutants.written import in_text
from ui.lessons.scene_words import run_of_scene
from ui.lessons.shelf import LESSON_NAMES, place_of, shipped


def run(place_params: Mapping[str, str]) -> Trace:
    said = {"text": DEFAULT_TEXT, "preset": ""} | dict(place_params)
    return Setup(text=said["text"], preset=said["preset"]).trace


def default(family: Family, **chosen: str) -> Trace:
    return family.run(**{toggle.key: toggle.default for toggle in family.toggles} | chosen)


def bank(neighbour: str) -> np.ndarray:
    trace = default(reading_family(), words_neighbour=neighbour)
    return np.array([trace[name][trace.tokens.index("bank")] for name in ("X", "average")])


def the_same_beside_either() -> None:
    np.testing.assert_array_equal(bank("river")[0], bank("money")[0])


def reads_river_most() -> None:
    trace = default(reading_family())
    reads = trace["weights"][trace.tokens.index("bank")]
    assert trace.tokens[reads.argmax()] == "river"


def alone_when_first() -> None:
    trace = default(reading_family())
    np.testing.assert_array_equal(trace["average"][0], trace["X"][0])
    assert not np.allclose(trace["average"][1:], trace["X"][1:])


def run_of(link: str) -> Trace:
    trace = run_of_scene(link)
    assert trace is not None
    return trace


def of_bank(**changed: str) -> Trace:
    """The run that the walkthrough's scenes show, changed if asked."""
    return run_of("?" + urlencode({"preset": "river-bank", "step": "X", **changed}))


def largest_by_neighbour() -> None:
    for neighbour, feature in (("river", "water"), ("money", "money")):
        trace = of_bank(text=f"we sat by the {neighbour} bank")
        at = FEATURE_NAMES.index(feature)
        assert bank(neighbour)[1].argmax() == at
        assert trace["context"][0, 5].argmax() == trace["output"][5].argmax() == at
    rows = [of_bank(text=f"we sat by the {word} bank")["X"] for word in ("river", "money")]
    assert np.argwhere((rows[0] != rows[1]).any(axis=1)).tolist() == [[4]]
    assert axis_labels(default(reading_family()), "X")[1][:2] == ["water", "money"]


def six_rows_and_bank() -> None:
    trace = of_bank()
    assert len(trace.tokens) == len(trace["X"]) == 6
    assert trace.tokens == ("we", "sat", "by", "the", "river", "bank")


def only_itself() -> None:
    weights = of_bank()["weights"]
    assert [(row > 0).sum() for row in weights[0]] == [1, 2, 3, 4, 5, 6]
    assert weights[0, 0, 0] == 1


def asks_both() -> None:
    trace = of_bank()
    assert (trace["Q"][0, 5, :2] > 2).all()
    for m, feature in enumerate(("water", "money")):  # each number asks for the one that keys have
        (source,) = np.flatnonzero(trace["W_K"][0, :, m])
        assert FEATURE_NAMES[source] == feature


def as_at_first() -> None:
    """What *bank* becomes by a mean of rows of X alone, and by the whole of the layer."""
    reading, first, last = default(reading_family()), bank("river")[1], of_bank()["output"][5]
    np.testing.assert_allclose(reading["average"], reading["weights"] @ reading["X"])
    assert not np.allclose(of_bank()["output"], of_bank()["context"][0] @ of_bank()["W_O"][:4])
    apart = np.abs(first - last) >= 0.01
    assert [FEATURE_NAMES[at] for at in np.flatnonzero(~apart)] == ["water", "money"]


def found_by_water() -> None:
    trace = of_bank()
    assert trace["K"][0, 4].argmax() == 0
    assert trace["K"][0, :, 0].argmax() == 4
    terms = trace["Q"][0, 5] * trace["K"][0, 4]
    assert terms[0] > 0.9 * terms.sum()
    assert trace["scores"][0].max() == trace["scores"][0, 5, 4]


def two_heads() -> None:
    assert len(of_bank()["Q"]) == len(run({})["Q"]) == 2
    assert RIVER_BANK.labels["h"][1] == "who does it?"


def queries_down() -> None:
    trace = of_bank()
    np.testing.assert_allclose(trace["scores"][0, 5, 4], trace["Q"][0, 5] @ trace["K"][0, 4])
    assert not np.isclose(trace["scores"][0, 5, 4], trace["scores"][0, 4, 5])


def divided_by_two() -> None:
    trace = of_bank()
    np.testing.assert_allclose(trace["scaled"] * 2, trace["scores"])


def without_the_scale() -> None:
    scaled, not_scaled = of_bank(), of_bank(scale="off")
    before, after = (trace["weights"][0, 5] for trace in (scaled, not_scaled))
    assert after[4] > 0.95
    assert ((after > before) == np.eye(6, dtype=bool)[4]).all()
    assert (np.argsort(scaled["scaled"]) == np.argsort(not_scaled["scaled"])).all()


def raises_e() -> None:
    assert f"{math.e:.2f}" == "2.72"
    trace = of_bank()
    raised = math.e ** trace["masked"][0, 5]
    np.testing.assert_allclose(trace["weights"][0, 5], raised / raised.sum())


def hidden_from_river() -> None:
    masked, every = (of_bank(mask=mask)["masked"][0, 4] for mask in ("causal", "none"))
    assert np.flatnonzero(masked != every).tolist() == [5]
    assert of_bank(mask="none")["weights"][0, 4, 5] > 0


def weights_of_scores() -> None:
    trace = of_bank()
    np.testing.assert_allclose(trace["weights"], softmax(trace["masked"]))
    np.testing.assert_allclose(trace["weights"].sum(axis=-1), 1)
    assert trace["weights"][0, 4, 5] == 0


def weights_of_the_third_scene() -> None:
    third = run_of(shipped("from-nothing").scenes[2].link)
    np.testing.assert_array_equal(third["weights"][5], of_bank()["weights"][0, 5])


def weighted_rows() -> None:
    trace = of_bank()
    np.testing.assert_allclose(trace["context"], trace["weights"] @ trace["V"])
    assert trace["context"][0, 5].argmax() == 0


def is_side_by_side() -> None:
    trace = of_bank()
    np.testing.assert_array_equal(trace["concat"], np.concatenate(trace["context"], axis=1))
    assert trace["output"].shape == trace["X"].shape


def pieces_of_the() -> None:
    joined = [merge.piece for merge, _ in stages(RIVER_BANK_TEXT, learned()) if merge]
    assert joined[:3] == ["he", "the", " the"]
    assert " the" in split(RIVER_BANK_TEXT, learned())


def ten_of_each_page_seen() -> None:
    params = place_of(shipped("from-nothing").scenes[-1].link).params
    drawn = mixed_set(params["practice_chapters"].split("."), 0)
    assert len(drawn) == 10
    path = list(PATH)
    seen = path[: path.index("walkthrough") + 1]
    assert {asked.chapter for asked in drawn} == set(seen)
    assert PATH[path[len(seen)]].title == "Queries, keys, values"


def queries_are_rows() -> None:
    trace = run({"preset": "P4"})
    for name in ("Q", "K"):
        np.testing.assert_array_equal(trace[name][0], trace["X"])
    assert trace.tokens == ("river", "bank")
    assert trace["scores"].ravel().tolist() == [4, 2, 2, 3]


def divided_by_root_three() -> None:
    scaled = run({"preset": "P4"})["scaled"].ravel()
    np.testing.assert_allclose(scaled, np.array([4, 2, 2, 3]) / np.sqrt(3))
    assert scaled.round(2).tolist() == [2.31, 1.15, 1.15, 1.73]
    assert np.sqrt(3).round(3) == 1.732
    assert scaled.argmax() == 0


def one_is_taken_away() -> None:
    trace = run({"preset": "P4"})
    assert trace.tokens == ("river", "bank")
    assert np.argwhere(np.isinf(trace["masked"][0])).tolist() == [[0, 1]]


def sixths() -> None:
    trace = run({"preset": "P2"})
    np.testing.assert_allclose(np.exp(trace["scores"][0]), np.tile([1, 2, 3], (3, 1)))
    rows = np.array([[1, 0, 0], [1 / 3, 2 / 3, 0], [1 / 6, 2 / 6, 3 / 6]])
    np.testing.assert_allclose(trace["weights"][0], rows)
    assert shown_texts(trace, "scores")[:3] == ["0.00", "0.69", "1.10"]


def largest_first() -> None:
    trace = run({"preset": "P2"})
    last = trace["scores"][0, 2]
    np.testing.assert_allclose(np.exp(last - last.max()), [1 / 3, 2 / 3, 1])
    said = "; ".join(explain(trace, "weights", (0, 2, 2)).plain)
    assert said.startswith("max(")
    assert "0.33 + 0.66 + 1 = " in said
    np.testing.assert_allclose(softmax(last), softmax(last - last.max()))


def seven_and_minus_one() -> None:
    np.testing.assert_allclose(run({"preset": "P2"})["context"][0], [[6, 0], [2, 4], [7, -1]])


def comes_out_as_it_went_in() -> None:
    trace = run({"preset": "P4b"})
    assert trace.tokens == ("bank", "river")
    np.testing.assert_array_equal(trace["X"][::-1], run({"preset": "P4"})["X"])
    assert trace["weights"][0, 0].tolist() == [1, 0]
    np.testing.assert_array_equal(trace["output"][0], trace["X"][0])


def mask_first() -> None:
    trace = run({"preset": "P6"})
    np.testing.assert_allclose(np.exp(trace["scores"][0]), np.tile([1, 3], (2, 1)))
    np.testing.assert_allclose(trace["weights"][0], np.array([[1, 0], [0.25, 0.75]]))
    after = softmax(trace["scores"][0]) * trace["mask"]
    np.testing.assert_allclose(after[0], [0.25, 0])


def written_out() -> None:
    trace = run({"preset": "P5-previous"})
    assert shown(trace, "weights", (0, 2, 0)) == "2e-9"
    assert f"{trace['weights'][0, 2, 0]:.9f}" == f"{Decimal('2e-9'):f}" == "0.000000002"


def moved_on_by_one() -> None:
    trace = run({"preset": "P5-previous"})
    assert trace["V"].ravel().tolist() == [24, 43, 58, 5, 57]
    np.testing.assert_allclose(trace["context"].ravel(), [24, 24, 43, 58, 5], atol=1e-6)
    assert trace["weights"][0].argmax(axis=1).tolist() == [0, 0, 1, 2, 3]


def small() -> Trace:
    return run({"text": "The cat sat"})


def shapes() -> None:
    trace = small()
    assert trace["X"].shape == (3, 8)
    assert trace["W_Q"].shape == (2, 8, 4)
    np.testing.assert_allclose(trace["X"] @ trace["W_Q"], trace["Q"])
    assert trace["Q"].shape == trace["K"].shape == trace["V"].shape == (2, 3, 4)


def every_pair() -> None:
    trace = small()
    np.testing.assert_allclose(trace["Q"] @ trace["K"].transpose(0, 2, 1), trace["scores"])
    assert trace["scores"].shape == (2, 3, 3)
    assert trace["K"].T.shape == trace["K"].shape[::-1]


def with_d_model() -> None:
    trace = small()
    np.testing.assert_allclose(trace["scores"] / np.sqrt(4), trace["scaled"])
    assert (trace["X"].shape[1], trace["Q"].shape[2]) == (8, 4)
    other = softmax(np.where(trace["mask"], trace["scores"] / np.sqrt(8), -np.inf))
    assert (np.abs(trace["scores"] / np.sqrt(8)) < np.abs(trace["scaled"])).all()
    assert (np.ptp(other[:, 2], axis=1) < np.ptp(trace["weights"][:, 2], axis=1)).all()


def lower_left() -> None:
    """The cells that the scenes are on."""
    cells = [parse_cell(place_of(s.link).params["cell"]) for s in shipped("yourself").scenes[:-1]]
    assert ("Q", (0, 2, 0)) in cells
    assert small()["Q"].shape[1:] == (3, 4)


def hidden() -> None:
    trace = small()
    mask = np.tril(np.ones((3, 3), dtype=bool))
    np.testing.assert_array_equal(mask, trace["mask"])
    np.testing.assert_array_equal(np.where(mask, trace["scaled"], -np.inf), trace["masked"])
    assert (softmax(np.where(mask, trace["scaled"], 0))[:, ~mask] > 0).all()


def overflows() -> None:
    trace = small()
    np.testing.assert_allclose(softmax(trace["masked"]), trace["weights"])
    with np.errstate(over="ignore"):
        assert np.isfinite(np.exp(np.float64(709)))
        assert np.isinf(np.exp(np.float64(710)))


def for_every_head() -> None:
    trace = small()
    np.testing.assert_allclose(trace["weights"] @ trace["V"], trace["context"])
    summed = np.einsum("hij,hjv->hiv", trace["weights"], trace["V"])
    np.testing.assert_allclose(summed, trace["context"])


def side_by_side() -> None:
    trace = small()
    right = trace["context"].transpose(1, 0, 2).reshape(3, -1)
    np.testing.assert_allclose(right, trace["concat"])
    np.testing.assert_array_equal(np.concatenate(trace["context"], axis=1), right)
    assert not np.allclose(trace["context"].reshape(3, -1), right)
    np.testing.assert_allclose(right @ trace["W_O"], trace["output"])


def blanks() -> Checks:
    """The checks of the lesson's blanks."""
    names: dict[str, Checks] = {}
    source = exercise_script(small(), MISTAKES.values(), WRONG_LINES)
    exec(source.partition("\nlisten(")[0], names)
    return names["check"]


def zero_is_named() -> None:
    """By the first check that runs: nobody comes to the step after it."""
    trace = small()
    said = blanks().fault("masked", np.where(trace["mask"], trace["scaled"], 0))
    assert MISTAKES["zero"].why in said


def reshape_is_named() -> None:
    side_by_side()
    said = blanks().fault("concat", small()["context"].reshape(3, -1)).lower()
    assert MISTAKES["reshape"].name in said


def each_that_changes_a_number() -> None:
    """The one that they do not know is one that changes none."""
    known = {name for step in blanks().steps.values() for name, *_ in step["known"]}
    (unknown,) = [mistake for mistake in MISTAKES.values() if mistake.name not in known]
    trace = small()
    wrong = unknown.made_of(trace, Setup(text="The cat sat").built().program)
    assert not any(trace.differs(wrong, name).any() for name in trace.steps)


CLAIMS: Mapping[str, Mapping[str, Callable[[], None]]] = {
    lesson: {said: globals()[name] for name, several in by_name.items() for said in several}
    for lesson, by_name in data_of(__file__).items()
}
"""What a scene says, word for word, and what recomputes it; the rest names no number."""


@pytest.mark.parametrize(("name", "said"), [(n, said) for n in CLAIMS for said in CLAIMS[n]])
def test_what_scenes_say_is_so(name: str, said: str) -> None:
    scenes = shipped(name).scenes
    told = [" ".join(f"{s.words} {s.task} {s.answer} {s.note}".split()) for s in scenes]
    assert sum(said in text for text in told) == 1
    CLAIMS[name][said]()


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_each_word_of_direction_of_an_answer_stands_in_a_claim(name: str) -> None:
    for scene in shipped(name).scenes:
        answer = " ".join(scene.answer.split())
        for said in CLAIMS[name]:
            answer = answer.replace(said, "")
        assert not [answer[start:end] for start, end, _ in in_text(answer)], (scene.title, answer)


@pytest.mark.parametrize("name", LESSON_NAMES)
def test_no_scene_types_a_number_that_nobody_recomputes(name: str) -> None:
    """Digits stand in claims, in code and in names of cells; beside these only 0 and 1 do."""
    for scene in shipped(name).scenes:
        text = " ".join(f"{scene.words} {scene.task} {scene.answer} {scene.note}".split())
        for said in CLAIMS[name]:
            text = text.replace(said, "")
        plain = re.sub(r"`[^`]*`|\{[^}]*\}", "", text)
        numbers = [word for word in plain.split() if any(c.isdigit() for c in word)]
        odd = [word for word in numbers if word.strip(".,:;?") not in ("0", "1")]
        assert not odd, (scene.title, odd)
