"""Every sentence of the page about the block, read back from PyTorch's layers and matrices."""

import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.block import Kind, block_inputs
from core.attention.inputs import toy_inputs
from core.attention.tokens import tokenise
from core.chapters.block.dropout import drawn
from core.program.labels import token_labels
from tests.pytorch_block import encoder_layer
from tests.ui.claims import ALWAYS, Check, Inventory, number, printed
from tests.ui.support import stages

Match = re.Match[str]
SYMBOL = r"\$[^$]*\$"
EIGHT = "a b c d e f g h"
PARTS = r"(?:Attention|Sum|Layer norm|Feed-forward net)"


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.block_text)


def labels(page: AppTest) -> list[str]:
    return list(token_labels(tokens(page)))


def kind(page: AppTest) -> Kind:
    state = page.session_state
    return Kind(state.block_norm, state.block_units, state.block_mask)


def depth(page: AppTest) -> int:
    return int(page.session_state.block_layers)


def through(page: AppTest, X: np.ndarray, layers: int) -> np.ndarray:
    """The rows after so many of PyTorch's layers."""
    made = block_inputs(page.session_state.block_text, layers)
    inputs = {name: np.array(array) for name, array in made.items()}
    rows, T = torch.from_numpy(X)[None], len(X)
    hidden = ~torch.ones(T, T).tril().bool() if kind(page).mask == "causal" else None
    with torch.no_grad():
        for layer in range(1, layers + 1):
            rows = encoder_layer(kind(page), inputs, layer)(rows, src_mask=hidden)
    return np.asarray(rows[0].numpy())


def X(page: AppTest) -> np.ndarray:
    return np.array(block_inputs(page.session_state.block_text, 1)["X"])


def came_in(match: Match, page: AppTest) -> None:
    assert [int(n) for n in match.groups()] == list(X(page).shape)
    layer = f"H_{depth(page)}"
    assert stages(page)[0].texts(layer).shape == X(page).shape


def same_width(match: Match, page: AppTest) -> None:
    shown, width = stages(page)[0], X(page).shape[1]
    for layer in range(1, depth(page) + 1):
        assert shown.texts(f"H_{layer}").shape[1] == width


