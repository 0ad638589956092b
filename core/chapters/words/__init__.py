"""The chapter “Words before attention”."""

from core.chapter import Chapter

CHAPTER = Chapter("words", "words", 15, explains=("X", "context"))
