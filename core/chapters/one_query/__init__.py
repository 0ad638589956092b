"""The chapter “One query at a time”."""

from core.chapter import Chapter

CHAPTER = Chapter("one_query", "query", 20, needs=("why_mask", "heads"))
