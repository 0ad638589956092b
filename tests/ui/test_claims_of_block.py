"""Every sentence of the page about the block, read back from PyTorch's layers and matrices."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.block import BlockKind, block_inputs
from core.attention.encoder_decoder import encoder_decoder_inputs, encoder_decoder_program
from core.attention.inputs import toy_inputs
from core.attention.river_bank import LEXICON, RIVER_BANK
from core.attention.tokens import tokenise
from core.chapters.block.dropout import kept_weights
from core.chapters.block.stack import inputs_of
from core.chapters.block.tiny_model import model_family
from core.program.inputs import Inputs
from core.program.labels import token_labels
from tests.pytorch_block import encoder_layer
from tests.quotes import proves
from tests.ui.claims import (
    ALWAYS,
    RANDOM_WEIGHTS,
    Inventory,
    Values,
    drawn_with,
    named,
    number,
    printed,
    shown_with,
)
from tests.ui.support import stages
from ui.edits import edits

Match = re.Match[str]
BANK = "we sat by the river bank"
EIGHT = "a b c d e f g h"
PARTS = r"(?:Attention|Sum|Layer norm|Feed-forward net)"


def tokens(page: AppTest) -> list[str]:
    return tokenise(page.session_state.block_text)


def labels(page: AppTest) -> list[str]:
    return list(token_labels(tokens(page)))


def kind(page: AppTest) -> BlockKind:
    state = page.session_state
    return BlockKind(state.block_norm, state.block_units, state.block_mask)


def depth(page: AppTest) -> int:
    return int(page.session_state.block_layers)


def made_inputs(page: AppTest, layers: int) -> Inputs:
    """What the layers of the stage are given; that it is on the stage, `by_hand` checks."""
    state = page.session_state
    return inputs_of(state.block_text, layers, state.block_attention)


def through(page: AppTest, X: np.ndarray, layers: int) -> np.ndarray:
    """The rows after so many of PyTorch's layers."""
    made = made_inputs(page, layers)
    inputs = {name: np.array(array) for name, array in made.items()}
    rows, T = torch.from_numpy(X)[None], len(X)
    hidden = ~torch.ones(T, T).tril().bool() if kind(page).mask == "causal" else None
    with torch.no_grad():
        for layer in range(1, layers + 1):
            rows = encoder_layer(kind(page), inputs, layer)(rows, src_mask=hidden)
    return np.asarray(rows[0].numpy())


def X(page: AppTest) -> np.ndarray:
    return np.array(made_inputs(page, 1)["X"])


def listed(said: str) -> list[str]:
    """What a sentence lists, without links and escapes."""
    plain = re.sub(r"\[([^]]+)\]\(#[^)]*\)", r"\1", said).replace("\\", "")
    return re.split(r", | and ", plain)


@proves("""
    {rows} of {numbers} numbers {?} out, so blocks can be stacked. [post] The norm comes after each
    sum, here with gain 1 and bias 0: each row leaves the layer with mean 0 and variance 1 (nearly).
    [else] The norm comes before each part, and the sum itself is never normalised: each part adds
    to the row
""")
def stacked(said: Values, page: AppTest) -> None:
    """The shapes, and what the norm does to PyTorch's rows, with the gain and the bias of here."""
    shown, layers = stages(page)[0], depth(page)
    assert (said["rows"], said["numbers"]) == X(page).shape
    for layer in range(1, layers + 1):
        assert shown.texts(f"H_{layer}").shape == X(page).shape
    rows = through(page, X(page), layers)
    assert said["post"] == (kind(page).norm == "post")
    if said["post"]:
        np.testing.assert_allclose(rows.mean(axis=1), 0, atol=1e-12)
        np.testing.assert_allclose(rows.var(axis=1), 1, atol=1e-3)
        made = made_inputs(page, layers)
        assert (made[f"g_{layers}b"] == 1).all()
        assert (made[f"b_{layers}b"] == 0).all()
    else:
        assert np.abs(rows.var(axis=1) - 1).max() > 0.01


@proves("Rows keep their number of features")
def takeaway(said: Values, page: AppTest) -> None:
    shown, width = stages(page)[0], X(page).shape[1]
    for layer in range(1, depth(page) + 1):
        assert shown.texts(f"H_{layer}").shape[1] == width


def seeds(said: Values, page: AppTest) -> None:
    assert said["last"] == depth(page) - 1 > 0


