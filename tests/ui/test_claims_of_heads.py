"""Every sentence of 'heads', at the ends of its controls."""

import re
from functools import cache
from itertools import pairwise

import numpy as np
from streamlit.testing.v1 import AppTest

from core import toy_inputs
from core.attention.river_bank import LEXICON, RIVER_BANK
from core.attention.setups import Setup
from core.models.captures import captured_heads, load_capture
from tests.quotes import proves
from tests.ui.claims import ALWAYS, Inventory, Values, number, printed
from tests.ui.plain_attention import attend, output, softmax
from tests.ui.real_heads import HOW_CHOSEN, how_chosen, percent
from tests.ui.support import stage, stages, told

Match = re.Match[str]
Arrays = dict[str, np.ndarray]
TEXT = "The cat sat on the mat"
IDS = np.array([24.0, 43.0, 58.0, 5.0, 57.0])
"""Of L e t ' s, in the vocabulary of the chapter on masks (its inventory recomputes them)."""
LONG = " ".join(f"w{n}" for n in range(64))
MAPS = ("X", "W_Q", "W_K", "W_V", "W_O")
SYMBOL = r"\$[^$]*\$"


def on_stage(page: AppTest, name: str) -> np.ndarray:
    """A whole array of the first stage, of all heads, as it is printed there."""
    shown = stage(page).document["arrays"][name]
    printed_there = [float(text) for text in shown["texts"].split(" ")]
    return np.array(printed_there).reshape(shown["shape"])


def count_of(page: AppTest) -> int:
    """How many heads are chosen: those made by hand are two."""
    return int({"hand": "2"}.get(page.session_state.heads_count, page.session_state.heads_count))


def is_made(page: AppTest) -> bool:
    return bool(page.session_state.heads_count == "hand")


def inputs_of(page: AppTest) -> Arrays:
    """Made by hand: those of the walkthrough's example; else drawn."""
    text = page.session_state.heads_text
    if is_made(page):
        return {n: a for n, a in Setup(preset="river-bank", text=text).trace.items() if n in MAPS}
    return dict(toy_inputs(text, heads=count_of(page), d_model=16))


def alt(page: AppTest, chart: int) -> str:
    return str(page.get("plotly_chart")[chart].proto.alt)


def drawn_with(match: Match, page: AppTest) -> None:
    """Those sizes and that seed give the weights on the stage."""
    d_model, heads, seed = int(match[1]), match[2], int(match[3])
    H = 1 if heads == "one head" else int(heads.removesuffix(" heads"))
    assert int(page.session_state.heads_count) == H  # and not the ones made by hand
    made = toy_inputs("a", heads=H, d_model=d_model, seed=seed)["W_Q"]
    np.testing.assert_allclose(on_stage(page, "W_Q"), made, rtol=0, atol=1e-9)


def made_by_hand(match: Match, page: AppTest) -> None:
    """The heads on the stage are the example's, and these words are not in its lexicon."""
    assert is_made(page)
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        made = on_stage(page, name)
        np.testing.assert_allclose(made, RIVER_BANK.arrays[name], rtol=0, atol=1e-9)
    words = dict.fromkeys(page.session_state.heads_text.split())
    drawn = [word for word in words if word.lower() not in LEXICON]
    named = (match[2] or "").replace("`", "").replace("*", "")
    assert all(word in named for word in drawn[:6])
    assert bool(drawn) == bool(match[1])


def other_sizes(match: Match, page: AppTest) -> None:
    """Those of the part that is open."""
    part = page.session_state.heads_part
    assert (int(match[1]), int(match[2])) == {"share": (16, 8), "join": (8, 4)}[part]


@proves("""
    Two layers of {heads} heads with d_model = {d_model} read “{text}”. Random weights, seeds
    {first} and {second}
""")
def layers(said: Values, page: AppTest) -> None:
    """The sizes, the sentence and the seeds from which `moves` works out what the chart says."""
    heads, tokens = len(moves(page)[0]), len(two_layers(None)[0][0])
    assert (said["heads"], said["d_model"]) == (heads, four_heads()["X"].shape[1])
    assert (said["first"], said["second"]) == (0, 1)
    assert said["text"] == TEXT
    assert len(said["text"].split()) == tokens


