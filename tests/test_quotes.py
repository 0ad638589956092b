"""In the texts that people read first, each word of direction stands in what a check proves."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.facts.steps import STEPS
from tests.quotes import CONDITION, QUOTES, quoted, texts, unproven
from tests.ui.claims import ALWAYS, Inventory

ROOT = Path(__file__).parents[1]
READ_FIRST = (
    r"pages/\w+ (lede|try|\w*notice\w*|takeaway)",
    r"core/\w+ \w+_summary",
    r"core/glossary .*",
)
"""Files and ids; add to it what is proven."""


CLAIMS_NOTHING = {
    "Press a head to open it on the stage": "what to do",
    "It opens on a stage below, with each number": "what to do",
    "Below the numbers, choose another word before bank": "what to do",
    "[without_model] A trained head, with every number": "offered",
    "[else] Choose a model, type a prompt": "what to do",
    "With a model on this computer, you can see all heads": "offered",
    "on their phones, without an account": "offered",
    "What a model assumes before it has seen any data": "a definition",
}
"""Words of direction that no number could show to be wrong, and why."""


PROVEN = """
pages/attention_graph: reads same who_reads same_sentence window edges messages reading cross_board
    matrix_size cross_more layers reach_board reach never reach_more
pages/block: changed stacked sizes made deep deep_more powers norm normed dropout dropped expected
    twice job nothing_to_copy copies cached
pages/cost: model_work even price batch same_rows packed_scores model_parameters model_sizes banded
    flops formula not_time real_try real_cache measuring_limits measuring_out_of_time measuring_left
    measuring_limited measuring_kept measuring_not_equal measuring_shows
pages/debug_lab: case right_run closed first_wrong found_by checks checks_hold
pages/dot_products: any_number turning in_space rules each_sums_to_1
pages/graph: idle drawing
pages/heads: own_matrices sizes parameters first_token shared kept fewer layers real_try parts_chart
    needs_chart previous_head same_head split join order
pages/join: how_to_join in_line until_closed answer_before vote_closed bar shows_mistake
    right_in_all quiz_so_far before next
pages/lessons: links
pages/models: no_folder outlook_prediction progress fetching changes predicted predicted_after
    no_prediction grid_try recorded recorded_head shape_choice window stopped what_ran layer
    attention_part net
pages/one_query: grow_more sizes_alt why_it_works counted row_more corner corner_more grow fixed
    recurrent layers layers_each cache_beyond bytes_formula bytes_learned
pages/other_kinds: linear_more score_by_hand recall two_forms by_hand sizes distance distance_try
    changed distance_more memory_more off paint paint_more capacity capacity_more
pages/practice: score
pages/queries_keys_values: found both_ways symmetric eigenvalues differ lookup_result moved measured
    budget_alt versions rung only_x not_symmetric product must_agree rank
pages/real_heads: how_chosen leaders no_leaders chosen_map
pages/recursive_attention: counted_often result tiles_done traffic shared_rows refused plain_mean
    counted_alike left_over law empty_set stream_kept tiles_intro traffic_counted idle_workers
    split_returns idle_machines shared_intro
pages/room: exit_quiz wrong_key own_link_said names_here answered vote_title right mistake
    closed_title open_vote kept_back scene column_first_answers column_first_right
    column_first_given column_first_mistakes vote mistake_short closing deleting kept texts_count
    texts_found show_texts hide_texts texts_more show_text text_shown own_how sheet_title
    print_sheet quiz_count column_right_in_all students_count students_empty student_of_list
pages/softmax: sum exponentials stable squares unchanged weights_alt moving only_differences
    overflow temperature longer why_e added_bars multiplied_bars which_sum over_keys over_queries
    over_nothing
pages/walkthrough: all_own_note nothing_before own_x own_start repeated corner covered one_means
    scale_by_help size_of_example last_head too_long waiting
pages/why_mask: rows cells added blind read layers_alt change_alt more window blocks examples
    real_chart real_sink
pages/why_scale: spread entropy weight variance_alt saturation_alt largest many real_trained limits
pages/word_order: followed kept pair board_on twice one_token changed others alike why encodings
    none counting sinusoids table of_head turning rotation pairings distances slopes farthest
    turning_title
pages/words: one_hot distances learned_alt mean_alt bank_rows pieces no_row byte_pairs no_dials mean
    expectation
