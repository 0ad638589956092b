"""The debug lab's questions, by their titles (M1–M4, M15, M16, M18, M19)."""

from collections.abc import Mapping
from types import MappingProxyType

from core.chapters.debug_lab import extreme_questions, library_questions, masking_questions
from core.questions.engine import QuestionMaker
from core.texts import core_texts

TEXTS = core_texts("debug_lab")
QUESTIONS: Mapping[str, QuestionMaker] = MappingProxyType(
    {
        TEXTS("title_late"): masking_questions.late_mask_question,
        TEXTS("title_fill"): masking_questions.zero_fill_question,
        TEXTS("title_renormalise"): masking_questions.renormalise_question,
        TEXTS("title_columns"): masking_questions.axis_question,
        TEXTS("title_underflow"): extreme_questions.underflow_question,
        TEXTS("title_no_key"): extreme_questions.empty_row_question,
        TEXTS("title_boolean"): library_questions.boolean_question,
        TEXTS("title_cached"): library_questions.cached_question,
    }
)
