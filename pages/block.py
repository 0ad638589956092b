"""What else is in a layer?

Attention mixes rows; sums keep them, norms put them on one scale, units make something new of each.
"""

from collections.abc import Sequence

import streamlit as st

from core.attention.block import POST, Kind, block_program
from core.attention.encoder_decoder import encoder_decoder_inputs, encoder_decoder_program
from core.attention.language_model import model_program
from core.attention.setups import ASKING_TEXT, DEFAULT_TEXT
from core.attention.sublayers import EPSILON
from core.attention.tokens import SHORT, few_enough, tokenise
from core.chapters.block.depth import (
    BY_HAND,
    DEEPEST,
    DROPPED,
    MATRICES,
    MATRIX,
    RESIDUAL,
    depth_family,
    depth_program,
    depths,
    power_rows,
)
from core.chapters.block.dropout import (
    MOST_DRAWS,
    RATE,
    dropout_family,
    dropout_program,
    last_row,
)
from core.chapters.block.eight_numbers import (
    NUMBERS,
    eight_numbers,
    moved_by_epsilon,
    norm_program,
)
from core.chapters.block.moved import Part, boxes, check_token, moved_rows
from core.chapters.block.questions import BLOCK_QUESTIONS
from core.chapters.block.stack import (
    LAYERS,
    LIKE,
    MASK,
    NORM,
    UNITS,
    block_family,
    kind_of,
)
from core.program.labels import listed, token_labels
from core.program.operation import number_text
from core.program.rounding import cell_text, decimal_text, typeset
from core.program.trace import Trace
from ui.asking import ask_each
from ui.chart import draw_chart
from ui.charts.block import depth_figure
from ui.code import in_code
from ui.exhibit import draw_exhibit, exhibit_keys
from ui.fallback import link_that_fits, what_works
from ui.fold import fold
from ui.fragments import fragment
from ui.frame import frame
from ui.layer_diagram import layer_diagram
from ui.links import SENTENCE, Key, Keys, one_of, short_sentence, whole
from ui.prose import cell_number, say, say_drawn
from ui.selection import go
from ui.session import KEPT, open_link, put, save_link, say_messages
from ui.text import markdown_table, token_text
from ui.tiny_model import MODEL_KEYS, tiny_model
from ui.toggles import chosen, toggle_keys
from ui.walk import way_on

HEADS = 2
OPENING = "attn_1"
DRAWS = 20  # from which one may choose
PARTS = {
    "deep": "Many layers", "norm": "A norm by hand", "dropout": "Dropout",
    "translator": "Encoder and decoder", "model": "A whole tiny model",
}  # fmt: skip
ASKS = {"block_written": "the translation"}
KEYS: Keys = {
    "block_text": Key(DEFAULT_TEXT, short_sentence, SENTENCE),
    **toggle_keys(NORM, UNITS, LAYERS, MASK),
    **exhibit_keys(
        block_program(Kind(POST, "relu"), 1), OPENING, "block_", HEADS, LIKE, left_out="normed_1a"
    ),
    "block_changed": Key(1, whole(1, SHORT)),
    "block_part": Key("deep", one_of(*PARTS)),
    **MODEL_KEYS,
    "block_written": Key(ASKING_TEXT, short_sentence),
    **exhibit_keys(encoder_decoder_program(), "weights_3", "block_two_", HEADS),
    **toggle_keys(RESIDUAL, MATRIX),
    **exhibit_keys(depth_program(True), f"x_{DEEPEST}", "block_depth_", 1, r"(Jx|x)_\d+"),
    **exhibit_keys(norm_program(), "mean", "block_eight_", 1),
    **toggle_keys(RATE),
    "block_draw": Key(4, whole(1, DRAWS)),
    **exhibit_keys(dropout_program(0.2), "dropped", "block_drop_", 1),
}
FITTING = {"block_changed": "the token to change", "block_text": "the sentence"}


def fits(block_changed: int, block_text: str) -> str:
    """The sentence, where it is short and has the token to change. Raises `InputError`."""
    check_token(block_changed, len(tokenise(few_enough(block_text))))
    return block_text


