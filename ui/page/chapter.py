"""What every chapter's page begins and ends with."""

from collections.abc import Callable, Sequence
from typing import Any

from core.path import PATH
from ui.links.links import Keys
from ui.links.session import Prepare, open_link, save_link, say_messages
from ui.page.asking import ask_each
from ui.page.code import in_code
from ui.page.frame import frame
from ui.page.path_navigation import page_footer
from ui.page_texts import page_texts


def begin_chapter(name: str, keys: Keys, prepare: Prepare | None = None) -> set[str]:
    """Draw the frame around a chapter and read its link, as `open_link` does; say what is wrong.

    Returns the names of what came along from the pages before.
    """
    frame(name, page_texts(name)("lede"))
    came = open_link(name, keys, prepare)
    say_messages()
    return came


def end_chapter(
    name: str,
    keys: Keys | None,
    functions: Sequence[Callable[..., Any]],
    step: str = "",
    **of_code: Any,
) -> None:
    """Ask a chapter's questions, show these functions as its code, lead on and write its link.

    A page that writes its link itself has no `keys` here; the others are those of `in_code`. The
    program is that of the run on the page's first stage, if neither a run nor a stage is named.
    """
    texts = page_texts(name)
    ask_each(name)
    if "run" not in of_code:
        of_code = {"exhibit": f"{PATH[name].key}_"} | of_code
    in_code(*functions, origin=texts("origin"), step=step, **of_code)
    page_footer(name, texts("takeaway"))
    if keys is not None:
        save_link(keys)