core/attention: scale_words softmax_words mix_words join_words one_head_words unscaled_words
    scaled_by_words hidden x query key value score zero_weight context output
core/attention_graph: node_words messages_words sum_words read_words matrix_words given_words
    one_layer_words layers_words edge_explanation edge_as_it_was_hint edge_all_of_it_hint
    edge_would_mean between_explanation between_encoder_hint between_decoder_hint between_would_mean
    reach_hint reach_explanation reach_multiplied_hint embedded query key value context edge_prompt
    edge_as_it_was reach_prompt
core/biases: added query key value output
core/block: without_input_words times_words dropout_words centred_words normed_words norm_hint
    norm_explanation norm_variance_hint norm_mean_hint unit_hint unit_each_hint unit_left_out_hint
    unit_sign_hint unit_blocked_hint unit_would_mean rows_hint rows_own_hint rows_later_hint
    rows_every_hint deep_explanation deep_dropped_hint deep_first_hint deep_would_mean next_hint
    next_explanation next_first_hint next_itself_hint next_another_hint after_dropout read
    unit_left_out own_row later_rows deep_first deep_one next_first
core/cost: longer_hint longer_explanation longer_would_mean longer_linear_words longer_factor_words
    longer_cubic longer_cubic_words layer_explanation layer_would_mean layer_own_keys
    layer_own_keys_words layer_attention_words padding_hint padding_explanation padding_would_mean
    padding_only_words padding_rows_words padding_all_words padding_rows padding_all
core/debug_lab: counted in_head given step_found step_correct step_follows cell_digits cell_found
    cell_follows name_refuted after zero empty plain additive axis divisor swapped reshape view
    late_first_why late_lost_why late_undivided_why late_range late_means late_answer late_evidence
    fill fill_hint fill_none fill_none_why fill_one fill_one_why fill_range fill_means fill_answer
    fill_evidence renormalise renormalise_hint not_different not_larger renormalise_answer
    renormalise_fact masked_scores masked_first masked_later columns columns_hint not_still
    columns_answer columns_fact columns_evidence underflow underflow_hint not_0 not_above not_below
    no_key no_key_hint no_key_answer no_key_fact no_key_evidence sees boolean boolean_hint
    boolean_answer only_key all_keys cached cached_hint not_all not_last cached_answer cached_fact
    cached_table title_late title_fill
core/dot_products: additive uniform unit_rows products_words too_far would_be sum_of_lengths_hint
    lost_minus_hint only_direction_hint counted_length_hint picked_longest_hint best_hint
    both_scores
core/exercise_checks: comes_before changed_since first_wrong is_list no_numbers no_booleans
    transposed_mask other_axes wrong_shape wrong_numbers inverted_mask too_open too_closed all_nan
core/files: mask_zeros_limit mask_zeros_remedy header header_limit header_remedy index index_limit
    index_remedy blank_line blank_line_limit blank_line_remedy mask_numbers mask_numbers_limit
    mask_heads mask_heads_limit too_deep ragged_limit two_numbers many_cells header_width_limit
core/given: vectors_words unscaled_words query key value biased mask_opposite mask_opposite_limit
    mask_opposite_remedy mask_padding_limit mask_padding_remedy no_rule_remedy zeros_and_ones_limit
    zeros_and_ones_remedy zeros_alone_limit
core/head_norms: gain_words
core/heads: cut_words parameters_hint cache_hint only_half_why all_heads all_heads_why one_token_why
    one_group cache_answer cache_means in_turn_why from_0 from_0_why feature_range feature_means
    feature_answer
core/layers: join_words mix_words mean_words spread_words gain_words size_words only_gain_words
    widen_model_words pass_words narrow_words relu_words gelu_words gelu_tanh_words embedding query
    key value new_key new_value kept_key kept_value score scaled sees given_weight context
    added_attention added_net centred normed looked_up with_position
core/masks: causal_why none_why window_sees window_why dilated_sees dilated_why prefix_sees
    prefix_why blocks_sees blocks_why custom_sees future causal_sees global_sees global_why
    upper_left lower_right queries_count from_first_key first_queries last_queries
