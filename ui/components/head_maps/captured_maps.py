"""The weights of captured runs as maps, which stay as long as the app: they ship with it."""

from functools import cache

from core.models.captures import CapturedRun
from core.models.head_search import weights_of_all_heads
from ui.components.head_maps.head_maps import HeadMaps


@cache
def captured_maps(run: CapturedRun, labels: tuple[str, ...]) -> HeadMaps:
    """Return the maps of all heads of a captured run; `labels` are those of its tokens."""
    return HeadMaps(weights_of_all_heads(run), labels, labels, run.mask == "causal")