def changed(page: AppTest) -> int:
    """The token whose row changes: unless a link names one, that of the stage's cell."""
    shown = int(stages(page)[0].selected.split(".")[1])
    return int(page.session_state.block_changed or shown + 1) - 1


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
    if page.session_state.block_attention == "hand":  # a value of zeros moves no row
        allowed = [label for label, seen in zip(labels(page), sees(page), strict=True) if seen]
        for rows_said in (alone, inside):
            moved_rows = [] if rows_said == "every row" else rows_said.split(", ")
            assert set(moved_rows) <= {*allowed, *labels(page)[changed(page) :]}
        return
    assert alone == told(sees(page) if name == "Attention" else own, page)
    rows = X(page)
    rows[changed(page)] *= -1
    gaps = np.abs(through(page, rows, 1) - through(page, X(page), 1)).max(axis=1)
    assert told([bool(gap > 1e-9) for gap in gaps], page) == told(sees(page), page)
    first = name == "Layer norm" and kind(page).norm == "pre" and inside != told(sees(page), page)
    assert inside == told(own if first else sees(page), page)


@proves("""
    A feed-forward net, residual sums and layer norms transform each row separately | everything
    else works on each row separately | A block mixes rows in one place, attention
""")
def lede(said: Values, page: AppTest) -> None:
    """Without attention, another row of one token moves no other: PyTorch's layer on one row."""
    made = made_inputs(page, 1)
    inputs = {name: np.array(array) for name, array in made.items()}
    inputs["W_O_1"] = np.zeros_like(inputs["W_O_1"])
    layer = encoder_layer(kind(page), inputs, 1)
    rows = X(page)
    with torch.no_grad():
        together = layer(torch.from_numpy(rows)[None])[0].numpy()
        single = [layer(torch.from_numpy(row[None])[None])[0, 0].numpy() for row in rows]
    np.testing.assert_allclose(together, single, atol=1e-12)


@proves("""
    Press a token: all numbers of its row change sign | Notice. If the row of {token} changes,
    attention changes [not all] {moved} of {count} [causal] its own row and all later rows [else]
    every row. Each other part, by itself, changes only the row of {token}
""")
def changes(said: Values, page: AppTest) -> None:
    """A row that is turned around moves the rows that see it; without attention its own alone."""
    lede(said, page)
    assert named(said["token"]) == [labels(page)[changed(page)]]
    assert said["causal"] == (kind(page).mask == "causal")
    rows = X(page)
    rows[changed(page)] *= -1
    gaps = np.abs(through(page, rows, 1) - through(page, X(page), 1)).max(axis=1)
    moves = [bool(gap > 1e-9) for gap in gaps]
    if said["all"]:
        assert moves == sees(page)
        return
    assert page.session_state.block_attention == "hand"
    assert said["count"] == len(tokens(page)) > said["moved"]


def by_hand(said: Values, page: AppTest) -> None:
    """Layer 1 has the walkthrough's matrices; every other weight is drawn."""
    assert page.session_state.block_attention == "hand"
    shown = stages(page)[0].document["arrays"]
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        texts = np.array(shown[f"{name}_1"]["texts"].split(" "), dtype=float)
        np.testing.assert_allclose(texts, RIVER_BANK.arrays[name].ravel())
    drawn = dict(block_inputs("a", depth(page), d_model=8))
    for layer in range(2, depth(page) + 1):
        made = made_inputs(page, depth(page))[f"W_Q_{layer}"]
        np.testing.assert_allclose(made, drawn[f"W_Q_{layer}"])


def drawn_rows(match: Match, page: AppTest) -> None:
    """The words named are those that the example's lexicon lacks, and no other."""
    assert page.session_state.block_attention == "hand"
    lacking = {token for token in tokens(page) if token.lower() not in LEXICON}
    assert {re.sub(r"[*`\\]", "", word) for word in re.split(r", | and ", match[1])} == lacking


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


@proves("""
    and sums carry each row through | Notice. After {deepest} layers $J^n$ has size {dropped}:
    [lost] almost nothing of the input is left. [else] it began with {first}, and this $J$ makes
    rows longer. $(I + J)^n$ has size {kept}, and began with {first}: [gentle] the input is still
    there. [else] each layer has added more than the layer before
""")
def sizes(said: Values, page: AppTest) -> None:
    """The chart is the case for sums: with small matrices nothing stays without them."""
    start = size(np.eye(2), 0)
    grown = [size(np.eye(2) + J(page), n) for n in range(11)]
    assert said["deepest"] == 10
    printed(said["first"], start)
    printed_or_small(said["dropped"], size(J(page), 10))
    printed_or_small(said["kept"], grown[-1])
    if said["lost"]:
        assert size(J(page), 10) < 0.01 * start
    else:
        assert size(J(page), 10) > start
        assert min(np.linalg.norm(row @ J(page)) for row in np.eye(2)) > 1
    if said["gentle"]:
        assert grown[0] < grown[-1] < 2 * grown[0]
        assert np.linalg.matrix_power(np.eye(2) + J(page), 10)[0, 0] > 1
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


