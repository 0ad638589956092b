"""The chapter “Dot products”."""

from core.chapter import Chapter

CHAPTER = Chapter("dot_products", "dot", 10, needs=("words",), explains=("scores",))
