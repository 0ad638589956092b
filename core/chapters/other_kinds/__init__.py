"""What can change and still be attention."""

from core.chapter import Chapter

CHAPTER = Chapter("other_kinds", "kinds", 15, needs=("one_query", "block"))