def anew() -> None:
    """Another sentence may not have that many tokens."""
    put(block_changed=1)


@fragment
def layer(text: str) -> None:
    """The boxes of a layer, the rows that one token moves in each, and every step of it."""
    family = block_family(text)
    now = chosen(family)
    trace, kind = family.run(**now), kind_of(now)
    labels = token_labels(trace.tokens)
    at = st.session_state.block_changed - 1
    layer_diagram(
        "block_board", labels, boxes(kind, text), at,
        lambda token: st.session_state.update(block_changed=token + 1),
    )  # fmt: skip
    say(
        "**Try it.** Press a token: its row is turned around. Then press a box, and see below how "
        "it is computed."
    )
    say_moved(labels, at, kind.mask == "causal")
    draw_exhibit(trace, (OPENING, (len(trace.tokens) - 1, 0)), KEYS, "block_", family=family)
    layers = int(now[LAYERS.key])
    if layers > 1:
        st.caption(
            f"Each layer has weights of its own: seeds 0 to {layers - 1}. Open a layer to see its "
            "steps."
        )
    with fold("Box by box: which rows move", "moved", KEYS):
        say_parts(moved_rows(kind, text, at), labels, at)
    with fold("Why blocks can be stacked", "stacked", KEYS):
        say_spread(trace, kind.norm == POST, layers)
    save_link(KEYS)


def say_spread(trace: Trace, post: bool, layers: int) -> None:
    """What the rows look like after the last layer, and where the norm stands."""
    last, name = len(trace.tokens) - 1, f"H_{layers}"
    row = listed([cell_number(trace, name, (last, m)) for m in range(trace[name].shape[1])])
    token = token_text(token_labels(trace.tokens)[last])
    where = (
        "The norm comes after each sum, so whatever was added, each row leaves the layer with mean "
        "0 and [variance](#term-variance) 1, or nearly so."
        if post
        else "The norm stands before each part, and the sum itself is never normalised: what came "
        "in goes straight through all layers, and each part adds to it."
    )
    say(
        f"**What to notice.** {trace['X'].shape[0]} rows of {trace['X'].shape[1]} numbers come in, "
        f"and as many go out: so blocks can be stacked. {where} After "
        f"{'one layer' if layers == 1 else f'{layers} layers'} the row of {token} is {row}."
    )


def say_moved(labels: list[str], at: int, causal: bool) -> None:
    """Where rows move that are not the token's own."""
    token = token_text(labels[at])
    sees = (
        f"those that see {token}: its own and the later ones"
        if causal
        else f"all that see {token}, and without a mask every token does"
    )
    say(
        f"**What to notice.** Attention moves {sees}. Sums, layer norms and the feed-forward net "
        f"work on one row at a time: given another row of {token}, they make another row of "
        f"{token} and of no other token. All that tokens learn of each other comes by attention."
    )


def say_parts(found: Sequence[Part], labels: list[str], at: int) -> None:
    """Part by part: which rows are others."""

    def told(moved: Sequence[bool]) -> str:
        if all(moved) and len(moved) > 1:
            return "every row"
        return ", ".join(labels[n] for n, row in enumerate(moved) if row)

    head = ["part", f"this part alone, given another row of {labels[at]}", "in this block"]
    rows = [[part.name, told(part.alone), told(part.inside)] for part in found]
    say(markdown_table(head, rows))


@fragment
def parts(text: str) -> None:
    """What else there is to a layer, one thing at a time."""
    st.segmented_control(
        "What to look at", PARTS, key="block_part", required=True, format_func=PARTS.__getitem__,
        label_visibility="collapsed", **KEPT,
    )  # fmt: skip
    part = st.session_state.block_part
    if part == "model":
        tiny_model(KEYS)
    elif part == "translator":
        translating(text)
    elif part == "deep":
        deep()
    elif part == "norm":
        norm_by_hand()
    else:
        dropping(text)
    save_link(KEYS)


