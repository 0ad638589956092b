"""The phases in which attention is taught: what each is for, and what to look at in it.

What is said holds for any sentence and any matrices; if it depends on the mask, the scale or the
number of heads, these say it.
"""

from dataclasses import replace

from core.attention.masks import Rule
from core.program.described import phase
from core.program.numbers.rounding import typeset
from core.program.steps import Phase
from core.texts import core_texts

TEXTS = core_texts("attention")
EMBED = phase(TEXTS, "embed", ("X",))
PROJECT = phase(TEXTS, "project", ("Q", "K", "V"), defines=True)
SCORE = phase(TEXTS, "score", ("scores",))
SCALE = phase(TEXTS, "scale", ("scaled",))
SOFTMAX = phase(TEXTS, "softmax", ("weights",))
WEIGH = phase(TEXTS, "mix", ("context",))
JOIN = phase(TEXTS, "join", ("concat", "output"), before="X")
_ONE_HEAD = replace(JOIN, words=TEXTS("one_head_words"))
_UNSCALED = replace(SCALE, summary=TEXTS("unscaled_summary"), words=TEXTS("unscaled_words"))
HIDDEN = TEXTS("hidden")
_MASK = Phase(TEXTS("mask_title"), ("mask", "masked"), TEXTS("mask_summary"), words=HIDDEN)
CAUSAL_RULE = replace(
    _MASK, title=TEXTS("causal_title"), words=TEXTS("causal_words", hidden=HIDDEN)
)
_UNMASKED = replace(_MASK, summary=TEXTS("unmasked_summary"), words=TEXTS("unmasked_words"))
_OF_KIND = {"causal": CAUSAL_RULE, "none": _UNMASKED}
"""The masking phase of kinds that have words of their own."""
OPEN = replace(_MASK, summary=TEXTS("open_summary"), words=TEXTS("open_words"))
PHASES = (EMBED, PROJECT, SCORE, SCALE, CAUSAL_RULE, SOFTMAX, WEIGH, JOIN)


def phases(rule: Rule, scale: bool | float = True, heads: int = 2) -> tuple[Phase, ...]:
    """Return the phases, with what these settings do in them."""
    scaling = SCALE if scale is True else _scaled_by(scale)
    joined = JOIN if heads > 1 else _ONE_HEAD
    return (EMBED, PROJECT, SCORE, scaling, _masking(rule), SOFTMAX, WEIGH, joined)


def _scaled_by(factor: bool | float) -> Phase:
    if not factor:
        return _UNSCALED
    text = typeset(f"{factor:.10g}")
    summary = TEXTS("scaled_by_summary", factor=text)
    return replace(SCALE, summary=summary, words=TEXTS("scaled_by_words", factor=text))


def _masking(rule: Rule) -> Phase:
    if rule.name in _OF_KIND:
        return _OF_KIND[rule.name]
    return replace(_MASK, words=TEXTS("rule_words", sees=rule.summary, hidden=HIDDEN))
