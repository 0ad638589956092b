"""The scene of a question on the projector: when it is there, and where its link leads."""

from collections.abc import Callable

import pytest

from core.errors import InputError
from tests.ui.classroom.support import asked, asked_now
from ui.classroom.following import Place, has_scene, scene_on_show, takes_sentence
from ui.classroom.store.given_texts import GivenText
from ui.classroom.store.rooms import ANSWER, BARS, Rooms

SCENE = "?preset=P4&step=scores&cell=scores.0.1.1&cover=scores&lesson=class.2"
FREE = "words?words_read_step=X&words_read_cell=X.5.0&lesson=class.1"
WALK = "?lesson=class.10"
CHOICE = "softmax?question=softmax-change.3"


def on_show(store: Rooms, link: str, *acts: Callable[[str, str], object]) -> Place | None:
    """Where the projector is after a link was asked, its scene shown, and some acts."""
    code, key = asked(store, link)
    store.show_scene(code, key, True)
    for act in acts:
        act(code, key)
    return scene_on_show(store.room(code))


def test_a_scene_is_its_link_with_its_covers_for_a_projector_that_follows(store: Rooms) -> None:
    place = on_show(store, SCENE)
    assert place
    page, keys = place
    assert page == "walkthrough"
    assert keys.items() >= {"cover": "scores", "lesson": "class.2", "present": "1"}.items()
    assert len(keys["room"]) > 4
    assert "key" not in keys


def test_the_answer_lifts_the_cover_and_a_second_vote_puts_it_back(store: Rooms) -> None:
    shown = on_show(store, SCENE, lambda c, k: store.show(c, k, ANSWER))
    assert shown
    assert shown[1]["cover"] == "none"
    again = on_show(store, SCENE, lambda c, k: store.show(c, k, ANSWER), store.open_second_vote)
    assert again
    assert again[1]["cover"] == "scores"


def gone_back(store: Rooms, code: str, key: str) -> None:
    """To the first question, from the scene of the second."""
    store.ask(code, key, SCENE)
    store.show_scene(code, key, True)
    store.go_to(code, key, 1)


@pytest.mark.parametrize(
    "act",
    [
        lambda store, c, k: store.ask(c, k, CHOICE),
        lambda store, c, k: gone_back(store, c, k),
        lambda store, c, k: store.show(c, k, BARS),
        lambda store, c, k: store.close_room(c, k),
        lambda store, c, k: store.delete_room(c, k),
        lambda store, c, k: store.show_scene(c, k, False),
    ],
)
def test_the_question_comes_back(store: Rooms, act: Callable[[Rooms, str, str], object]) -> None:
    assert on_show(store, SCENE, lambda c, k: act(store, c, k)) is None


def test_a_scene_that_asks_nothing_is_shown_and_a_chapters_question_has_none(store: Rooms) -> None:
    free = on_show(store, FREE)
    assert free
    assert free[0] == "words"
    assert on_show(store, CHOICE) is None
    code, key = store.create()
    assert not has_scene(store.ask(code, key, CHOICE))
    assert has_scene(store.ask(code, key, SCENE))


def test_a_text_is_the_sentence_on_the_projector_until_something_else_is(store: Rooms) -> None:
    code, key = asked(store, WALK, "My own cat", "Another")
    own, other = (GivenText(text, (), False) for text in ("My own cat", "old"))
    store.show_sentence(code, key, 1, 1, other)  # the student has changed it meanwhile
    assert scene_on_show(store.room(code)) is None

    def shown() -> str | None:
        place = scene_on_show(store.room(code))
        return place and place[1].get("text")

    assert takes_sentence(asked_now(store, code))
    for ends in (
        lambda: store.show_scene(code, key, False),
        lambda: store.let_texts_through(code, key, 1, 1, [own], is_shown=False),
        lambda: store.ask(code, key, WALK),
    ):
        store.show_sentence(code, key, 1, 1, own)
        assert shown() == "My own cat"
        assert store.texts_let_through(code, 1, 1) == [("My own cat", 1)]
        ends()
        assert scene_on_show(store.room(code)) is None
        store.show_scene(code, key, True)
        assert shown() != "My own cat"
        store.show_scene(code, key, False)


def test_a_text_of_an_exit_quiz_is_kept_back_from_the_projector(store: Rooms) -> None:
    code, key = asked(store, WALK, "My own cat", shows_results=False)
    with pytest.raises(InputError, match="is an exit quiz"):
        store.show_sentence(code, key, 1, 1, GivenText("My own cat", ("s0",), False))
    assert store.texts_let_through(code, 1, 1) == []
