"""Every sentence of 'heads', at the ends of its controls."""

import re
from functools import cache

import numpy as np
from streamlit.testing.v1 import AppTest

from core import toy_inputs
from tests.ui.claims import ALWAYS, Inventory, number, printed
from tests.ui.plain_attention import attend, output, softmax
from tests.ui.support import stage, told

Match = re.Match[str]
Arrays = dict[str, np.ndarray]
TEXT = "The cat sat on the mat"
IDS = np.array([24.0, 43.0, 58.0, 5.0, 57.0])
"""Of L e t ' s, in the vocabulary of the chapter on masks (its inventory recomputes them)."""
LONG = " ".join(f"w{n}" for n in range(64))
SYMBOL = r"\$[^$]*\$"


def on_stage(page: AppTest, name: str) -> np.ndarray:
    """A whole array of the first stage, of all heads, as it is printed there."""
    shown = stage(page).document["arrays"][name]
    printed_there = [float(text) for text in shown["texts"].split(" ")]
    return np.array(printed_there).reshape(shown["shape"])


def inputs_of(page: AppTest) -> Arrays:
    state = page.session_state
    return dict(toy_inputs(state.heads_text, heads=int(state.heads_count), d_model=16))


def alt(page: AppTest, chart: int) -> str:
    return str(page.get("plotly_chart")[chart].proto.alt)


def drawn_with(match: Match, page: AppTest) -> None:
    """Those sizes and that seed give the weights on the stage."""
    d_model, heads, seed = int(match[1]), match[2], int(match[3])
    H = 1 if heads == "one head" else int(heads.removesuffix(" heads"))
    assert int(page.session_state.heads_count) == H
    made = toy_inputs("a", heads=H, d_model=d_model, seed=seed)["W_Q"]
    np.testing.assert_allclose(on_stage(page, "W_Q"), made, rtol=0, atol=1e-9)


def other_sizes(match: Match, page: AppTest) -> None:
    """Those of the part that is open."""
    part = page.session_state.heads_part
    assert (int(match[1]), int(match[2])) == {"share": (16, 8), "join": (8, 4)}[part]


def of_two_layers(match: Match, page: AppTest) -> None:
    assert (len(moves(page)[0]), 8) == (int(match[1]), int(match[2]))


def seeds(match: Match, page: AppTest) -> None:
    """Those of which `moves` below works out what the chart says."""
    assert [int(n) for n in match.groups()] == [0, 1]


def ways_of_looking(match: Match, page: AppTest) -> None:
    """The row that is framed in every map is that token's."""
    heads, ways, token, tokens = match.groups()
    ((maps,),) = told(page, "small_maps")
    weights = attend(inputs_of(page))[0]
    assert (
        int(heads) == len(weights) == len(maps["pictures"]) == int(page.session_state.heads_count)
    )
    read = {int(head[maps["row"]].argmax()) for head in weights}
    assert int(ways) == int(tokens) == len(read)
    text = page.session_state.heads_text.split()
    assert token.rstrip("₁₂₃") == text[maps["row"]]
    assert [p["place"].split(".")[2] for p in maps["pictures"]] == [str(maps["row"])] * len(weights)


def sizes(match: Match, page: AppTest) -> None:
    d_model, H, d_k, held = (int(text.replace(",", "")) for text in match.groups())
    assert int(page.session_state.heads_count) == H
    assert d_k * H == d_model == inputs_of(page)["X"].shape[1]
    entries = sum(on_columns(d_model, H)) + H * d_k * d_model
    assert held == entries == 4 * d_model * d_model


