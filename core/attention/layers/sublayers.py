"""How the parts of a transformer layer are put together: attention that opens, and residuals.

`row_norms` and `feed_forward` of this folder have the other parts; `block` and `encoder_decoder`
stack them. Parts are numbered, and so are the names of their arrays: `1`, and `1a`, `1b` of norms.
"""

from collections.abc import Sequence
from dataclasses import replace

from core.attention.description_helpers import token_feature
from core.attention.layers.layer import Named
from core.attention.phases import PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.operations.sums import add
from core.program.described import phase
from core.program.steps import Phase, Step
from core.texts import core_texts

TEXTS = core_texts("layers")


def numbered(part: str) -> Named:
    """Names of the arrays of a part: Q of part 1 is Q_1."""
    return lambda name: f"{name}_{part}"


def residual(name: str, kept: str, more: str, id: str, i: str = "i") -> Step:
    """The input of a part plus its result; the text `id` says which part.

    `i` is the letter of the rows' positions.
    """
    axes = f"{i} m"
    return Step(name, add("i m, i m -> i m"), (kept, more), token_feature(id, axes), axes=axes)


def attention_phase(
    part: str, masking: Phase, *before: Phase, title: str = "", words: str = ""
) -> Phase:
    """Attention as one stop that opens; `before` are phases in place of that of projecting."""
    stops = (*(before or (PROJECT,)), SCORE, SCALE, masking, SOFTMAX, WEIGH)
    return opened_attention(numbered(part), stops, title=title, words=words)


def opened_attention(
    named: Named, stops: Sequence[Phase], *, title: str = "", words: str = ""
) -> Phase:
    """Attention as one stop that opens into these, and into joining and mixing the heads."""
    joining = phase(TEXTS, "join", ("concat",))
    mixing = phase(TEXTS, "mix", ("attn",), defines=True)
    inner = tuple(
        replace(stop, names=tuple(map(named, stop.names))) for stop in (*stops, joining, mixing)
    )
    return Phase(
        title or TEXTS("attention"), (named("attn"),), TEXTS("attention_summary"), defines=True,
        shows=(named("weights"), named("attn")), phases=inner,
        words=words or TEXTS("attention_words"),
    )  # fmt: skip


def residual_phase(result: str, id: str) -> Phase:
    """A residual connection, the first, second or third: `add`, `add_again` or `add_third`."""
    return Phase(
        TEXTS(id), (result,), TEXTS(f"{id}_summary"), defines=True, words=TEXTS("residual_words")
    )
