"""A text that goes from right to left, or turns others, stays by itself in a line."""

from unicodedata import bidirectional

from hypothesis import example, given
from hypothesis import strategies as st

from ui.directions import DIRECTING, END, ISOLATE, isolated

OPENING = ("LRI", "RLI", "FSI")
TEXTS = st.lists(st.sampled_from([*sorted(DIRECTING), "a", "1", " ", "ש", "ع", "٣"])).map("".join)


def depths(text: str) -> list[int]:
    """How many isolates are open after each character."""
    found = [0]
    for character in text:
        kind = bidirectional(character)
        found.append(found[-1] + (kind in OPENING) - (kind == "PDI"))
    return found[1:]


def test_every_character_that_only_directs_is_known() -> None:
    kinds = (*OPENING, "PDI", "PDF", "LRE", "RLE", "LRO", "RLO")
    marks = {chr(n) for n in (0x061C, 0x200E, 0x200F)}  # strong, and invisible
    assert marks | {chr(n) for n in range(0x110000) if bidirectional(chr(n)) in kinds} == DIRECTING


@example("The cat")
@example("naïve 3·5 — 東京 😀")
@given(TEXTS)
def test_what_turns_the_direction_ends_with_the_text_and_nothing_else_is_lost(text: str) -> None:
    shown = isolated(text)
    ends = (ISOLATE, END)
    assert [c for c in shown if c not in ends] == [c for c in text if c not in ends]
    turns = DIRECTING & set(text) or any(bidirectional(c) in ("R", "AL", "AN") for c in text)
    assert (shown != text) == bool(turns)
    if not turns:
        return
    assert shown[0] == ISOLATE
    assert shown[-1] == END
    assert depths(shown)[-1] == 0
    assert min(depths(shown)[:-1]) == 1, "it ends where the text goes on"
