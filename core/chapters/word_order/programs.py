"""The programs and families of this chapter."""

from core.chapters.word_order.encodings import ENCODING, encoding_family, encoding_program
from core.chapters.word_order.real_model import REAL_HEAD, rotated_program, rotation_family
from core.chapters.word_order.shuffled import shuffled_family, shuffled_program
from core.models.captures import load_capture
from core.sample import Sample

PROGRAMS = {
    f"shuffled, {mask}, {layers}": Sample(shuffled_program(mask, layers), {"m": 2, "t": 3, "z": 3})
    for mask in ("none", "causal")
    for layers in (1, 2)
}
PROGRAMS |= {
    f"encoded, {kind}": Sample(
        encoding_program(kind),
        {"m": 8, "v": 1, "p": 1 if kind == "alibi" else 4},
        moves=("Q", "K", "V", "scores", "scaled"),
    )
    for kind in ENCODING.options
}
PROGRAMS["a real head, rotated"] = Sample(
    rotated_program(), {"k": 4, "l": 4}, moves=("Q_rot", "K_rot", "scores", "scaled")
)
FAMILIES = {
    "shuffled": shuffled_family("a b c"),
    "encoded": encoding_family("a b c"),
    "a real head, rotated": rotation_family(load_capture(REAL_HEAD)),
}