def framed(page: AppTest) -> tuple[int, list[np.ndarray]]:
    """The row that is framed in every map, and the weights of every head, worked out here."""
    (maps,), _ = told(page, "small_maps")  # the other ones are of the real heads
    weights = attend(inputs_of(page))[0]
    assert len(weights) == len(maps["pictures"]) == count_of(page)
    assert [p["place"].split(".")[2] for p in maps["pictures"]] == [str(maps["row"])] * len(weights)
    return maps["row"], list(weights)


def try_(said: Values, page: AppTest) -> None:
    """The same row is framed in every head: that of the token that is chosen on the stage."""
    row, _ = framed(page)
    assert stage(page).selected.split(".")[2] == str(row)


@proves("""
    [heads == 1] With one head, {token} has only one set of weights. Choose more heads | [heads == 2
    and ways == 2] In head 1, {token} reads mostly {read[0]}. In head 2, it reads mostly {read[1]} |
    [else] For {token}, the {heads} heads give their largest weights to [ways == 1] the same token
    [else] {ways} different tokens
""")
def notice(said: Values, page: AppTest) -> None:
    row, weights = framed(page)
    assert said["heads"] == len(weights)
    read = [int(head[row].argmax()) for head in weights]
    assert said["ways"] == len(set(read))
    words = page.session_state.heads_text.split()
    assert [label.rstrip("₀₁₂₃₄₅₆₇₈₉") for label in said["read"]] == [words[at] for at in read]
    assert said["token"].rstrip("₀₁₂₃₄₅₆₇₈₉") == page.session_state.heads_text.split()[row]


@proves("Here d_model = {d_model} and H = {heads}. Each head has d_k = d_model / H = {d_k}")
def sizes(said: Values, page: AppTest) -> None:
    """And the matrices of all heads are one head's, cut: more heads are narrower heads."""
    H = count_of(page)
    assert (said["heads"], said["d_model"]) == (H, inputs_of(page)["X"].shape[1])
    for name in ("W_Q", "W_K", "W_V"):
        made = on_stage(page, name)
        if is_made(page):
            np.testing.assert_allclose(made, inputs_of(page)[name], rtol=0, atol=1e-9)
            continue
        whole = toy_inputs("a", heads=1, d_model=16)[name][0]
        np.testing.assert_allclose(np.concatenate(list(made), axis=1), whole, rtol=0, atol=1e-9)
        assert made.shape == (H, said["d_model"], said["d_k"])
    assert said["d_k"] * H == said["d_model"] == (8 if is_made(page) else 16)


