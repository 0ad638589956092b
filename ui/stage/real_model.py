"""What chapters share that show heads of a real model: the fold, and the lines that name a captured
head or run.
"""

from collections.abc import Callable, Iterable, Sequence
from textwrap import shorten
from urllib.parse import urlencode

import streamlit as st

from core.models.captures import Capture, CapturedRun, score_of
from core.models.head_search import median_score
from core.models.head_words import head_title, whole_percent
from ui.links.links import Keys
from ui.links.path import address_of
from ui.page.fold import fold_drawn_when_open
from ui.page_texts import plain_ui_texts, ui_texts
from ui.text import Markdown

TEXTS = ui_texts("real_model")
GALLERY_PAGE = "real_heads"
"""The page with every captured head."""
GALLERY_KEY = "real_capture"
"""Its key in a link: the name of the head that is shown."""


def real_model_fold(name: str, keys: Keys, of: Iterable[str], draw: Callable[[], None]) -> None:
    """Draw the fold in which a chapter shows a real head, when it is open: that reads a file.

    The arguments are those of `fold_drawn_when_open`.
    """
    fold_drawn_when_open(TEXTS("title"), name, keys, of, draw)


def named_place(place: tuple[int, int]) -> Markdown:
    """Return a layer and a head, counted from 1; in grey the library's index, from 0."""
    layer, head = place
    numbers = {"layer": layer + 1, "head": head + 1, "layer_index": layer, "head_index": head}
    return TEXTS("place", **numbers)


def plain_place(place: tuple[int, int]) -> str:
    """Return a layer and a head, counted from 1, as plain text."""
    return plain_ui_texts("real_model")("plain_place", layer=place[0] + 1, head=place[1] + 1)


def named_head(capture: Capture) -> Markdown:
    """Return the model, layer, head and prompt of a captured head, as one line."""
    run, place = capture.run, named_place(capture.head.place)
    return TEXTS("head", model=run.model, place=place, prompt=run.prompt)


def gallery_link(capture: Capture) -> Markdown:
    """Return a link to a captured head on the page that shows all of them."""
    return Markdown(f"[{TEXTS('gallery')}]({gallery_address(capture.head.name)})")


def gallery_address(name: str) -> str:
    """Return where the page of all captured heads shows the one of this name."""
    return f"{address_of(GALLERY_PAGE)}?{urlencode({GALLERY_KEY: name})}"


def draw_head_name(capture: Capture) -> None:
    """Draw the line that names a head, with its link, and how the head was chosen."""
    st.markdown(f"{named_head(capture)} {gallery_link(capture)}  \n{how_chosen(capture)}")


def how_chosen(capture: Capture) -> Markdown:
    """Return that a head is the first of all heads by its own score, and what the median is."""
    run, head = capture.run, capture.head
    return TEXTS(
        "chosen",
        heads=run.n_layers * run.n_heads,
        title=head_title(capture),
        percent=whole_percent(score_of(capture)),
        median=whole_percent(median_score(run, head)),
    )


_MOST_CHARACTERS = 100
"""Of a prompt in a line."""


def named_run(run: CapturedRun) -> Markdown:
    """Return the model and the beginning of the prompt of a captured run, as one line."""
    prompt = shorten(run.prompt, _MOST_CHARACTERS, placeholder=" …")
    return TEXTS("run", model=run.model, prompt=prompt)


def draw_run_name(run: CapturedRun) -> None:
    """Draw the line that names a run, with a link to one of its captured heads."""
    st.markdown(f"{named_run(run)} [{TEXTS('one_head')}]({gallery_address(run.heads[0].name)})")


def draw_numbered_heads(captures: Sequence[Capture]) -> None:
    """Draw the line that names a run, and one for each of its heads, numbered as on the stage."""
    lines = [named_run(captures[0].run)]
    for number, capture in enumerate(captures, start=1):
        named = TEXTS("numbered_head", number=number, place=named_place(capture.head.place))
        lines += [Markdown(f"{named} {gallery_link(capture)}"), how_chosen(capture)]
    st.markdown("  \n".join(lines))
