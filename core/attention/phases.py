"""The phases in which attention is taught: what each is for, and what to look at in it.

What is said holds for any sentence and any matrices; where it depends on the mask, the scale or
the number of heads, these say it.
"""

from dataclasses import replace

from core.attention.masks import Rule
from core.program.rounding import typeset
from core.program.steps import Phase

EMBED = Phase(
    "Embed", ("X",), "One row of numbers for each token.",
    words="A token is a piece of the text: here a word, a mark or a single character. A model "
    "computes with numbers, so each token stands for a row of them, its embedding. Here no row has "
    "been mixed with another yet: that is what the next steps are for. Point at a number to see "
    "what it feeds; click it for its arithmetic.",
)  # fmt: skip
PROJECT = Phase(
    "Project to Q, K, V", ("Q", "K", "V"), "Three views of each token.", defines=True,
    words="Each token's row is multiplied by W_Q, W_K and W_V, the same matrices for every token. "
    "Its query is what it looks for, its key what it can be found by, its value what it hands "
    "over. A real model learns these matrices; before training they are random.",
)  # fmt: skip
SCORE = Phase(
    "Score every pair", ("scores",), "Each query meets each key: a dot product.",
    words="Row i, column j is the dot product of query i and key j: above 0 where they point in "
    "similar directions, below 0 where they point apart, further from 0 for longer ones. Point at "
    "a score to see the row and the column that make it.",
)  # fmt: skip
SCALE = Phase(
    "Scale the scores", ("scaled",), "Keep their spread the same for any d_k.",
    words="A dot product adds up d_k terms, so the more features, the wider scores spread; softmax "
    "would then give nearly all to one key. Dividing by √d_k takes that spread out again. It "
    "changes no order: the largest score of a row is still the largest.",
)  # fmt: skip
SOFTMAX = Phase(
    "Softmax", ("weights",), "Each row of scores becomes shares of 1.",
    words="Softmax takes e to each score and divides it by the sum of these over the row. The "
    "shares are never negative, and in a row they add up to 1 (all are 0 where it sees no key). "
    "In a row, a larger score never has a smaller share.",
)  # fmt: skip
WEIGH = Phase(
    "Weigh the values", ("context",), "Each token reads a mixture of value rows.",
    words="Here each token reads: its row of context is the rows of V, each times its weight, "
    "added up. A key with weight 0 hands over nothing. Point at an entry to see the "
    "weights and values that it is made of.",
)  # fmt: skip
JOIN = Phase(
    "Join the heads", ("concat", "output"), "Heads side by side, mixed by W_O.",
    words="Each head has read in its own way. Their results stand side by side in concat, and W_O "
    "mixes them into rows as wide as those of X: what this layer hands on for each token.",
)  # fmt: skip
_ONE_HEAD = replace(
    JOIN,
    words="With a single head there is nothing to join: concat is its context. W_O mixes the "
    "features of each row into one as wide as a row of X: what this layer hands on for each token.",
)  # fmt: skip
_UNSCALED = replace(
    SCALE, summary="Off: the scores pass as they are.",
    words="The more features queries and keys have, the wider their "
    "dot products spread, and softmax of a wide row gives nearly all to one key. Switch the scale "
    "on to compare.",
)  # fmt: skip
HIDDEN = (
    "A hidden score becomes −∞, drawn hatched. Its exponential is 0: softmax gives its key no "
    "weight at all."
)
_MASK = Phase("Mask", ("mask", "masked"), "A hidden key's score becomes −∞.", words=HIDDEN)
CAUSAL = replace(
    _MASK, title="Mask the future",
    words=f"A language model learns to predict the next token, so none may read from later ones: "
    f"all to the right of the diagonal is the future. {_MASK.words}",
)  # fmt: skip
_UNMASKED = replace(
    _MASK, summary="Off: every key is visible.",
    words="Every token may read from every other, later ones too, as where a whole text is known. "
    "A model that writes from left to right may not: switch the mask to causal to hide the future.",
)  # fmt: skip
OPEN = replace(
    _MASK, summary="Nothing is hidden.",
    words="The sentence that is read is known as a whole, so each of its tokens may be read by "
    "each that asks. In a decoder that reads itself the future is hidden.",
)  # fmt: skip
PHASES = (EMBED, PROJECT, SCORE, SCALE, CAUSAL, SOFTMAX, WEIGH, JOIN)


def phases(rule: Rule, scale: bool | float = True, heads: int = 2) -> tuple[Phase, ...]:
    """The phases, with what these settings do in them."""
    scaling = SCALE if scale is True else _scaled_by(scale)
    joined = JOIN if heads > 1 else _ONE_HEAD
    return (EMBED, PROJECT, SCORE, scaling, _masking(rule), SOFTMAX, WEIGH, joined)


def _scaled_by(factor: bool | float) -> Phase:
    if not factor:
        return _UNSCALED
    return replace(
        SCALE, summary=f"Times {_written(factor)}, as was chosen.",
        words=f"Every score is multiplied by {_written(factor)}, in place of 1/√d_k, and so is "
        "every difference between two scores. The largest score of a row is still the largest.",
    )  # fmt: skip


def _written(factor: float) -> str:
    return typeset(f"{factor:.10g}")


def _masking(rule: Rule) -> Phase:
    if rule.name == "causal":
        return CAUSAL
    if rule.name == "none":
        return _UNMASKED
    return replace(_MASK, words=f"{rule.sees}. {_MASK.words}")
