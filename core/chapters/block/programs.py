"""The programs and families of this chapter; those of whole blocks are attention's own."""

from core.chapters.block.dropout import RATE, dropout_family, dropout_program
from core.chapters.block.one_row import RESIDUAL, depth_family, depth_program, norm_program
from core.chapters.block.stack import block_family
from core.chapters.block.tiny_model import model_family
from core.sample import SMALL_SIZES, Sample

PROGRAMS = {
    f"dropout, {rate}": Sample(dropout_program(float(rate)), {**SMALL_SIZES, "i": 3, "j": 3})
    for rate in RATE.options
}
PROGRAMS |= {
    f"a matrix again and again, {word}": Sample(
        depth_program(name == "kept"), {"i": 1, "m": 2, "q": 2}
    )
    for name, word in RESIDUAL.options.items()
}
PROGRAMS["a layer norm by hand"] = Sample(norm_program(), {"i": 1, "m": 4})
FAMILIES = {
    "block": block_family("a b c"),
    "depth": depth_family(),
    "dropout": dropout_family("a b c", 1),
    "model": model_family("a b a", {}),
}
