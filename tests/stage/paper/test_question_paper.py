"""Questions on paper: a sheet without answers and a key with them, in numbers that are whole."""

import re
from html import unescape
from xml.etree import ElementTree

import pytest

from core.practice_set import QUESTIONS, mixed_set
from core.questions import answers, engine
from stage.paper.mathml import mathml
from stage.paper.question_paper import question_key, question_sheet
from tests.sampling import some

EVERY = [(chapter, maker) for chapter, makers in QUESTIONS.items() for maker in makers.values()]


def numbered(seed: int) -> list[tuple[str, engine.Question]]:
    drawn = mixed_set(list(QUESTIONS), seed)
    return [(f"{number}. C", asked.question) for number, asked in enumerate(drawn, start=1)]


def read(page: str) -> str:
    """The page's words, without its tags."""
    return unescape(re.sub(r"<[^>]+>", "", page.partition("<body>")[2]))


def sections(page: str) -> list[str]:
    return [read(f"<body>{part}") for part in page.split('<section class="question">')[1:]]


def marked(page: str) -> list[tuple[int, int] | None]:
    """Of each table the cell that stands out, if any."""
    tree = ElementTree.fromstring(f"<b>{page.partition('<body>')[2].partition('</body>')[0]}</b>")
    found: list[tuple[int, int] | None] = []
    for table in tree.iter("table"):
        rows = [[*tr.iterfind("td")] for tr in table.iterfind("tbody/tr")]
        at = [(i, j) for i, tr in enumerate(rows) for j, td in enumerate(tr) if td.get("class")]
        assert len(at) <= 1
        found.append(at[0] if at else None)
    return found


@pytest.mark.parametrize("seed", some(list(range(100)), 12))
def test_the_sheet_has_room_for_each_question_and_no_answer(seed: int) -> None:
    """That the key has it: `questions_solved/`."""
    questions = numbered(seed)
    sheet = question_sheet("T", "V", questions)
    assert sheet.count('class="room') == len(questions)
    for (_, question), asked in zip(questions, sections(sheet), strict=True):
        assert "The answer" not in asked
        options = question.kind.options if isinstance(question.kind, answers.Choice) else ()
        assert asked.count("☐") == len(options)


def test_what_stands_before_a_question_stands_before_that_one_alone() -> None:
    sheet = question_sheet("T", "V", numbered(3)[:3], before=["", "Look at this."])
    assert ["Look at this." in one for one in sections(sheet)] == [False, True, False]
    assert sheet.count('class="about"') == 2, "an empty text leaves no room"


@pytest.mark.parametrize(("chapter", "maker"), EVERY, ids=lambda one: getattr(one, "name", one))
def test_questions_can_be_printed_and_whole_numbers_as_such(chapter: str, maker: object) -> None:
    for seed in some(list(range(60)), 4):
        question = maker(seed)  # type: ignore[operator]
        key = question_key("T", "V", [("1. C", question)])
        assert marked(key) == [table.marked for table in engine.tables_after(question)]
        sheet = question_sheet("T", "V", [("1. C", question)])
        assert marked(sheet) == [table.marked for table in question.tables]
        assert not re.search(r"= ?−?\d+\.0+(?!\d)", read(key)), question.id
        for table in question.tables:
            cells = [text for row in table.cells for text in row]
            whole = [re.fullmatch(r"-?\d+(\.00)?|-?inf", text) for text in cells]
            assert not all(whole) or not any("." in text for text in cells), table.title


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"\sqrt{d_k}", "<msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt>"),
        (r"QK^\top", '<mi>Q</mi><msup><mi>K</mi><mo stretchy="false">⊤</mo></msup>'),
        (r"\dfrac{-4}{5}", "<mfrac><mrow><mo stretchy=\"false\">−</mo><mn>4</mn></mrow>"
         "<mrow><mn>5</mn></mrow></mfrac>"),
        (r"\begin{pmatrix}0 & 2 \\ 2 & -3\end{pmatrix}", "<mtr><mtd><mrow><mn>0</mn></mrow></mtd>"),
        (r"\text{a < b}", '<mi mathvariant="normal">a &lt; b</mi>'),
        (r"\operatorname{w} V", '>w</mi><mspace width="0.17em"/><mi>V</mi>'),
        (r"\ln 3", '<mi>ln</mi><mspace width="0.17em"/><mn>3</mn>'),
    ],
)  # fmt: skip
def test_a_formula_is_mathml(latex: str, words: str) -> None:
    made = mathml(latex)
    ElementTree.fromstring(made)
    assert words in made


@pytest.mark.parametrize(
    ("latex", "fault"), [(r"\foo{x}", r"\\foo"), (r"\sqrt", "^$"), ("{x", "}"), ("x^", "^$")]
)
def test_a_formula_that_it_does_not_know_is_refused(latex: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        mathml(latex)