def towards(rows: str, matrix: np.ndarray) -> list[float]:
    """How near each printed row is to (1, 1): the rows are (1, 0) times the matrix, and again."""
    row, cosines = np.array([1.0, 0.0]), []
    for pair in re.findall(r"\((\d+), (\d+)\)", rows):
        row = row @ matrix
        assert [float(n) for n in pair] == row.tolist()
        cosines.append(float(row.sum() / np.linalg.norm(row)))
    return cosines


def powers(said: Values, page: AppTest) -> None:
    """Rows turn towards (1, 1) with their input and without it; (1, −1) turns in neither way."""
    matrix = np.array(MATRICES["by_hand"], dtype=float)
    assert (said["start"], said["matrix"]) == ("(1, 0)", str(MATRICES["by_hand"]))
    dropped, kept = towards(said["rows"], matrix), towards(said["kept"], np.eye(2) + matrix)
    assert dropped == sorted(dropped)
    assert kept == sorted(kept)
    assert len(dropped) == len(kept) == 4
    assert all(slow < fast for slow, fast in zip(kept, dropped, strict=True))
    values, vectors = np.linalg.eigh(matrix)
    assert abs(vectors[:, values.argmax()].sum()) == pytest.approx(2**0.5)
    for one in (matrix, np.eye(2) + matrix):
        after = np.array([1, -1]) @ np.linalg.matrix_power(one, 10)
        assert after[0] == -after[1] > 0
    on_stage = page.session_state.block_matrix, page.session_state.block_residual
    if on_stage == ("by_hand", "dropped"):
        assert stages(page)[1].texts("x_4").astype(float).tolist() == [[41, 40]]


EIGHT_NUMBERS = [2.0, 4, 4, 4, 5, 5, 7, 9]


def eight(said: Values, page: AppTest) -> None:
    assert page.session_state.block_part == "norm"
    assert [number(text) for text in listed(said["numbers"])] == EIGHT_NUMBERS
    assert stages(page)[1].texts("x").astype(float).ravel().tolist() == EIGHT_NUMBERS


def normed(said: Values, page: AppTest) -> None:
    assert page.session_state.block_part == "norm"
    assert number(said["mean"]) == np.mean(EIGHT_NUMBERS)
    assert number(said["variance"]) == np.var(EIGHT_NUMBERS)
    theirs = torch.nn.functional.layer_norm(torch.tensor(EIGHT_NUMBERS).double(), (8,)).tolist()
    for text, value in zip(listed(said["numbers"]), theirs, strict=True):
        printed(text, value)


def epsilon(said: Values, page: AppTest) -> None:
    """PyTorch's default: it divides no row by 0."""
    assert page.session_state.block_part == "norm"
    assert number(said["epsilon"]) == torch.nn.LayerNorm(8).eps
    assert torch.nn.functional.layer_norm(torch.full((8,), 3.0), (8,)).isfinite().all()


def deep_more(said: Values, page: AppTest) -> None:
    """After the sum rows have one variance whatever the parts add; before each part they grow."""
    text = page.session_state.block_text
    inputs = {name: np.array(array) for name, array in block_inputs(text, 3).items()}
    for norm in ("post", "pre"):
        rows = torch.from_numpy(10 * inputs["X"])[None]
        with torch.no_grad():
            for layer in range(1, 4):
                rows = encoder_layer(BlockKind(norm, "relu"), inputs, layer)(rows)
        varied = rows[0].numpy().var(axis=1)
        assert (np.abs(varied - 1).max() < 0.01) == (norm == "post")


def plain_weights(page: AppTest) -> np.ndarray:
    """The last row of PyTorch's weights, without dropout."""
    X, W_Q, W_K = (
        torch.from_numpy(np.array(toy_inputs(page.session_state.block_text, heads=1, d_model=4)[n]))
        for n in ("X", "W_Q", "W_K")
    )
    scores = (X[-1:] @ W_Q[0]) @ (X @ W_K[0]).T / 2
    return np.asarray(scores.softmax(-1)[0].numpy())