def after_the_sum(match: Match, page: AppTest) -> None:
    assert kind(page).norm == "post"
    rows = through(page, X(page), depth(page))
    np.testing.assert_allclose(rows.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(rows.var(axis=1), 1, atol=1e-3)


def before(match: Match, page: AppTest) -> None:
    assert kind(page).norm == "pre"
    # Without what the parts add, what came in comes out.
    assert np.abs(through(page, X(page), depth(page)).var(axis=1) - 1).max() > 0.01


def row_of_the_last(match: Match, page: AppTest) -> None:
    assert (match[1] == "one layer") == (depth(page) == 1)
    assert match[1] == "one layer" or match[1] == f"{depth(page)} layers"
    assert match[2] == labels(page)[-1]
    said = re.split(r", | and ", match[3])
    for text, value in zip(said, through(page, X(page), depth(page))[-1], strict=True):
        printed(text, float(value))


def several_layers(match: Match, page: AppTest) -> None:
    assert int(match[1]) == depth(page) - 1 > 0


def several(match: Match, page: AppTest) -> None:
    assert depth(page) > 1


def changed(page: AppTest) -> int:
    return int(page.session_state.block_changed) - 1


def sees(page: AppTest) -> list[bool]:
    return [changed(page) <= i or kind(page).mask == "none" for i in range(len(tokens(page)))]


def told(rows: list[bool], page: AppTest) -> str:
    if all(rows) and len(rows) > 1:
        return "every row"
    return ", ".join(label for label, row in zip(labels(page), rows, strict=True) if row)


def moved(match: Match, page: AppTest) -> None:
    """A part moves its own row, attention those that see it; the whole block is PyTorch's."""
    own = [i == changed(page) for i in range(len(tokens(page)))]
    name, alone, inside = match.groups()
    assert alone == told(sees(page) if name == "Attention" else own, page)
    rows = X(page)
    rows[changed(page)] *= -1
    gaps = np.abs(through(page, rows, 1) - through(page, X(page), 1)).max(axis=1)
    assert told([bool(gap > 1e-9) for gap in gaps], page) == told(sees(page), page)
    first = name == "Layer norm" and kind(page).norm == "pre" and inside != told(sees(page), page)
    assert inside == told(own if first else sees(page), page)


def another_row(match: Match, page: AppTest) -> None:
    assert match[1] == labels(page)[changed(page)]


def alone(match: Match, page: AppTest) -> None:
    """Without attention, another row of one token moves no other: PyTorch's layer on one row."""
    made = block_inputs(page.session_state.block_text, 1)
    inputs = {name: np.array(array) for name, array in made.items()}
    inputs["W_O_1"] = np.zeros_like(inputs["W_O_1"])
    layer = encoder_layer(kind(page), inputs, 1)
    rows = X(page)
    with torch.no_grad():
        together = layer(torch.from_numpy(rows)[None])[0].numpy()
        single = [layer(torch.from_numpy(row[None])[None])[0, 0].numpy() for row in rows]
    np.testing.assert_allclose(together, single, atol=1e-12)


def those_that_see(match: Match, page: AppTest) -> None:
    assert match[1] == labels(page)[changed(page)]
    assert (match[2] == "its own and the later ones") == (kind(page).mask == "causal")


def size(matrix: np.ndarray, power: int) -> float:
    return float(np.linalg.norm(np.linalg.matrix_power(matrix, power)))


MATRICES = {
    "tenth": [[0, 0.1], [0.1, 0]], "half": [[0, 0.5], [0.5, 0]], "by_hand": [[2, 1], [1, 2]],
}  # fmt: skip


def J(page: AppTest) -> np.ndarray:
    """The matrix that is chosen, which is on the stage."""
    made = np.array(MATRICES[page.session_state.block_matrix], dtype=float)
    np.testing.assert_allclose(stages(page)[1].texts("J").astype(float), made)
    return made


def without_sums(match: Match, page: AppTest) -> None:
    """The chart is the case for sums: with small matrices nothing stays without them."""
    layers, start = int(match[1]), size(np.eye(2), 0)
    printed_or_small(match[2], size(J(page), layers))
    if match[3]:
        printed(match[3], start)
        assert size(J(page), layers) > start
        lengths = [np.linalg.norm(row @ J(page)) / np.linalg.norm(row) for row in np.eye(2)]
        assert min(lengths) > 1
    else:
        assert size(J(page), layers) < 0.01 * start


def with_sums(match: Match, page: AppTest) -> None:
    grown = [size(np.eye(2) + J(page), n) for n in range(11)]
    printed_or_small(match[1], grown[-1])
    printed(match[2], grown[0])
    if "a little" in match[3]:
        assert grown[0] < grown[-1] < 2 * grown[0]
    else:
        assert (np.diff(grown, 2) > 0).all()


def printed_or_small(text: str, value: float) -> None:
    """A number as it is printed; in powers of ten to its last digit."""
    if "e" not in text:
        printed(text, value)
    else:
        digits = len(text.partition("e")[0].partition(".")[2])
        assert number(text) == pytest.approx(value, abs=0.5001 * 10 ** (
            np.floor(np.log10(value)) - digits))  # fmt: skip


def to_multiply(match: Match, page: AppTest) -> None:
    assert match[1] == "1, 0"
    assert match[2] == str(MATRICES["by_hand"])


def power_method(match: Match, page: AppTest) -> None:
    """Each row is the one before times the matrix, and turns towards (1, 1)."""
    row, matrix = np.array([1.0, 0.0]), np.array(MATRICES["by_hand"])
    said = re.findall(r"\((\d+), (\d+)\)", match[1])
    assert len(said) == 4
    cosines = []
    for pair in said:
        row = row @ matrix
        assert [float(n) for n in pair] == row.tolist()
        cosines.append(row.sum() / np.linalg.norm(row))
    assert cosines == sorted(cosines)
    on_stage = page.session_state.block_matrix, page.session_state.block_residual
    if on_stage == ("by_hand", "dropped"):
        assert stages(page)[1].texts("x_4").astype(float).ravel().tolist() == row.tolist()


EIGHT_NUMBERS = [2.0, 4, 4, 4, 5, 5, 7, 9]


def normed(match: Match, page: AppTest) -> None:
    part("norm")(match, page)
    theirs = torch.nn.functional.layer_norm(torch.tensor(EIGHT_NUMBERS).double(), (8,)).tolist()
    for text, value in zip(re.split(", | and ", match[1]), theirs, strict=True):
        printed(text, value)


def eight(match: Match, page: AppTest) -> None:
    part("norm")(match, page)
    assert [number(text) for text in re.split(", | and ", match[1])] == EIGHT_NUMBERS
    assert stages(page)[1].texts("x").astype(float).ravel().tolist() == EIGHT_NUMBERS


def mean_and_variance(match: Match, page: AppTest) -> None:
    part("norm")(match, page)
    assert number(match[1]) == np.mean(EIGHT_NUMBERS)
    assert number(match[2]) == np.var(EIGHT_NUMBERS)


def epsilon(match: Match, page: AppTest) -> None:
    """PyTorch's default, and it divides no row by 0."""
    part("norm")(match, page)
    assert number(match[1]) == torch.nn.LayerNorm(8).eps
    assert torch.nn.functional.layer_norm(torch.full((8,), 3.0), (8,)).isfinite().all()


def moved_by_epsilon(match: Match, page: AppTest) -> None:
    row = torch.tensor(EIGHT_NUMBERS).double()
    theirs = torch.nn.functional.layer_norm(row, (8,))
    moved = (theirs - (row - row.mean()) / row.std(correction=0)).abs().max()
    printed_or_small(match[1], float(moved))


def norms(match: Match, page: AppTest) -> None:
    """After the sum rows have one variance whatever the parts add; before each part they grow."""
    text = page.session_state.block_text
    inputs = {name: np.array(array) for name, array in block_inputs(text, 3).items()}
    for norm in ("post", "pre"):
        rows = torch.from_numpy(10 * inputs["X"])[None]
        with torch.no_grad():
            for layer in range(1, 4):
                rows = encoder_layer(Kind(norm, "relu"), inputs, layer)(rows)
        varied = rows[0].numpy().var(axis=1)
        assert (np.abs(varied - 1).max() < 0.01) == (norm == "post")


def closer(match: Match, page: AppTest) -> None:
    row = np.array([1.0, 0.0])
    gaps = []
    for _ in range(10):
        row = row @ (np.eye(2) + J(page))
        gaps.append(abs(row[0] - row[1]) / abs(row).max())
    assert gaps == sorted(gaps, reverse=True)
    assert page.session_state.block_residual in ("kept", "dropped")


def plain_weights(page: AppTest) -> np.ndarray:
    """The last row of PyTorch's weights, without dropout."""
    X, W_Q, W_K = (
        torch.from_numpy(np.array(toy_inputs(page.session_state.block_text, heads=1, d_model=4)[n]))
        for n in ("X", "W_Q", "W_K")
    )
    scores = (X[-1:] @ W_Q[0]) @ (X @ W_K[0]).T / 2
    return np.asarray(scores.softmax(-1)[0].numpy())


def kept(page: AppTest, draw: int) -> np.ndarray:
    return drawn(draw, float(page.session_state.block_rate), len(tokens(page)))[-1]


def grows(page: AppTest) -> float:
    return 1 / (1 - float(page.session_state.block_rate))


def mean_kept(page: AppTest) -> np.ndarray:
    every = [kept(page, draw) for draw in range(1, 1001)]
    return np.mean(every, axis=0) * grows(page)


def dropping(match: Match, page: AppTest) -> None:
    assert page.session_state.block_part == "dropout"


def last_label(match: Match, page: AppTest) -> None:
    assert match[1] == labels(page)[-1]


def weights_of_a_token(match: Match, page: AppTest) -> None:
    at, weights = labels(page).index(match[1]), plain_weights(page)
    dropped = weights * kept(page, page.session_state.block_draw) * grows(page)
    for text, row in zip(match.groups()[1:], (weights, dropped, weights * mean_kept(page)),
                         strict=True):  # fmt: skip
        printed(text, float(row[at]))


def in_a_draw(match: Match, page: AppTest) -> None:
    stays = kept(page, page.session_state.block_draw)
    assert int(match[1]) == page.session_state.block_draw
    assert int(match[2]) == int((stays == 0).sum())
    assert int(match[3]) == len(tokens(page))
    printed(match[4], float(plain_weights(page) @ stays * grows(page)))


def mean_of_draws(match: Match, page: AppTest) -> None:
    weights = plain_weights(page)
    printed(match[1], float(np.abs(weights * mean_kept(page) - weights).max()))


def too_far(match: Match, page: AppTest) -> None:
    assert int(match[1]) > int(match[2]) == int(match[3]) == len(tokens(page))
    assert page.session_state.block_changed == 1


def part(name: str) -> Check:
    def check(match: Match, page: AppTest) -> None:
        assert page.session_state.block_part == name

    return check


model, translator = part("model"), part("translator")


def prompt(page: AppTest) -> list[str]:
    return tokenise(page.session_state.block_prompt)


def words(page: AppTest) -> list[str]:
    return list(dict.fromkeys(prompt(page)))


def full(match: Match, page: AppTest) -> None:
    assert int(match[1]) == len(prompt(page)) == 8


def last_of_the_prompt(match: Match, page: AppTest) -> None:
    assert match[1] == prompt(page)[-1]


def of_the_vocabulary(match: Match, page: AppTest) -> None:
    assert match[1].split(" | ") == words(page)


def of_the_last_row(match: Match, page: AppTest) -> None:
    said = [number(cell) for cell in match[1].split(" | ")]
    assert said == [float(text) for text in stages(page)[1].texts("probs")[-1]]
    assert abs(sum(said) - 1) < 0.01 * len(said)


def by(weights: str) -> Check:
    def check(match: Match, page: AppTest) -> None:
        assert page.session_state.block_weights == weights
        assert page.session_state.block_part == "model"

    return check


def reads_the_one_before(match: Match, page: AppTest) -> None:
    by("hand")(match, page)
    if not page.session_state.block_numbers:
        weights = np.array(stages(page)[1].texts("weights_1"), dtype=float)
        reads = weights.reshape(-1, len(prompt(page))).argmax(1)
        first = len(prompt(page)) - len(reads)
        assert reads.tolist() == [max(first + i - 1, 0) for i in range(len(reads))]


def nets_of_zeros(match: Match, page: AppTest) -> None:
    by("hand")(match, page)
    shown = stages(page)[1]
    for layer in "12":
        for name in (f"W_up_{layer}", f"W_down_{layer}"):
            assert not np.array(shown.texts(name), dtype=float).any()
    if not page.session_state.block_numbers:
        np.testing.assert_allclose(
            np.array(shown.texts("N_1a"), dtype=float), np.array(shown.texts("X"), dtype=float),
            atol=0.01,
        )  # fmt: skip


def edited(match: Match, page: AppTest) -> None:
    assert page.session_state.block_numbers


def nothing_to_copy(match: Match, page: AppTest) -> None:
    *earlier, last = prompt(page)
    assert match[1] == last
    assert last not in earlier


def firsts(page: AppTest) -> list[int]:
    """The rows on the stage whose word has not stood before, counted from 0."""
    rows = len(stages(page)[1].texts("probs"))
    at = range(len(prompt(page)) - rows, len(prompt(page)))
    return [n - at[0] for n in at if prompt(page)[n] not in prompt(page)[:n]]


def finds_or_is_told(match: Match, page: AppTest) -> None:
    """Each row finds one, or the page says which rows have nothing to find."""
    by("hand")(match, page)
    said = " ".join(one.value for one in page.markdown)
    changed = "numbers were changed by hand" in said
    assert changed or bool(firsts(page)) == ("for the first time" in said)


def first_time(match: Match, page: AppTest) -> None:
    labels = stages(page)[1].labels("probs")[0]
    assert re.split(", | and ", match[1]) == [labels[n] for n in firsts(page)]


def own_word(match: Match, page: AppTest) -> None:
    """In layer 2 such a token reads itself, and the least of these rows has that number."""
    shown, rows = stages(page)[1], firsts(page)
    before = len(prompt(page)) - len(shown.texts("probs"))
    own = [float(shown.texts("probs")[n][words(page).index(prompt(page)[before + n])])
           for n in rows]  # fmt: skip
    printed(match[1], min(own))
    for n in rows:
        assert float(shown.texts("weights_2")[n][before + n]) > 0.99


def copies(match: Match, page: AppTest) -> None:
    *earlier, last = prompt(page)
    at = max(n for n, token in enumerate(earlier) if token == last)
    assert (match[1], match[2]) == (last, prompt(page)[at + 1])
    shown = stages(page)[1].texts("probs")[-1][words(page).index(match[2])]
    assert number(match[3]) == float(shown) > 0.99


def cached(match: Match, page: AppTest) -> None:
    assert page.session_state.block_run == "cache"
    shown = stages(page)[1]
    assert shown.texts("X").shape[0] == 1
    assert shown.texts("K_kept_1").shape[-2] == len(prompt(page)) - 1


def twice(match: Match, page: AppTest) -> None:
    translator(match, page)
    write = tokenise(page.session_state.block_written)
    read = tokenise(page.session_state.block_text)
    assert [int(n) for n in match.groups()] == [len(write), len(write), len(write), len(read)]
    shown = stages(page)[1]
    own, other = (np.array(shown.texts(name)) == "1" for name in ("mask_2", "mask_3"))
    assert (own == np.tri(len(write), dtype=bool)).all()
    assert other.shape == (len(write), len(read))
    assert other.all()


INVENTORY = Inventory(
    "block",
    ends={
        "block_text": ("cat", EIGHT),
        "block_norm": ("post", "pre"),
        "block_units": ("relu", "gelu"),
        "block_layers": ("1", "2", "3"),
        "block_mask": ("causal", "none"),
        "block_changed": ("1", "8"),
        "block_residual": ("kept", "dropped"),
        "block_matrix": ("tenth", "half", "by_hand"),
        "block_part": ("model", "translator", "deep", "norm", "dropout"),
        "block_prompt": ("cat", "a b c d e a b c"),
        "block_weights": ("hand", "random"),
        "block_run": ("all", "cache"),
        "block_numbers": ("", "W_U.0.0=-3;E.0.1=2"),
        "block_written": ("chat", EIGHT),
        "block_rate": ("0", "0.2", "0.5"),
        "block_draw": ("1", "20"),
    },
    claims={
        r"The transformer block: what else is in a layer\?|A model is many transformer": ALWAYS,
        r"In each, attention lets tokens read": ALWAYS,
        r"Feed-forward net, residual sums and layer norms work on each row by itself": alone,
        r"Try it\.$|Press a token: its row is turned|Then press a box, and see below": ALWAYS,
        rf"Drawn at random, with {SYMBOL} = 4, 2 heads and seed 0: the mech": ALWAYS,
        r"Each layer has weights of its own: seeds 0 to (\d)\.$": several_layers,
        r"Open a layer to see its steps\.$": several,
        r"What to notice\.$": ALWAYS,
        r"What to notice\. (\d) rows of (\d) numbers come in, and as many go": came_in,
        r"The norm comes after each sum, so whatever was added, each row": after_the_sum,
        r"The norm stands before each part, and the sum itself is never normal": before,
        r"After (one layer|\d layers) the row of (\S+) is (.+)\.$": row_of_the_last,
        r"\| part \| this part alone, given another row of (\S+) \| in this block \|$": another_row,
        rf"\| ({PARTS}) \| (.+) \| (.+) \|$": moved,
        r"Attention moves (?:those|all) that see (\S+?)(?:: |, and )(its own and the later ones|"
        r"without a mask every token does)\.$": those_that_see,
        r"Sums, layer norms and the feed-forward net work on one row at a time:": ALWAYS,
        r"All that tokens learn of each other comes by attention\.$": ALWAYS,
        r"More of a layer, and a whole model$|Why keep what came in\?$": ALWAYS,
        r"Here a layer is as simple as can": ALWAYS,
        r"In training, dropout on the weights leaves each of them out with": ALWAYS,
        r"So no token can count on one other alone|Each step of training draws anew": ALWAYS,
        r"Drawn at random, with \$[^$]*\$ = 4, one head and seed 0: the mech": dropping,
        r"What (\S+) reads from each token:$": last_label,
        r"\| token \| weight \| in this draw \| mean of 1,000 draws \|$": dropping,
        r"\| (?!word|probability)(\S+) \| (\S+) \| (\S+) \| (\S+) \|$": weights_of_a_token,
        r"In draw (\d+), (\d) of (\d) weights of this row are left out, and the row adds up to "
        r"(\S+)\.$": in_a_draw,
        r"Over 1,000 draws the mean differs from the weights by (\S+) at most, and": mean_of_draws,
        r"So nothing need be changed when dropout is switched off\.$": ALWAYS,
        rf"Without a residual, {SYMBOL} layers make {SYMBOL} of a row": ALWAYS,
        rf"After (\d+) layers {SYMBOL} has size (\S+): (?:of what came in nearly nothing is left|"
        rf"it began with (\S+), and this {SYMBOL} makes rows longer)\.": without_sums,
        rf".*{SYMBOL} has size (\S+), and began with (\S+): (what came in is still there, and each "
        r"layer has added a little|each layer has added more than the one before)\.$": with_sums,
        r"The power method by hand\.$": part("deep"),
        r"Multiply \((.+)\) by (.+) again and again, and drop what came in\.$": to_multiply,
        r"You get (.+): each row is nearer to the direction \(1, 1\)": power_method,
        r"A layer norm by hand\.$": part("norm"),
        r"Take eight numbers: (.+)\.$": eight,
        r"Four steps bring them to mean 0 and variance 1\.$": part("norm"),
        r"The mean is (\S+), and the variance is (\S+)\.$": mean_and_variance,
        r"The row becomes (.+)\.$": normed,
        r"Before the root is taken, ε = (\S+) is added to the variance, so that a": epsilon,
        r"Here ε changes no number by more than (\S+)\.$": moved_by_epsilon,
        r"Sums may go on growing\.$|A norm after each sum stops that; a norm before": norms,
        r"Kept, the two features come closer to each other with each layer": closer,
        r"Real layers differ\.$": ALWAYS,
        r"From a prompt to the next word\.$|All of a language model, on a vocabulary": model,
        r"Every number that a model learns can be changed: choose a cell and type": model,
        r"The prompt has (\d) tokens, as many as fit here\.$": full,
        r"What may come after (\S+):$": last_of_the_prompt,
        r"\| word \| (.+) \|$": of_the_vocabulary,
        r"\| probability \| (.+) \|$": of_the_last_row,
        r"All numbers are drawn at random, so these probabilities mean nothing yet": by("random"),
        r"These matrices were set by hand, to do one job: after a word that has": by("hand"),
        r"In layer 1 each token reads the one before it and keeps its name": reads_the_one_before,
        r"In layer 2 it looks for a token before which its own word stood, and": finds_or_is_told,
        r"The feed-forward nets hold zeros, and each norm's gain and bias undo": nets_of_zeros,
        r"Models that are trained find such heads by themselves; they are called": by("hand"),
        r"Here numbers were changed by hand since, so see what it does now\.$": edited,
        r"The last word, (\S+), has not stood before, so there is nothing to": nothing_to_copy,
        r"When a word stands for the first time, as (.+) do(?:es)? here, no key": first_time,
        r"Its token then reads itself, and gives its own word (\S+)\.$": own_word,
        r"The last word, (\S+), has stood before, and after it came (\S+): that word "
        r"gets (\S+)\.$": copies,
        r"Only the last token went through the model|Keys and values of the tokens": cached,
        r"Two stacks of blocks\.$|The transformer was made for translating": translator,
        r"Its (?:encoder|decoder) reads |GPT is a decoder without the part in between": translator,
        r"In the decoder attention stands twice: once (\d) × (\d), lower left corner alone, "
        r"and once (\d) × (\d), nothing hidden\.$": twice,
        r"The rows that the encoder made are computed once and read at every step": translator,
        r"A later token of the translation changes no earlier row; any token of": translator,
        r"In the link:$|The default is used instead\.$": ALWAYS,
        r"The token to change is number (\d); the sentence has (\d): choose 1 to (\d)": too_far,
        r"In code$|Predict, then reveal$|To take away\.$": ALWAYS,
        r"A block mixes rows in one place, attention; all else works on each": ALWAYS,
        r"Rows keep their number of features, so blocks stack, and sums let what": same_width,
    },
    others=[
        {"block_changed": "3"},
        {"block_changed": "6", "block_norm": "pre"},
        {"block_changed": "2", "block_mask": "none", "block_norm": "pre"},
        {"block_layers": "3", "block_norm": "pre"},
        {"block_part": "dropout"},
        {"block_part": "norm"},
        {"block_matrix": "half"},
        {"block_matrix": "by_hand"},
        {"block_matrix": "by_hand", "block_residual": "dropped"},
        {"block_part": "model", "block_prompt": "a b a c a", "block_run": "cache"},
        {"block_part": "model", "block_prompt": "a b c"},
        {"block_part": "model", "block_weights": "random", "block_run": "cache"},
        {"block_part": "model", "block_numbers": "W_U.0.0=-3;E.0.1=2"},
        {"block_part": "model", "block_prompt": "a b c d e a b c"},
        {"block_part": "translator", "block_written": "chat"},
        {"block_part": "dropout", "block_rate": "0.5", "block_draw": "7"},
        {"block_part": "dropout", "block_rate": "0"},
    ],
)


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls() -> None:
    INVENTORY.check()
