"""Every sentence of the page about the block, at the ends of its controls."""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from streamlit.testing.v1 import AppTest

from core.attention.examples.river_bank import LEXICON, RIVER_BANK
from core.attention.layers.block import BlockKind, block_inputs
from core.attention.layers.language_model import MODEL_WORDS
from core.attention.tokens import tokenise
from core.chapters.block.dropout import dropout_family, last_row
from core.chapters.block.one_row import MATRICES, NUMBERS, depths, eight_numbers, power_rows
from core.chapters.block.stack import (
    block_family,
    boxes,
    inputs_of,
    kind_of,
    moved_by_attention,
    moved_rows,
)
from core.chapters.block.tiny_model import copied, model_family
from core.program.labels import token_labels
from core.program.trace import Trace
from tests.core.chapters.block import test_one_row_depth, test_stack
from tests.pytorch_block import encoder_layer
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, agree, number, only, row_of
from tests.ui.claims import RANDOM_WEIGHTS, Inventory, drawn_with
from tests.ui.support import stages
from ui.chapters.block.tiny_model import edits
from ui.page_texts import chart_texts

PARTS = r"(?:Attention|Sum|Layer norm|Feed-forward net)"


def labels(page: AppTest) -> list[str]:
    return list(token_labels(tokenise(page.session_state.block_text)))


def options(page: AppTest, *names: str) -> dict[str, str]:
    return {f"block_{name}": page.session_state[f"block_{name}"] for name in names}


def kind(page: AppTest) -> BlockKind:
    return kind_of(options(page, "norm", "units", "mask"))


def changed(page: AppTest) -> int:
    """The token whose row changes: unless a link names one, that of the stage's cell."""
    shown = int(stages(page)[0].selected.split(".")[1])
    return int(page.session_state.block_changed or shown + 1) - 1


def model(page: AppTest, **other: str) -> Trace:
    state = page.session_state
    family = model_family(state.block_prompt, edits(state.block_numbers))
    return family.run(**options(page, "weights", "run") | other)


