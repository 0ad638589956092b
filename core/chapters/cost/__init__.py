"""The chapter “What it costs”."""

from core.chapter import Chapter

CHAPTER = Chapter("cost", "cost", 20, needs=("heads", "one_query", "recursive_attention"))
