"""The same tokens under several encodings of position: causal attention of two heads.

sinusoidal: sines and cosines of position times frequency are added to X (Vaswani et al. 2017,
section 3.5; the paper takes sine and cosine in turn, here all sines come before all cosines).
learned: a table with a row for each position is added. RoPE: pairs of features of Q and K are
turned by position times frequency (Su et al. 2021). ALiBi: slope times distance is subtracted from
the scaled scores (Press et al. 2022). Positions count from 0.
"""

from functools import lru_cache

from core.attention import cell_descriptions as describe
from core.attention.axes import AXES
from core.attention.inputs import toy_inputs
from core.attention.masks import Rule
from core.attention.phases import CAUSAL_RULE, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.tokens import few_enough, tokenise
from core.chapters.word_order import encoding_meanings as means
from core.chapters.word_order import encoding_parts as parts
from core.chapters.word_order.encoding_inputs import D_MODEL, HEADS, encoding_inputs
from core.operations.masking import mask_fill, visible
from core.operations.products import matmul, matmul_transposed
from core.operations.scores import divide_by_root
from core.operations.softmax import softmax
from core.program.axes import Axis
from core.program.families import Built, Family, Options, Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.program.reading import weight_percent
from core.program.steps import Input, Step
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("word_order")
ENCODING = Toggle(
    "order_encoding",
    TEXTS("encoding"),
    {
        "none": TEXTS("none"),
        "sinusoidal": TEXTS("sinusoidal"),
        "learned": TEXTS("learned"),
        "rope": "RoPE",
        "alibi": "ALiBi",
    },
    "sinusoidal",
    shows={
        "none": "scores",
        "sinusoidal": "PE",
        "learned": "X_pos",
        "rope": "Q_rot",
        "alibi": "biased",
    },
)
ADDED_LIKE = (
    "PE|PE_dot|X_pos|places|frequency|angles|sines|cosines|quarter|[QK]_(right|rot)|slope|distance"
    "|penalty|biased"
)
"""The names of the arrays that some encodings add, as a regular expression."""


@lru_cache(maxsize=8)
def encoding_program(kind: str) -> Program:
    """Return causal attention with one of the position encodings."""
    none = parts.EncodingPart()
    added = {"sinusoidal": parts.sinusoids(), "learned": parts.position_table()}.get(kind, none)
    turned = parts.rotation() if kind == "rope" else none
    biased = parts.distance_bias() if kind == "alibi" else none
    source = "X_pos" if added.steps else "X"
    query, key = ("Q_rot", "K_rot") if turned.steps else ("Q", "K")
    last = "biased" if biased.steps else "scaled"
    rule = Rule("causal")
    inputs = (
        Input("X", "i m", describe.X),
        *added.inputs,
        Input("W_Q", "h m k", means.weight_of("query"), role="query"),
        Input("W_K", "h m k", means.weight_of("key"), role="key"),
        Input("W_V", "h m v", means.weight_of("value"), role="value"),
        *turned.inputs,
        *biased.inputs,
    )
    dot, mix = matmul_transposed("h i k, h j k -> h i j"), matmul("h i j, h j v -> h i v")
    steps = (
        *added.steps,
        _projected("Q", "i", "k", source, "query"),
        _projected("K", "j", "k", source, "key"),
        _projected("V", "j", "v", source, "value"),
        *turned.steps,
        Step("scores", dot, (query, key), means.of_pair("score")),
        Step("scaled", divide_by_root(), ("scores", "K"), means.of_pair("scaled")),
        *biased.steps,
        Step("mask", visible(rule), (last,), describe.mask(rule)),
        Step("masked", mask_fill(), (last, "mask"), means.of_pair("masked")),
        Step("weights", softmax(), ("masked",), means.of_pair("weight"), "weights"),
        Step("context", mix, ("weights", "V"), means.feature_of_token("context", "i")),
    )
    before = (EMBED, *added.phases, PROJECT, *turned.phases, SCORE, SCALE, *biased.phases)
    axes = {**AXES, "p": Axis("frequency"), **parts.TURNED_AXIS}
    phases = (*before, CAUSAL_RULE, SOFTMAX, WEIGH)
    return Program(inputs, steps, phases, {"h": HEADS, "o": 1}, axes)


def _projected(name: str, token: str, feature: str, source: str, role: str) -> Step:
    """The step that makes Q, K or V out of X."""
    product = matmul(f"{token} m, h m {feature} -> h {token} {feature}")
    return Step(name, product, (source, f"W_{name}"), means.feature_of_token(role, token), role)


def farthest_weights(trace: Trace) -> list[str]:
    """Return for each head the weight that the last token gives the first one, in percent."""
    return [weight_percent(weight) for weight in trace["weights"][:, -1, 0]]


def encoding_family(text: str) -> Family:
    """Return the runs of a sentence, one for each encoding. Raises `InputError`."""
    tokens = tokenise(few_enough(text))
    toy = toy_inputs(text, heads=HEADS, d_model=D_MODEL)
    given = {name: toy[name] for name in ("X", "W_Q", "W_K", "W_V")}

    def build(options: Options) -> Built:
        kind = options[ENCODING.key]
        more = encoding_inputs(kind, len(tokens))
        return Built(encoding_program(kind), Inputs({**given, **more}, toy.tokens))

    return Family((ENCODING,), build, "order_told_", encoding_family)