def on_columns(d_model: int, H: int) -> list[int]:
    """How many numbers W_Q, W_K and W_V have, head by head."""
    return [d_model * (d_model // H) for _ in range(3) for _ in range(H)]


def counted(match: Match, page: AppTest) -> None:
    d_model = int(match[1])
    for H in match[2].split(", "):
        assert number(match[3]) == sum(on_columns(d_model, int(H))) + d_model**2


def own_matrices(match: Match, page: AppTest) -> None:
    """As many of each as heads, and no two alike."""
    for name in ("W_Q", "W_K", "W_V"):
        made = on_stage(page, name)
        assert len({head.tobytes() for head in made}) == int(page.session_state.heads_count)


def cut(match: Match, page: AppTest) -> None:
    """Side by side those of all heads are that of one head; with more heads each is narrower."""
    for name in ("W_Q", "W_K", "W_V"):
        made = on_stage(page, name)
        whole = toy_inputs("a", heads=1, d_model=16)[name][0]
        np.testing.assert_allclose(np.concatenate(list(made), axis=1), whole, rtol=0, atol=1e-9)
        assert made.shape[2] * int(page.session_state.heads_count) == 16


def as_wide(match: Match, page: AppTest) -> None:
    assert stage(page).document["arrays"]["concat"]["shape"][1] == 16


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


def looks_for(match: Match, page: AppTest) -> None:
    """Head 1 at the token before, head 2 at the token itself."""
    np.testing.assert_allclose(looked_up(-1)[1:], IDS[:-1], atol=1e-6)
    np.testing.assert_allclose(looked_up(0), IDS, atol=1e-6)


def first_token(match: Match, page: AppTest) -> None:
    printed(match[1], looked_up(-1)[0])
    printed(match[1], IDS[0])


def kept(match: Match, page: AppTest) -> None:
    """And what both charts are told to say."""
    G, d_k, T, held, tokens = (int(text.replace(",", "")) for text in match.groups())
    made = toy_inputs(TEXT, heads=8, kv_heads=G, d_model=16)
    assert page.session_state.heads_groups == G
    assert (T, d_k) == (len(made["X"]), made["W_K"].shape[2])
    assert tokens == T
    assert held == sum(made[name].shape[0] * T * made[name].shape[2] for name in ("W_K", "W_V"))
    readers = re.findall(r"head (\d) reads (\d)", alt(page, 0))
    assert [(int(h), int(g)) for h, g in readers] == [(h + 1, h * G // 8 + 1) for h in range(8)]
    bars = [(int(held), int(g)) for held, g in re.findall(r"(\d+) with (\d)", alt(page, 1))]
    assert bars == [(2 * g * d_k * T, g) for g in (8, 4, 2, 1)]
    assert alt(page, 1).endswith(f" {G} is chosen.")


def still_differ(match: Match, page: AppTest) -> None:
    weights, _ = attend(dict(toy_inputs(TEXT, heads=8, kv_heads=page.session_state.heads_groups,
                                        d_model=16)))  # fmt: skip
    assert all(np.abs(weights[h] - weights[g]).max() > 0.01 for h in range(8) for g in range(h))


def fewer(match: Match, page: AppTest) -> None:
    told = [
        (int(n.replace(",", "")), int(g)) for n, g in re.findall(r"([\d,]+) for G = (\d)", match[1])
    ]
    assert told == [(2 * 16 * 16 + 2 * g * 2 * 16, g) for g in (8, 4, 2, 1)]
    assert sorted(told, reverse=True) == told


TOKENS = np.arange(8).reshape(2, 4)
SPLITS = {
    "reshape and transpose": TOKENS.reshape(2, 2, 2).transpose(1, 0, 2),
    "reshape alone": TOKENS.reshape(2, 2, 2),
}


def split_rows(match: Match, page: AppTest) -> None:
    rows = [[list(map(int, r.split(", "))) for r in re.findall(r"\[([\d, ]+)\]", text)]
            for text in match.groups()[1:]]  # fmt: skip
    np.testing.assert_array_equal(rows, SPLITS[match[1]])


def whole_tokens(match: Match, page: AppTest) -> None:
    """A head's rows are one token, cut in two; cut right they are of both."""
    right, wrong = SPLITS.values()
    assert right.shape == wrong.shape
    for h in range(2):
        np.testing.assert_array_equal(wrong[h].ravel(), TOKENS[h])
        assert [set(row) <= set(TOKENS[t]) for t, row in enumerate(right[h])] == [True, True]


@cache
def four_heads(seed: int = 0) -> Arrays:
    return dict(toy_inputs(TEXT, heads=4, d_model=8, seed=seed))


def parts(read: np.ndarray, average: bool) -> np.ndarray:
    """What each head adds: what it has read, times its own block or a quarter of the first."""
    W_O = four_heads()["W_O"]
    blocks = [W_O[:2] / 4 if average else W_O[2 * h : 2 * h + 2] for h in range(4)]
    return np.array([read[h] @ blocks[h] for h in range(4)])


def sum_of_blocks(match: Match, page: AppTest) -> None:
    """And the chart's sums are those of the chosen token and way."""
    read = attend(four_heads())[1]
    np.testing.assert_allclose(parts(read, False).sum(axis=0), output(four_heads()), atol=1e-12)
    state = page.session_state
    wanted = parts(read, state.heads_join == "average").sum(axis=0)[state.heads_token - 1]
    said = re.match(r"The output of (\S+), .* The sums are (.*)\.$", alt(page, 0))
    assert said
    assert said[1] == TEXT.split()[state.heads_token - 1]
    for text, value in zip(said[2].split(", "), wanted, strict=True):
        printed(text, value)


def average(match: Match, page: AppTest) -> None:
    read = attend(four_heads())[1]
    mean = read.mean(axis=0) @ four_heads()["W_O"][:2]
    np.testing.assert_allclose(parts(read, True).sum(axis=0), mean, atol=1e-12)


def swapped(match: Match, page: AppTest) -> None:
    read = attend(four_heads())[1]
    for text, averaged in zip(match.groups(), (False, True), strict=True):
        change = parts(read[[1, 0, 2, 3]], averaged).sum(axis=0) - parts(read, averaged).sum(axis=0)
        printed(text, np.abs(change).max())


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


def moved_at_most(match: Match, page: AppTest) -> None:
    """As the chart is told to say it."""
    said = re.search(
        r"head (\d) of layer 1 changed, .* up to (.*) in layer 1 .* to (.*) in l", alt(page, 0)
    )
    assert said
    assert int(said[1]) == page.session_state.heads_changed
    for texts, moved in zip(said.groups()[1:], moves(page), strict=True):
        for text, value in zip(texts.split(", "), moved, strict=True):
            printed(text, value)


def others_stay(match: Match, page: AppTest) -> None:
    changed = page.session_state.heads_changed - 1
    assert [moved > 0 for moved in moves(page)[0]] == [h == changed for h in range(4)]


def all_move(match: Match, page: AppTest) -> None:
    assert min(moves(page)[1]) > 1e-6


def no_more(match: Match, page: AppTest) -> None:
    """However many heads there are, and however many keys and values they share."""
    one = sum(on_columns(16, 1)) + 16 * 16
    for H in (1, 2, 4, 8, 16):
        for G in (g for g in (1, 2, 4, 8, 16) if g <= H):
            made = toy_inputs("a", heads=H, kv_heads=G, d_model=16)
            assert sum(made[name].size for name in ("W_Q", "W_K", "W_V", "W_O")) <= one
            assert made["W_Q"].shape[2] == made["W_K"].shape[2] == made["W_V"].shape[2] == 16 // H


INVENTORY = Inventory(
    "heads",
    ends={
        "heads_text": ("cat", LONG),
        "heads_count": ("1", "16"),
        "heads_part": ("share", "split", "join", "order"),
        "heads_groups": ("1", "2", "4", "8"),
        "heads_way": ("right", "wrong"),
        "heads_token": ("1", "6"),
        "heads_join": ("concat", "average"),
        "heads_changed": ("1", "4"),
    },
    claims={
        r"Heads: what do several heads buy": ALWAYS,
        r"One head has one set of weights for each token": ALWAYS,
        r"Several narrow heads can look for different things": no_more,
        rf"Drawn at random, with {SYMBOL} = (\d+), (one head|\d+ heads) and seed (\d+)": drawn_with,
        r"Try it\.$": ALWAYS,
        r"Press a head: it opens on the stage below": ALWAYS,
        r"Choose another token there, and its row is framed in every head": ALWAYS,
        r"Notice\. (\d+) heads?, (\d+) ways? of looking: (\S+) reads most from (\d+) tokens?\.$":
        ways_of_looking,
        rf"Here {SYMBOL} = (\d+) and H = (\d+), so each head works with {SYMBOL} = {SYMBOL} / H = "
        rf"(\d+) features?\. .* hold ([\d,]+) numbers, 4·{SYMBOL}, whatever H is\.$": sizes,
        rf"Counted for {SYMBOL} = (\d+) and H = ([\d, ]+): ([\d,]+) each time\.$": counted,
        r"What to notice\.": ALWAYS,
        r"Every head reads the same X": ALWAYS,
        rf"It has a {SYMBOL}, a {SYMBOL} and a {SYMBOL} of its own, so it has": own_matrices,
        r"Whatever H is, these matrices are cut from the same drawn ones": cut,
        r"The joined heads are as wide as one wide head would be": as_wide,
        r"Each token hands over one number, its value": ALWAYS,
        r"Head 1 looks for the token before, head 2 for the token itself": looks_for,
        r"Below the stage stands what each of them reads": ALWAYS,
        rf"“{TEXT}”, drawn at random, with {SYMBOL} = (\d+), (\d+) heads and seed 0": other_sizes,
        rf"Two layers of (\d) heads, {SYMBOL} = (\d), run on “{TEXT}”\.$": of_two_layers,
        r"The weights of the first are drawn with seed (\d), of the second with seed (\d)": seeds,
        r"\| position \| L \| e \| t \| ' \| s \|$": ALWAYS,
        r"\| (value|head 1, previous token|head 2, same token) \| (.*) \|$": row_of_ids,
        r"One head could not keep both apart: softmax gives each row one set of shares": ALWAYS,
        r"Two heads keep them apart, side by side in concat": ALWAYS,
        r"The first token has none before it, so head 1 reads (\S+) there, the t": first_token,
        rf"K and V hold 2·G·{SYMBOL}·T = 2·(\d)·(\d)·(\d) = ([\d,]+) numbers after (\d) to": kept,
        r"A model that writes text keeps them for every token so far": ALWAYS,
        r"Queries are not kept: each is used only once": ALWAYS,
        r"With G = H every head has keys and values of its own": ALWAYS,
        r"With G = 1 all heads share one K and one V": ALWAYS,
        r"In between, each group of heads shares its own": ALWAYS,
        r"Heads that share keys still differ here": still_differ,
        rf"A smaller G makes {SYMBOL} and {SYMBOL} smaller, so .* change: (.*)\.$": fewer,
        rf"Many programs put the {SYMBOL} of all heads side by side in one matrix": ALWAYS,
        r"In memory the rows of the product stand one after another": ALWAYS,
        r"\| split \| head 1 \| head 2 \|$": ALWAYS,
        r"\| (reshape and transpose|reshape alone) \| (.*) \| (.*) \|$": split_rows,
        r"A head should get its own features of every token": ALWAYS,
        r"Cut without the transpose, head 1 gets all of the first token here": whole_tokens,
        r"The shapes agree and no error is raised, but the rows of a head are now": whole_tokens,
        rf"(?:What to notice\. )?{SYMBOL} has a block of rows for each head": sum_of_blocks,
        r"An average under one matrix is the same sum with one block for all": average,
        r"It no longer tells .* output is (\S+) with concat and (\S+) with the average": swapped,
        r"The numbers say by how much each head's weights move at most": moved_at_most,
        r"The heads of a layer need only what comes in": others_stay,
        r"Layer 2 needs the output of all heads of layer 1": all_move,
        r"To take away": ALWAYS,
        r"Each head looks in its own way, with queries, keys and values that are narrower": no_more,
        r"Their results stand side by side": ALWAYS,
    },
    others=[
        {"heads_text": "cat", "heads_count": "16", "heads_head": "16"},
        {"heads_text": "the the the", "heads_count": "8", "heads_head": "3"},
        {"heads_text": LONG, "heads_count": "16", "heads_part": "split", "heads_way": "right"},
        {"heads_part": "split", "heads_way": "wrong"},
        *({"heads_part": "join", "heads_token": token, "heads_join": way}
          for token, way in (("1", "concat"), ("6", "average"))),
        *({"heads_part": "order", "heads_changed": number} for number in "1234"),
    ],
)  # fmt: skip


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
