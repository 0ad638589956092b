"""How attention knows position: what it says of tokens in another order, and what tells it."""

from core.chapter import Chapter

CHAPTER = Chapter("word_order", "order", 15, needs=("why_mask", "queries_keys_values"))
