"""What do trained heads do?

Heads of two published models on short texts: their weights as pictures, and every number of them.
"""

from functools import partial
from typing import Any

import streamlit as st

from core.chapters.real_heads import gallery
from core.chapters.real_heads.programs import PROGRAMS
from core.errors import InputError
from core.models import captures, head_scores
from core.models.head_places import Place, place_text, read_place
from core.models.head_search import telling_cell
from core.models.head_words import head_title, head_words, measured_texts, whole_percent
from core.models.token_text import one_line
from core.program.labels import axis_labels
from ui.components.head_maps.cards import (
    HeadCard,
    gallery_card,
    gallery_group,
    head_cards,
    short_name,
)
from ui.components.head_maps.head_maps import captured_maps
from ui.components.head_maps.measured import MEASURES, measure_control, measured_grid
from ui.links.links import Key, Keys, one_of
from ui.links.session import save_link
from ui.links.stage_position import reset_position
from ui.page.chapter import begin_chapter, end_chapter
from ui.page.fold import fold, fold_drawn_when_open
from ui.page.prose import say
from ui.page_texts import chart_texts, page_texts
from ui.server.fragments import fragment
from ui.stage.exhibit import draw_exhibit, exhibit_keys
from ui.stage.real_model import how_chosen, named_place, plain_place
from ui.stage.settings import Layout
from ui.text import link_to, token_text

TEXTS, NAMES = page_texts("real_heads"), chart_texts("real_heads")
(ANY_HEAD, *_) = PROGRAMS.values()


def place_key(key: str, text: str) -> str:
    read_place(key, text)
    return text


OF_GRID: Keys = {"real_score": Key(MEASURES[0], one_of(*MEASURES)), "real_map": Key("", place_key)}
KEYS: Keys = {
    "real_capture": Key(gallery.ORDER[0], one_of(*gallery.ORDER), legacy_default=gallery.OF_LINKS),
    **exhibit_keys(ANY_HEAD.program, "weights", "real_", 1),
    **OF_GRID,
}


def choose(name: str) -> None:
    """Open another captured head where it shows best what it does."""
    st.session_state.update(real_capture=name, real_map="")
    reset_position("real_")


def further_lines(capture: captures.Capture) -> str:
    """A head's measure on its further texts; of pairs of words, each pair's own."""
    _, *others = measured_texts(capture)
    lines = (
        TEXTS("further_text", text=one.text, pairs=one.pairs, percent=one.percent) for one in others
    )
    return "\n".join([TEXTS("further"), *lines])


@fragment
def heads() -> None:
    """Draw the captured heads as cards, the chosen one on the stage, and all heads of its run."""
    groups: dict[str, list[HeadCard]] = {}
    for model, names in gallery.heads_by_model().items():
        causal = captures.captured_heads()[names[0]][0].mask == "causal"
        groups[gallery_group(model, causal=causal)] = list(map(gallery_card, names))
    name = st.session_state.real_capture
    head_cards("beside_real_cards_maps", groups, name, choose, title=NAMES("cards"))
    capture = captures.load_capture(name)
    run, trace = capture.run, captures.trace_of(capture)
    title, place = head_title(capture), capture.head.place
    model = short_name(run.model)
    say(TEXTS("chosen", title=title, model=model, place=plain_place(place)))
    say(TEXTS("notice", words=head_words(capture)))
    opening = "weights", telling_cell(capture)
    draw_exhibit(trace, opening, KEYS, "real_", layout=Layout(rough=True))
    tokens = axis_labels(trace, "weights")[1]
    first = head_scores.HEAD_SCORES["first_token"](capture.weights, run.tokens)
    say(TEXTS("how_chosen"))
    say(how_chosen(capture))
    say(further_lines(capture))
    say(TEXTS("first_column", token=token_text(tokens[0]), percent=whole_percent(first)))
    with fold(TEXTS("more"), "real_numbers", KEYS):
        say(TEXTS("exactly", model=run.model, place=named_place(place)))
    title = TEXTS("grid_title", count=run.n_layers * run.n_heads)
    draw = partial(all_heads, capture, tokens)
    fold_drawn_when_open(title, "real_grid", KEYS, OF_GRID, draw)
    save_link(KEYS)


def all_heads(capture: captures.Capture, labels: list[str]) -> None:
    """Draw the maps of all heads of the chosen head's run, and say who leads by a score."""
    state, run = st.session_state, capture.run
    measure = measure_control("real_score")
    say(TEXTS("grid_try"))
    place = read_place("real_map", state.real_map) or capture.head.place
    place = place if gallery.has_place(run, place) else capture.head.place

    def look(chosen: Place) -> None:
        state.real_map = place_text(chosen)

    captured = gallery.captured_at(run)
    measured_grid(
        "beside_real_grid_maps", captured_maps(run, tuple(labels)), run.tokens, measure,
        gallery.scored_run(run, measure), place, look, framed=captured,
    )  # fmt: skip
    name = captured.get(place)
    if name and name != capture.head.name:
        st.button(TEXTS("open"), on_click=choose, args=(name,), key="real_open")


def origins() -> None:
    """Where the weights of each model are from, and each run of it."""
    for names in gallery.heads_by_model().values():
        first = captures.captured_heads()[names[0]][0]
        about = {name: getattr(first, name) for name in ("model", "licence", "package", "sha256")}
        runs = [run for run in captures.captured_runs() if run.model == first.model]
        say(TEXTS("origin_model", source=link_to(first.source), **about))
        say("\n".join(f"- {run_words(run)}" for run in runs))


def run_words(run: captures.CapturedRun) -> str:
    return TEXTS("origin_run", prompt=one_line(run.prompt), date=run.date, command=run.command)


def checked(values: dict[str, Any], messages: list[str]) -> dict[str, Any]:
    """What a link says, without a map that the head's run does not have."""
    run, _ = captures.captured_heads()[values["real_capture"]]
    try:
        gallery.check_place(run, values["real_map"])
    except InputError as error:
        messages.append(str(error))
        return values | {"real_map": ""}
    return values


if __name__ == "__main__":
    begin_chapter("real_heads", KEYS, checked)
    heads()
    say(TEXTS("own_text"))
    say(TEXTS("caution"))
    with fold(TEXTS("more_title"), "real_more", KEYS):
        say(TEXTS("caution_more"))
    with fold(TEXTS("origin_title"), "real_origin", KEYS):
        origins()
    code = (head_scores.counted_weight, head_scores.first_token, head_scores.induction)
    end_chapter("real_heads", KEYS, code, "weights")
