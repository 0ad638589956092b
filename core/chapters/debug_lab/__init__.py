"""The chapter “Debug lab”."""

from core.chapter import Chapter

CHAPTER = Chapter("debug_lab", "lab", 20, needs=("why_scale", "why_mask", "heads"))