@proves("""
    {rows} of {numbers} numbers {?} out, so blocks can be stacked. [post] The norm comes after each
    sum, here with gain 1 and bias 0: each row leaves the layer with mean 0 and variance 1 (nearly).
    [else] The norm comes before each part, and the sum itself is never normalised: each part adds
    to the row | Notice. If the row of {token} changes, attention changes [not all] {moved} of
    {count} [causal] its own row and all later rows [else] every row. Each other part, by itself,
    changes only the row of {token} | Notice. After {deepest} layers $J^n$ has size {dropped}:
    [lost] almost nothing of the input is left. [else] it began with {first}, and this $J$ makes
    rows longer. $(I + J)^n$ has size {kept}, and began with {first}: [gentle] the input is still
    there. [else] each layer has added more than the layer before | Each layer has its own weights,
    seeds 0 to {last} | Multiply {start} by {matrix} again and again, and drop the input. You get
    {rows} | With the input kept, you get {kept} | The mean is {mean} and the variance {variance},
    so the row becomes {numbers} | ε = {epsilon} is added to the variance | In draw {draw}, {out} of
    {weights} of {token} {?} left out, and its row adds up to {total} | {queries} × {queries} under
    the causal mask, and {queries} × {keys} with nothing hidden | The last word, {last}, did not
    occur before, so there is nothing to copy | The last word, {last}, occurred before, and {word}
    came after it: {word} gets {number}
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, names, at = page.session_state, labels(page), changed(page)
    trace = block_family(state.block_text).run(
        **options(page, "norm", "units", "mask", "attention", "layers")
    )
    rows, width = trace["X"].shape
    causal, layers = state.block_mask == "causal", int(state.block_layers)
    parts = boxes(kind(page), state.block_text, state.block_attention)
    moves, every = moved_by_attention(parts, "attn_1", at, causal)
    sizes, eight = depths(MATRICES[state.block_matrix]), eight_numbers()
    dropped = last_row(
        dropout_family(state.block_text, state.block_draw).run(block_rate=state.block_rate),
        float(state.block_rate),
    )
    words = {"mixes": "mixes rows", "apart": "row by row", "no_row": "no row changes"}
    words |= {"adds": "adds the input"}
    assert words == {id: chart_texts("block")(id) for id in words}
    run, prompt = model(page), tokenise(state.block_prompt)
    word, by_hand = copied(tuple(prompt)), state.block_weights == "hand"
    does_job = state.block_weights != "random"
    read = len(tokenise(state.block_written))
    return {
        "stacked": {"rows": rows, "numbers": width, "post": state.block_norm == "post"},
        "seeds": only(layers > 1, last=layers - 1),
        "changed": {
            "token": [names[at]], "causal": causal, "all": every, "moved": moves, "count": rows,
        },
        "sizes": {
            "deepest": 10, "first": sizes.kept[0], "dropped": sizes.dropped[10],
            "kept": sizes.kept[10], "lost": sizes.lost, "gentle": sizes.gentle,
        },
        "powers": {
            "start": "(1, 0)", "matrix": "[[2, 1], [1, 2]]",
            "rows": lambda said: re.findall(r"\(.+?\)", said) == power_rows("dropped")[1:],
            "kept": lambda said: re.findall(r"\(.+?\)", said) == power_rows("kept")[1:],
        },
        "norm": {"numbers": list(NUMBERS)},
        "normed": {
            "mean": eight["mean"][0, 0], "variance": eight["variance"][0, 0],
            "numbers": eight["normed"][0],
        },
        "epsilon": {"epsilon": lambda said: number(said) == torch.nn.LayerNorm(8).eps},
        "dropped": {
            "draw": state.block_draw, "out": dropped.left_out, "weights": rows,
            "token": names[-1:], "total": dropped.total,
        },
        "twice": {"queries": read, "keys": rows},
        "full": only(len(prompt) == 8, tokens=8),
        "nothing_to_copy": only(does_job and word is None, last=prompt[-1:]),
        "copies": lambda: {
            "last": prompt[-1:], "word": [word],
            "number": run["probs"][-1][run.more_tokens[MODEL_WORDS].index(word)],
        },
        "how": only(by_hand, edited=bool(state.block_numbers)),
        "how_learned": only(
            state.block_weights == "learned", edited=bool(state.block_numbers), symbols=16,
            previous=2, induction=1,
        ),
        "edited": only(does_job and bool(state.block_numbers)),
        "cached": only(state.block_run == "cache" and len(prompt) > 1),
    }  # fmt: skip


proves("and sums carry each row through")(
    test_one_row_depth.test_what_came_in_is_gone_without_a_residual_and_kept_with_one
)
moves_rows = proves("""
    Press a token: all numbers of its row change sign | A feed-forward net, residual sums and layer
    norms transform each row separately | everything else works on each row separately | A block
    mixes rows in one place, attention
""")(test_stack.test_attention_moves_the_rows_that_see_a_token_and_every_other_part_its_own)
proves("Rows keep their number of features")(test_stack.test_each_layer_keeps_the_shape_of_its_rows)


def moved(match: re.Match[str], page: AppTest) -> None:
    """A part of this name moves these rows by itself, and those in the whole block."""

    def named(rows: Sequence[bool]) -> str:
        labelled = zip(labels(page), rows, strict=True)
        every = all(rows) and len(rows) > 1
        return "every row" if every else ", ".join(label for label, row in labelled if row)

    state = page.session_state
    found = moved_rows(kind(page), state.block_text, changed(page), state.block_attention)
    parts = [(part.name, named(part.alone), named(part.inside)) for part in found]
    assert match.groups() in parts


@proves("""
    Attention in layer 1 was made by hand; a real model learns it. All other weights are random
""")
def made(said: Values, page: AppTest) -> None:
    """Layer 1 has the walkthrough's matrices; every other weight is drawn."""
    state = page.session_state
    assert state.block_attention == "hand"
    shown, layers = stages(page)[0].document["arrays"], int(state.block_layers)
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        agree(shown[f"{name}_1"]["texts"].split(" "), RIVER_BANK.arrays[name].ravel())
    drawn = block_inputs("a", layers, d_model=8)
    for layer in range(2, layers + 1):
        inputs = inputs_of(state.block_text, layers, "hand")
        np.testing.assert_allclose(inputs[f"W_Q_{layer}"], drawn[f"W_Q_{layer}"])


def drawn_rows(match: re.Match[str], page: AppTest) -> None:
    """The words named are those that the example's lexicon lacks, and no other."""
    assert page.session_state.block_attention == "hand"
    words = tokenise(page.session_state.block_text)
    lacking = {word for word in words if word.lower() not in LEXICON}
    assert {re.sub(r"[*`\\]", "", word) for word in re.split(r", | and ", match[1])} == lacking


@proves("Sums may keep growing. A norm after each sum stops that; a norm before each part does not")
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


@proves("""
    Only the last token went through the model: the cache of each layer had the earlier keys and
    values. The probabilities are those of a run on all tokens
""")
def cached(said: Values, page: AppTest) -> None:
    """One row is computed, and the others are kept; its probabilities are those of all tokens."""
    shown = stages(page)[1]
    assert shown.texts("X").shape[0] == 1
    assert shown.texts("K_kept_1").shape[-2] == len(tokenise(page.session_state.block_prompt)) - 1
    agree(list(shown.texts("probs")[-1]), model(page, block_run="all")["probs"][-1])


def weights_of_a_token(page: AppTest, token: str) -> list[float]:
    """Its weight, in this draw and on average."""
    state, at = page.session_state, labels(page).index(token)
    family = dropout_family(state.block_text, state.block_draw)
    row = last_row(family.run(block_rate=state.block_rate), float(state.block_rate))
    return [row.weights[at], row.dropped[at], row.mean[at]]


def too_far(match: re.Match[str], page: AppTest) -> None:
    assert int(match[1]) > int(match[2]) == int(match[3]) == len(labels(page))
    assert page.session_state.block_changed == 0


INVENTORY = Inventory(
    "block",
    claims={
        r"(?:Attention .*random\. )?These words have random rows, .*: (.*)\.$": drawn_rows,
        RANDOM_WEIGHTS: drawn_with,
        rf"\| ({PARTS}) \| (.+) \| (.+) \|$": moved,
        r"\| (?!word|probability)(\S+) \| (\S+ \| \S+ \| \S+) \|$": row_of(weights_of_a_token),
        r"What may come after (\S+):$": row_of(lambda page: model(page).tokens[-1:]),
        r"\| word \| (.+) \|$": row_of(lambda page: model(page).more_tokens[MODEL_WORDS]),
        r"\| probability \| (.+) \|$": row_of(lambda page: model(page)["probs"][-1]),
        r"The token to change is number (\d); the sentence has (\d): choose 1 to (\d)": too_far,
    },
    module=globals(),
    texts={"lede": moves_rows, "takeaway": test_stack.test_each_layer_keeps_the_shape_of_its_rows},
)
