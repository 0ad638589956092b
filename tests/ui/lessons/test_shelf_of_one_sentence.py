"""The lesson for beginners keeps one sentence and one set of numbers; its switches show something.

Links to its older scenes open the scenes of the same subjects.
"""

import re
from urllib.parse import parse_qsl

import numpy as np
import pytest

from core.attention.examples.river_bank import RIVER_BANK, RIVER_BANK_TEXT
from core.chapters.words.neighbours import PAIR, readings
from core.chapters.words.pieces import learned, split
from core.program.labels import parse_cell
from core.program.numbers.display import shown
from tests.data import data_of
from tests.ui.support import link_of, opened
from ui.lessons.scene_words import run_of_scene
from ui.lessons.shelf import LESSON_NAMES, place_of, scene_named, shipped

LESSON = LESSON_NAMES[0]
SCENES = {scene.title: scene for scene in shipped(LESSON).scenes}
RUN = RIVER_BANK.run()
BANK = RUN.tokens.index("bank")


def test_every_scene_has_the_same_sentence_and_the_same_numbers() -> None:
    found = {title: run_of_scene(scene.link) for title, scene in SCENES.items()}
    runs = {title: trace for title, trace in found.items() if trace is not None}
    for title, trace in runs.items():
        assert " ".join(trace.tokens) == RIVER_BANK_TEXT, title
        for name in set(trace) & set(RUN) - {"weights"}:
            np.testing.assert_array_equal(trace[name], RUN[name], f"{title}: {name}")
        weights = trace["weights"].reshape(-1, *RUN["weights"].shape[1:])
        np.testing.assert_array_equal(weights[0], RUN["weights"][0], title)
    of_words = [trace for trace in runs.values() if "average" in trace]
    assert of_words
    assert len(runs) > len(of_words)
    for trace in of_words:  # what bank has read of water and money is what head 1 reads of them
        np.testing.assert_allclose(trace["average"][BANK, :2], RUN["context"][0, BANK, :2])


def test_it_begins_with_the_picture_of_the_first_chapter_which_has_these_rows() -> None:
    first = place_of(next(iter(SCENES.values())).link)
    assert (first.page, first.stage, first.control) == ("words", "", "")
    (river, money), (before, after) = readings(PAIR), (RUN["X"], RUN["context"][0])
    assert " ".join(river.tokens) == RIVER_BANK_TEXT
    assert " ".join(money.tokens) == RIVER_BANK_TEXT.replace(*PAIR)
    printed = [text for text, _ in river.before]
    assert printed == [text for text, _ in money.before]
    assert printed == [shown(RUN, "X", (BANK, m)) for m in range(before.shape[1])]
    assert [text for text, _ in river.after][:2] == [f"{x:.2f}" for x in after[BANK, :2]]
    assert (river.largest, money.largest) == (0, 1)


def test_pieces_are_of_the_same_sentence() -> None:
    links = [dict(parse_qsl(scene.link.partition("?")[2])) for scene in SCENES.values()]
    assert {link["words_text"] for link in links if "words_text" in link} <= {RIVER_BANK_TEXT}
    assert any("words_merges" in link for link in links)


OLDER, SWITCHES = data_of(__file__).values()
ASKS_TO_SWITCH = re.compile(r"\b(Choose|Switch|Set|Type)\b")


@pytest.mark.parametrize("title", SWITCHES)
def test_what_a_scene_asks_to_switch_changes_a_number_that_is_seen(title: str) -> None:
    (keys, cell), link = SWITCHES[title], SCENES[title].link
    array, at = parse_cell(cell) or ("", ())
    before, after = run_of_scene(link), run_of_scene(f"{link}&{keys}")
    assert before is not None
    assert after is not None
    assert abs(after[array][at] - before[array][at]) >= 0.1


def test_every_scene_that_asks_to_switch_is_in_this_list() -> None:
    asking = {title for title, scene in SCENES.items() if ASKS_TO_SWITCH.search(scene.task)}
    assert asking == set(SWITCHES)
    pieces = [split(RIVER_BANK_TEXT, learned()[:n]) for n in (0, len(learned()))]
    assert len(pieces[1]) < len(pieces[0])  # what the scene of pieces asks to move


def test_a_link_to_an_older_scene_opens_the_scene_of_its_subject() -> None:
    titles = list(SCENES)
    found = [scene_named(f"causal-attention.{n}") for n in range(1, len(OLDER) + 1)]
    assert {name for name, _ in found} == {LESSON}
    assert [titles[at] for _, at in found] == OLDER


def test_an_older_link_becomes_that_of_the_scene_and_keeps_what_lies_on_top() -> None:
    page = opened("walkthrough", lesson="causal-attention.10", scale="off")
    for _ in range(2):
        assert not page.warning
        assert link_of(page)["lesson"] == f"{LESSON}.7"
        assert page.session_state.scale == "off"
        page.run()
    first = "causal-attention.1"
    assert not opened(place_of(f"?lesson={first}").page, lesson=first).warning


@pytest.mark.parametrize("asked", ["causal-attention.18", "causal-attention.0", "causal-attention"])
def test_an_older_scene_that_there_never_was_is_refused(asked: str) -> None:
    page = opened("walkthrough", lesson=asked)
    assert not page.exception
    assert page.warning
