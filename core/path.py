"""The path: every chapter, in the order in which a beginner can follow them."""

from collections.abc import Mapping
from importlib import import_module

from core.chapter import Chapter

ORDER = (
    "words", "dot_products", "softmax", "walkthrough", "queries_keys_values", "why_scale",
    "why_mask", "heads", "debug_lab", "one_query", "recursive_attention", "cost", "word_order",
    "attention_graph", "block", "real_heads", "trained_here",
    "other_kinds",
)  # fmt: skip
"""The only list of chapters: what else a chapter is, its own folder says."""
PATH: Mapping[str, Chapter] = {
    name: import_module(f"core.chapters.{name}").CHAPTER for name in ORDER
}
"""Every chapter by its name."""
