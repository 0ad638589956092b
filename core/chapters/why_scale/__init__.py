"""The chapter “Why scale”."""

from core.chapter import Chapter

CHAPTER = Chapter("why_scale", "scale", 15, needs=("walkthrough",), explains=("scaled",))
