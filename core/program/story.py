"""What a page says of a run, beside its numbers."""

from typing import NamedTuple


class Story(NamedTuple):
    """A title and a few sentences on what to notice, their tokens marked.

    Before them stands what is said of the row of the weights that is shown: `meanings` has it head
    by head, and of each head for each query.
    """

    title: str = ""
    text: str = ""
    meanings: tuple[str, ...] = ()


NO_STORY = Story()
