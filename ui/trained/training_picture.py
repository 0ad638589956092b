"""The picture of a training on any page: its curve, along which one moves, and all heads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from core.chapters.trained_here.snapshots import best_head, forming, main_score, right_on_prefixes
from core.models.head_words import whole_percent
from core.models.trained.measures import NEXT, OF_A_KIND, PREVIOUS, commonest
from core.models.trained.shipped import LAST, NONE, heads_off, shipped_training, step_options
from core.models.trained.tasks import FIXED_PERIOD, REPEATS
from core.models.trained.training_file import TrainedModel
from ui.components.training_curve import training_curve
from ui.links.links import Key, Keys, one_of
from ui.links.session import save_link, set_if_changed
from ui.page.fold import fold_drawn_when_open
from ui.page.prose import decimals, say
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.trained.shown_training import as_shown, kind_title, place_numbers

TEXTS = page_texts("trained_here")
MASKS = {"letters": TEXTS("with_mask"), "letters-unmasked": TEXTS("without_mask")}
"""The two trainings that differ only in the mask, and what each is called."""
STEP = Key(LAST, one_of(LAST, like=r"\d{1,4}"))
"""The key of a link that says at which step one looks."""


def training_picture(
    name: str,
    trainings: Mapping[str, TrainedModel],
    key: str,
    off: str = NONE,
    losses: Sequence[float] = (),
) -> int:
    """Draw trainings of the same steps, by what they are called; return the step that is chosen.

    `name` is the picture's own among all; `key` is that of the step in the page's link. Heads that
    are `off`, by what a link calls them, are struck. `losses` are those so far of a training that
    goes on.
    """
    state, (training, *_) = st.session_state, trainings.values()
    steps = step_options(training)
    options = list(steps)
    if state[key] not in steps:
        set_if_changed(**{key: LAST})

    def choose(at: int) -> None:
        set_if_changed(**{key: options[at]})

    shown = [as_shown(one, called) for called, one in trainings.items()]
    if losses:
        shown = [replace(one, losses=np.array(losses)) for one in shown]
    training_curve(
        f"beside_{name}_maps", shown, tuple(steps.values()), training.task.shown,
        options.index(state[key]), choose, off=heads_off(training, steps[state[key]], off),
        title=TEXTS("curve_title"),
    )  # fmt: skip
    return steps[state[key]]


def say_forming(trainings: Sequence[TrainedModel]) -> None:
    """Between which steps the task's own heads formed, and what the loss did there."""
    (training,) = trainings
    before, after = forming(training)
    first, second = (training.measures[step] for step in (before, after))
    kind = main_score(training)
    place, has = best_head(second, kind)
    had = first.scores[kind][place[0]][place[1]]
    if has <= OF_A_KIND:
        say(TEXTS("none_formed", enough=whole_percent(OF_A_KIND), kind=kind_title(kind)))
        return
    say(
        TEXTS(
            "forming", before=before, after=after, kind=kind_title(kind), **place_numbers(place),
            **decimals(loss_before=first.loss, loss_after=second.loss),
            percent_before=whole_percent(had), percent_after=whole_percent(has),
        )
    )  # fmt: skip


def say_cheat(trainings: Sequence[TrainedModel]) -> None:
    """Which head reads the answer, and what its model does where there is none to read."""
    _, free = trainings
    end = max(free.measures)
    found = free.measures[end]
    place, has = best_head(found, NEXT)
    low, high = right_on_prefixes(found)
    say(
        TEXTS(
            "cheats", step=end, **place_numbers(place), percent=whole_percent(has),
            worst=whole_percent(low), best=whole_percent(high),
            commonest=whole_percent(commonest(free.task)[0]),
        )
    )  # fmt: skip


def say_period(trainings: Sequence[TrainedModel]) -> None:
    """How a model finds the next symbol where the period is always the same."""
    (training,) = trainings
    end = max(training.measures)
    *_, of_repeats = shipped_training(REPEATS).measures.values()
    own, other = (
        whole_percent(best_head(found, PREVIOUS)[1])
        for found in (training.measures[end], of_repeats)
    )
    back = {"period": FIXED_PERIOD, "back": FIXED_PERIOD - 1}
    say(TEXTS("mechanism_period", step=end, percent=own, other=other, **back))


def learned_keys(prefix: str) -> Keys:
    """The keys of a link that the fold of a training adds to its page's."""
    return {f"{prefix}learned_step": STEP}


def learned_fold(
    title: str,
    prefix: str,
    keys: Keys,
    names: Mapping[str, str],
    say_it: Callable[[Sequence[TrainedModel]], None],
) -> None:
    """Draw a fold with trainings that ship, by their names, each with what it is called.

    `say_it` says what they show. The page's `keys` include `learned_keys(prefix)`.
    """
    draw = partial(_learned, prefix, keys, names, say_it)
    own = learned_keys(prefix)
    fold_drawn_when_open(title, f"{prefix}learned", keys, own, draw)


@fragment
def _learned(
    prefix: str,
    keys: Keys,
    names: Mapping[str, str],
    say_it: Callable[[Sequence[TrainedModel]], None],
) -> None:
    trainings = {called: shipped_training(name) for name, called in names.items()}
    (key,) = learned_keys(prefix)
    training_picture(f"{prefix}learned", trainings, key)
    say_it([*trainings.values()])
    task, *_ = names
    say(TEXTS("whole_chapter", task=task))
    save_link(keys)