def kept(page: AppTest, draw: int) -> np.ndarray:
    return kept_weights(draw, float(page.session_state.block_rate), len(tokens(page)))[-1]


def grows(page: AppTest) -> float:
    return 1 / (1 - float(page.session_state.block_rate))


def mean_kept(page: AppTest) -> np.ndarray:
    every = [kept(page, draw) for draw in range(1, 1001)]
    return np.mean(every, axis=0) * grows(page)


def dropping(match: Match, page: AppTest) -> None:
    assert page.session_state.block_part == "dropout"


def weights_of_a_token(match: Match, page: AppTest) -> None:
    at, weights = labels(page).index(match[1]), plain_weights(page)
    dropped = weights * kept(page, page.session_state.block_draw) * grows(page)
    for text, row in zip(match.groups()[1:], (weights, dropped, weights * mean_kept(page)),
                         strict=True):  # fmt: skip
        printed(text, float(row[at]))


def in_a_draw(said: Values, page: AppTest) -> None:
    stays, weights = kept(page, page.session_state.block_draw), plain_weights(page)
    assert said["draw"] == page.session_state.block_draw
    assert (said["out"], said["weights"]) == (int((stays == 0).sum()), len(tokens(page)))
    assert named(said["token"]) == labels(page)[-1:]
    printed(said["total"], float(weights @ stays * grows(page)))


def expected(said: Values, page: AppTest) -> None:
    """Over all patterns, each times its probability: what stays is as much as was there."""
    rate, count = float(page.session_state.block_rate), min(len(tokens(page)), 4)
    mean = np.zeros(count)
    for pattern in itertools.product((0, 1), repeat=count):
        stays = np.array(pattern)
        chance = np.prod(np.where(stays, 1 - rate, rate))
        mean += chance * stays * grows(page)
    np.testing.assert_allclose(mean, 1)


def too_far(match: Match, page: AppTest) -> None:
    assert int(match[1]) > int(match[2]) == int(match[3]) == len(tokens(page))
    assert page.session_state.block_changed == 1


def prompt(page: AppTest) -> list[str]:
    return tokenise(page.session_state.block_prompt)


def words(page: AppTest) -> list[str]:
    return list(dict.fromkeys(prompt(page)))


def full(said: Values, page: AppTest) -> None:
    assert said["tokens"] == len(prompt(page)) == 8


def last_of_the_prompt(match: Match, page: AppTest) -> None:
    assert match[1] == prompt(page)[-1]


def of_the_vocabulary(match: Match, page: AppTest) -> None:
    assert match[1].split(" | ") == words(page)


def of_the_last_row(match: Match, page: AppTest) -> None:
    said = [number(cell) for cell in match[1].split(" | ")]
    assert said == [float(text) for text in stages(page)[1].texts("probs")[-1]]
    assert abs(sum(said) - 1) < 0.01 * len(said)


def how(said: Values, page: AppTest) -> None:
    """Layer 1 reads the one before, layer 2 what came after its word, and the rest does nothing."""
    shown_with(block_weights="hand", block_part="model")(said, page)
    assert said["edited"] == bool(page.session_state.block_numbers)
    if said["edited"]:
        return
    shown, words = stages(page)[1], prompt(page)
    reads = [
        np.array(shown.texts(f"weights_{layer}"), dtype=float).reshape(-1, len(words)).argmax(1)
        for layer in "12"
    ]
    first = len(words) - len(reads[0])
    for i, at in enumerate(range(first, len(words))):
        assert reads[0][i] == max(at - 1, 0)
        after = [n + 1 for n in range(at) if words[n] == words[at]]
        assert reads[1][i] == (after[-1] if after else at)
    for layer in "12":
        for name in (f"W_up_{layer}", f"W_down_{layer}"):
            assert not np.array(shown.texts(name), dtype=float).any()
    for normed, read in (("N_1a", "X"), ("N_1b", "Z_1"), ("N_2a", "H_1"), ("N_2b", "Z_2")):
        came, made = (np.array(shown.texts(name), dtype=float) for name in (read, normed))
        np.testing.assert_allclose(made, came, atol=0.01)


def edited(said: Values, page: AppTest) -> None:
    assert page.session_state.block_numbers


def nothing_to_copy(said: Values, page: AppTest) -> None:
    *earlier, last = prompt(page)
    assert named(said["last"]) == [last]
    assert last not in earlier