@fragment
def translating(read: str) -> None:
    """Two sentences through an encoder and a decoder of one layer each."""
    say(
        "**Two stacks of blocks.** The transformer was made for translating. Its "
        "[encoder](#term-encoder) reads the sentence to translate, without a mask. Its "
        "[decoder](#term-decoder) reads what it has written so far under the causal mask, then "
        "the rows that the encoder made ([cross-attention](#term-cross-attention)), and has a "
        "feed-forward net. GPT is a decoder without the part in between, BERT is an encoder."
    )
    st.text_input("The translation so far", key="block_written", width=360, **KEPT)
    write = what_works(ASKS, KEYS, lambda block_written: few_enough(block_written)).made
    trace = encoder_decoder_program().run(encoder_decoder_inputs(write, read))
    say_drawn(trace)
    queries, keys = trace["weights_3"].shape[1:]
    draw_exhibit(trace, ("weights_3", (0, queries - 1, 0)), KEYS, "block_two_")
    say(
        f"**What to notice.** In the decoder attention stands twice: once {queries} × {queries}, "
        f"lower left corner alone, and once {queries} × {keys}, nothing hidden. The rows that the "
        "encoder made are computed once and read at every step of writing, by every layer of the "
        "decoder. A later token of the translation changes no earlier row; any token of the "
        "sentence that is read may change them all."
    )
    save_link(KEYS)


@fragment
def dropping(text: str) -> None:
    """The weights of a sentence in one draw of dropout, and on average."""
    say(
        "In training, [dropout](#term-dropout) on the weights leaves each of them out with "
        "probability $p$, by itself, and divides those that stay by $1 - p$. So no token can "
        "count on one other alone. Each step of training draws anew; when the model is used, "
        "nothing is left out."
    )
    draw = st.slider("Draw", 1, DRAWS, key="block_draw", width=260, **KEPT)
    family = dropout_family(text, draw)
    now = chosen(family)
    trace, rate = family.run(**now), float(now[RATE.key])
    say_drawn(trace)
    draw_exhibit(
        trace, ("dropped", (0, len(trace.tokens) - 1, 0)), KEYS, "block_drop_", family=family
    )
    row, labels = last_row(trace, rate), token_labels(trace.tokens)
    numbers = zip(labels, row.weights, row.dropped, row.mean, strict=True)
    table = [[label, *(typeset(cell_text(x)) for x in three)] for label, *three in numbers]
    head = ["token", "weight", "in this draw", f"mean of {MOST_DRAWS:,} draws"]
    with st.container(key="beside_dropped"):
        say(f"**What {token_text(labels[-1])} reads from each token:**")
        say(markdown_table(head, table))
        say(
            f"**What to notice.** In draw {draw}, {row.left_out} of {len(labels)} weights of this "
            f"row are left out, and the row adds up to {typeset(cell_text(row.total))}. Over "
            f"{MOST_DRAWS:,} draws the mean differs from the weights by "
            f"{typeset(cell_text(row.apart))} at most, and over all possible ones by nothing: "
            "$E[A'] = A$. So nothing need be changed when dropout is switched off."
        )
    save_link(KEYS)


@fragment
def deep() -> None:
    """A row through many layers, with what came in kept or not."""
    say(
        "**Why keep what came in?** "
        "Here a layer is as simple as can be: a row times a matrix $J$, again and again. "
        "Without a residual, $n$ layers make $x J^n$ of a row $x$; with one, $x (I + J)^n$."
    )
    family = depth_family()
    now = chosen(family)
    found = depths(MATRICES[now[MATRIX.key]])
    draw_chart(depth_figure(found.dropped, found.kept), "block_sizes")
    start, *rows = power_rows()
    say(
        f"**The power method by hand.** Multiply {start} by {MATRIX.options[BY_HAND]} again and "
        f"again, and drop what came in. You get {listed(rows)}: each row is nearer to the "
        "direction (1, 1) than the one before."
    )
    st.button("Show these rows on the stage", key="block_by_hand", on_click=show_by_hand)
    draw_exhibit(family.run(**now), (f"x_{DEEPEST}", (0, 0)), KEYS, "block_depth_", family=family)
    dropped, kept = (typeset(cell_text(sizes[-1])) for sizes in (found.dropped, found.kept))
    first = typeset(cell_text(found.kept[0]))
    left = (
        "of what came in nearly nothing is left"
        if found.lost
        else f"it began with {first}, and this $J$ makes rows longer"
    )
    added = (
        "what came in is still there, and each layer has added a little"
        if found.gentle
        else "each layer has added more than the one before"
    )
    say(
        f"**What to notice.** After {DEEPEST} layers $J^n$ has size {dropped}: {left}. "
        f"$(I + J)^n$ has size {kept}, and began with {first}: {added}. Sums may go on growing. A "
        "norm after each sum stops that; a norm before each part leaves the sum as it is, and only "
        "puts what the part reads on one scale. Kept, the two features come closer to each other "
        "with each layer: powers of a matrix turn a row towards the direction of its largest "
        "eigenvalue (the power method), so many equal layers would make all rows alike. Real "
        "layers differ."
    )
    save_link(KEYS)


