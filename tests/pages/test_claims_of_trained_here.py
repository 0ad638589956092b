"""Every sentence of 'trained here', for each training that ships, at each of its steps.

What is measured: tests/core/models/trained/test_shipped.py, by loops and PyTorch.
"""

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from core.models.trained.measures import Measures
from core.models.trained.shipped import shipped_training
from core.models.trained.tasks import FIXED_PERIOD, LONGEST, SHORTEST, tasks, unseen_pairs
from core.models.trained.training_file import TrainedModel
from tests.core.chapters.trained_here.test_snapshots import written_by_torch
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, agree, only, printed, row_of
from tests.ui.claims import Inventory

KINDS = {
    "repeats": "induction", "period": "induction", "agreement": "linked_words",
    "letters": "previous_token",
}  # fmt: skip
TITLES = {
    "induction": "induction", "previous_token": "previous token", "next_token": "next token",
    "linked_words": "subject",
}  # fmt: skip
ENOUGH = 0.3


def training(page: AppTest) -> TrainedModel:
    """The one on the stage."""
    state = page.session_state
    own = state.trained_task if state.trained_task != "own" else "repeats"
    return shipped_training(state.trained_model if own == "letters" else own)


def step(page: AppTest) -> int:
    at = page.session_state.trained_at
    kept = training(page).measures
    return max(kept) if at == "last" else int(at)


def found(page: AppTest) -> Measures:
    return training(page).measures[step(page)]


def percent(value: float) -> int:
    return int(value * 100 + 0.5 + 1e-9)


def heads(measures: Measures) -> dict[tuple[int, int], tuple[str, float]]:
    """By layer and head, from 1: the kind of which it has most, if that is enough."""
    best: dict[tuple[int, int], tuple[str, float]] = {}
    for kind, layers in measures.scores.items():
        for at, value in np.ndenumerate(np.array(layers)):
            place = at[0] + 1, at[1] + 1
            if value > max(ENOUGH, best.get(place, ("", 0.0))[1]):
                best[place] = TITLES[kind], float(value)
    return best


def most(measures: Measures, kind: str) -> tuple[int, int, float]:
    scores = np.array(measures.scores[kind])
    layer, head = np.unravel_index(scores.argmax(), scores.shape)
    return int(layer), int(head), float(scores.max())


def formed(page: AppTest) -> Values:
    """Between which steps the measure of the best head rose most."""
    kept, kind = training(page).measures, KINDS[page.session_state.trained_task]
    rise = {
        (a, b): most(kept[b], kind)[2] - most(kept[a], kind)[2] for a, b in pairwise(sorted(kept))
    }
    before, after = max(rise, key=lambda two: rise[two])
    layer, head, has = most(kept[after], kind)
    had = kept[before].scores[kind][layer][head]
    return {
        "before": before, "after": after, "kind": TITLES[kind], "layer": layer + 1,
        "head": head + 1, "percent_before": percent(had), "percent_after": percent(has),
        "loss_before": kept[before].loss, "loss_after": kept[after].loss,
    }  # fmt: skip


def cheating() -> Values:
    free = shipped_training("letters-unmasked")
    last = free.measures[max(free.measures)]
    layer, head, has = most(last, "next_token")
    assert layer == 0
    right = [last.prefixes[length][1] for length in range(4, 21, 4)]
    text = "".join(free.task.words[number] for number in free.task.draw(
        np.random.default_rng(7), 400, True).targets.ravel())  # fmt: skip
    commonest = max(text.count(letter) for letter in set(text)) / len(text)
    assert max(right) < commonest
    return {
        "step": 600, "layer": layer + 1, "head": head + 1, "percent": percent(has),
        "worst": percent(min(right)), "best": percent(max(right)), "commonest": percent(commonest),
    }  # fmt: skip


