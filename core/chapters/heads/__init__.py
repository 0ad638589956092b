"""The chapter “Heads”."""

from core.chapter import Chapter

CHAPTER = Chapter(
    "heads", "heads", 20, needs=("queries_keys_values",), explains=("concat", "output")
)
