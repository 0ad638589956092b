"""The programs and families of this chapter.

A kernel's weights are given; attention by softmax is declared elsewhere too.
"""

from core.chapters.other_kinds.convolution import MIXER, mixing_family, mixing_program
from core.chapters.other_kinds.hopfield import hopfield_program
from core.chapters.other_kinds.linear import BRACKETS, FEATURES, linear_family, linear_program
from core.chapters.other_kinds.recall import BETAS, recall_family, recall_program
from core.chapters.other_kinds.scores import SCORES, scored_family, scored_program
from core.sample import SMALL_SIZES, Sample

_SIZES = {**SMALL_SIZES, "i": 3, "j": 3, "k": 2, "v": 2, "q": 3}
_AT_REST = {"q": 4, "g": 4, "p": 2, "t": 1}
PROGRAMS = {
    f"linear, {brackets}, {features}": Sample(
        linear_program(brackets, features), _SIZES, moves=("Q", "K", "V")
    )
    for brackets in BRACKETS.options
    for features in FEATURES.options
}
PROGRAMS |= {f"scored, {kind}": Sample(scored_program(kind), _SIZES) for kind in SCORES.options}
PROGRAMS |= {f"mixed by {kind}": Sample(mixing_program(kind), _SIZES) for kind in MIXER.options}
_PAINTED = {**_AT_REST, "q": 8, "g": 8, "y": 1, "x": 8}
PROGRAMS |= {
    "one update": Sample(hopfield_program(), _AT_REST),
    "one update of a picture": Sample(hopfield_program(pictures=True), _PAINTED),
}
PROGRAMS |= {f"recall, {beta}": Sample(recall_program(float(beta)), _SIZES) for beta in BETAS}
FAMILIES = {
    "linear": linear_family("a b c"),
    "scored": scored_family("a b c"),
    "mixed": mixing_family("a b c"),
    "recall": recall_family(1),
}
