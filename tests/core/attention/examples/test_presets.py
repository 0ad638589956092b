"""Every figure of the worked examples comes out, from `tests/fixtures/presets.json`."""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import Trace
from core.attention.examples.presets import PRESETS, preset
from core.attention.examples.two_meanings import BY_ID
from core.attention.examples.worked_example import Preset
from core.program.labels import plainly
from tests.core.support import refuses
from tests.quotes import proves

FIGURES = {
    name: entry
    for name, entry in json.loads(
        (Path(__file__).parents[3] / "fixtures" / "presets.json").read_text("utf-8")
    ).items()
    if entry["id"] in ("P1", "P2", "P3", "P4", "P5", "P6", "P7", "P9", "P9b", "P11b")
}


def fractions(rows: list[list[Any]]) -> np.ndarray:
    return np.array([[float(Fraction(x)) for x in row] for row in rows])


def close(found: np.ndarray, wanted: object, decimals: int = 14) -> None:
    np.testing.assert_allclose(found, np.array(wanted, dtype=float), rtol=0, atol=10.0**-decimals)


def cosine(a: np.ndarray, b: list[float]) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


@pytest.fixture(params=PRESETS)
def example(request: pytest.FixtureRequest) -> Preset:
    return PRESETS[request.param]


def test_a_preset_says_what_it_shows_and_cannot_be_changed(example: Preset) -> None:
    assert example.id in PRESETS
    assert len(example.title) < 60
    note = plainly(example.story)
    assert note.endswith(".")
    for text in (example.title, note):
        assert not any(letter in text.split() for letter in ("T", "C", "B", "G"))
    for array in (*example.arrays.values(), *example.pinned.values()):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(TypeError):
        example.settings["heads"] = 2  # type: ignore[index]


def test_without_an_output_matrix_of_its_own_the_context_passes_unchanged(example: Preset) -> None:
    if example.id in BY_ID:
        assert not np.array_equal(example.arrays["W_O"], np.eye(8))
        return
    trace = example.run()
    width = trace["concat"].shape[1]
    np.testing.assert_array_equal(trace["output"][:, :width], trace["context"][0])
    assert not trace["output"][:, width:].any()


def test_an_unknown_preset_is_refused_with_the_ids() -> None:
    assert all(name in refuses("", preset, "P99").limit for name in PRESETS)
    assert preset("P4b") is PRESETS["P4b"]


def test_p1_is_the_reconstruction_with_the_roles_of_k_and_q_exchanged() -> None:
    given, trace = FIGURES["blog_reconstructed"], preset("P1").run()
    for ours, theirs in (("X", "X"), ("W_Q", "K_blog"), ("W_K", "Q_blog"), ("W_V", "V")):
        np.testing.assert_array_equal(np.squeeze(trace[ours]), given[theirs])
    assert preset("P1").settings["scale"] is False


def test_p1_keeps_the_printed_figures_beside_ours() -> None:
    blog, printed = preset("P1"), FIGURES["blog_reconstructed"]["printed"]
    kept = [block.figures for block in blog.printed]
    rows = [printed["XV"], printed["affinity_unmasked"], [[printed["h11_unmasked"]]],
            printed["masked_scores"], printed["affinity_masked"], [[printed["h11_masked"]]],
            [[printed["h21_masked"]]]]  # fmt: skip
    assert len(kept) == len(rows)
    for figures, wanted in zip(kept, rows, strict=True):
        read = [[float(x) for x in row] for row in figures]
        assert read == [[-np.inf if x is None else x for x in row] for row in wanted]
    for block in blog.printed:
        assert blog.recomputed(block) == block.figures


def test_p2_weights_are_fractions() -> None:
    given, trace = FIGURES["ln_integers"], preset("P2").run()
    close(np.exp(trace["scores"][0]), [[1, 2, 3]] * 3)
    close(trace["weights"][0], fractions(given["A"]))
    np.testing.assert_array_equal(trace["V"][0], given["V"])
    close(trace["output"], given["out"])


def test_p3_output_is_the_running_mean() -> None:
    given, trace = FIGURES["running_mean"], preset("P3").run()
    assert not trace["scores"].any()
    assert "scores" in trace.steps
    np.testing.assert_array_equal(trace["V"][0, :, 0], given["V"])
    close(trace["output"][:, 0], given["out"])


def test_p4_bank_moves_towards_river_and_only_after_it() -> None:
    given = FIGURES["bank"]
    river_bank, bank_river = preset("P4").run(), preset("P4b").run()
    after, before = given["order"]["river bank"], given["order"]["bank river"]
    np.testing.assert_array_equal(river_bank["X"], [given["E"]["river"], given["E"]["bank"]])
    np.testing.assert_array_equal(bank_river["X"], [given["E"]["bank"], given["E"]["river"]])
    np.testing.assert_array_equal(river_bank["scores"][0], [[4, 2], [2, 3]])
    river = np.exp(-1 / np.sqrt(3)) / (1 + np.exp(-1 / np.sqrt(3)))
    close(river_bank["weights"][0, 1], [river, 1 - river])
    close(river_bank["weights"][0, 1].round(4), after["A"])
    close(river_bank["output"][1].round(4), after["out"])
    np.testing.assert_array_equal(bank_river["output"][0], before["out"])
    for trace, row, figures in ((river_bank, 1, after), (bank_river, 0, before)):
        assert round(cosine(trace["output"][row], given["E"]["river"]), 3) == figures["cos_river"]
    assert round(cosine(river_bank["output"][1], given["E"]["money"]), 3) == after["cos_money"]


