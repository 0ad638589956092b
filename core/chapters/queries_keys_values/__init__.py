"""The chapter “Queries, keys, values”."""

from core.chapter import Chapter

CHAPTER = Chapter(
    "queries_keys_values", "qkv", 20, needs=("walkthrough",), explains=("Q", "K", "V")
)
