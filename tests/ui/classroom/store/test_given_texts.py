"""Names and texts in all scripts: taken as they are typed, and the projector has room for them."""

import re
import unicodedata
from typing import Literal

import pytest

from core.errors import InputError
from tests.quotes import proves
from tests.ui.support import opened
from ui.classroom.store.given_texts import line_given
from ui.classroom.store.rooms import Rooms

NAMES = (
    "محمد عبد الله", "مُحَمَّدٌ", "בְּרֵאשִׁ֖ית", "สมชาย ใจดี", "ผู้ใหญ่", "प्रिया शर्मा", "王小明",
    "さくら", "김민준",
    "👨‍👩‍👧‍👦 family", "🏳️‍🌈🇺🇦👩🏽‍🚀", "Nguyễn Thị Hiếu", "ஸ்ரீ ஜெயந்தி", "རྒྱུ་སྐྲུན་", "ᠮᠣᠩᠭᠣᠯ",
    "Ἀθηνᾶ", "မြန်မာ",
    "ខ្មែរ", "አማርኛ", "W" * 40, "O'Brien <b>x</b>",
)  # fmt: skip


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_name_of_any_script_is_taken_as_it_is_typed(form: Literal["NFC", "NFD"]) -> None:
    for name in NAMES:
        typed = unicodedata.normalize(form, name)[:40]
        assert line_given("name", typed) == typed


@pytest.mark.parametrize("what", ["name", "answer", "question"])
def test_marks_that_pile_up_over_other_lines_are_refused(what: str) -> None:
    marks = ["\u0335", "\u0321", "\u0316", "\u0301", "\u030c", "\u0489", "\u20dd"]
    for mark in marks:
        with pytest.raises(InputError, match=r"marks.*at most 4.*fewer"):
            line_given(what, f"Z{mark * (5)}a")
    with pytest.raises(InputError, match="5 marks"):
        line_given(what, "a" + "".join(marks[:5]))


@proves("Here: {names} and {more} more")
@pytest.mark.parametrize(
    "name", ["สมชาย ใจดี", "Wilhelmina-Alexandra von und zu Sachsen-", "王" * 40, "A"]
)
def test_sixty_names_leave_the_code_in_sight_the_rest_is_counted(store: Rooms, name: str) -> None:
    code, key = store.create(wants_names=True)
    for n in range(60):
        store.join(code, f"s{n}", name)
        store.let_through(code, key, f"s{n}")
    said = next(one.value for one in opened("room", room=code).markdown if "Here: " in one.value)
    plain = said.replace("\\", "")
    shown = plain.count(name)
    width = sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in plain)
    assert width < 480
    assert shown
    more = re.search(r"and (\d+) more", plain)
    assert shown + (int(more[1]) if more else 0) == 60
