"""The chapter “Attention as a graph”."""

from core.chapter import Chapter

CHAPTER = Chapter("attention_graph", "graph", 20, needs=("why_mask",))
