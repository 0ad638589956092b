"""The run that the stage of a scene's link shows, for those who have no page."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from core.errors import InputError
from core.path import PATH
from core.program.families import Family
from core.program.trace import Trace
from ui.chapters.walkthrough.link_setup import setup_of_link, values_without_session
from ui.lessons.shelf import LinkTarget, place_of
from ui.links.links import SENTENCE_KEY, values_of_link
from ui.links.page_keys import keys_of
from ui.links.path import HOME


@lru_cache(maxsize=64)
def run_of_scene(link: str) -> Trace | None:
    """Return the run that a link opens; None of a page that alone can make it, and where none
    runs.
    """
    try:
        place = place_of(link)
        values, _ = values_of_link(keys_of(place.page), place.params)
        if family := _family_of(place, values):
            return family.run(**{key: values[key] for key in family.toggle})
        if place.page != HOME:
            return None
        return setup_of_link(values_without_session(place.params)).trace
    except InputError:
        return None


def _family_of(place: LinkTarget, values: Mapping[str, Any]) -> Family | None:
    """The family that decides all that the stage of a link shows, on the link's own sentence.

    None if there is none. Raises `InputError` if the sentence makes none.
    """
    families = PATH[place.page].families.values() if place.page in PATH else ()
    found = next((f for f in families if f.prefix and f"{f.prefix}stage" == place.stage), None)
    if found is None or found.of_text is None:
        return found
    for name, key in keys_of(place.page).items():
        if key.along == SENTENCE_KEY:
            return found.of_text(values[name])
    return None