@pytest.mark.parametrize(
    ("name", "figures"),
    [("P5-previous", "prev_causal"), ("P5-next-unmasked", "next_unmasked"),
     ("P5-next", "next_causal"), ("P5-same", "values")],
)  # fmt: skip
def test_p5_heads_read_whom_they_look_for_by_weights_on_positions(name: str, figures: str) -> None:
    given, trace = FIGURES["copy_heads"], preset(name).run()
    np.testing.assert_array_equal(trace["X"], np.eye(5))
    assert not trace.pinned
    np.testing.assert_array_equal(trace["V"][0, :, 0], given["values"])
    assert set(np.unique(trace["scores"])) == {0, given["beta"]}
    np.testing.assert_array_equal(trace["scores"], trace["scaled"])
    close(trace["output"][:, 0].round(4), given[figures])


def test_p6_masks_before_softmax() -> None:
    given, trace = FIGURES["mask_order"], preset("P6").run()
    close(np.exp(trace["scores"][0]), [[1, 3], [1, 3]])
    close(trace["weights"][0], given["before"])
    after = preset("P6").run(mask="none")["weights"][0] * trace["mask"]
    close(after, given["after_no_renorm"])
    zeros = np.exp(np.where(trace["mask"], trace["scores"][0], 0.0))
    close(zeros / zeros.sum(axis=1, keepdims=True), given["zero_scores"])


def test_p7_softmax_runs_along_rows() -> None:
    given, trace = FIGURES["axis"], preset("P7").run()
    close(np.exp(trace["masked"][0]), [[1, 0], [3, 1]])
    close(trace["weights"][0], given["row"])
    powers = np.exp(trace["masked"][0])
    close(powers / powers.sum(axis=0), given["col"])


def test_p9_the_smaller_weight_carries_all_of_the_output() -> None:
    given, trace = FIGURES["not_explanation"], preset("P9").run()
    close(trace["weights"][0, 1], given["A"])
    np.testing.assert_array_equal(trace["V"][0], given["V"])
    close(trace["output"][1], given["out"])


def test_p9b_first_row_sees_no_key() -> None:
    given, trace = FIGURES["nan_pad"], preset("P9b").run()
    assert list(trace.tokens) == given["tokens"]
    assert not trace["scores"].any()
    np.testing.assert_array_equal(trace["mask"], np.tri(3, dtype=bool) & [False, True, True])
    assert np.isneginf(trace["masked"][0, 0]).all()
    np.testing.assert_array_equal(trace["weights"][0], [[0, 0, 0], *given["rows23"]])


def test_p11b_scores_are_not_symmetric() -> None:
    given, trace = FIGURES["asymmetric"], preset("P11b").run()
    assert list(trace.tokens) == given["tokens"]
    for name in ("W_Q", "W_K"):
        np.testing.assert_array_equal(trace[name][0], given[name])
    np.testing.assert_array_equal(trace["scores"][0], given["S_unscaled"])
    close(trace["weights"][0, 2].round(4), given["A_row3"])
    close(trace["weights"][0, 2], np.array([1, np.exp(4), 1]) / (2 + np.exp(4)))


def test_every_figure_of_these_presets_is_used_above() -> None:
    """The fixture's entries for the walkthrough, one test or more for each."""
    names = {n.split("_")[1] for n in globals() if n.startswith("test_p")}
    assert {entry["id"].lower() for entry in FIGURES.values()} == names - {"presets"}


