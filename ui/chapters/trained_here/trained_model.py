"""A trained model on its page: its picture, what it does at a step, and what its heads carry."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.chapters.trained_here import snapshots
from core.models.head_words import whole_percent
from core.models.trained.measures import OF_A_KIND
from core.models.trained.shipped import NONE, off_options, snapshot_family
from core.models.trained.tasks import LETTERS
from core.models.trained.training_file import TrainedModel
from core.pytorch.training import BATCH
from ui.links.links import Keys
from ui.links.session import set_if_changed
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.prose import say, typeset_decimal
from ui.page_texts import page_texts
from ui.stage.exhibit import draw_exhibit
from ui.stage.toggles import chosen
from ui.text import token_text
from ui.trained import shown_training as words
from ui.trained.training_picture import training_picture

TEXTS = page_texts("trained_here")


def picture(trainings: Mapping[str, TrainedModel], losses: Sequence[float] = ()) -> int:
    """The curves and heads of trainings; return the step that is chosen.

    `losses` are those so far of one that goes on.
    """
    state, (training, *_) = st.session_state, trainings.values()
    if state.trained_off not in (NONE, *off_options(training)):
        set_if_changed(trained_off=NONE)
    off = state.trained_off
    return training_picture("trained_curve", trainings, "trained_at", off, losses)


def say_measures(training: TrainedModel, step: int) -> None:
    """What the model does on new examples at a step, and which of its heads are of a kind."""
    found = training.measures[step]
    say(
        TEXTS(
            "new_examples", step=step, loss=typeset_decimal(found.loss),
            right=whole_percent(found.right), heads=words.heads_in_words(found),
            enough=whole_percent(OF_A_KIND),
        )
    )  # fmt: skip


def model_on_stage(training: TrainedModel, step: int, keys: Keys) -> None:
    """The model at a step on the stage."""
    row = training.task.shown
    text = "".join(row) if training.task.name == LETTERS else " ".join(row)
    say(TEXTS("stage_says", step=step, row=token_text(text)))
    family = snapshot_family(training)
    draw_exhibit(
        family.run(**chosen(family)),
        snapshots.opening_weight(training),
        keys,
        "trained_",
        family=family,
    )


def switching_off(training: TrainedModel, step: int, keys: Keys) -> None:
    """The loss of the model without a head, or without all of a kind."""
    found, state = training.measures[step], st.session_state
    with fold(TEXTS("off_title"), "off", keys, ["trained_off"]):
        say(TEXTS("off_try"))
        names = {off: words.off_name(off) for off in off_options(training)}
        choose_one(TEXTS("off"), {NONE: TEXTS("off_none"), **names}, "trained_off")
        loss = typeset_decimal(found.loss)
        if (off := state.trained_off) == NONE:
            say(TEXTS("off_nothing", step=step, loss=loss))
        elif off not in found.without:
            say(TEXTS("off_no_head", step=step, kind=words.kind_title(off)))
        else:
            without = found.without[off]
            more = words.signed(without - found.loss)
            what, lost = words.off_name(off), typeset_decimal(without)
            say(TEXTS("off_notice", step=step, what=what, without=lost, loss=loss, more=more))
        say(words.off_table(found))


def say_how(training: TrainedModel) -> None:
    """How a model was trained."""
    settings = training.settings
    sizes = {"layers": settings.layers, "heads": settings.heads, "width": settings.d_model}
    say(
        TEXTS(
            "how", batch=BATCH, **sizes, seed=settings.seed, steps=settings.steps,
            seconds=typeset_decimal(training.seconds, 0), torch=training.torch, date=training.date,
        )
    )  # fmt: skip
    say(TEXTS("chosen_seed"))
