"""Every sentence of 'real heads', for every captured head and score."""

import re

import numpy as np
from streamlit.testing.v1 import AppTest

from core.chapters.real_heads.gallery import ORDER
from core.models.captures import Capture, captured_heads, captured_runs, load_capture
from core.models.head_search import weights_of_all_heads
from core.models.head_words import head_title, head_words, score_title
from tests.quotes import proves
from tests.ui.agreement import Values
from tests.ui.claims import Inventory
from tests.ui.components.head_maps.test_head_maps import unpacked
from tests.ui.real_heads import HOW_CHOSEN, TITLES, filed_heads, how_chosen, percent, score_by_hand
from tests.ui.support import opened_whole, stage, told

Match = re.Match[str]


def shown(page: AppTest) -> Capture:
    return load_capture(page.session_state.real_capture)


def place(text: object) -> tuple[int, int]:
    """The layer and head from 0; what is counted from 1 agrees with it."""
    found = re.fullmatch(r"layer (\d+), head (\d+) :gray\[\(index (\d+), (\d+)\)\]", str(text))
    assert found
    layer, head, layer_index, head_index = map(int, found.groups())
    assert (layer - 1, head - 1) == (layer_index, head_index)
    return layer_index, head_index


def notice(said: Values, page: AppTest) -> None:
    """It is what the core says of the head (tests/core/models/test_head_words.py)."""
    assert said["words"] == head_words(shown(page))


@proves("""
    The first column is what each token gives to the first token, {token}: here {percent} % on
    average, without the first row. Softmax makes every row add up to 1
""")
def first_column(said: Values, page: AppTest) -> None:
    """The label of the first column, and its mean; rows add up to 1."""
    capture = shown(page)
    label = re.sub(r"[₀-₉]", "", str(said["token"])).strip("*\\[]")
    assert label == capture.run.tokens[0].strip("[]")
    percent(said["percent"], float(np.mean(capture.weights[1:, 0])))
    np.testing.assert_allclose(capture.weights.sum(axis=1), 1, atol=1e-5)


@proves("{title}: the highest measures are {leader.percent} % ({leader.place}),")
def leaders(said: Values, page: AppTest) -> None:
    """No other head of the run has a larger score."""
    run, score = shown(page).run, page.session_state.real_score
    maps = weights_of_all_heads(run)
    assert said["title"] == TITLES[score]
    each = {
        (layer, head): score_by_hand(score, maps[layer, head], run.tokens)
        for layer in range(run.n_layers)
        for head in range(run.n_heads)
    }
    best = sorted(each.values(), reverse=True)
    for leader, value in zip(said["leaders"], best, strict=False):
        assert abs(each[place(leader["place"])] - value) < 1e-9
        percent(leader["percent"], value)


@proves("{title}: every head has 0 % on this text")
def no_leaders(said: Values, page: AppTest) -> None:
    run, score = shown(page).run, page.session_state.real_score
    assert said["title"] == score_title(score)
    weights = weights_of_all_heads(run)
    for place in np.ndindex(run.n_layers, run.n_heads):
        assert score_by_hand(score, weights[place], run.tokens) == 0


@proves("""
    The large map is {place}. Its measure is {percent} %: the weight that a row gives to the marked
    cells, on average
""")  # noqa: RUF027
def chosen_map(said: Values, page: AppTest) -> None:
    run, state = shown(page).run, page.session_state
    at = place(said["place"])
    asked = state.real_map or f"{shown(page).head.layer + 1}.{shown(page).head.head + 1}"
    assert asked == f"{at[0] + 1}.{at[1] + 1}"
    percent(
        said["percent"], score_by_hand(state.real_score, weights_of_all_heads(run)[at], run.tokens)
    )


def who(match: Match, page: AppTest) -> None:
    """The head on the stage: its name, model and place."""
    capture = shown(page)
    assert match[1] == head_title(capture)
    assert capture.run.model.split(" (")[0] == match[2]
    assert (int(match[3]), int(match[4])) == (capture.head.layer + 1, capture.head.head + 1)
    tokens = stage(page).document["axes"]["i"]["labels"]
    assert len(tokens) == len(capture.run.tokens)


@proves("This is {model}, {place}. An index counts from 0, as PyTorch does")
def exactly(said: Values, page: AppTest) -> None:
    """The whole name of the model, the library's index, and that no number of the cells is cut.

    The next fold's title says how many heads the model has.

    What a cell shows as about 0: tests/browser/test_real_heads.py.
    """
    capture = shown(page)
    assert said["model"] == capture.run.model
    assert place(said["place"]) == (capture.head.layer, capture.head.head)
    count = len(filed_heads()[capture.head.name].every)
    titles = [fold.label for fold in page.expander]
    assert f"All {count} heads of this model on this text" in titles