@proves("""
    {bank} reads from {river}, which comes before it, and moves towards it | {bank} comes first and
    sees only itself, so its output is its own row of X | an earlier word changes “bank” | a later
    word changes nothing | All scores are 0, so each row gives the same weight to every key it sees.
    The output is the mean of the values so far | How a head copies the previous token | Each row
    reads the token before it | The first row has no token before it and reads itself | With the
    mask, a head cannot copy the next token | No row sees the token it looks for, and all scores
    that it sees are 0. So it reads the mean of the values so far | Without a mask, a head copies
    the next token | Without a mask, each row but the last reads the token it should predict. The
    last row has no next token and reads the mean of all values | Each row looks for its own
    position, so it reads its own value | A mask after softmax would take the weight of the hidden
    key from row 1, which would then add up to less | With softmax along the columns, columns would
    add up to 1, and a later query would change an earlier row | Everything it reads comes from the
    smaller weight | A row that sees no key | The padding is hidden from every query, and nothing
    comes before it, so row 1 sees no key. The plain formula would give 0/0; here its weights are
    zeros
""")
def test_what_the_examples_say_in_words_is_so() -> None:
    run = {name: made.run() for name, made in PRESETS.items() if name.startswith("P")}
    values = run["P5-same"]["V"][0, :, 0]
    so_far = np.cumsum(values) / np.arange(1, 6)
    for name, read in {
        "P5-previous": [values[0], *values[:-1]], "P5-next": so_far, "P5-same": values,
        "P5-next-unmasked": [*values[1:], values.mean()],
    }.items():  # fmt: skip
        close(run[name]["context"][0, :, 0], read, 5)
    close(run["P3"]["weights"][0], run["P3"]["mask"] / run["P3"]["mask"].sum(axis=1, keepdims=True))
    X, output = run["P4"]["X"], run["P4"]["output"]
    assert (output[1] - X[1]) @ (X[0] - X[1]) > 0
    np.testing.assert_array_equal(run["P4b"]["output"][0], run["P4b"]["X"][0])
    assert [run[name].tokens for name in ("P4", "P4b")] == [("river", "bank"), ("bank", "river")]
    raised = np.exp(run["P6"]["scores"][0])
    assert (raised / raised.sum(axis=1, keepdims=True) * run["P6"]["mask"])[0].sum() < 1
    powers = np.exp(run["P7"]["masked"][0])
    changed = powers + np.array([[0, 0], [1, 0]])
    close((powers / powers.sum(axis=0)).sum(axis=0), [1, 1])
    assert (powers / powers.sum(axis=0))[0, 0] != (changed / changed.sum(axis=0))[0, 0]
    parts = run["P9"]["weights"][0, 1] * np.abs(run["P9"]["V"][0]).sum(axis=1)
    assert parts[run["P9"]["weights"][0, 1].argmax()] == 0
    assert parts.any()
    blind = run["P9b"]
    assert not blind["mask"][:, 0].any()
    assert not blind["mask"][0].any()
    assert not blind["weights"][0, 0].any()


def _two_meanings(trace: Trace, note: str) -> bool:
    """What it says of one word in the place of another; it has no number of its own."""
    said = re.match(r"Change (.+) to (.+): then (.+) is (.+?)\. ", note)
    assert said
    words, word = list(trace.tokens), trace.tokens.index(said[3])
    (example,) = [made for made in PRESETS.values() if made.tokens == trace.tokens]
    words[words.index(said[1])] = said[2]
    runs = trace, example.on(" ".join(words)).run()
    one, other = (trace.labels["m"][run["output"][word].argmax()] for run in runs)
    assert example.lexicon
    means = example.lexicon.means[said[3], other]
    return not re.search(r"\d", note) and one != other and means == said[4]


def _copied(trace: Trace, note: str) -> bool:
    said = note.partition(": ")[2].partition(". ")[0].split(", ")
    read: list[float] = trace["context"][0].ravel().round(2).tolist()
    return read == list(map(float, said))


SHOWN: dict[str, Callable[[Trace, str], bool]] = {
    **dict.fromkeys(BY_ID, _two_meanings),
    "P5-previous": _copied,
}
"""What notes say, worked out of their runs; of the others the figures above are all of it."""
READ = {
    **dict.fromkeys(BY_ID, "Change "),
    "river-bank": "Change river to money: then bank is a place for money.",
    "P1": "A blog prints these figures", "P2": "Each row of scores is ln 1, ln 2, ln 3",
    "P3": "All scores are 0", "P4": "bank reads from river, which comes before it, and moves towar",
    "P4b": "bank comes first and sees only itself, so its output is its own row of X.",
    "P5-previous": "Each row reads the token before it: 24.00, 24.00, 43.00, 58.00, 5.00. The",
    "P5-next": "No row sees the token it looks for, and all scores that it sees are 0.",
    "P5-next-unmasked": "Without a mask, each row but the last reads the token it should predict.",
    "P5-same": "Each row looks for its own position, so it reads its own value.",
    "P6": "Each row of scores is 0, ln 3. The mask comes before softmax, so row 1 of the weights "
    "is 1.00, 0 and each row adds up to 1.",
    "P7": "Each query divides a weight of 1 among the keys it sees, so rows add up to 1: 1.00, "
    "0 and 0.75, 0.25.",
    "P9": "Row 2 gives a weight of 0.90 to a value of zeros, and 0.10 to (10.00, 0.00).",
    "P9b": "The padding is hidden from every query, and nothing comes before it, so row 1 sees no",
    "P11b": "Only the query of ball and the key of red are not zero. The score of ball with red is "
    "4.00, the score of red with ball is 0",
}  # fmt: skip
"""How the notes begin that were read for this."""


def test_what_an_example_says_is_so_of_its_run(example: Preset) -> None:
    note = plainly(example.story)
    assert note.startswith(READ[example.id])
    if example.id in SHOWN:
        assert SHOWN[example.id](example.run(), note)
