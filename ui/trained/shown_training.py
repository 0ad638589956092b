"""A training as its page shows it: in its curve, in words, and without some of its heads."""

from collections.abc import Sequence
from functools import lru_cache

from core.chapters.trained_here.snapshots import named_heads, shown_weights
from core.models.head_places import Place, read_place
from core.models.head_words import score_title, whole_percent
from core.models.trained.measures import LINKED, Measures
from core.models.trained.training_file import TrainedModel
from ui.components.training_curve import ShownTraining
from ui.page.prose import typeset_decimal
from ui.page_texts import chart_texts, page_texts
from ui.text import markdown_table

TEXTS, NAMES = page_texts("trained_here"), chart_texts("trained_here")


def kind_title(score: str) -> str:
    """What heads with much of a score are called, in small letters."""
    return NAMES("kind_linked_words") if score == LINKED else score_title(score).lower()


@lru_cache(maxsize=16)
def as_shown(training: TrainedModel, name: str = "") -> ShownTraining:
    """A training as its curve shows it; `name` tells two trainings apart."""
    settings, measures = training.settings, list(training.measures.values())
    return ShownTraining(
        name,
        training.losses,
        tuple(map(said, measures)),
        shown_weights(training),
        tuple(
            tuple(
                tuple(_caption(found, (layer, head)) for head in range(settings.heads))
                for layer in range(settings.layers)
            )
            for found in measures
        ),
        settings.masked,
    )


def said(found: Measures) -> str:
    """The loss of a model and how much it has right, in a few words."""
    return NAMES("said", loss=typeset_decimal(found.loss), right=whole_percent(found.right))


def _caption(found: Measures, place: Place) -> tuple[str, int] | None:
    """What a head does and how much of it, in percent; None if it is of no kind."""
    kind = named_heads(found).get(place)
    return kind and (kind_title(kind[0]), int(whole_percent(kind[1])))


def heads_in_words(found: Measures) -> list[str]:
    """Each head that is of a kind, with its measure."""
    return [
        TEXTS(
            "head_has", **place_numbers(place), kind=kind_title(score), percent=whole_percent(has)
        )
        for place, (score, has) in sorted(named_heads(found).items())
    ]


def place_numbers(place: Place) -> dict[str, int]:
    """A layer and a head as they are counted, from 1."""
    return {"layer": place[0] + 1, "head": place[1] + 1}


def off_name(off: str) -> str:
    """What is switched off, by what a link calls it."""
    place = read_place("off", off) if off[0].isdigit() else None
    if place is None:
        return NAMES("off_kind", kind=kind_title(off))
    return NAMES("off_head", **place_numbers(place))


def off_table(found: Measures) -> str:
    """The loss without each head, and without all of a kind."""
    rows = []
    for off, loss in found.without.items():
        place = read_place("off", off) if off[0].isdigit() else None
        kind = named_heads(found).get(place) if place else None
        measure = f"{kind_title(kind[0])} {whole_percent(kind[1])} %" if kind else ""
        rows.append([off_name(off), measure, typeset_decimal(loss), signed(loss - found.loss)])
    head = [TEXTS("off_column"), TEXTS("off_measure"), TEXTS("off_loss"), TEXTS("off_more")]
    return markdown_table(head, rows)


def signed(change: float) -> str:
    """A change, with its sign."""
    text = typeset_decimal(change)
    return text if text.startswith("−") else f"+{text}"


def comparison_table(step: int, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> str:
    """Two models next to each other, at a step."""
    return markdown_table([TEXTS("both_column", step=step), *columns], [list(row) for row in rows])
