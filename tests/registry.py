"""Every program of the product, with real numbers to run it on: what `test_registry.py` checks.

An entry's inputs are drawn, so that nothing is equal by chance. A page whose program is not here,
or an operation that no entry uses, turns a test red.
"""

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from core import attention_program
from core.attention.attention_mistakes import MISTAKES
from core.attention.block import POST, PRE, Kind, block_program
from core.attention.decoding import decoding_program
from core.attention.encoder_decoder import encoder_decoder_program
from core.attention.fused import fused_attention
from core.attention.gallery import masked_program
from core.attention.language_model import model_program
from core.attention.masks import GALLERY, Rule
from core.attention.setups import Setup
from core.attention.sublayers import UNITS
from core.chapters.attention_graph.crossing import cross_family, cross_program
from core.chapters.attention_graph.messages import graph_family, message_program
from core.chapters.attention_graph.reach import reach_family, reach_program
from core.chapters.block.depth import RESIDUAL, depth_family, depth_program
from core.chapters.block.dropout import RATE, dropout_family, dropout_program
from core.chapters.block.eight_numbers import norm_program
from core.chapters.block.stack import block_family
from core.chapters.block.tiny_model import model_family
from core.chapters.cost.batch import PACKED, PADDED, Packed, Padded, batch_family, batch_program
from core.chapters.debug_lab.lab import CASES
from core.chapters.dot_products.similarity import RULES, similarity_family, similarity_program
from core.chapters.dot_products.two_keys import dot_program
from core.chapters.heads.heads import grouped_program, heads_family, split_family, split_program
from core.chapters.one_query.cached import corner_family, writing_family
from core.chapters.one_query.growing import FIXED, fixed_family
from core.chapters.one_query.one_row import one_row_family, one_row_program
from core.chapters.one_query.through_time import influence_family, influence_program
from core.chapters.other_kinds.convolution import MIXER, mixing_family, mixing_program
from core.chapters.other_kinds.hopfield import hopfield_program
from core.chapters.other_kinds.linear import BRACKETS, FEATURES, linear_family, linear_program
from core.chapters.other_kinds.recall import BETAS, recall_family, recall_program
from core.chapters.other_kinds.scores import SCORES, scored_family, scored_program
from core.chapters.queries_keys_values.ladder import RUNGS, ladder_family, ladder_program
from core.chapters.queries_keys_values.lookup import lookup_family, lookup_program
from core.chapters.recursive_attention.schedules import (
    ring_family,
    streaming_family,
    tiles_family,
    workers_family,
)
from core.chapters.recursive_attention.shared_prefix import shared_program
from core.chapters.recursive_attention.tiles import Schedule, tiles_program
from core.chapters.recursive_attention.tree_program import (
    given_program,
    tree_family,
    tree_program,
)
from core.chapters.recursive_attention.trees import read_forest
from core.chapters.softmax.normalising import OVER, over_family, program_over
from core.chapters.softmax.shares import MADE, shares_family, shares_program
from core.chapters.why_mask.causality import (
    cheat_family,
    edit_family,
    gallery_family,
    with_additive_mask,
)
from core.chapters.why_scale.sentence import sentence_family as scaled_sentence_family
from core.chapters.word_order.encodings import ENCODING, encoding_family, encoding_program
from core.chapters.word_order.shuffled import shuffled_family, shuffled_program
from core.chapters.words.average import mean_family, mean_program
from core.chapters.words.context import bank_family
from core.chapters.words.neighbours import reading_family, reading_program
from core.chapters.words.vectors import table_program
from core.program.families import Family
from core.program.program import Program
from core.program.steps import Listing, Phase
from core.program.trace import Trace
from tests.core.properties import real_inputs
from tests.programs import linear_attention, nested_block, stacked_layers

SIZES = {"i": 3, "j": 3, "m": 4, "k": 2, "v": 2, "o": 1, "p": 3, "l": 2}
"""Small enough to try every cell; letters that a program fixes keep its sizes."""


SMALL = {"i": 2, "j": 2, "m": 2, "k": 1, "v": 1, "c": 1}


