"""What small models learn: each example read by a plain loop."""

import numpy as np
import pytest

from core.models.trained import tasks as small
from core.pytorch.training import Examples, Task
from tests.sampling import DEEP

COUNT = 2000 if DEEP else 200


def drawn(name: str, judging: bool) -> tuple[Task, Examples]:
    task = small.tasks()[name]
    return task, task.draw(np.random.default_rng(0), COUNT, judging)


def words_of(task: Task, numbers: np.ndarray) -> list[str]:
    return [task.words[number] for number in numbers]


@pytest.mark.parametrize("judging", [False, True])
@pytest.mark.parametrize("name", list(small.tasks()))
def test_what_comes_next_is_the_target(name: str, judging: bool) -> None:
    task, found = drawn(name, judging)
    assert found.tokens.shape == found.targets.shape == found.counted.shape
    assert found.tokens.shape == (COUNT, task.context)
    np.testing.assert_array_equal(found.tokens[:, 1:], found.targets[:, :-1])
    assert found.tokens.min() >= 0
    assert found.targets.max() < len(task.words)
    assert set(task.shown) <= set(task.words)
    assert len(task.shown) <= task.context
    assert found.counted.any(axis=1).all()


@pytest.mark.parametrize("judging", [False, True])
def test_a_piece_comes_twice_from_a_random_place_on(judging: bool) -> None:
    task, found = drawn(small.REPEATS, judging)
    firsts, lengths = set(), set()
    for row in range(COUNT):
        whole = [*words_of(task, found.tokens[row]), task.words[found.targets[row, -1]]]
        known = [at + 1 for at in np.flatnonzero(found.counted[row])]
        assert known == list(range(known[0], known[-1] + 1))
        length = len(known) + 1  # all of the second piece but its first symbol
        again = known[0] - 1
        piece = whole[again : again + length]
        assert piece == whole[again - length : again]
        if judging:
            assert len(set(piece)) == length
            assert not set(piece) & {*whole[: again - length], *whole[again + length :]}
        firsts.add(again - length)
        lengths.add(length)
    assert lengths == set(range(small.SHORTEST, small.LONGEST + 1))
    assert min(firsts) == 0
    assert max(firsts) > task.context / 2


def test_a_fixed_period_is_ten_symbols_again_and_again() -> None:
    task, found = drawn(small.PERIOD, True)
    for row in range(COUNT):
        whole = [*words_of(task, found.tokens[row]), task.words[found.targets[row, -1]]]
        assert whole[10:] == whole[:-10]
        assert len(set(whole)) == 10
        assert [at for at in range(1, len(whole)) if found.counted[row, at - 1]] == list(
            range(10, len(whole))
        )


@pytest.mark.parametrize("judging", [False, True])
def test_a_verb_agrees_with_its_subject(judging: bool) -> None:
    task, found = drawn(small.AGREEMENT, judging)
    plural = {word: number for pair in small.NOUNS for number, word in enumerate(pair)}
    kinds = {word: at for at, pair in enumerate(small.NOUNS) for word in pair}
    assert found.linked is not None
    numbers, places, pairs = set(), set(), set()
    for row in range(COUNT):
        *words, verb = [*words_of(task, found.tokens[row]), task.words[found.targets[row, -1]]]
        nouns = [at for at, word in enumerate(words) if word in plural]
        subject, other = nouns
        assert words[0] == "the"
        assert other == len(words) - 1
        assert any(word in small.PREPOSITIONS for word in words[subject + 1 : other])
        assert verb == small.VERBS[plural[words[subject]]]
        assert found.linked[row].tolist() == [other, subject]
        pairs.add((kinds[words[subject]], kinds[words[other]]))
        numbers.add((plural[words[subject]], plural[words[other]]))
        places.add(subject)
        assert found.counted[row].tolist() == [not judging] * other + [True]
    assert places == {1, 2, 3}
    assert numbers == ({(0, 1), (1, 0)} if judging else {(0, 0), (0, 1), (1, 0), (1, 1)})
    assert not pairs & small.unseen_pairs() if not judging else pairs <= small.unseen_pairs()
    assert len(small.unseen_pairs()) >= 8


def test_letters_come_from_the_text_and_its_end_is_kept() -> None:
    text = small.shipped_text()
    edge = int(len(text) * (1 - small.HELD_OUT))
    for judging, part in ((False, text[:edge]), (True, text[edge:])):
        task, found = drawn(small.LETTERS, judging)
        for row in found.tokens[:50]:
            assert "".join(words_of(task, row)) in part
    assert set(text) == {" ", *"abcdefghijklmnopqrstuvwxyz"}
    assert found.counted.all()
