"""The sentence of this chapter: one head reads it, with matrices made by hand or drawn.

By hand they are head 1 of the opening example, in which *bank* looks for a word that tells its
meaning. So every kind of weights can be asked the same: does *bank* read *river*? Of its values
here are the two features that tell: a state of keys times values has room for no more.
"""

from dataclasses import dataclass, replace
from functools import cache, lru_cache

from core.attention.examples import river_bank_story
from core.attention.examples.presets import OPENING, preset
from core.attention.inputs import toy_inputs
from core.attention.phases import CAUSAL_RULE, EMBED, PROJECT, SCALE, SCORE, SOFTMAX, WEIGH
from core.attention.program import attention_program
from core.attention.tokens import few_enough
from core.program.families import Toggle
from core.program.inputs import Inputs
from core.program.program import Program
from core.texts import core_texts

TEXTS = core_texts("other_kinds")
D_MODEL, D_K, D_V = 4, 2, 2
"""The sizes of drawn matrices; by hand d_v is the same."""
BY_HAND, DRAWN = "hand", "drawn"
_MADE = {BY_HAND: TEXTS("made_by_hand"), DRAWN: TEXTS("drawn_at_random")}
MATRICES = Toggle("kinds_matrices", TEXTS("matrices"), _MADE, BY_HAND, of_page=True)


def sentence_inputs(text: str, matrices: str) -> Inputs:
    """X, W_Q, W_K and W_V of one head. Raises `InputError`."""
    few_enough(text)
    if matrices == DRAWN:
        made = toy_inputs(text, heads=1, d_model=D_MODEL, d_k=D_K, d_v=D_V)
    else:
        example = preset(OPENING).on(text).inputs()
        made = replace(example, labels={"m": example.labels["m"]})
    head = {name: made[name][:1] for name in ("W_Q", "W_K")}
    return replace(made, arrays={"X": made["X"], **head, "W_V": made["W_V"][:1, :, :D_V]})


@cache
def one_head_program() -> Program:
    """Causal attention of one head, down to what it reads: softmax(mask(Q Kᵀ / √d_k)) V."""
    base = attention_program(heads=1)
    kept = ("Q", "K", "V", "scores", "scaled", "mask", "masked", "weights", "context")
    return replace(
        base,
        inputs=tuple(one for one in base.inputs if one.name != "W_O"),
        steps=tuple(base.step[name] for name in kept),
        phases=(EMBED, PROJECT, SCORE, SCALE, CAUSAL_RULE, SOFTMAX, WEIGH),
    )


@dataclass(frozen=True)
class FirstLook:
    """Where one looks first: the token that reads, the key that it looks for, and a feature.

    It is the feature that the key's value is largest in.
    """

    reader: int
    key: int
    feature: int
    is_open: bool
    """Whether the reader is open in meaning."""


@lru_cache(maxsize=32)
def first_look(text: str, matrices: str) -> FirstLook:
    """By hand, the word that is open in meaning and the key that its query scores highest.

    If there is none, the last token, the first one, and its first feature. Raises `InputError`.
    """
    trace = one_head_program().run(sentence_inputs(text, matrices))
    found = river_bank_story.opening(trace) if matrices == BY_HAND else None
    if found is None:
        return FirstLook(len(trace.tokens) - 1, 0, 0, is_open=False)
    return FirstLook(*found, int(trace["V"][0, found[1]].argmax()), is_open=True)