@dataclass(frozen=True, eq=False)
class Entry:
    """A program, and what to run it on."""

    program: Program
    sizes: Mapping[str, int] = field(default_factory=dict)
    mask: Callable[[int], np.ndarray] = lambda T: np.tri(T, dtype=bool)
    """What an input of booleans is, for so many tokens."""

    moves: tuple[str, ...] = ()
    """Only these arrays move with their sources, where beyond them numbers are lost in larger
    ones; none: all do."""

    positive: tuple[str, ...] = ()
    """Inputs that are not below 0."""

    most: float = 1e3
    """Inputs of this size at most, where e to larger ones is beyond float64."""

    def inputs(self, size: float = 0.9) -> dict[str, np.ndarray]:
        heads = self.program.sizes.get("h", 1)
        sizes = SIZES | {"c": heads * SIZES["v"]} | dict(self.sizes)
        arrays = real_inputs(self.program, sizes, spread=size)
        arrays |= {name: np.abs(arrays[name]) for name in self.positive}
        for given in self.program.inputs:
            if given.boolean:
                arrays[given.name] = self.mask(len(arrays[given.name]))
        return arrays

    def run(self, size: float = 0.9) -> Trace:
        return self.program.run(self.inputs(min(size, self.most)))


def padded(T: int) -> np.ndarray:
    """Causal, and the first token is hidden from all: its own row sees nothing."""
    mask = np.tri(T, dtype=bool)
    mask[:, 0] = False
    return mask


def _attention() -> dict[str, Entry]:
    return {
        "attention": Entry(attention_program()),
        "attention, shared keys": Entry(attention_program(heads=2, kv_heads=1), {"v": 3, "c": 6}),
        "attention, no mask, no scale": Entry(
            attention_program(heads=1, mask="none", scale=False), SMALL
        ),
        "attention, window": Entry(attention_program(heads=2, kv_heads=1, mask="window", window=2)),
        "attention, prefix, a number": Entry(attention_program(mask="prefix", scale=0.5)),
        "attention, empty row": Entry(attention_program(mask="custom"), mask=padded),
        "attention, drawn mask, no scale": Entry(
            attention_program(heads=1, mask="custom", scale=False)
        ),
        "attention, fused": Entry(fused_attention(2, 2), {"m": 4, "c": 4}),
        "attention, split by columns": Entry(
            fused_attention(2, 2, memory=False), {"m": 4, "c": 4}, mask=padded
        ),
    }


def _chapters() -> dict[str, Entry]:
    entries = {f"similarity, {rule}": Entry(similarity_program(rule)) for rule in RULES}
    entries |= {f"ladder, rung {n}": Entry(ladder_program(n)) for n in range(1, len(RUNGS) + 1)}
    entries["ladder, rung 1"] = Entry(ladder_program(1), {"k": 4, "v": 4})
    entries["lookup"] = Entry(lookup_program(2.0))
    entries["one query, two keys"] = Entry(dot_program())
    entries |= {
        f"shares, {made}, {temperature}{', moved' if adds else ''}": Entry(
            shares_program(made, temperature, adds),
            {"j": 4},
            moves=("moved",) if adds else ("portions",),
            most=100,
        )
        for made in MADE.options
        for temperature in (1.0, 2.0)
        for adds in (False, True)
    }
    entries["words looked up"] = Entry(table_program(), {"l": 4, "m": 3})
    entries["a mean with dials"] = Entry(mean_program(), {"j": 4, "v": 2}, positive=("dials",))
    entries["a mean with weights"] = Entry(reading_program(), positive=("weights",))
    entries |= {f"softmax over {over}": Entry(program_over(over), most=2) for over in OVER.options}
    entries |= {
        f"gallery, {name}": Entry(masked_program(Rule(name, 2)), SMALL | {"i": 4, "j": 4})
        for name in GALLERY
    }
    entries["additive mask"] = Entry(with_additive_mask(masked_program(Rule("causal")), 5.0))
    entries["four heads"] = Entry(grouped_program(4, 4), SMALL | {"c": 4})
    entries["shared among 8"] = Entry(grouped_program(8, 2), SMALL | {"c": 8})
    entries |= {
        f"split {'right' if right else 'wrong'}": Entry(split_program(right), {"m": 4, "c": 4})
        for right in (True, False)
    }
    return entries


BEFORE_IT_DROWNS = {"empty": ("Q", "K", "V", "scores", "scaled", "masked")}
"""A large negative number takes part in softmax, and drowns there."""


