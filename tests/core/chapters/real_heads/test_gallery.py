"""The gallery has every captured head once; places in links are read back."""

import numpy as np
import pytest

from core.chapters.real_heads import gallery
from core.models import captures, head_places, head_scores, head_search
from tests.core.support import refuses
from tests.sampling import three

RUNS = {run.name: run for run in captures.captured_runs()}


def test_every_captured_head_is_in_the_gallery_once_next_to_those_of_its_model() -> None:
    assert sorted(gallery.ORDER) == sorted(captures.captured_heads())
    shown = [name for names in gallery.heads_by_model().values() for name in names]
    assert shown == list(gallery.ORDER)
    for model, names in gallery.heads_by_model().items():
        assert {captures.captured_heads()[name][0].model for name in names} == {model}


@pytest.mark.parametrize("run", three(list(RUNS.values())), ids=lambda run: run.name)
def test_the_leaders_of_a_run_have_the_largest_scores(run) -> None:
    maps = head_search.weights_of_all_heads(run)
    for score in ("previous_token", "first_token", "evenness"):
        found = gallery.scored_run(run, score)
        each = {
            (layer, head): head_scores.HEAD_SCORES[score](maps[layer, head], run.tokens)
            for layer in range(run.n_layers)
            for head in range(run.n_heads)
        }
        best = sorted(each.values(), reverse=True)[: len(found.leaders)]
        assert [each[place] for place in found.leaders] == best
        for place, value in each.items():
            np.testing.assert_allclose(found.scores[place], value)


def test_a_place_in_a_link_counts_from_1_and_is_read_back() -> None:
    run = RUNS["smollm2-repeat"]
    assert set(gallery.captured_at(run).values()) == {"smollm2-induction", "smollm2-first-token"}
    for layer, head in gallery.captured_at(run):
        text = head_places.place_text((layer, head))
        assert text == f"{layer + 1}.{head + 1}"
        assert head_places.read_place("real_map", text) == (layer, head)
        gallery.check_place(run, text)
    assert head_places.read_place("real_map", "") is None


@pytest.mark.parametrize("text", ["0.1", "1", "1.", "a.b", "1.1.1", "1,1", "1000.1", "-1.2", "1.0"])
def test_what_names_no_head_is_refused(text: str) -> None:
    refuses("names no head", head_places.read_place, "real_map", text)


@pytest.mark.parametrize(("name", "text"), [("minilm-love", "7.1"), ("smollm2-love", "30.10")])
def test_a_head_that_the_model_does_not_have_is_refused(name: str, text: str) -> None:
    refuses("choose a map", gallery.check_place, RUNS[name], text)


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_captured_head_has_its_own_weights_among_all_heads(run) -> None:
    weights = head_search.weights_of_all_heads(run)
    for head in run.heads:
        own = captures.read_capture(run, head).weights
        np.testing.assert_array_equal(weights[head.layer, head.head], own)
