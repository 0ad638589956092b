"""The chapter “Why mask”."""

from core.chapter import Chapter

CHAPTER = Chapter("why_mask", "mask", 15, needs=("walkthrough",), explains=("mask", "masked"))