def on_columns(d_model: int, H: int) -> list[int]:
    """How many numbers W_Q, W_K and W_V have, head by head."""
    return [d_model * (d_model // H) for _ in range(3) for _ in range(H)]


@proves("""
    All heads together have no more parameters than one wide head | hold {held} parameters:
    4·d_model², whatever H is. With d_model = {paper} it is {paper_held}
""")
def parameters(said: Values, page: AppTest) -> None:
    """4·d_model², here and for the paper's width, whatever H is."""
    on_show = sum(on_stage(page, name).size for name in ("W_Q", "W_K", "W_V", "W_O"))
    assert number(said["held"]) == on_show == 4 * inputs_of(page)["X"].shape[1] ** 2
    d_model = said["paper"]
    assert d_model == 512
    for H in (1, 2, 4, 8, 16):
        every = sum(on_columns(d_model, H)) + d_model**2
        assert number(said["paper_held"]) == every == 4 * d_model**2
        here = dict(toy_inputs("a", heads=H, d_model=16))
        assert sum(here[name].size for name in ("W_Q", "W_K", "W_V", "W_O")) == 4 * 16 * 16


@proves("""
    A head is one run of attention with its own weight matrices. With one head, a token has one set
    of weights, so it reads one mixture. With several heads, it reads several mixtures | Each head
    looks in its own way, with its own queries | Every head has its own W_Q, W_K and W_V. So it has
    its own queries, keys and values
""")
def own_matrices(said: Values, page: AppTest) -> None:
    """As many of each as heads, and no two alike; so are what they make, and all read one X."""
    H = count_of(page)
    for name in ("W_Q", "W_K", "W_V"):
        assert len({head.tobytes() for head in on_stage(page, name)}) == H
    Q, K, V = (inputs_of(page)["X"] @ inputs_of(page)[f"W_{name}"] for name in "QKV")
    for made in (Q, K, V):
        assert len({head.tobytes() for head in made}) == H == len(made)
    mixed = np.concatenate(list(attend(inputs_of(page))[1]), axis=1) @ inputs_of(page)["W_O"]
    np.testing.assert_allclose(mixed, output(inputs_of(page)), atol=1e-12)


def looked_up(offset: int) -> np.ndarray:
    """What a head reads of the ids that scores 20 at a distance, under the causal mask."""
    scores = np.where(np.tri(5, dtype=bool), 20.0 * np.eye(5, k=offset), -np.inf)
    read: np.ndarray = softmax(scores) @ IDS
    return read


def row_of_ids(match: Match, page: AppTest) -> None:
    made = {
        "value": IDS,
        "head 1, previous token": looked_up(-1),
        "head 2, same token": looked_up(0),
    }
    for text, value in zip(match[2].split(" | "), made[match[1]], strict=True):
        printed(text, value)


def looks_for(said: Values, page: AppTest) -> None:
    """Each token has one value: head 1 reads that of the token before, head 2 its own."""
    hand = stages(page)[1]
    assert hand.document["arrays"]["V"]["shape"][-1] == 1
    shown = hand.document["arrays"]["context"]["texts"].split(" ")
    for text, value in zip(shown, [*looked_up(-1), *looked_up(0)], strict=True):
        printed(text, value)
    np.testing.assert_allclose(looked_up(-1)[1:], IDS[:-1], atol=1e-6)
    np.testing.assert_allclose(looked_up(0), IDS, atol=1e-6)


def hand_notice(said: Values, page: AppTest) -> None:
    """Concat has a column for each; one row of weights that has both gives a number between."""
    assert stages(page)[1].document["arrays"]["concat"]["shape"] == [5, 2]
    for before, own in zip(looked_up(-1)[1:], looked_up(0)[1:], strict=True):
        for weight in (0.1, 0.5, 0.9):
            mean = weight * before + (1 - weight) * own
            assert min(before, own) < mean < max(before, own)


@proves("For the first token, head 1 reads the token itself, {read}")
def first_token(said: Values, page: AppTest) -> None:
    text = re.match(r"\[(\d+)\\\.(\d+)\]\(#stage-context\.0\.0\.0\)", said["read"])
    assert text
    printed(f"{text[1]}.{text[2]}", looked_up(-1)[0])
    printed(f"{text[1]}.{text[2]}", IDS[0])


def heads_on(groups: int) -> Arrays:
    return dict(toy_inputs(TEXT, heads=8, kv_heads=groups, d_model=16))


@proves("""
    a model keeps K and V of all tokens so far | After T = {tokens} tokens this layer keeps K and V
    of each group: 2·G·d_k·T = 2·{groups}·{d_k}·{tokens} = {kept} numbers
""")
def kept(said: Values, page: AppTest) -> None:
    """And what both charts say."""
    G, d_k, T = said["groups"], said["d_k"], said["tokens"]
    made = heads_on(G)
    assert page.session_state.heads_groups == G
    assert (T, d_k) == (len(made["X"]), made["W_K"].shape[2])
    rows = sum(made[name].shape[0] * T * made[name].shape[2] for name in ("W_K", "W_V"))
    assert number(said["kept"]) == rows == 2 * G * d_k * T
    readers = re.findall(r"head (\d) reads (\d)", alt(page, 0))
    assert [(int(h), int(g)) for h, g in readers] == [(h + 1, h * G // 8 + 1) for h in range(8)]
    assert alt(page, 0).startswith(f"8 query heads, joined by lines to {G} key/value head")
    bars = [(int(held), int(g)) for held, g in re.findall(r"(\d+) with (\d)", alt(page, 1))]
    assert bars == [(2 * g * d_k * T, g) for g in (8, 4, 2, 1)]
    assert alt(page, 1).endswith(f" {G} is chosen.")


@proves("""
    Notice. With G = {groups}, [groups == heads] every head has its own keys and values: multi-head
    attention. [groups == 1] all heads use the same K and V: multi-query attention. [else] each
    group of {heads} heads has its own keys and values: grouped-query attention. [groups < heads]
    Their weights still differ here, because their queries do
""")
def shared(said: Values, page: AppTest) -> None:
    """Each block of 8 / G heads reads one key/value head, and no two heads have equal weights."""
    G = page.session_state.heads_groups
    assert (said["groups"], said["heads"]) == (G, 8)
    made = heads_on(G)
    assert len(made["W_K"]) == len(made["W_V"]) == G
    repeated = {n: np.repeat(made[n], 8 // G, axis=0) for n in ("W_K", "W_V")}
    weights, _ = attend(made)
    np.testing.assert_allclose(weights, attend({**made, **repeated})[0], atol=1e-12)
    assert all(np.abs(weights[h] - weights[g]).max() > 0.01 for h in range(8) for g in range(h))


@proves("""
    A smaller G makes W_K and W_V smaller. All four matrices together then hold {held} parameters
    for G = {g}
""")
def fewer(said: Values, page: AppTest) -> None:
    counts = [(g, number(held)) for g, held in said["counts"]]
    assert [g for g, _ in counts] == [8, 4, 2, 1]
    for g, count in counts:
        made = heads_on(g)
        assert count == sum(made[name].size for name in ("W_Q", "W_K", "W_V", "W_O"))
    assert all(more > less for (_, more), (_, less) in pairwise(counts))


TOKENS = np.arange(8).reshape(2, 4)
SPLITS = {
    "reshape and transpose": TOKENS.reshape(2, 2, 2).transpose(1, 0, 2),
    "reshape only": TOKENS.reshape(2, 2, 2),
}


def split_rows(match: Match, page: AppTest) -> None:
    rows = [[list(map(int, r.split(", "))) for r in re.findall(r"\[([\d, ]+)\]", text)]
            for text in match.groups()[1:]]  # fmt: skip
    np.testing.assert_array_equal(rows, SPLITS[match[1]])


@proves("Without the transpose, head 1 gets the whole first token, and head 2 the whole second")
def whole_tokens(said: Values, page: AppTest) -> None:
    """A head's rows are one token, cut in two; cut right they are of both."""
    right, wrong = SPLITS.values()
    assert right.shape == wrong.shape
    for h in range(2):
        np.testing.assert_array_equal(wrong[h].ravel(), TOKENS[h])
        assert [set(row) <= set(TOKENS[t]) for t, row in enumerate(right[h])] == [True, True]
    assert len(stages(page)) == 4  # the last is of the real heads
    shown = stages(page)[2].texts("Q").ravel().astype(float)
    np.testing.assert_array_equal(shown, SPLITS[WAYS[page.session_state.heads_way]][0].ravel())


WAYS = {"right": "reshape and transpose", "wrong": "reshape only"}


@cache
def four_heads(seed: int = 0) -> Arrays:
    return dict(toy_inputs(TEXT, heads=4, d_model=8, seed=seed))


def parts(read: np.ndarray, average: bool) -> np.ndarray:
    """What each head adds: what it has read, times its own block or a quarter of the first."""
    W_O = four_heads()["W_O"]
    blocks = [W_O[:2] / 4 if average else W_O[2 * h : 2 * h + 2] for h in range(4)]
    return np.array([read[h] @ blocks[h] for h in range(4)])


@proves("The output of {token}, feature by feature, as bars stacked by head. The sums are {sums}")
def sum_of_blocks(said: Values, page: AppTest) -> None:
    """And the chart's sums are those of the chosen token and way."""
    read = attend(four_heads())[1]
    np.testing.assert_allclose(parts(read, False).sum(axis=0), output(four_heads()), atol=1e-12)
    mean = read.mean(axis=0) @ four_heads()["W_O"][:2]
    np.testing.assert_allclose(parts(read, True).sum(axis=0), mean, atol=1e-12)
    state = page.session_state
    wanted = parts(read, state.heads_join == "average").sum(axis=0)[state.heads_token - 1]
    chart = re.match(r"The output of (\S+), .* The sums are (.*)\.$", alt(page, 0))
    assert chart
    assert chart[1] == TEXT.split()[state.heads_token - 1]
    for text, value in zip(chart[2].split(", "), wanted, strict=True):
        printed(text, value)


@proves("""
    Let heads 1 and 2 swap what they have read. The output changes by up to {concat} with concat,
    and by {average} with the average
""")
def join_notice(said: Values, page: AppTest) -> None:
    read = attend(four_heads())[1]
    for name, averaged in (("concat", False), ("average", True)):
        change = parts(read[[1, 0, 2, 3]], averaged).sum(axis=0) - parts(read, averaged).sum(axis=0)
        printed(said[name], np.abs(change).max())


def two_layers(changed: int | None) -> list[np.ndarray]:
    """The weights of both layers, with 0.5 added to W_Q of one head of the first."""
    first, second = dict(four_heads()), dict(four_heads(1))
    if changed is not None:
        first["W_Q"] = np.array(first["W_Q"])
        first["W_Q"][changed] += 0.5
    second["X"] = output(first)
    return [attend(first)[0], attend(second)[0]]


def moves(page: AppTest) -> list[list[float]]:
    changed = page.session_state.heads_changed - 1
    return [
        [float(np.abs(a - b).max()) for a, b in zip(after, before, strict=True)]
        for after, before in zip(two_layers(changed), two_layers(None), strict=True)
    ]


@proves("""
    In layer 1 only head {changed} changes; in layer 2 all heads do | X feeds the {heads} heads of
    layer 1, and their joined output feeds the {heads} heads of layer 2. The query matrix of head
    {changed} of layer 1 is changed. Head by head, the weights change by up to {first} in layer 1,
    and by up to {second} in layer 2
""")
def moved_at_most(said: Values, page: AppTest) -> None:
    """As the chart says it; in layer 1 the weights of the other heads stay, bit for bit."""
    assert said["changed"] == page.session_state.heads_changed
    chart = re.search(
        r"head (\d) of layer 1 is changed\. .* up to (.*) in layer 1, .* to (.*) in l", alt(page, 0)
    )
    assert chart
    assert int(chart[1]) == said["changed"]
    for texts, moved in zip(chart.groups()[1:], moves(page), strict=True):
        for text, value in zip(texts.split(", "), moved, strict=True):
            printed(text, value)
    first, second = moves(page)
    assert [moved > 0 for moved in first] == [h + 1 == said["changed"] for h in range(4)]
    assert min(second) > 1e-6


@proves("Layer 2 waits for all heads of layer 1")
def order(said: Values, page: AppTest) -> None:
    """A head's weights, worked out with no other head there, are the same; in layer 2 they need
    each head of layer 1.
    """
    made = four_heads()
    alone = [attend({n: a[h : h + 1] if n in ("W_Q", "W_K", "W_V") else a
                     for n, a in made.items() if n != "W_O"})[0][0] for h in range(4)]  # fmt: skip
    np.testing.assert_allclose(alone, attend(made)[0], atol=1e-12)
    for changed in range(4):
        other = two_layers(changed)[1] - two_layers(None)[1]
        assert np.abs(other).max(axis=(1, 2)).min() > 1e-6


def sharing_chart(said: Values, page: AppTest) -> None:
    G = page.session_state.heads_groups
    assert said["groups"] == G
    assert said["readers"] == [h * G // 8 + 1 for h in range(8)]


def kept_chart(said: Values, page: AppTest) -> None:
    assert said["chosen"] == page.session_state.heads_groups
    assert [(g, int(size)) for g, size in said["sizes"]] == [(g, 24 * g) for g in (8, 4, 2, 1)]


REAL = "smollm2-induction", "smollm2-first-token"
"""The captured heads that are heads 1 and 2 of the stage."""


@cache
def real_weights() -> list[np.ndarray]:
    """The weights of both from their own Q and K: causal, and 64 features."""
    visible, heads = np.tri(19, dtype=bool), map(load_capture, REAL)
    return [softmax(np.where(visible, one.Q @ one.K.T / 8, -np.inf)) for one in heads]


def real_model(match: Match, page: AppTest) -> None:
    assert {captured_heads()[name][0].model for name in REAL} == {match[1]}


def real_text(match: Match, page: AppTest) -> None:
    """It is that of both heads and of the stage."""
    assert {captured_heads()[name][0].prompt for name in REAL} == {match[1]}
    shown = stages(page)[-1].document["axes"]["i"]["labels"]
    assert "".join(label.rstrip("₁₂") for label in shown) == match[1].replace(" ", "")


def real_head(match: Match, page: AppTest) -> None:
    """Which head it is, counted from 1 and from 0, and where the link leads."""
    number, layer, head, layer_index, head_index = map(int, match.groups()[:5])
    chosen = captured_heads()[REAL[number - 1]][1]
    assert (layer_index, head_index) == (chosen.layer, chosen.head) == (layer - 1, head - 1)
    assert match[6] == chosen.name == REAL[number - 1]


@proves("""
    Both heads read the same keys and values; only their queries differ | K and V stay the same; Q
    and the weights change
""")
def real_try(said: Values, page: AppTest) -> None:
    """The stage has K and V once, and Q and the weights of each head."""
    arrays = stages(page)[-1].document["arrays"]
    assert [arrays[name]["shape"][0] for name in ("K", "V", "Q", "weights")] == [1, 1, 2, 2]
    first, second = map(load_capture, REAL)
    np.testing.assert_array_equal(first.K, second.K)
    np.testing.assert_array_equal(first.V, second.V)
    assert np.abs(first.Q - second.Q).max() > 1
    assert np.abs(real_weights()[0] - real_weights()[1]).max() > 0.5


@proves("""
    With head 1, a repeated token gives {next} % of its weight to what followed it before | With
    head 2, a token gives {first} % to the first token
""")
def real_notice(said: Values, page: AppTest) -> None:
    """Eight words come twice, each of them eight places later."""
    real_try(said, page)
    words = captured_heads()[REAL[0]][0].tokens
    again = [i for i in range(len(words)) if words[i] in words[:i]]
    assert again == [i for i in range(len(words)) if i >= 8 and words[i] == words[i - 8]]
    finder, sink = real_weights()
    percent(said["next"], float(np.mean([finder[i, i - 7] for i in again])))
    percent(said["first"], float(np.mean([sink[i, 0] for i in range(1, len(words))])))


INVENTORY = Inventory(
    "heads",
    typed={"heads_text": ("cat", LONG)},
    claims={
        r"These numbers were made by hand; a real model learns them\."
        r"(?: (These words have random rows, .*: (.*)\.)|)":
            made_by_hand,
        rf"Random weights \({SYMBOL} = (\d+), (one head|\d+ heads), seed (\d+)\)": drawn_with,
        r"(SmolLM2-135M-Instruct \(Q4_1\)):$": real_model,
        r"“(The list: .*)”$": real_text,
        r"Head (\d): layer (\d+), head (\d+) :gray\[\(index (\d+), (\d+)\)\]"
        r" \[More on this head\]\(real-heads\?real_capture=([\w-]+)\)$": real_head,
        HOW_CHOSEN: how_chosen,
        rf"“{TEXT}”: random weights \({SYMBOL} = (\d+), (\d+) heads, seed 0\)": other_sizes,
        r"\| position \| 1 L \| 2 e \| 3 t \| 4 ' \| 5 s \|$": ALWAYS,
        r"\| (value|head 1, previous token|head 2, same token) \| (.*) \|$": row_of_ids,
        r"\| split \| head 1 \| head 2 \|$": ALWAYS,
        r"\| (reshape and transpose|reshape only) \| (.*) \| (.*) \|$": split_rows,
    },
    module=globals(),
    always="lede split origin takeaway",
    texts={
        "hand": looks_for,
        "split_notice": whole_tokens,
        "split_silent": whole_tokens,
        "join": sum_of_blocks,
        "order_notice": moved_at_most,
        "parts_chart": sum_of_blocks,
        "needs_chart": moved_at_most,
    },
    panels=["fold_heads_real"],
    others=[
        {"heads_text": "we sat by the river bank", "heads_count": "hand"},
        {"heads_text": "the children sat by the pool", "heads_count": "hand", "heads_head": "2"},
        {"heads_text": "red zebra", "heads_count": "hand"},
        {"heads_text": "cat", "heads_count": "16", "heads_head": "16"},
        {"heads_text": "the the the", "heads_count": "8", "heads_head": "3"},
        {"heads_text": LONG, "heads_count": "16", "heads_part": "split", "heads_way": "right"},
        {"heads_part": "split", "heads_way": "wrong"},
        *({"heads_part": "join", "heads_token": token, "heads_join": way}
          for token, way in (("1", "concat"), ("6", "average"))),
        *({"heads_part": "order", "heads_changed": number} for number in "1234"),
    ],
)  # fmt: skip
