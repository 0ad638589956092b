"""The chapter “Recursive attention”."""

from core.chapter import Chapter

CHAPTER = Chapter("recursive_attention", "pieces", 20, needs=("one_query",))