@proves("""
    Notice. At step {step}, without {what} the loss on new examples is {without} instead of {loss}
    ({more}) | Always saying the commonest letter is right {commonest} % of the time
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state = page.session_state
    task, off = state.trained_task, state.trained_off
    model, at, now = training(page), step(page), found(page)
    own = task == "own"
    masked, free = (shipped_training(name) for name in ("letters", "letters-unmasked"))
    what = re.sub(r"^(\d)\.(\d)$", r"layer \1, head \2", off)
    what = f"all {TITLES[off]} heads" if off in TITLES else what
    row = model.task.shown
    said = [
        f"layer {layer}, head {head}: {kind} {percent(has)} %"
        for (layer, head), (kind, has) in sorted(heads(now).items())
    ]
    last = free.measures[max(free.measures)].prefixes[24][1]
    trained = masked if task == "letters" else model
    settings = trained.settings
    return {
        "task_repeats": only(task == "repeats", shortest=SHORTEST, longest=LONGEST),
        "task_period": only(task == "period", period=FIXED_PERIOD),
        "task_agreement": only(task == "agreement", sentence="the old keys near the red cat are"),
        "forming": lambda: formed(page),
        "new_examples": only(
            not own, step=at, loss=now.loss, right=percent(now.right), heads=said, enough=30
        ),
        "stage_says": only(
            not own, step=at, row=("" if task == "letters" else " ").join(row)
        ),
        "off_nothing": only(off == "none", step=at, loss=now.loss),
        "off_notice": only(
            off in now.without, step=at, what=what, without=now.without.get(off), loss=now.loss,
            more=lambda text: printed(text.lstrip("+"), now.without[off] - now.loss),
        ),
        "off_no_head": lambda: {"step": at, "kind": TITLES[off]},
        "guess_verdict": only(
            bool(state.trained_guess), right=state.trained_guess == "without",
            last=50, with_mask=float(masked.losses[-50:].mean()),
            without=float(free.losses[-50:].mean()),
        ),
        "cheats": cheating,
        "text_limits": only(own, most=100_000),
        "last": {"context": 24, "step": 600, "last_percent": percent(last)},
        "mechanism_period": lambda: {
            "period": FIXED_PERIOD, "back": FIXED_PERIOD - 1, "step": 300,
            "other": percent(most(shipped_training("repeats").measures[800], "previous_token")[2]),
            "percent": percent(most(model.measures[max(model.measures)], "previous_token")[2]),
        },
        "how": lambda: {
            "batch": 64, "layers": settings.layers, "heads": settings.heads,
            "width": settings.d_model, "seed": settings.seed, "steps": settings.steps,
            "seconds": shipped_seconds(trained), "torch": ..., "date": trained.date,
        },
    }  # fmt: skip


def shipped_seconds(model: TrainedModel) -> float:
    assert model.torch.startswith("2.")
    return model.seconds


def mechanism_repeats(said: Values, page: AppTest) -> None:
    """A head of layer 1 reads the token before, one of layer 2 has induction; and the symbols of
    training examples may come several times in a piece.
    """
    task = tasks()["repeats"]
    most_often = []
    for kept in (False, True):
        examples = task.draw(np.random.default_rng(2), 300, kept)
        pieces = [row[mask] for row, mask in zip(examples.targets, examples.counted, strict=True)]
        most_often.append(max(np.bincount(piece).max() for piece in pieces))
    assert most_often[0] > most_often[1] == 1
    model = shipped_training("repeats")
    assert model.losses[-50:].mean() > model.measures[800].loss
    last = shipped_training("repeats").measures[800]
    kinds = {(layer, kind) for (layer, _), (kind, _) in heads(last).items()}
    assert kinds == {(1, "previous token"), (2, "induction")}


def mechanism_agreement(said: Values, page: AppTest) -> None:
    """The subject is read by a head; it is at several places; pairs and numbers are others."""
    task = tasks()["agreement"]
    drawn, judged = (task.draw(np.random.default_rng(2), 300, kept) for kept in (False, True))
    assert judged.linked is not None
    assert len(set(judged.linked[:, 1].tolist())) == 3
    assert set(judged.linked[:, 0].tolist()) == {6}
    assert unseen_pairs()
    nouns = [[word for word in map(task.words.__getitem__, row) if is_noun(word)] for row in
             judged.tokens]  # fmt: skip
    assert all(is_plural(a) != is_plural(b) for a, b in nouns)
    seen = {tuple(w for w in map(task.words.__getitem__, row) if is_noun(w)) for row in
            drawn.tokens}  # fmt: skip
    assert not seen & {tuple(two) for two in nouns}


def is_noun(word: str) -> bool:
    return word.removesuffix("s") in ("key", "cat", "boy", "tree", "car", "book", "dog", "cup")


def is_plural(word: str) -> bool:
    return word.endswith("s")


def compared(page: AppTest, what: str) -> list[Any]:
    at = step(page)
    both = [shipped_training(name).measures[at] for name in ("letters", "letters-unmasked")]
    if what == "loss on new whole texts":
        return [one.loss for one in both]
    value = {
        "right on new whole texts": [one.right for one in both],
        "most weight of a head on the next letter": [most(one, "next_token")[2] for one in both],
        "right at the last of 24 letters": [one.prefixes[24][1] for one in both],
    }[what]
    return [percent(one) for one in value]


def between(match: re.Match[str], page: AppTest) -> None:
    for said, name in zip(match.groups(), ("letters", "letters-unmasked"), strict=True):
        prefixes = shipped_training(name).measures[step(page)].prefixes
        right = [percent(prefixes[length][1]) for length in range(4, 21, 4)]
        assert said == f"{min(right)} % to {max(right)} %"


def writes(match: re.Match[str], page: AppTest) -> None:
    """Greedily, by PyTorch, a letter at a time."""
    for said, name in zip(match.groups(), ("letters", "letters-unmasked"), strict=True):
        agree(said, written_by_torch(shipped_training(name), step(page), "the weights "))


def off_row(match: re.Match[str], page: AppTest) -> None:
    """The loss without a head, or without all of a kind; what the head does."""
    name, kind, loss, change = match.groups()
    now = found(page)
    place = re.fullmatch(r"layer (\d), head (\d)", name)
    if place:
        off = f"{place[1]}.{place[2]}"
        has = heads(now).get((int(place[1]), int(place[2])))
        assert kind.strip() == (f"{has[0]} {percent(has[1])} %" if has else "")
    else:
        off = next(o for o, title in TITLES.items() if name == f"all {title} heads")
    printed(loss, now.without[off])
    printed(change.lstrip("+"), now.without[off] - now.loss)


INVENTORY = Inventory(
    "trained_here",
    claims={
        r"\| (loss on new whole texts|right on new whole texts|most weight[^|]*?|right at the last[^|]*?) \| (.+) \|$":  # noqa: E501
            row_of(compared),
        r"\| right on texts that end after 4 to 20 letters \| (.+) \| (.+) \|$": between,
        r"\| writes on after “the weights ” \| “(.+)” \| “(.+)” \|$": writes,
        r"\| (layer \d, head \d|all .+ heads) \|(.*)\| (\S+) \| (\S+) \|$": off_row,
    },
    module=globals(),
)  # fmt: skip
