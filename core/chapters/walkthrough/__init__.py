"""The chapter “Walkthrough”."""

from core.chapter import Chapter

CHAPTER = Chapter("walkthrough", "walkthrough", 20, needs=("softmax",))
