"""Questions on their pages: drawn when open, marked, kept, and fresh at "Another one"."""

import pytest
from streamlit.testing.v1 import AppTest

from core.chapters.debug_lab.questions import DEBUG_QUESTIONS
from core.chapters.dot_products.questions import SIMILARITY_QUESTIONS
from core.chapters.heads.questions import HEAD_QUESTIONS
from core.chapters.queries_keys_values.questions import PROJECTION_QUESTIONS
from core.chapters.walkthrough.questions import WALKTHROUGH_QUESTIONS
from core.chapters.why_mask.questions import MASK_QUESTIONS
from core.chapters.why_scale.questions import SCALE_QUESTIONS
from core.questions.answers import Choice
from core.questions.engine import QuestionMaker
from tests.ui.support import opened

ASKED = {
    "walkthrough": ("walkthrough", WALKTHROUGH_QUESTIONS),
    "dot_products": ("dot", SIMILARITY_QUESTIONS),
    "queries_keys_values": ("qkv", PROJECTION_QUESTIONS),
    "why_scale": ("scale", SCALE_QUESTIONS),
    "why_mask": ("mask", MASK_QUESTIONS),
    "heads": ("heads", HEAD_QUESTIONS),
    "debug_lab": ("lab", DEBUG_QUESTIONS),
}


def at(page: str, title: str) -> AppTest:
    shown = opened(page)
    shown.session_state[f"{ASKED[page][0]}_questions"] = title
    shown.run()
    assert not shown.exception
    return shown


def drawn(page: AppTest, name: str) -> list[str]:
    """The keys of the questions' own widgets on a page."""
    every = [*page.radio, *page.text_input, *page.button]
    return [str(w.key) for w in every if f"{name}_" in str(w.key) and "_question_" in str(w.key)]


def answer(page: AppTest, maker: QuestionMaker, key: str, text: str) -> None:
    kind = maker(0).kind
    field = page.radio if isinstance(kind, Choice) else page.text_input
    field(key=f"{key}_0").set_value(text).run()
    assert not page.exception


def said(page: AppTest) -> str:
    return " ".join(e.value for e in (*page.success, *page.warning)).replace("\\", "")


@pytest.mark.parametrize(
    ("page", "title"), [(page, title) for page, (_, each) in ASKED.items() for title in each]
)
def test_each_question_of_each_page_is_marked(page: str, title: str) -> None:
    name, makers = ASKED[page]
    maker = makers[title]
    key = f"{name}_{maker.__name__}"
    question = maker(0)
    shown = at(page, title)
    assert sorted(drawn(shown, name)) == sorted([f"{key}_0", f"{key}_next"])
    answer(shown, maker, key, question.kind.text(question.answer))
    assert "Right. You said" in said(shown)
    wrong = question.wrong[0]
    answer(shown, maker, key, question.kind.text(wrong.value))
    assert wrong.name.capitalize() in said(shown)
    shown.button(key=f"{key}_next").click().run()
    assert drawn(shown, name)[0] == f"{key}_1"


def test_a_prediction_is_kept_while_another_question_is_open() -> None:
    shown = at("walkthrough", "One score")
    shown.text_input(key="walkthrough_score_question_0").set_value("99").run()
    assert "You said 99.00; the answer is" in said(shown)
    shown.session_state["walkthrough_questions"] = "Which row stays the same"
    shown.run()
    assert "99.00" not in said(shown)
    shown.session_state["walkthrough_questions"] = "One score"
    shown.run()
    assert "You said 99.00; the answer is" in said(shown)
