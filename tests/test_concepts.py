"""Every concept that the product is to teach is said in its texts.

The list of concepts is outside the project: tables of rows, and questions M1 to M20. SAID has the
texts that say each of them, as room/file#id.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.texts.text_file import LANGUAGE, Plain, text_file

ROOT = Path(__file__).parents[1]
CONCEPTS = ROOT.parent / "shared" / "CONCEPTS.md"

SAID: Mapping[str, tuple[str, ...]] = {
    # The walkthrough
    "T1": (
        "core/attention#embed_words",
        "core/attention#project_words",
        "core/attention#join_words",
    ),
    "T2": ("core/attention#score_words",),
    "T4": ("core/attention#causal_words", "core/attention#hidden"),
    "T5": ("core/attention#softmax_words", "core/attention#hidden", "core/softmax#stable_words"),
    "T6": (
        "core/attention#softmax_words",
        "core/questions#first_fact",
        "core/questions#unchanged_fact",
    ),
    "T7": ("core/attention#mix_words", "pages/softmax#over_keys"),
    "B5": (
        "core/attention#mix_words",
        "core/attention#value",
        "core/attention#attention_weight",
        "core/attention#context",
    ),
    "B6": ("core/presets#published_title", "core/presets#published_words"),
    # Dot products
    "T3": (
        "pages/dot_products#takeaway",
        "pages/dot_products#notice",
        "core/dot_products#positive",
        "core/dot_products#negative",
    ),
    "G1a": ("pages/dot_products#rules", "pages/dot_products#each_sums_to_1"),
    "K7": ("pages/dot_products#turning",),
    # Queries, keys, values
    "B4": (
        "pages/queries_keys_values#versions",
        "pages/queries_keys_values#symmetric",
        "pages/queries_keys_values#eigenvalues",
        "pages/queries_keys_values#not_symmetric",
    ),
    "G3": (
        "pages/queries_keys_values#library",
        "pages/queries_keys_values#lookup",
        "pages/queries_keys_values#lookup_result",
    ),
    "G4 K6": ("pages/queries_keys_values#must_agree", "pages/queries_keys_values#paper"),
    "G9": (
        "pages/queries_keys_values#budget",
        "pages/queries_keys_values#counts",
        "pages/queries_keys_values#rank",
    ),
    "M17": (  # a row and a question
        "pages/queries_keys_values#product",
        "core/queries_keys_values#basis_prompt",
        "core/queries_keys_values#basis_explanation",
    ),
    # Why scale
    "T9": ("pages/why_scale#proof", "pages/why_scale#spread", "pages/why_scale#largest"),
    "T9b": ("pages/why_scale#lede", "pages/why_scale#entropy", "pages/why_scale#jacobian"),
    # Softmax
    "T5b": (
        "pages/softmax#only_differences",
        "pages/softmax#why_e",
        "pages/softmax#temperature",
    ),
    "G2": (
        "pages/softmax#over_keys",
        "pages/softmax#over_queries",
        "pages/softmax#over_nothing",
        "pages/softmax#longer",
    ),
    # Why mask
    "T8": ("pages/why_mask#takeaway", "pages/why_mask#rows"),
    "B7": ("pages/why_mask#lede", "pages/why_mask#examples"),
    "B8": (
        "pages/why_mask#cheat",
        "core/presets#copies_next_words",
        "core/presets#hidden_next_words",
    ),
    "C9": ("pages/why_mask#added", "pages/why_mask#cells", "core/masks#causal_sees"),
    "M1–M4 M15 M16": (
        "core/debug_lab#after",
        "core/debug_lab#zero",
        "core/debug_lab#renormalise_fact",
        "core/debug_lab#axis",
        "core/debug_lab#additive",
        "core/debug_lab#plain",
    ),
    # Heads
    "T10": ("pages/heads#sizes", "pages/heads#parameters", "core/attention#join_words"),
    "C5": (
        "pages/heads#lede",
        "pages/heads#real_notice",
        "core/presets#copies_previous_words",
        "core/presets#copies_itself_words",
    ),
    "C6": ("pages/heads#shared", "pages/heads#kept", "pages/heads#real_notice"),
    "C7": ("pages/heads#split", "pages/heads#split_notice", "pages/heads#split_silent"),
    "K8": ("pages/heads#join", "pages/heads#join_notice"),
    "G11": ("pages/heads#order", "pages/heads#order_notice"),
    # One query at a time
    "C4": ("pages/one_query#row", "pages/one_query#row_notice"),
    "B14": (
        "pages/one_query#row_more",
        "pages/one_query#lede",
        "pages/one_query#why_it_works",
    ),
    "C1": (
        "pages/one_query#grow",
        "pages/one_query#grow_notice",
        "pages/one_query#grow_more",
    ),
    "C2 C13 B": (
        "pages/one_query#recurrent",
        "pages/one_query#recurrent_notice",
        "pages/one_query#layers_more",
    ),
    "M19": (  # a row and a question
        "pages/one_query#corner_more",
        "core/debug_lab#cached",
        "core/debug_lab#cached_answer",
    ),
    # Recursive attention
    "C10": (
        "pages/recursive_attention#boxes",
        "pages/recursive_attention#law",
        "core/recursive_attention#singles_words",
    ),
    "C11": (
        "pages/recursive_attention#law",
        "pages/recursive_attention#compared",
        "pages/recursive_attention#counted_often",
    ),
    "C12": (
        "pages/recursive_attention#stream",
        "pages/recursive_attention#tiles_intro",
        "pages/recursive_attention#split",
        "pages/recursive_attention#ring_intro",
        "pages/recursive_attention#shared_intro",
    ),
    # What it costs
    "B1": ("pages/cost#price", "pages/cost#notice", "pages/cost#layouts_notice"),
    "B9": ("pages/cost#model_parameters", "pages/cost#model_sizes"),
    "B10": ("pages/cost#model_work", "pages/cost#work_notice", "pages/cost#formula"),
    "B11": (
        "pages/cost#measuring_ways",
        "core/measured#longest",
        "pages/cost#measuring_does_not_show",
    ),
    # Word order
    "G7": ("pages/word_order#lede", "pages/word_order#followed", "pages/word_order#noticed"),
    "K11": (
        "pages/word_order#counting",
        "pages/word_order#sinusoids",
        "core/word_order#map_words",
    ),
    "+": (
        "pages/word_order#encodings",
        "pages/word_order#table",
        "pages/word_order#rotation",
        "pages/word_order#slopes",
    ),
    # Attention as a graph
    "G6": (
        "pages/attention_graph#lede",
        "core/attention_graph#messages_words",
        "core/attention_graph#same_words",
    ),
    "G5 K12": (
        "pages/attention_graph#translator",
        "pages/attention_graph#who_reads",
        "pages/attention_graph#matrix_size",
        "pages/attention_graph#same_sentence",
    ),
    "G8": (
        "pages/attention_graph#inductive_bias",
        "pages/attention_graph#layers",
        "pages/attention_graph#window",
    ),
    # The transformer block
    "C8": ("core/glossary#transformer-block", "pages/block#stacked", "core/layers#relu_words"),
    "K9": ("core/layers#residual_words", "pages/block#sizes", "pages/block#powers"),
    "K10": ("pages/block#changed", "core/layers#norm_words", "core/layers#widen_words"),
    "K12": ("pages/block#translator", "pages/block#twice", "pages/block#translator_more"),
    "B3 B12": ("pages/block#stacked", "pages/block#dropout", "pages/block#expected"),
    # Other kinds of attention
    "K4": (
        "pages/other_kinds#score",
        "pages/other_kinds#score_more",
        "core/other_kinds#meet_words",
    ),
    "G1": ("pages/other_kinds#two_forms", "pages/other_kinds#by_hand", "pages/other_kinds#sizes"),
    "B13": ("pages/other_kinds#distance", "pages/other_kinds#distance_notice"),
    "G10": (
        "pages/other_kinds#rest",
        "pages/other_kinds#rest_more",
        "pages/other_kinds#memory",
    ),
    # Words before attention
    "K1": ("pages/words#one_hot", "pages/words#distances", "pages/words#word2vec"),
    "K2 B2": ("pages/words#lede", "pages/words#notice", "pages/words#loves_apart"),
    "K3 C3": ("pages/words#mean", "pages/words#expectation", "pages/words#of_attention"),
    "K5": ("pages/words#pieces", "pages/words#rows_of_pieces", "pages/words#byte_pairs"),
    # Does it happen for real?
    "L3 B8": ("pages/why_mask#cheat",),
    # Questions
    "M1": ("core/debug_lab#late", "core/debug_lab#late_answer"),
    "M2": ("core/debug_lab#fill", "core/debug_lab#fill_answer"),
    "M3": ("core/debug_lab#renormalise", "core/debug_lab#renormalise_answer"),
    "M4": ("core/debug_lab#columns", "core/debug_lab#columns_answer"),
    "M5": (
        "core/queries_keys_values#symmetric_prompt",
        "core/queries_keys_values#symmetric_explanation",
    ),
    "M6": ("core/words#bank_prompt", "core/words#bank_explanation"),
    "M7": ("core/questions#first", "core/questions#first_explanation"),
    "M8": ("core/questions#unchanged", "core/questions#unchanged_explanation"),
    "M9": (
        "core/word_order#earlier_shuffled_prompt",
        "core/word_order#earlier_shuffled_explanation",
    ),
    "M10": ("core/softmax#change_prompt", "core/softmax#change_explanation"),
    "M11": ("core/why_scale#aligned", "core/why_scale#aligned_explanation"),
    "M12": ("core/why_scale#divisor", "core/why_scale#divisor_explanation"),
    "M13": ("core/heads#parameters", "core/heads#parameters_answer"),
    "M14": ("core/words#adds_prompt", "core/words#adds_explanation"),
    "M15": ("core/debug_lab#underflow", "core/debug_lab#underflow_answer"),
    "M16": ("core/debug_lab#no_key", "core/debug_lab#no_key_answer"),
    "M18": ("core/debug_lab#boolean", "core/debug_lab#boolean_answer"),
    "M20": (
        "core/recursive_attention#two_pieces_prompt",
        "core/recursive_attention#two_pieces_mean",
        "core/recursive_attention#two_pieces_explanation",
    ),
}

LATER: Mapping[str, str] = {
    "L1 C5 K6": "no heads of published models yet",
    "L2": "no checkpoint can be opened yet",
    "L4 B7 C5": "no head is trained yet; pages/block#how only mentions that models learn them",
    "L5 T9b": "no gradients yet; of saturated weights pages/why_scale#jacobian says it",
    "L6 M14": "no head can be switched off yet; of one value core/words#adds_explanation says it",
}
"""Rows whose pages are not built, and why no text says them as a whole."""

MISSING: list[str] = []
"""Rows that should be said, and are not."""

PLACES = sorted({place for places in SAID.values() for place in places})
ID = re.compile(r"[A-Z]\d+[a-z]?")
MARKS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")


def row_id(cell: str) -> str:
    """The id in the first cell of a row; letters after it are sources. Several ids are one key."""
    return cell if len(ID.findall(cell)) > 1 else cell.split()[0]


def listed(concepts: str) -> Iterator[str]:
    """The ids of the rows of section 1 and of the questions of section 2."""
    _, tables, questions, *_ = re.split(r"^## ", concepts, flags=re.MULTILINE)
    for cell in re.findall(r"^\| ([^|]+?) \|", tables, re.MULTILINE):
        if cell != "id":
            yield row_id(cell)
    yield from re.findall(r"\bM\d+\b", questions)


def source(place: str) -> str | None:
    """The text at room/file#id with its placeholders, or None if there is none."""
    room, name, id = re.split("[/#]", place)
    folder = ROOT / room / "texts"
    if not (folder / LANGUAGE / f"{name}.md").exists():
        return None
    return text_file(folder, name, Plain).sources.get(id)


def test_every_concept_is_said_later_or_missing() -> None:
    """Of the list outside where it is at hand, else of the ids as they were copied from it."""
    kept = set(json.loads((ROOT / "tests" / "fixtures" / "concepts.json").read_text("utf-8")))
    if CONCEPTS.exists():
        assert {*listed(CONCEPTS.read_text(encoding="utf-8"))} == kept
    accounted = [*SAID, *LATER, *MISSING]
    assert {*accounted} == kept
    assert len(accounted) == len({*accounted})


def test_every_concept_has_texts_that_exist() -> None:
    assert all(SAID.values())
    assert not [place for place in PLACES if source(place) is None]


def test_no_text_of_a_concept_is_blank() -> None:
    assert not [place for place in PLACES if not MARKS.sub("", source(place) or "").strip()]
