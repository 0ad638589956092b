"""The mixed set on its page: drawn by the link, scored as it is answered, and printed."""

from streamlit.testing.v1 import AppTest

from core.path import ORDER, PATH
from core.practice_set import QUESTIONS, SET_SIZE, mixed_set
from core.questions.answers import Choice
from core.questions.tries import Tries
from tests.quotes import proves
from tests.ui.support import changed, opened, prose, untouched, warned


def begins_with(page: AppTest, chapter: str) -> None:
    """The question on show is of this chapter."""
    (told,) = [c.value for c in page.caption]
    assert told.startswith(PATH[chapter].title)


def test_the_link_opens_its_set_at_its_question() -> None:
    page = opened("practice", practice_chapters="softmax.heads", practice_seed="7", practice_at="3")
    assert page.session_state["practice_picked"] == ["softmax", "heads"]
    begins_with(page, mixed_set(["softmax", "heads"], 7)[2].chapter)
    assert list(page.button_group[-1].options) == [str(n) for n in range(1, SET_SIZE + 1)]


def test_what_makes_no_sense_in_the_link_is_said() -> None:
    page = opened(
        "practice", practice_chapters="softmax.<b>", practice_seed="-1", practice_view="x",
        practice_at="11",
    )  # fmt: skip
    assert len(warned(page)) == 4
    assert "practice_chapters has '<b>'; there is no such chapter" in warned(page)[0]
    assert page.session_state["practice_chapters"] == ORDER[0]


def test_the_untouched_page_asks_about_the_first_chapter() -> None:
    page = untouched("practice")
    assert page.session_state["practice_picked"] == [ORDER[0]]
    begins_with(page, ORDER[0])


def test_a_link_without_chapters_is_over_all_of_them_as_it_was() -> None:
    page = opened("practice", practice_seed="3")
    assert page.session_state["practice_picked"] == []
    begins_with(page, mixed_set(list(QUESTIONS), 3)[0].chapter)
    assert opened("practice", practice_chapters="").session_state["practice_picked"] == []


def test_another_choice_of_chapters_begins_another_set_and_is_in_the_link() -> None:
    page = opened("practice", practice_at="4")
    page.multiselect[0].set_value(["cost"]).run()
    assert page.session_state["practice_at"] == 1
    assert page.query_params["practice_chapters"] in ("cost", ["cost"])
    assert "practice_at" not in page.query_params


@proves("""
    {first} of {count} right at the first try (✓). With a hint or another try: {helped}. Shown:
    {shown}. Open: {open}
""")
def test_the_score_counts_what_was_done_and_leads_back_to_the_chapters() -> None:
    drawn = mixed_set([ORDER[0]], 0)
    page = opened("practice")
    assert "right at the first try" not in prose(page)
    right = {asked.question.id: Tries((asked.question.answer,)) for asked in drawn}
    first = drawn[0].question.id
    changed(page, practice_tries=right | {first: Tries(shown=True)})
    assert f"**{SET_SIZE - 1} of {SET_SIZE}** right at the first try" in prose(page)
    assert "Shown: 1. Open: 0." in prose(page)
    links = (link.proto for link in page.get("page_link"))
    (again,) = (link for link in links if "question" in link.query_string)
    assert again.label.startswith(PATH[drawn[0].chapter].title)
    assert again.query_string == f"question={first}"
    changed(page, practice_tries=right)
    assert "Nothing to look at again" in prose(page)
    page.button(key="practice_another").click().run()
    assert page.session_state["practice_seed"] == 1


def test_each_question_but_the_last_leads_on_and_another_set_begins_anew() -> None:
    drawn = mixed_set([ORDER[0]], 0)
    page = opened("practice")
    changed(page, practice_tries={one.question.id: Tries((one.question.answer,)) for one in drawn})
    for number, asked in enumerate(drawn, start=1):
        assert page.session_state["practice_at"] == number
        begins_with(page, PATH[asked.chapter].name)
        ways = [button for button in page.button if button.key == "practice_next"]
        assert len(ways) == (number < SET_SIZE)
        if ways:
            ways[0].click().run()
    page.button(key="practice_another").click().run()
    assert page.session_state["practice_at"] == 1


def test_the_worksheet_asks_and_only_the_key_answers() -> None:
    drawn = mixed_set(list(QUESTIONS), 2)
    page, key = (opened("practice", practice_view=v, practice_seed="2") for v in ("sheet", "key"))
    for shown in (page, key):
        files = {button.proto.label for button in shown.get("download_button")}
        assert files == {"Worksheet (.html)", "Key (.html)"}
    sheet = prose(page)
    for number in range(1, len(drawn) + 1):
        assert sheet.count(f"**{number}.** ") == 1
    choices = [a.question.kind for a in drawn if isinstance(a.question.kind, Choice)]
    assert sheet.count("☐") == sum(len(choice.options) for choice in choices)
    assert sheet.count("**Answer:**") == len(drawn) - len(choices)
    assert not page.info
    assert "The answer" not in sheet
    answers = [info.value.replace("\\", "") for info in key.info]
    whole = 0
    for asked, text in zip(drawn, answers, strict=True):
        answer = asked.question.answer
        assert text.startswith("The answer")
        assert asked.question.kind.text(answer) in text, asked.question.id
        if isinstance(answer, float) and answer.is_integer():
            assert "." not in text.rstrip("."), text
            whole += 1
    assert whole
    assert "**Answer:**" not in prose(key)
