"""The chapter “Softmax”."""

from core.chapter import Chapter

CHAPTER = Chapter("softmax", "softmax", 15, needs=("dot_products",), explains=("weights",))
