"""What a page says of a run, beside its numbers."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Story(NamedTuple):
    """A title and a few sentences on what to notice, their tokens marked.

    Before them stands what is said of the row of the weights that is shown: `meanings` has it head
    by head, and of each head for each query. `taught` has more of the same, by the array whose step
    teaches its words: it is said from that step on, up to the next one.
    """

    title: str = ""
    text: str = ""
    meanings: tuple[str, ...] = ()
    taught: Mapping[str, tuple[str, ...]] = MappingProxyType({})


NO_STORY = Story()