def _mistakes() -> dict[str, Entry]:
    entries = {}
    for name, case in CASES.items():
        entries[f"mistake, {name}"] = Entry(
            case.broken, {"m": 4, "c": 4}, padded, BEFORE_IT_DROWNS.get(name, ())
        )
    default = attention_program()
    entries |= {
        f"mistake, {name}, on the walkthrough": Entry(
            mistake.change(default), SMALL | {"c": 2}, moves=BEFORE_IT_DROWNS.get(name, ())
        )
        for name, mistake in MISTAKES.items()
        if not mistake.unfit(default)
    }
    return entries


def _through_time() -> dict[str, Entry]:
    entries = {
        "a decoder's step": Entry(decoding_program(2, 3), {"i": 1, "c": 4}),
        "a decoder's step, several new": Entry(decoding_program(2, 3), {"i": 2, "c": 4}),
        "a decoder's step, upper left": Entry(
            decoding_program(2, 3, upper_left=True), {"i": 2, "c": 4}
        ),
        "a map of fixed size": Entry(FIXED, {"m": 2, "p": 6, "q": 6}),
    }
    both = tuple(step.name for step in one_row_program(0).steps if step.name != "difference")
    entries |= {f"one query, {t}": Entry(one_row_program(t), moves=both) for t in (0, 2)}
    entries |= {
        f"shuffled, {mask}, {layers}": Entry(
            shuffled_program(mask, layers), SIZES | {"m": 2, "t": 3, "z": 3}
        )
        for mask in ("none", "causal")
        for layers in (1, 2)
    }
    sizes = {"i": 3, "j": 3, "m": 8, "k": 2, "l": 2, "v": 1}
    entries |= {
        f"encoded, {kind}": Entry(
            encoding_program(kind), sizes | {"p": 1 if kind == "alibi" else 4},
            moves=("Q", "K", "V", "scores", "scaled"),
        )
        for kind in ENCODING.options
    }  # fmt: skip
    entries |= {
        f"influence, {factor}": Entry(influence_program(float(factor)), SMALL | {"i": 4, "j": 4})
        for factor in ("0.5", "1.1")
    }
    return entries


def signature(program: Listing) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """What a program does, whatever its numbers: its steps, their operations and operands."""
    return tuple((s.name, type(s.operation).__name__, s.operands) for s in program.steps)


HALVES = read_forest("((1 2) 3)", 3)


def _in_pieces() -> dict[str, Entry]:
    """Trees and schedules; maxima and factors move with the largest score alone."""
    entries = {}
    for text in ("((1 2) (3 4))", "((1 2) (2 3 4))", "(1 2) 3 4"):
        program = given_program(read_forest(text, 4), 4)
        moving = tuple(name for name in program.step if name != "difference")
        entries[f"a tree, {text}"] = Entry(program, {"j": 4, "x": 1}, moves=moving)
    entries["a tree of a sentence"] = Entry(
        tree_program(HALVES, 3, 1, "causal"), moves=("s_row", "y_row", "s_12", "v_12", "s_123")
    )
    entries |= {
        f"a tree of a sentence, {mask}, token {at + 1}": Entry(
            tree_program(forest, 3, at, mask), moves=("s_row", "y_row")
        )
        for mask in ("causal", "none")
        for at in range(3)
        for forest in (read_forest("(1 2 3)", 3),)
    }
    for name, schedule in SCHEDULES.items():
        largest = ("m_", "c_", "P_", "l_", "kept_", "new_", "difference")
        program = tiles_program(schedule)
        moving = tuple(n for n in program.step if not n.startswith(largest))
        entries[f"tiles, {name}"] = Entry(program, moves=moving)
    for name, family in IN_PIECES.items():
        for values in itertools.product(*(toggle.options for toggle in family.toggles)):
            program = family.built(**dict(zip(family.toggle, values, strict=True))).program
            if signature(program) not in {signature(entry.program) for entry in entries.values()}:
                entries[f"{name}, {', '.join(values)}"] = Entry(
                    program, {"i": 2, "j": 2}, moves=("Q", "K", "V")
                )
    entries["a shared beginning"] = Entry(shared_program(), {"x": 2, "y": 2})
    return entries