core/mistakes: after after_why zero zero_why empty empty_why plain plain_why additive_why axis_why
    divisor_why swapped_why reshape reshape_why view_why along_axis_why over_all over_all_why
    undivided undivided_why across across_why tiled_why divisor_is root_of_keys inverted_why
    plus_infinity_why times_infinity times_infinity_why heads_in_rows alternate_why stacked join_why
    split_why skipped_why without_e_why not_divided_why all_rows all_rows_why no_root_why
    times_root_why differences_not_divided differences_not_divided_why unmasked_why unweighted_why
    equal_weights equal_weights_why weighted_by_powers weighted_by_powers_why
core/model_block: others_words
core/model_head: joining_words
core/one_query: query_words so_far_words its_scores_words softmax_words weigh_words same_row_words
    given_words direct_words again_hint again_explanation again_would_mean again_once_words
    again_every_last again_every_last_words again_no_new again_no_new_words growth_hint
    growth_explanation growth_would_mean growth_one_layer_words growth_all_heads
    growth_all_heads_words corner_explanation corner_would_mean corner_everything_words
    corner_kept_words corner_first_words left_explanation left_would_mean left_once_more_words
    left_times_steps_words left_one_step_words lower_right upper_left score weight read
    corner_prompt corner_everything corner_kept corner_first corner_table queries_and_keys
    left_prompt
core/other_kinds: positive_words pairs_words weights_words signed_words state_words values_words
    kernel_words compare_words softmax_words own_weights_words field_words sign_words ask_words
    after_words entry_after size_pairs query key value pair weight context sums additive_score
    size_prompt size_cache
core/presets: weights_unmasked weights_masked running_mean_words earlier_word_title
    earlier_word_words later_word_title later_word_words copies_previous_title copies_previous_words
    hidden_next_title hidden_next_words copies_next_title copies_next_words copies_itself_words
    no_key_title no_key_words
core/pytorch: same_corner
core/queries_keys_values: symmetric_hint symmetric_explanation one_projection_words the_scores_words
    values_too_words rows_counted rows_counted_words parameters_explanation query_is_row key_is_row
    value_is_row expected_smaller expected_larger
core/questions: unchanged_explanation unchanged_fact loses_most_hint first_explanation first_fact
    whole_row whole_row_hint equal_weights equal_weights_hint no_weight other_weight unchanged
    unchanged_hint without_mask with_mask loses_most loses_some first_hint
core/real_heads: previous_token_words next_token_words own_token_words last_token_words
    same_token_words induction_words punctuation_words evenness_words what_hint by_hand_hint by_all
    the_first
core/recursive_attention: singles_words divide_words stack_words tile_mask_words exponentials_words
    rescale_sum_words sum_words rescale_mixture_words mixture_words once_words own_rows_words
    asks_words two_words scores_of_words two_pieces_explanation counted_twice_right_hint
    counted_twice_left_out_hint counted_twice_value_hint counted_twice_hint counted_twice_would
    larger_maximum_other_way_hint larger_maximum_left_out_hint larger_maximum_explanation
    larger_maximum_would tiles_needed_all_hint tiles_needed_row_hint tiles_needed_hint
    tiles_needed_explanation tiles_needed_would may_not not_hidden row_score product tile_score
    scaled_row key_row value_row query_row embedding query_weights key_weights value_weights
    two_pieces_prompt counted_twice_prompt counted_twice_right counted_twice_left_out
    larger_maximum_prompt larger_maximum_left_out tiles_needed_prompt tiles_needed_all
    tiles_needed_row
core/setups: no_corner_remedy
core/softmax: moved_words exp_words stable_words square_words total_words signed_words
    unsummed_words change_explanation why_not_all ratio_explanation no_temperature_words
    ratio_not_positive ratio_would_mean read_weight got_weight bare_weight grows shrinks all_grow
    queries_and_keys weights_table ratio_prompt first_weight second_weight
core/stage_pages: differ weighted_rows before_and_after row_random other_rows work_out same_head
    this_head large_number_limit too_wide
core/walkthrough: explanation would_mean no_root_why whole_d_k_why multiplied_why no_signs_why
    first_pair_why added_why exponential_why
core/why_mask: visible_hint visible_explanation visible_would_mean visible_not_whole all_pairs
    all_pairs_hint half_hint no_diagonal_hint
core/why_scale: aligned_explanation aligned_would_mean cosine_hint unscaled_hint independent_hint
    divisor_hint divisor_explanation divisor_would_mean root_of_model_hint no_root_hint
