"""Every concept that the product is to teach is said in its texts.

The list of concepts is outside the project: tables of rows, and questions M1 to M20. SAID has the
texts that say each of them, as room/file#id; ids of the same file follow it.
"""

import json
import re
from collections.abc import Iterator, Mapping

from core.texts.text_file import LANGUAGE, Plain, text_file
from tests.sampling import ROOT

CONCEPTS = ROOT.parent / "shared" / "CONCEPTS.md"

SAID: Mapping[str, str] = {
    # The walkthrough
    "T1": "core/attention#embed_words project_words join_words",
    "T2": "core/attention#score_words",
    "T4": "core/attention#causal_words hidden",
    "T5": "core/attention#softmax_words hidden, core/softmax#stable_words",
    "T6": "core/attention#softmax_words, core/questions#first_fact unchanged_fact",
    "T7": "core/attention#mix_words, pages/softmax#over_keys",
    "B5": "core/attention#mix_words value attention_weight context",
    "B6": "core/presets#published_title published_words",
    # Dot products
    "T3": "pages/dot_products#takeaway notice, core/dot_products#positive negative",
    "G1a": "pages/dot_products#rules each_sums_to_1",
    "K7": "pages/dot_products#turning",
    # Queries, keys, values
    "B4": "pages/queries_keys_values#versions symmetric eigenvalues not_symmetric",
    "G3": "pages/queries_keys_values#library lookup lookup_result",
    "G4 K6": "pages/queries_keys_values#must_agree paper",
    "G9": "pages/queries_keys_values#budget counts rank",
    "M17": (  # a row and a question
        "pages/queries_keys_values#product, core/queries_keys_values#basis_prompt basis_explanation"
    ),
    # Why scale
    "T9": "pages/why_scale#proof spread largest",
    "T9b": "pages/why_scale#lede entropy jacobian",
    # Softmax
    "T5b": "pages/softmax#only_differences why_e temperature",
    "G2": "pages/softmax#over_keys over_queries over_nothing longer",
    # Why mask
    "T8": "pages/why_mask#takeaway rows",
    "B7": "pages/why_mask#lede examples",
    "B8": "pages/why_mask#cheat, core/presets#copies_next_words hidden_next_words",
    "C9": "pages/why_mask#added cells, core/masks#causal_sees",
    "M1–M4 M15 M16": "core/debug_lab#after zero renormalise_fact axis additive plain",
    # Heads
    "T10": "pages/heads#sizes parameters, core/attention#join_words",
    "C5": "pages/heads#lede real_notice, core/presets#copies_previous_words copies_itself_words",
    "C6": "pages/heads#shared kept real_notice",
    "C7": "pages/heads#split split_notice split_silent",
    "K8": "pages/heads#join join_notice",
    "G11": "pages/heads#order order_notice",
    # One query at a time
    "C4": "pages/one_query#row row_notice",
    "B14": "pages/one_query#row_more lede why_it_works",
    "C1": "pages/one_query#grow grow_notice grow_more",
    "C2 C13 B": "pages/one_query#recurrent recurrent_notice layers_more",
    "M19": (  # a row and a question
        "pages/one_query#corner_more, core/debug_lab#cached_prompt cached_explanation"
    ),
    # Recursive attention
    "C10": "pages/recursive_attention#boxes law, core/recursive_attention#singles_words",
    "C11": "pages/recursive_attention#law compared counted_often",
    "C12": "pages/recursive_attention#stream tiles_intro split ring_intro shared_intro",
    # What it costs
    "B1": "pages/cost#price notice layouts_notice",
    "B9": "pages/cost#model_parameters model_sizes",
    "B10": "pages/cost#model_work work_notice formula",
    "B11": "pages/cost#measuring_ways, core/measured#longest, pages/cost#measuring_does_not_show",
    # Word order
    "G7": "pages/word_order#lede followed noticed",
    "K11": "pages/word_order#counting sinusoids, core/word_order#map_words",
    "+": "pages/word_order#encodings table rotation slopes",
    # Attention as a graph
    "G6": "pages/attention_graph#lede, core/attention_graph#messages_words same_words",
    "G5 K12": "pages/attention_graph#translator who_reads matrix_size same_sentence",
    "G8": "pages/attention_graph#inductive_bias layers window",
    # The transformer block
    "C8": "core/glossary#transformer-block, pages/block#stacked, core/layers#relu_words",
    "K9": "core/layers#residual_words, pages/block#sizes powers",
    "K10": "pages/block#changed, core/layers#norm_words widen_words",
    "K12": "pages/block#translator twice translator_more",
    "B3 B12": "pages/block#stacked dropout expected",
    # Other kinds of attention
    "K4": "pages/other_kinds#score score_more, core/other_kinds#meet_words",
    "G1": "pages/other_kinds#two_forms by_hand sizes",
    "B13": "pages/other_kinds#distance distance_notice",
    "G10": "pages/other_kinds#rest rest_more memory",
    # Words before attention
    "K1": "pages/words#one_hot distances word2vec",
    "K2 B2": "pages/words#lede notice loves_apart",
    "K3 C3": "pages/words#mean expectation of_attention",
    "K5": "pages/words#pieces rows_of_pieces byte_pairs",
    # Does it happen for real?
    "L3 B8": "pages/why_mask#cheat",
    # Questions
    "M1": "core/debug_lab#late_prompt late_explanation",
    "M2": "core/debug_lab#fill_prompt fill_explanation",
    "M3": "core/debug_lab#renormalise_prompt renormalise_explanation",
    "M4": "core/debug_lab#columns_prompt columns_explanation",
    "M5": "core/queries_keys_values#symmetric_prompt symmetric_explanation",
    "M6": "core/words#bank_prompt bank_explanation",
    "M7": "core/questions#first_prompt first_explanation",
    "M8": "core/questions#unchanged_prompt unchanged_explanation",
    "M9": "core/word_order#earlier_shuffled_prompt earlier_shuffled_explanation",
    "M10": "core/softmax#change_prompt change_explanation",
    "M11": "core/why_scale#aligned_prompt aligned_explanation",
    "M12": "core/why_scale#divisor_prompt divisor_explanation",
    "M13": "core/heads#parameters_prompt parameters_explanation",
    "M14": "core/words#adds_prompt adds_explanation",
    "M15": "core/debug_lab#underflow_prompt underflow_explanation",
    "M16": "core/debug_lab#no_key_prompt no_key_explanation",
    "M18": "core/debug_lab#boolean_prompt boolean_explanation",
    "L1 C5 K6": "pages/real_heads#lede how_chosen",
    "L2": "pages/models#lede run_preview_heads run_preview_stage",
    "M20": "core/recursive_attention#two_pieces_prompt two_pieces_mean two_pieces_explanation",
}

