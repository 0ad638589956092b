"""The mixed set on its page: drawn by the link, scored as it is answered, and printed."""

from streamlit.testing.v1 import AppTest

from core.path import ORDER, PATH
from core.practice_set import QUESTIONS, SET_SIZE, mixed_set
from core.questions.answers import Choice
from core.questions.tries import Tries
from tests.ui.support import opened


def answer(page: AppTest, tries: dict[str, Tries]) -> AppTest:
    """The page after these were tried."""
    page.session_state["practice_tries"] = tries
    return page.run()


def said(page: AppTest) -> str:
    assert not page.exception
    return "\n".join(text.value for text in page.markdown).replace("\\", "")


def test_the_link_opens_its_set_at_its_question() -> None:
    page = opened("practice", practice_chapters="softmax.heads", practice_seed="7", practice_at="3")
    drawn = mixed_set(["softmax", "heads"], 7)
    assert page.session_state["practice_picked"] == ["softmax", "heads"]
    (told,) = [c.value for c in page.caption]
    assert told.startswith(PATH[drawn[2].chapter].title)
    assert list(page.button_group[-1].options) == [str(n) for n in range(1, SET_SIZE + 1)]


def test_what_makes_no_sense_in_the_link_is_said() -> None:
    page = opened(
        "practice", practice_chapters="softmax.<b>", practice_seed="-1", practice_view="x",
        practice_at="11",
    )  # fmt: skip
    told = [warning.value.replace("\\", "") for warning in page.warning]
    assert len(told) == 4
    assert "practice_chapters has '<b>'; there is no such chapter" in told[0]
    assert page.session_state["practice_chapters"] == ORDER[0]


def test_the_untouched_page_asks_about_the_first_chapter() -> None:
    page = opened("practice")
    assert page.session_state["practice_picked"] == [ORDER[0]]
    (told,) = [c.value for c in page.caption]
    assert told.startswith(PATH[ORDER[0]].title)
    assert dict(page.query_params) == {}


def test_a_link_without_chapters_is_over_all_of_them_as_it_was() -> None:
    page = opened("practice", practice_seed="3")
    assert page.session_state["practice_picked"] == []
    drawn = mixed_set(list(QUESTIONS), 3)
    (told,) = [c.value for c in page.caption]
    assert told.startswith(PATH[drawn[0].chapter].title)
    again = opened("practice", practice_chapters="")
    assert again.session_state["practice_picked"] == []


def test_another_choice_of_chapters_begins_another_set_and_is_in_the_link() -> None:
    page = opened("practice", practice_at="4")
    page.multiselect[0].set_value(["cost"]).run()
    assert page.session_state["practice_at"] == 1
    assert page.query_params["practice_chapters"] in ("cost", ["cost"])
    assert "practice_at" not in page.query_params


def test_the_score_counts_what_was_done_and_leads_back_to_the_chapters() -> None:
    drawn = mixed_set([ORDER[0]], 0)
    page = opened("practice")
    assert "right at the first try" not in said(page)
    right = {asked.question.id: Tries((asked.question.answer,)) for asked in drawn}
    shown = {drawn[0].question.id: Tries(shown=True)}
    page = answer(page, right | shown)
    told = said(page)
    assert f"**{SET_SIZE - 1} of {SET_SIZE}** right at the first try" in told
    assert "Shown: 1. Open: 0." in told
    links = (link.proto for link in page.get("page_link"))
    (again,) = (link for link in links if "question" in link.query_string)
    assert again.label.startswith(PATH[drawn[0].chapter].title)
    assert again.query_string == f"question={drawn[0].question.id}"
    page = answer(page, right)
    assert "Nothing to look at again" in said(page)
    page.button(key="practice_another").click().run()
    assert page.session_state["practice_seed"] == 1


def test_the_worksheet_asks_and_only_the_key_answers() -> None:
    page = opened("practice", practice_view="sheet", practice_seed="2")
    drawn = mixed_set(list(QUESTIONS), 2)
    sheet = said(page)
    for number in range(1, len(drawn) + 1):
        assert sheet.count(f"**{number}.** ") == 1
    choices = [a.question.kind for a in drawn if isinstance(a.question.kind, Choice)]
    assert sheet.count("☐") == sum(len(choice.options) for choice in choices)
    assert sheet.count("**Answer:**") == len(drawn) - len(choices)
    assert not page.info
    assert "The answer" not in sheet
    key = opened("practice", practice_view="key", practice_seed="2")
    answers = [info.value for info in key.info]
    assert len(answers) == len(drawn)
    assert all(text.startswith("The answer") for text in answers)
    for asked, text in zip(drawn, answers, strict=True):
        answer = asked.question.kind.text(asked.question.answer)
        assert answer in text.replace("\\", ""), asked.question.id
    assert "**Answer:**" not in said(key)


def test_sheet_and_key_are_two_files_of_the_version_that_is_shown() -> None:
    for view in ("sheet", "key"):
        page = opened("practice", practice_view=view, practice_seed="7")
        files = {button.proto.label for button in page.get("download_button")}
        assert files == {"Worksheet (.html)", "Key (.html)"}


def test_on_paper_a_whole_answer_has_no_decimals() -> None:
    drawn = mixed_set(list(QUESTIONS), 0)
    page = opened("practice", practice_view="key")
    said_of = {
        number: text.value.replace("\\", "") for number, text in enumerate(page.info, start=1)
    }
    whole = [
        number
        for number, asked in enumerate(drawn, start=1)
        if isinstance(asked.question.answer, float) and asked.question.answer.is_integer()
    ]
    assert whole
    for number in whole:
        assert "." not in said_of[number].rstrip("."), said_of[number]
