"""Where do heads come from?

Small models learn from examples: the loss as it falls, and what each head reads at every step.
"""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.attention.layers.language_model import MODEL_LIKE, model_program
from core.chapters.trained_here import snapshots
from core.models.head_words import whole_percent
from core.models.trained.measures import NEXT, PREFIXES
from core.models.trained.shipped import LAST, NONE, shipped_training
from core.models.trained.tasks import (
    AGREEMENT,
    EXAMPLE,
    FIXED_PERIOD,
    LETTERS,
    LONGEST,
    PERIOD,
    REPEATS,
    SHORTEST,
)
from core.models.trained.training_file import TrainedModel
from core.pytorch.training import predictions, train_model
from ui.chapters.trained_here import trained_model as parts
from ui.chapters.trained_here.training_form import TRAINING_KEYS, own_training
from ui.links.links import Key, Keys, one_of
from ui.links.session import save_link, set_if_changed
from ui.links.stage_position import reset_position
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.controls import choose_one
from ui.page.fold import fold
from ui.page.prose import decimals, say, typeset_decimal
from ui.page_texts import page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import exhibit_keys
from ui.text import token_text
from ui.trained import shown_training as words
from ui.trained.training_picture import MASKS, STEP, say_cheat, say_forming, say_period

TEXTS = page_texts("trained_here")
OWN = "own"
TABS = {
    REPEATS: TEXTS("tab_repeats"),
    PERIOD: TEXTS("tab_period"),
    AGREEMENT: TEXTS("tab_agreement"),
    LETTERS: TEXTS("tab_letters"),
    OWN: TEXTS("tab_own"),
}
GUESSES = {
    "with": TEXTS("guess_with"),
    "without": TEXTS("guess_without"),
    "same": TEXTS("guess_same"),
}
MOST_HEADS = 4
PROMPT = "the weights "
KEYS: Keys = {
    "trained_task": Key(REPEATS, one_of(*TABS)),
    "trained_at": STEP,
    "trained_off": Key(NONE, one_of(NONE, like=r"[a-z_]{1,20}|[12]\.[1-4]")),
    "trained_guess": Key("", one_of("", *GUESSES)),
    "trained_model": Key("letters-unmasked", one_of(*MASKS)),
    **TRAINING_KEYS,
    **exhibit_keys(model_program(2), "", "trained_", MOST_HEADS, MODEL_LIKE),
}


def begin() -> None:
    """Look at another training from its end."""
    set_if_changed(trained_at=LAST, trained_off=NONE)
    reset_position("trained_")


@fragment
def trainings() -> None:
    """What is learned, the training of it, and the model at the step that is chosen."""
    task = choose_one(TEXTS("what"), TABS, "trained_task", on_change=begin)
    if task == LETTERS:
        with_and_without()
    elif task == OWN:
        own_training(KEYS)
    else:
        one_training(task)
    save_link(KEYS)


def one_training(name: str) -> None:
    """A training whose heads form: its curve, its maps, what they carry, and the model."""
    training = shipped_training(name)
    if name == REPEATS:
        say(TEXTS("task_repeats", shortest=SHORTEST, longest=LONGEST))
    elif name == PERIOD:
        say(TEXTS("task_period", period=FIXED_PERIOD))
    else:
        say(TEXTS("task_agreement", sentence=token_text(" ".join(EXAMPLE))))
    say_forming([training])
    step = parts.picture({"": training})
    say(TEXTS("try"))
    with st.container(key="beside_trained_measures"):
        parts.say_measures(training, step)
    parts.model_on_stage(training, step, KEYS)
    parts.switching_off(training, step, KEYS)
    with fold(TEXTS("more"), "mechanism", KEYS):
        if name == PERIOD:
            say_period([training])
        else:
            say(TEXTS("mechanism_repeats" if name == REPEATS else "mechanism_agreement"))
        parts.say_how(training)


def with_and_without() -> None:
    """The same training with a causal mask and without a mask, after a guess."""
    both = [shipped_training(name) for name in MASKS]
    say(TEXTS("task_letters"))
    guess = st.session_state.trained_guess
    st.radio(
        TEXTS("guess"), list(GUESSES), key="trained_guessed", horizontal=True,
        index=list(GUESSES).index(guess) if guess else None, format_func=GUESSES.__getitem__,
        on_change=lambda: set_if_changed(trained_guess=st.session_state.trained_guessed or ""),
    )  # fmt: skip
    if not guess:
        say(TEXTS("guess_try"))
        return
    masked, free = both
    ends = {"last": snapshots.LAST_LOSSES} | decimals(
        with_mask=snapshots.loss_at_end(masked), without=snapshots.loss_at_end(free)
    )
    say(TEXTS("guess_verdict", right=guess == "without", **ends))
    say_cheat(both)
    step = parts.picture(dict(zip(MASKS.values(), both, strict=True)))
    say(TEXTS("try"))
    with st.container(key="beside_trained_measures"):
        say(compared(both, step))
    with fold(TEXTS("last_title"), "last_position", KEYS):
        context, end = free.task.context, max(free.measures)
        _, right = free.measures[end].prefixes[context]
        say(TEXTS("last", context=context, step=end, last_percent=whole_percent(right)))
        parts.say_how(masked)
    shown = choose_one(
        TEXTS("on_stage"), MASKS, "trained_model", on_change=reset_position, args=("trained_",)
    )
    parts.model_on_stage(both[list(MASKS).index(shown)], step, KEYS)


def compared(both: Sequence[TrainedModel], step: int) -> str:
    """What two models do at a step, next to each other."""
    found = [training.measures[step] for training in both]
    context = both[0].task.context

    def percents(parts: Sequence[float]) -> list[str]:
        return [TEXTS("percent", number=whole_percent(part)) for part in parts]

    short = [
        TEXTS("from_to", low=whole_percent(low), high=whole_percent(high))
        for low, high in map(snapshots.right_on_prefixes, found)
    ]
    texts = ["".join(snapshots.tokens_written(one, step, tuple(PROMPT))) for one in both]
    rows: Mapping[str, Sequence[str]] = {
        TEXTS("training_loss"): [typeset_decimal(one.loss) for one in found],
        TEXTS("right_whole"): percents([one.right for one in found]),
        TEXTS("best_next"): percents([snapshots.best_head(one, NEXT)[1] for one in found]),
        TEXTS("right_short", fewest=min(PREFIXES), most=max(PREFIXES)): short,
        TEXTS("right_last", context=context): percents([o.prefixes[context][1] for o in found]),
        TEXTS("writes", prompt=f"“{PROMPT}”"): [f"“{text}”" for text in texts],
    }
    return words.comparison_table(step, list(MASKS.values()), [(n, *t) for n, t in rows.items()])


if __name__ == "__main__":
    begin_chapter("trained_here", KEYS)
    trainings()
    code = (predictions, train_model)
    end_chapter("trained_here", KEYS, code, "output")
