"""The chapter “The block”."""

from core.chapter import Chapter

CHAPTER = Chapter("block", "block", 20, needs=("heads", "word_order"))
