"""The programs and families of this chapter."""

import numpy as np

from core.attention.masks import GALLERY, KINDS
from core.chapters.attention_graph.messages import graph_family, message_program
from core.chapters.attention_graph.other_graphs import (
    cross_family,
    cross_program,
    reach_family,
    reach_program,
)
from core.sample import SMALL_SIZES, Sample

_THREE = {**SMALL_SIZES, "i": 3, "j": 3}
_MATRICES = ("Q", "K", "V", "scores", "scaled", "weights")
_MADE = (*_MATRICES, "w_i", "message", "so_far", "y_i", "context", "row_i")
PROGRAMS = {
    f"messages, {name}": Sample(message_program(KINDS[name].rule(2, 2), 2, 3), _THREE, _MADE)
    for name in GALLERY
}
PROGRAMS |= {
    f"messages, drawn, node {at + 1}": Sample(
        message_program(None, at, 3), _THREE, _MADE, blind=True
    )
    for at in (0, 2)
}
PROGRAMS |= {
    f"paths of {layers} layers": Sample(reach_program(layers), {"i": 3, "j": 3})
    for layers in (2, 3, 4)
}
PROGRAMS |= {
    "two sentences": Sample(cross_program(), {**SMALL_SIZES, "i": 2, "j": 3}),
    "two sentences, causal": Sample(cross_program("causal"), _THREE),
}
FAMILIES = {
    "graph": graph_family("a b c", (2,), np.tri(3, dtype=bool)),
    "reach": reach_family("a b c", (2,)),
    "crossing": cross_family("a b", "a b c"),
}