LATER: Mapping[str, str] = {
    "L4 B7 C5": "no head is trained yet; pages/block#how only mentions that models learn them",
    "L5 T9b": "no gradients yet; of saturated weights pages/why_scale#jacobian says it",
    "L6 M14": "pages/models switches heads off; that weights explain nothing yet is not said there",
}
"""Rows whose pages are not built, and why no text says them as a whole."""

MISSING: list[str] = []
"""Rows that should be said, and are not."""

PLACES = sorted(
    {
        f"{file}#{id}"
        for places in SAID.values()
        for file, _, ids in (place.partition("#") for place in places.split(", "))
        for id in ids.split()
    }
)
ID = re.compile(r"[A-Z]\d+[a-z]?")
MARKS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}")


def listed(concepts: str) -> Iterator[str]:
    """The ids of the rows of section 1 and of the questions of section 2."""
    _, tables, questions, *_ = re.split(r"^## ", concepts, flags=re.MULTILINE)
    for cell in re.findall(r"^\| ([^|]+?) \|", tables, re.MULTILINE):
        if cell != "id":  # letters after an id are sources; several ids are one key
            yield cell if len(ID.findall(cell)) > 1 else cell.split()[0]
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


def test_every_concept_has_texts_and_none_is_blank() -> None:
    assert all(SAID.values())
    assert not [place for place in PLACES if not MARKS.sub("", source(place) or "").strip()]
