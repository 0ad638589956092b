"""What this chapter says."""

from core.texts import core_texts

TEXTS = core_texts("recursive_attention")