def origin_model(said: Values, page: AppTest) -> None:
    """All runs of the model have the same origin, and it is this one."""
    runs = [run for run in captured_runs() if run.model == said["model"]]
    assert runs
    for run in runs:
        assert said["licence"] == run.licence
        assert (said["package"], said["sha256"]) == (run.package, run.sha256)
        assert str(said["source"]).endswith(f"]({run.source})")


def origin_run(said: Values, page: AppTest) -> None:
    """A run has this text, date and command; every run is said."""
    runs = {run.prompt.replace("\n", "⏎"): run for run in captured_runs()}
    run = runs[said["prompt"]]
    assert (said["date"], said["command"]) == (run.date, run.command)
    text = " ".join(str(part.value) for part in page.markdown)
    assert text.count("with the command") == len(captured_runs())


@proves("""
    The numbers on a card are the measure of its head in percent: on this text, then on two others.
    Each head has the highest measure of all heads on its text; on other texts it is often lower
""")
def each_was_chosen(said: Values, page: AppTest) -> None:
    """No head has a higher measure on a card's text; on its two others it is mostly lower.

    That is what the sentence says of them. A card has these three measures, the head's title, and
    its text and weights there.
    """
    ((data,),) = told(page, "head_cards")
    cards = {card["word"]: card for _, group in data["groups"] for card in group}
    for group, heads in data["groups"]:
        sees_later = [np.triu(unpacked(card)[0], 1).any() for card in heads]
        assert group.endswith("without a mask" if all(sees_later) else "with a causal mask")
        assert [not card["causal"] for card in heads] == sees_later
    lower = []
    assert list(cards) == list(ORDER)
    for name, head in filed_heads().items():
        own, *others = (text.measure for text in head.texts)
        card, (chosen, *_) = cards[name], head.texts
        assert (card["name"], card["text"]) == (head.title, chosen.prompt.replace("\n", "⏎"))
        drawn = unpacked(card).reshape(chosen.weights.shape)
        np.testing.assert_allclose(drawn, chosen.weights, rtol=0, atol=0.5001 / 65_535)
        for text, read in zip(card["measured"].split(" · "), head.texts, strict=True):
            percent(text, read.measure)
        assert own == head.every.max()
        lower += [other < own for other in others]
    assert len(lower) == 2 * len(captured_heads())
    assert sum(lower) > 0.6 * len(lower)


def measured(match: Match, page: AppTest) -> None:
    """A further text of the chosen head, and its measure there: of pairs, the weight of each."""
    _, *others = filed_heads()[page.session_state.real_capture].texts
    (read,) = (one for one in others if one.prompt == match[2])
    if not read.pairs:
        percent(match[1].removesuffix(" %"), read.measure)
        return
    for part, (i, j) in zip(match[1].split(", "), read.pairs, strict=True):
        words, text = part.removesuffix(" %").split(": ")
        assert words == f"{read.tokens[i].strip('Ġ')} → {read.tokens[j].strip('Ġ')}"
        percent(text, read.weights[i, j])


def both_measured(match: Match, page: AppTest) -> None:
    """The two texts of the chosen head have a line each, in the order of the card's numbers."""
    text = "\n".join(str(one.value) for one in page.markdown).replace("\\", "")
    _, *others = filed_heads()[page.session_state.real_capture].texts
    assert re.findall(r"^- .+ % on “(.+)”$", text, re.MULTILINE) == [one.prompt for one in others]


INVENTORY = Inventory(
    "real_heads",
    typed={"real_capture": tuple(captured_heads())},
    claims={
        r"(.+) · (.+), layer (\d+), head (\d+)$": who,
        HOW_CHOSEN: how_chosen,
        r"The same head on two more texts:$": both_measured,
        r"- (.+ %) on “(.+)”$": measured,
    },
    module=globals(),
    texts={"how_chosen": each_was_chosen},
)


def test_the_head_of_the_large_map_is_opened_if_it_is_on_a_card() -> None:
    """Each card's head from each other one of its run."""
    for run in captured_runs():
        first, *others = [head.name for head in run.heads]
        for other in others:
            at = ".".join(str(n + 1) for n in captured_heads()[other][1].place)
            page = opened_whole("real_heads", real_capture=first, real_map=at)
            page.button(key="real_open").click().run()
            assert page.session_state.real_capture == other


@proves("A frame marks a head that is on a card above | Press a map to enlarge it")
def test_cards_stand_above_the_stage_and_all_heads_below_it() -> None:
    page = opened_whole("real_heads")
    drawn = [made.proto.component_name for made in page.get("bidi_component")]
    order = [drawn.index(name) for name in ("head_cards", "attention_stage", "head_grid")]
    assert order == sorted(order)
