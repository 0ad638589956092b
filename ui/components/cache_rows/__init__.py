"""The cache as a sentence is written: kept rows of K and V in grey, the new one in colour.

One components-v2 component. It plays over the tokens in the browser; `cache_rows` reports the token
at which somebody has stopped.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from core.chapters.one_query.cached import Writing
from core.program.numbers.rounding import cell_text
from ui.components.component import component
from ui.components.component_events import answer, read_event
from ui.page_texts import chart_texts

_rows = component(Path(__file__).with_name("cache_rows.js"), texts=chart_texts("one_query"))


def cache_rows(
    key: str,
    labels: Sequence[str],
    writing: Writing,
    now: int,
    again: bool,
    on_token: Callable[[int], None],
) -> None:
    """Draw the rows up to the token `now`, counted from 0; `on_token` gets another one.

    With `again` nothing is kept: every row is computed anew.
    """

    def moved() -> None:
        token = read_event(key, "token").get("token")
        if isinstance(token, int) and 0 <= token < len(labels):
            on_token(token)

    data = {
        "labels": list(labels),
        "rows": {
            name: [[cell_text(number) for number in row] for row in rows]
            for name, rows in (("K", writing.keys), ("V", writing.values))
        },
        "costs": [
            {"name": name, "bars": [n / max(writing.without) for n in counts],
             "texts": [f"{n:,}" for n in counts]}
            for name, counts in (("with", writing.cached), ("without", writing.without))
        ],
        "now": now,
        "again": again,
        **answer(key),
    }  # fmt: skip
    _rows(key=key, data=[data], on_token_change=moved)