def show_by_hand() -> None:
    """Send the stage to the first row of the power method by hand."""
    put(**{MATRIX.key: BY_HAND, RESIDUAL.key: DROPPED})
    go("x_1", "block_depth_")
    put(block_depth_cell="x_1.0.0")


@fragment
def norm_by_hand() -> None:
    """Eight numbers through a layer norm."""
    trace = eight_numbers()
    say(
        "**A [layer norm](#term-layer-norm) by hand.** Take eight numbers: "
        f"{listed([f'{number:g}' for number in NUMBERS])}. Four steps bring them to mean 0 and "
        "[variance](#term-variance) 1."
    )
    draw_exhibit(trace, ("mean", (0, 0)), KEYS, "block_eight_")
    (mean,), (variance,) = trace["mean"][0], trace["variance"][0]
    moved = typeset(decimal_text(moved_by_epsilon(), 4))
    say(
        f"**What to notice.** The mean is {typeset(cell_text(mean))}, and the variance is "
        f"{typeset(cell_text(variance))}. The row becomes "
        f"{listed([typeset(cell_text(number)) for number in trace['normed'][0]])}. Before the root "
        f"is taken, ε = {typeset(number_text(EPSILON))} is added to the variance, so that a row of "
        f"equal numbers is not divided by 0. Here ε changes no number by more than {moved}."
    )
    save_link(KEYS)


frame(
    "block",
    "The transformer block: what else is in a layer?",
    "A model is many [transformer blocks](#term-transformer-block), one on the other. In each, "
    "[attention](#term-attention) lets [tokens](#term-token) read from each other. "
    "[Feed-forward](#term-feed-forward) net, [residual](#term-residual) sums and "
    "[layer norms](#term-layer-norm) work on each row by itself.",
)
open_link("block", KEYS, link_that_fits(FITTING, KEYS, fits))
say_messages()
st.text_input("Sentence", key="block_text", width=360, on_change=anew, **KEPT)
SHOWN = what_works(FITTING, KEYS, fits).made
layer(SHOWN)
say_drawn(block_family(SHOWN).run())
st.header("More of a layer, and a whole model", anchor=False)
parts(SHOWN)
ask_each(BLOCK_QUESTIONS, "block")
in_code(
    block_program,
    model_program,
    encoder_decoder_program,
    depth_program,
    origin="The block with the norm after the sum: Vaswani et al. (2017), section 3. Norm first: "
    "GPT-2 (Radford et al. 2019), studied by Xiong et al. (2020). Layer norm: Ba, Kiros and Hinton "
    "(2016). Residual connections: He et al. (2016). Dropout: Srivastava et al. (2014). "
    "[GELU](#term-gelu): Hendrycks and Gimpel (2016). Encoder and decoder: Vaswani et al. (2017). "
    "A language model of blocks: Radford et al. (2018, 2019). Induction heads: Elhage et al. "
    "(2021), Olsson et al. (2022).",
    step="output",
    exhibit="block_",
)
way_on(
    "block",
    "A block mixes rows in one place, attention; all else works on each row by itself. Rows keep "
    "their number of features, so blocks stack, and sums let what came in pass through all of "
    "them.",
)
save_link(KEYS)