IN_PIECES = {
    "tree": tree_family("a b", read_forest("(1 2)", 2)),
    "streaming": streaming_family("a b"),
    "tiles": tiles_family("a b"),
    "workers": workers_family("a b"),
    "ring": ring_family("a b"),
}
SCHEDULES = {
    "one block": Schedule((3,), (3,), (((0, 0),),), "Block"),
    "key by key": Schedule((3,), (1, 1, 1), (((0, 0),), ((0, 1),), ((0, 2),)), "Block"),
    "the last key first": Schedule((3,), (1, 1, 1), (((0, 2),), ((0, 1),), ((0, 0),)), "Block"),
    "two and one": Schedule((3,), (2, 1), (((0, 0),), ((0, 1),)), "Block"),
    "one and two": Schedule((3,), (2, 1), (((0, 1),), ((0, 0),)), "Block"),
    "square": Schedule((2, 1), (2, 1), (((0, 0),), ((0, 1),), ((1, 0),), ((1, 1),))),
    "square, causal": Schedule((2, 1), (2, 1), (((0, 0),), ((1, 0),), ((1, 1),))),
    "a ring": Schedule((2, 1), (2, 1), (((0, 0), (1, 1)), ((0, 1), (1, 0))), "Tick"),
}


def _graphs() -> dict[str, Entry]:
    """Messages to one node; where the mask is drawn, its first token is hidden from all."""
    made = ("Q", "K", "V", "scores", "scaled", "weights", "w_i", "message", "so_far", "y_i",
            "context", "row_i")  # fmt: skip
    entries = {
        f"messages, {name}": Entry(
            message_program(Rule(name, 2), 2, 3), SMALL | {"i": 3, "j": 3}, moves=made
        )
        for name in GALLERY
    }
    entries |= {
        f"messages, drawn, node {at + 1}": Entry(
            message_program(None, at, 3), SMALL | {"i": 3, "j": 3}, padded, moves=made
        )
        for at in (0, 2)
    }
    entries |= {
        f"paths of {layers} layers": Entry(reach_program(layers), {"i": 3, "j": 3})
        for layers in (2, 3, 4)
    }
    entries["two sentences"] = Entry(cross_program(), SMALL | {"i": 2, "j": 3})
    entries["two sentences, causal"] = Entry(cross_program("causal"), SMALL | {"i": 3, "j": 3})
    return entries


def _blocks() -> dict[str, Entry]:
    """Blocks; which units let a number pass depends on the number, and softmax drowns some."""
    sizes = {"i": 3, "j": 3, "m": 4, "k": 2, "v": 2, "c": 4, "f": 3, "o": 1}
    small = {"i": 2, "j": 2, "m": 3, "k": 1, "v": 1, "c": 2, "f": 2, "o": 1}
    entries = {
        f"block, {norm}, {unit}, {mask}, {layers}": Entry(
            block_program(Kind(norm, unit, mask), layers), sizes if layers == 1 else small,
            moves=("Q_1", "K_1", "V_1", "scores_1", "attn_1", "Z_1", "up_1", "H_1"),
        )
        for norm in (POST, PRE)
        for unit in UNITS
        for mask, layers in (("causal", 1), ("none", 2), ("causal", 3))
    }  # fmt: skip
    writing = {"i": 2, "j": 2, "m": 3, "k": 1, "v": 1, "c": 2, "f": 2, "o": 1, "l": 2}
    moved = ("embedded", "X", "Q_1", "K_1", "scores_1", "attn_1", "logits", "probs")
    entries |= {
        "a language model": Entry(model_program(1, 2), writing, moves=moved),
        "a language model of two layers": Entry(model_program(2, 2), writing, moves=moved),
        "a language model with a cache": Entry(
            model_program(2, 2, kept=2), writing | {"i": 1, "p": 2, "j": 3}, moves=moved
        ),
        "an encoder and a decoder": Entry(
            encoder_decoder_program(),
            writing | {"q": 2, "j": 2, "t": 2},
            moves=("Q_1", "attn_1", "Z_1", "H_1", "Q_3", "attn_3", "H_2"),
        ),
    }
    entries |= {
        f"dropout, {rate}": Entry(dropout_program(float(rate)), SMALL | {"i": 3, "j": 3})
        for rate in RATE.options
    }
    entries |= {
        f"a matrix again and again, {RESIDUAL.options[name]}": Entry(
            depth_program(name == "kept"), {"i": 1, "m": 2, "q": 2}
        )
        for name in RESIDUAL.options
    }
    entries["a layer norm by hand"] = Entry(norm_program(), {"i": 1, "m": 4})
    return entries


