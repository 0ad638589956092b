"""What the index letters of the attention programs count."""

from collections.abc import Mapping

from core.program.axes import HEAD, POSITION, Axis

AXES: Mapping[str, Axis] = {
    "h": Axis("head", HEAD, "head", "heads"),
    "g": Axis("key/value head", HEAD, "head", "heads", of="h"),
    "i": Axis("query position", POSITION, "query", "T"),
    "j": Axis("key position", POSITION, "key", "T"),
    "m": Axis("model feature", word="feature", size="d_model"),
    "k": Axis("key feature", word="feature", size="d_k"),
    "v": Axis("value feature", word="feature", size="d_v"),
    "c": Axis("joined feature", word="feature", size="heads·d_v"),
}  # fmt: skip
