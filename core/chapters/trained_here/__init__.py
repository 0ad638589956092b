"""The chapter “Trained here”."""

from core.chapter import Chapter

CHAPTER = Chapter("trained_here", "trained", 15, needs=("why_mask", "heads", "real_heads"))