def copies(said: Values, page: AppTest) -> None:
    *earlier, last = prompt(page)
    at = max(n for n, token in enumerate(earlier) if token == last)
    assert named(said["last"]) + named(said["word"]) == [last, prompt(page)[at + 1]]
    shown = stages(page)[1].texts("probs")[-1][words(page).index(prompt(page)[at + 1])]
    assert number(*listed(said["number"])) == float(shown) > 0.99


def cached(said: Values, page: AppTest) -> None:
    """The same probabilities as those of a page that runs on all tokens."""
    assert page.session_state.block_run == "cache"
    shown, state = stages(page)[1], page.session_state
    assert shown.texts("X").shape[0] == 1
    assert shown.texts("K_kept_1").shape[-2] == len(prompt(page)) - 1
    model = model_family(state.block_prompt, edits(state.block_numbers))
    probs = model.run(block_weights=state.block_weights, block_run="all")["probs"][-1]
    for text, value in zip(shown.texts("probs")[-1], probs, strict=True):
        assert float(text) == pytest.approx(value, rel=0.06, abs=0.0051)


def twice(said: Values, page: AppTest) -> None:
    shown_with(block_part="translator")(said, page)
    write = tokenise(page.session_state.block_written)
    read = tokenise(page.session_state.block_text)
    assert (said["queries"], said["keys"]) == (len(write), len(read))
    shown = stages(page)[1]
    own, other = (np.array(shown.texts(name)) == "1" for name in ("mask_2", "mask_3"))
    assert (own == np.tri(len(write), dtype=bool)).all()
    assert other.shape == (len(write), len(read))
    assert other.all()


def translator_more(said: Values, page: AppTest) -> None:
    """A later token of the translation moves no earlier row."""
    shown_with(block_part="translator")(said, page)
    write, read = page.session_state.block_written, page.session_state.block_text
    inputs, program = encoder_decoder_inputs(write, read), encoder_decoder_program()
    last, before = program.steps[-1].name, program.run(inputs)

    def moved(name: str, at: int) -> np.ndarray:
        rows = np.array(inputs[name])
        rows[at] = -rows[at]
        after = program.run(replace(inputs, arrays={**inputs.arrays, name: rows}))
        found: np.ndarray = np.abs(after[last] - before[last]).max(axis=-1) > 1e-9
        return found

    for at in range(len(tokenise(write))):
        assert not moved("X_write", at)[:at].any()


INVENTORY = Inventory(
    "block",
    typed={
        "block_text": ("cat", EIGHT),
        "block_prompt": ("cat", "a b c d e a b c"),
        "block_numbers": ("", "W_U.0.0=-3;E.0.1=2"),
        "block_written": ("chat", EIGHT),
    },
    claims={
        r"(?:Attention .*random\. )?These words have random rows, .*: (.*)\.$": drawn_rows,
        RANDOM_WEIGHTS: drawn_with,
        r"\| part \| by this part only \| in the whole block \|$": ALWAYS,
        rf"\| ({PARTS}) \| (.+) \| (.+) \|$": moved,
        r"More of a layer, and a whole model$": ALWAYS,
        r"\| token \| weight \| in this draw \| mean of 1,000 draws \|$": dropping,
        r"\| (?!word|probability)(\S+) \| (\S+) \| (\S+) \| (\S+) \|$": weights_of_a_token,
        r"What may come after (\S+):$": last_of_the_prompt,
        r"\| word \| (.+) \|$": of_the_vocabulary,
        r"\| probability \| (.+) \|$": of_the_last_row,
        r"In the link:$|The default is used instead\.$": ALWAYS,
        r"The token to change is number (\d); the sentence has (\d): choose 1 to (\d)": too_far,
    },
    module=globals(),
    always="try origin",
    texts={
        "changed": changes,
        "made": by_hand,
        "deep": shown_with(block_part="deep"),
        "norm": eight,
        "dropout": shown_with(block_part="dropout"),
        "dropped": in_a_draw,
        "translator": shown_with(block_part="translator"),
        "model": shown_with(block_part="model"),
        "try_model": shown_with(block_part="model"),
        "random": shown_with(block_weights="random", block_part="model"),
        "job": shown_with(block_weights="hand", block_part="model"),
    },
    others=[
        {"block_attention": "hand"},
        {"block_attention": "hand", "block_text": BANK, "block_changed": "0"},
        {"block_attention": "hand", "block_text": BANK, "block_layers": "2", "block_norm": "pre"},
        {"block_attention": "hand", "block_text": "the the bank", "block_changed": "1"},
        {"block_attention": "hand", "block_text": "we sat", "block_mask": "none"},
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
