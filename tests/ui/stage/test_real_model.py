"""The fold of a real head: the line that names it, its link, and that nothing is read before."""

import re
from unittest.mock import Mock

import pytest

from core.chapters.cost.real_model import weights_read
from core.chapters.heads.real_model import sharing_run
from core.models import captures
from core.models.captures import captured_heads, load_capture
from tests.sampling import some
from tests.ui.support import closed_folds, opened, opened_whole, stages
from ui.stage.real_model import gallery_link, named_head

PAGES = {"why_scale": "scale_real", "why_mask": "mask_real", "word_order": "order_real"}
"""The chapters that show a real head, and how the keys of it begin."""


@pytest.mark.parametrize("name", some(list(captured_heads()), 4))
def test_a_head_is_named_from_1_and_by_its_index_and_links_to_the_gallery(name: str) -> None:
    run, head = captured_heads()[name]
    line = re.sub(r"\\(.)", r"\1", named_head(load_capture(name)))
    found = re.fullmatch(
        r"(.*), layer (\d+), head (\d+) :gray\[\(index (\d+), (\d+)\)\], on “(.*)”", line
    )
    assert found
    model, *numbers, prompt = found.groups()
    assert (model, prompt) == (run.model, " ".join(run.prompt.split()))
    index = [head.layer, head.head]
    assert [int(n) for n in numbers] == [*(n + 1 for n in index), *index]
    link = gallery_link(load_capture(name))
    assert re.fullmatch(rf"\[[^\]]+\]\(real-heads\?real_capture={name}\)", link)


@pytest.mark.parametrize(
    ("page", "prefix"), some([*PAGES.items(), ("heads", "heads_real"), ("cost", "cost_real")], 2)
)
def test_a_closed_fold_reads_none(page: str, prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = (captures.load_capture, captures.captured_heads, captures.captured_runs)
    for cached in (*kept, sharing_run, weights_read):
        cached.cache_clear()
    refused = Mock(side_effect=AssertionError("a capture is read"))
    monkeypatch.setattr(captures, "safe_open", refused)
    bare = opened(page)
    assert not bare.exception
    assert f"fold_{prefix}" in closed_folds(bare)
    bare.session_state[f"fold_{prefix}"] = True
    assert bare.run().exception


@pytest.mark.parametrize(("page", "prefix"), PAGES.items())
def test_open_it_has_a_stage_on_the_head_and_its_link_opens_it(page: str, prefix: str) -> None:
    linked = opened(page, **{f"{prefix}_step": "scores"})
    for shown, step in ((opened_whole(page), "weights"), (linked, "scores")):
        (told,) = (one for one in stages(shown) if one.config["stage"] == f"{prefix}_stage")
        assert told.step == step
        assert len(told.document["arrays"]["weights"]["shape"]) == 3
