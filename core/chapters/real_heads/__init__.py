"""The chapter “Real heads”: what heads of two published models do on short texts."""

from core.chapter import Chapter

CHAPTER = Chapter("real_heads", "real", 15, needs=("heads", "word_order"))
