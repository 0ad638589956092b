"""The programs and families of this chapter."""

from core.chapters.dot_products.similarity import RULES, similarity_family, similarity_program
from core.chapters.dot_products.vector_pair import dot_program
from core.sample import Sample

PROGRAMS = {f"similarity, {rule}": Sample(similarity_program(rule)) for rule in RULES}
PROGRAMS["one query, two keys"] = Sample(dot_program())
FAMILIES = {"dot products": similarity_family("a b c")}