def _other_kinds() -> dict[str, Entry]:
    """A kernel's weights are given; attention by softmax stands elsewhere too."""
    sizes = SMALL | {"i": 3, "j": 3, "k": 2, "v": 2, "o": 1, "q": 3}
    entries = {
        f"linear, {brackets}, {features}": Entry(
            linear_program(brackets, features), sizes, moves=("Q", "K", "V")
        )
        for brackets in BRACKETS.options
        for features in FEATURES.options
    }
    entries |= {f"scored, {kind}": Entry(scored_program(kind), sizes) for kind in SCORES.options}
    entries |= {f"mixed by {kind}": Entry(mixing_program(kind), sizes) for kind in MIXER.options}
    rest = {"q": 4, "g": 4, "p": 2, "t": 1, "o": 1}
    entries["one update"] = Entry(hopfield_program(), rest)
    entries["one update of a picture"] = Entry(
        hopfield_program(pictures=True), rest | {"q": 8, "g": 8, "y": 1, "x": 8}
    )
    entries |= {f"recall, {beta}": Entry(recall_program(float(beta)), sizes) for beta in BETAS}
    return entries


def _batches() -> dict[str, Entry]:
    sizes = SMALL | {"i": 4, "j": 4, "k": 1, "c": 2}
    return {
        "padded": Entry(batch_program(Padded(PADDED, real=2), 0, 2), sizes),
        "packed": Entry(batch_program(Packed(PACKED, lengths=(1, 3)), 1, 3), sizes),
    }


def _to_come() -> dict[str, Entry]:
    return {
        "a running state": Entry(linear_attention()),
        "a running state, later rows": Entry(linear_attention(2), {"j": 5}),
        "layers of heads": Entry(stacked_layers()),
        "a block that opens": Entry(nested_block()),
    }


REGISTRY: Mapping[str, Entry] = (
    _attention()
    | _chapters()
    | _through_time()
    | _in_pieces()
    | _graphs()
    | _blocks()
    | _other_kinds()
    | _batches()
    | _mistakes()
    | _to_come()
)


FAMILIES: Mapping[str, Family] = {
    "walkthrough": Setup(text="a b c").family,
    "dot products": similarity_family("a b c"),
    "ladder": ladder_family("a b c"),
    "lookup": lookup_family(),
    "gallery": gallery_family("a b c", 2, np.tri(3, dtype=bool)),
    "edit": edit_family("a b c"),
    "cheat": cheat_family(),
    "scale": scaled_sentence_family("a b c"),
    "shares": shares_family([2, 1, 0, -1]),
    "a mean with dials": mean_family([1, 2, 3, 4]),
    "bank": bank_family(),
    "reading": reading_family(),
    "over which sum": over_family("a b c"),
    "heads": heads_family("a b c"),
    "split": split_family(),
    "writing": writing_family("a b c"),
    "one row": one_row_family("a b c"),
    "corner": corner_family(),
    "fixed": fixed_family(),
    "influence": influence_family(),
    **IN_PIECES,
    "batch": batch_family("a b c d"),
    "shuffled": shuffled_family("a b c"),
    "encoded": encoding_family("a b c"),
    "graph": graph_family("a b c", 2, np.tri(3, dtype=bool)),
    "reach": reach_family("a b c", 2),
    "block": block_family("a b c"),
    "depth": depth_family(),
    "dropout": dropout_family("a b c", 1),
    "model": model_family("a b a", {}),
    "crossing": cross_family("a b", "a b c"),
    "linear": linear_family("a b c"),
    "scored": scored_family("a b c"),
    "mixed": mixing_family("a b c"),
    "recall": recall_family(1),
}
"""What the pages' toggles lead to."""


SIGNATURES = {signature(entry.program) for entry in REGISTRY.values()}


def look_of(stop: Phase, program: Listing) -> tuple[object, ...]:
    """What decides how a stop is laid out: its arrays, without the number of a layer, and axes."""
    names = [re.sub(r"_\d+\w?$", "", name) for name in stop.names]
    return (*names, *(program.letters[name] for name in stop.names))


def different_stops(program: Listing) -> list[Phase]:
    """The stops of a program that no other one of it looks like."""
    stops = [inner for phase in program.phases for inner in phase.innermost()]
    return list({look_of(stop, program): stop for stop in reversed(stops)}.values())[::-1]


def looks() -> list[str]:
    """The entries whose stages are laid out in different ways: one of all blocks of one kind."""
    found: dict[object, str] = {}
    for name, entry in REGISTRY.items():
        program = entry.program
        stops = frozenset(look_of(stop, program) for stop in different_stops(program))
        found.setdefault((stops, frozenset(program.sizes.items())), name)
    return list(found.values())
