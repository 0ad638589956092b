"""A worksheet leaves out what it asks for, and its key has it with its workings."""

import re

import numpy as np
import pytest

from core import InputError, attention_program, toy_inputs
from core.program.display import shown_matrix
from core.program.explanations import explain
from core.program.rounding import typeset
from stage.worksheet import ALL, HALF, ROW, worksheet

TRACE = attention_program(heads=2, kv_heads=1).run(
    toy_inputs("The <b>cat</b> sat on the mat", heads=2, kv_heads=1)
)
CELL = re.compile(r'<td class="([^"]*)">(?:<span>([^<]*)</span>)?</td>')


def tables(part: str) -> dict[str, list[tuple[str, str]]]:
    """The cells of each table of a page's part: class and text."""
    found = re.findall(r"<caption>([^<]*) \(.*?</caption>(.*?)</table>", part, re.DOTALL)
    return {name: CELL.findall(body) for name, body in found}


@pytest.mark.parametrize(
    ("arrays", "slices", "amount"),
    [
        (["weights"], (1,), ALL), (["weights"], (0,), HALF), (["scores"], (1,), ROW),
        (["Q", "K", "V"], (1,), HALF), (list(TRACE.steps), (1,), ALL),
    ],
)  # fmt: skip
def test_the_sheet_has_blanks_and_the_key_has_their_numbers_and_workings(
    arrays: list[str], slices: tuple[int, ...], amount: str
) -> None:
    page = worksheet(TRACE, arrays, slices=slices, amount=amount, version=2)
    sheet, key = page.split('<section class="key">')
    asked, answered = tables(sheet), tables(key)
    counted = 0
    for name in arrays:
        ndim = TRACE[name].ndim
        prefix = () if ndim == 2 else (0,) if name in ("K", "V") else slices
        rows = shown_matrix(TRACE, name, prefix)
        right = [typeset(text) for row in rows for text in row]
        assert [text for _, text in answered[name]] == right
        blank = [at for at, (_, text) in enumerate(asked[name]) if not text]
        assert [text for at, (_, text) in enumerate(asked[name]) if at not in blank] == [
            text for at, text in enumerate(right) if at not in blank
        ]
        live = [
            at
            for at in range(len(right))
            if not TRACE.is_removed(name, (*prefix, *divmod(at, len(rows[0]))))
        ]
        some = {ALL: len(live), HALF: (len(live) + 1) // 2}.get(amount)
        assert set(blank) <= set(live)
        assert len(blank) == some if some else len({at // len(rows[0]) for at in blank}) == 1
        for at in blank:
            cell = (*prefix, *(int(n) for n in divmod(at, len(rows[0]))))
            assert typeset(explain(TRACE, name, cell).plain[-1]).replace("<", "&lt;") in key
        counted += len(blank)
    assert f"Work out the {counted} empty cells" in sheet
    assert "<b>cat</b>" not in page


def test_versions_differ_and_the_same_one_is_the_same() -> None:
    pages = [worksheet(TRACE, ["scores"], slices=(0,), amount=HALF, version=n) for n in (0, 1, 0)]
    assert pages[0] == pages[2]
    assert pages[0] != pages[1]


def test_what_does_not_fit_the_paper_is_refused() -> None:
    wide = attention_program(heads=1).run(toy_inputs("a " * 17, heads=1))
    with pytest.raises(InputError, match="17 × "):
        worksheet(wide, ["scores"], slices=(0,))
    with pytest.raises(InputError, match="Nothing is to be worked out"):
        worksheet(TRACE, ["X"])


def test_given_scores_are_given() -> None:
    program = attention_program(heads=1)
    inputs = toy_inputs("red green", heads=1)
    pinned = program.run(inputs, pinned={"scores": np.ones((1, 2, 2))})
    sheet = worksheet(pinned, list(pinned.steps), slices=(0,)).split('<section class="key">')[0]
    assert [text for _, text in tables(sheet)["scores"]] == ["1.00"] * 4
