"""What the graphs of a page share: a run's weights as edges, and a control for weak edges."""

from collections.abc import Sequence

from core.chapters.attention_graph.messages import EDGES, edges
from core.program.labels import axis_labels, cell_id, listed_names
from core.program.numbers.rounding import typeset
from core.program.trace import Trace
from ui.components.graph import DrawnEdge
from ui.page.controls import slide_along
from ui.page_texts import chart_texts, page_texts
from ui.text import Markdown, token_text

TEXTS, NAMES = page_texts("attention_graph"), chart_texts("attention_graph")
THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)


def edges_of_run(trace: Trace, gives: Sequence[int], asks: Sequence[int]) -> list[DrawnEdge]:
    """Return the weights of a run as edges between nodes.

    `gives` and `asks` have the node of each key and of each query.
    """
    *_, queries, keys = axis_labels(trace, EDGES)
    drawn = []
    for edge in edges(trace):
        spoken = NAMES("reads_other", query=queries[edge.target], key=keys[edge.source])
        source, target = gives[edge.source], asks[edge.target]
        cell, text = cell_id(EDGES, edge.cell), typeset(edge.text)
        drawn.append(DrawnEdge(source, target, cell, text, edge.weight, spoken))
    return drawn


def threshold_slider(key: str, label: str) -> None:
    """Draw the control below a graph: how weak an edge may be."""
    slide_along(label, THRESHOLDS, key, width=260, format_func="{:.2f}".format)


def list_tokens(labels: Sequence[str]) -> Markdown:
    """Return labels of tokens as a sentence lists them, each set off."""
    return Markdown(listed_names([token_text(label) for label in labels]))
