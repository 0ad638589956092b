"""The programs of this chapter: attention from the Q, K and V that a model computed."""

from core.attention.given.given_program import vectors_program
from core.attention.masks import Rule
from core.sample import Sample

PROGRAMS = {
    f"a captured head, mask {mask}": Sample(vectors_program(1, 1, Rule(mask)))
    for mask in ("causal", "none")
}