core/word_order: angles_words waves_words rows_words turns_words queries_words keys_words
    penalty_words moved_rows_words moved_words compared_words earlier_shuffled_notices_hint
    earlier_shuffled_first_hint earlier_shuffled_hint earlier_shuffled_explanation turn_own_hint
    turn_added_hint turn_explanation turn_would slope_added_hint slope_explanation slope_would query
    key value score scaled weight context positioned turned_query turned_key penalty biased embedded
    from_layer looks_for found_by gives match sees hidden_score seen_score no_weight part_read
    moved_row stays turn_own
core/words: one_hot_words dials_words divided_words average_words read_nothing_hint read_before
    read_before_hint read_after read_after_hint bank_explanation one_product adds_explanation stays
    moves_before moves_after rows_before rows_after first_value both_values adds_prompt
ui/asked: asked_mask visible hidden
ui/classroom: no_room_limit too_often_limit too_many_rooms_limit
ui/components: map_grid map_reads map_hides
ui/lessons: not_in_room_limit
ui/maps: legend
"""
"""Of other texts those that are proven as a whole, file by file: they stay so."""


@cache
def inventories() -> list[Inventory]:
    """Of the pages; all modules are imported whose checks quote."""
    texts = {file: file.read_text("utf-8") for file in ROOT.glob("tests/**/test_*.py")}
    files = [
        file for file, text in texts.items() if re.search("@(proves|said)|^INVENTORY", text, re.M)
    ]
    names = (".".join(file.relative_to(ROOT).with_suffix("").parts) for file in sorted(files))
    made = [getattr(import_module(name), "INVENTORY", None) for name in names]
    return [inventory for inventory in made if inventory]


def quotes() -> tuple[str, ...]:
    inventories()
    return (*QUOTES, *CLAIMS_NOTHING)


@pytest.mark.parametrize("which", READ_FIRST)
def test_each_word_of_direction_stands_in_what_a_check_proves(which: str) -> None:
    read = {at: text for at, text in texts().items() if re.fullmatch(which, " ".join(at))}
    assert read
    left = {at: found for at, text in read.items() if (found := unproven(text, quotes()))}
    assert not left, "\n".join(f"{at}: {found}" for at, found in left.items())


def test_each_branch_of_what_is_read_first_is_quoted_with_its_condition() -> None:
    """A check of it is given the values that decide."""
    texts_read = [
        text for at, text in texts(with_conditions=True).items() if at[0].startswith("pages/")
        and any(re.fullmatch(which, " ".join(at)) for which in READ_FIRST)
    ]  # fmt: skip
    found = {
        text[max(0, one.start() - 25) : one.end() + 25]
        for text in texts_read for one in CONDITION.finditer(text)
        if not any(a <= one.start() < b for a, b in quoted(text, quotes()))
    }  # fmt: skip
    assert not found


def test_what_is_proven_as_a_whole_stays_so() -> None:
    ids = re.findall(r"^(\S+):((?:\s+\w+(?!\S))+)", PROVEN, re.MULTILINE)
    listed = [(file, id) for file, names in ids for id in names.split()]
    assert len(listed) == len(PROVEN.split()) - len(ids)
    left = {at: found for at in listed if (found := unproven(texts()[at], quotes()))}
    assert not left, "\n".join(f"{at}: {found}" for at, found in left.items())


def test_each_quote_is_in_a_text() -> None:
    branches = [text for text in texts(with_conditions=True).values() if CONDITION.search(text)]
    conditional = {quote for quote in quotes() if CONDITION.search(quote)}
    left = {*quotes()} - conditional
    for text in texts().values():
        left -= {quote for quote in left if any(quoted(text, [quote]))}
    left |= conditional
    for text in branches:
        left -= {quote for quote in left if any(quoted(text, [quote]))}
    assert not left


def test_what_proves_a_quote_runs() -> None:
    """As a test, with the steps that say it, or for a text of a page's inventory."""
    asked: set[Callable[..., Any]] = {*STEPS.values()}
    for inventory in inventories():
        asked |= {*inventory.checks.values(), *inventory.claims.values()}
        asked.add(inventory.module.get("filled", ALWAYS))
    idle = {check for check in QUOTES.values() if check not in asked}
    assert [check for check in idle if not check.__name__.startswith("test_")] == []
