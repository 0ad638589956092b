"""The chapter on masks in its starting state and through its controls."""

from functools import partial
from typing import Any

import pytest

from core.attention.masks import Rule
from core.errors import InputError
from tests.ui.support import opened as open_page
from tests.ui.support import prose, refused, stage, untouched
from ui.stage.painting import mask_bits, paint, painted_mask

opened = partial(open_page, "why_mask")
EDIT, GALLERY, CHEAT = range(3)


def test_the_untouched_page_shows_rows_that_do_not_move_and_counts_the_cheat() -> None:
    page = untouched("why_mask")
    data = stage(page, EDIT)
    assert data.step == "output"
    changes = data.changes("output")
    assert changes is not None
    assert not any(changes[:3].ravel())
    count = sum(map(bool, changes.ravel()))
    assert count > 12
    assert data.compared.startswith(f"{count} of 48 numbers of output")
    assert "it finds **4 of 4**" in prose(page)
    assert "it finds **0 of 4**" in prose(opened(mask_cheat="causal"))


def test_a_painted_mask_is_used_and_kept_in_the_link() -> None:
    bits = "".join("1" if i == j else "0" for i in range(8) for j in range(8))
    page = opened(mask_kind="draw", mask_drawn=bits)
    assert "**8** of 64 cells" in prose(page)
    assert page.query_params["mask_drawn"] == bits


def test_an_edit_is_on_the_stage_with_the_causal_mask_and_without() -> None:
    for mask, kept in (("causal", 3), ("none", 0)):
        changes = stage(opened(mask_edit_mask=mask), EDIT).changes("output")
        assert changes is not None
        assert [any(row) for row in changes] == [n >= kept for n in range(6)]


def test_a_size_can_be_set_where_the_mask_has_one() -> None:
    for kind, has_size in (("window", True), ("none", False)):
        assert opened(mask_kind=kind).slider(key="mask_size").disabled is not has_size


def test_a_word_that_is_two_tokens_is_refused() -> None:
    page = opened()
    page.text_input(key="mask_word").set_value("two words").run()
    assert "one token" in refused(page)[0]
    assert stage(page, EDIT)


@pytest.mark.parametrize("text", ["012", "10", "1" * 900, "٣", "1" * 25])
def test_what_is_no_mask_of_so_many_tokens_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"a square of 0 and 1|the limit here is 4"):
        mask_bits(4)("mask_drawn", text)


def test_a_mask_of_fewer_tokens_is_causal_where_nobody_painted_it() -> None:
    page = opened(mask_kind="draw", mask_drawn="1" * 16)
    assert not page.warning
    assert f"**{36 + 6}** of 64 cells" in prose(page)  # 6 above the diagonal of 4 × 4


def test_a_stroke_paints_only_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {}
    monkeypatch.setattr("ui.stage.painting.st.session_state", state)
    assert (painted_mask("m", 3) == Rule("causal").mask(3, 3)).all()
    paint("m", 3, {"cells": ["mask.0.2", "mask.9.9", "X.0.0", "?"], "visible": True})
    assert state["m"] == "101110111"
