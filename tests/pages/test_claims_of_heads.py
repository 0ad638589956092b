"""Every sentence of 'heads', at the ends of its controls."""

import re
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from streamlit.testing.v1 import AppTest

from core.attention.examples.river_bank import LEXICON, RIVER_BANK
from core.chapters.heads import heads as head_runs
from core.chapters.heads.real_model import SHARING, scores_in_run, sharing_run
from core.models.captures import captured_heads
from tests.core.chapters.heads import test_heads, test_real_model
from tests.quotes import proves
from tests.ui.agreement import Filled, row_of
from tests.ui.claims import RANDOM_WEIGHTS, SYMBOL, Inventory, drawn_with
from tests.ui.real_heads import HOW_CHOSEN, how_chosen, percent
from tests.ui.support import stage, stages, told

TEXT = "The cat sat on the mat"


@proves("""
    Here d_model = {d_model} and H = {heads}. Each head has d_k = d_model / H = {d_k} | hold {held}
    parameters: 4·d_model², whatever H is. With d_model = {paper} it is {paper_held} | For the first
    token, head 1 reads the token itself, {read} | After T = {tokens} tokens this layer keeps K and
    V of each group: 2·G·d_k·T = 2·{groups}·{d_k}·{tokens} = {kept} numbers | A smaller G makes W_K
    and W_V smaller. All four matrices together then hold {held} parameters for G = {g} | The output
    of {token}, feature by feature, as bars stacked by head. The sums are {sums} | Let heads 1 and 2
    swap what they have read. The output changes by up to {concat} with concat, and by {average}
    with the average | Two layers of {heads} heads with d_model = {d_model} read “{text}”. Random
    weights, seeds {first} and {second} | In layer 1 only head {changed} changes; in layer 2 all
    heads do | X feeds the {heads} heads of layer 1, and their joined output feeds the {heads} heads
    of layer 2. The query matrix of head {changed} of layer 1 is changed. Head by head, the weights
    change by up to {first} in layer 1, and by up to {second} in layer 2 | With head 1, a repeated
    token gives {next} % of its weight to what followed it before | With head 2, a token gives
    {first} % to the first token | [heads == 1] With one head, {token} has only one set of weights.
    Choose more heads | [heads == 2 and ways == 2] In head 1, {token} reads mostly {read[0]}. In
    head 2, it reads mostly {read[1]} | [else] For {token}, the {heads} heads give their largest
    weights to [ways == 1] the same token [else] {ways} different tokens | Notice. With G =
    {groups}, [groups == heads] every head has its own keys and values: multi-head attention.
    [groups == 1] all heads use the same K and V: multi-query attention. [else] each group of
    {heads} heads has its own keys and values: grouped-query attention. [groups < heads] Their
    weights still differ here, because their queries do
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state = page.session_state
    trace = head_runs.heads_family(state.heads_text).run(heads_count=state.heads_count)
    heads, _, d_k = trace["Q"].shape
    token, read = head_runs.read_most(trace, framed(page))
    groups, runs = state.heads_groups, {g: head_runs.shared_keys(g) for g in (8, 4, 2, 1)}
    kept = {g: head_runs.cache_size(run) for g, run in runs.items()}
    held = {g: head_runs.count_parameters(run) for g, run in runs.items()}
    assert all(more > less for more, less in pairwise(held.values()))
    joined = {
        way: head_runs.joined_heads(head_runs.to_join(), way)
        for way in (head_runs.CONCAT, head_runs.AVERAGE)
    }
    changed, at = state.heads_changed, state.heads_token - 1
    moves = head_runs.moves(changed - 1)
    next_, first = scores_in_run(sharing_run())
    return {
        "notice": {"heads": heads, "token": token, "read": read, "ways": len({*read})},
        "sizes": {"d_model": heads * d_k, "heads": heads, "d_k": d_k},
        "parameters": {"held": 4 * (heads * d_k) ** 2, "paper": 512, "paper_held": 4 * 512**2},
        "first_token": {"read": head_runs.two_heads_by_hand()["V"][0, 0, 0]},
        "shared": {"groups": groups, "heads": 8},
        "kept": {"groups": groups, "d_k": 2, "tokens": 6, "kept": kept[groups]},
        "fewer": {"counts": [*map(list, held.items())]},
        "sharing_chart": {"groups": groups, "readers": [h * groups // 8 + 1 for h in range(8)]},
        "kept_chart": {"chosen": groups, "sizes": [*map(list, kept.items())]},
        "parts_chart": {"token": TEXT.split()[at], "sums": joined[state.heads_join].output[at]},
        "join_notice": {name: made.swap for name, made in joined.items()},
        "layers": {"heads": 4, "d_model": 8, "text": TEXT, "first": 0, "second": 1},
        "order_notice": {"changed": changed},
        "needs_chart": {"heads": 4, "changed": changed}
        | {name: list(getattr(moves, name)) for name in ("first", "second")},
        "real_notice": {
            "next": lambda said: percent(said, next_),
            "first": lambda said: percent(said, first),
        },
    }


proves("All heads together have no more parameters than one wide head")(
    test_heads.test_four_maps_hold_4_d_squared_numbers_for_any_number_of_heads
)
proves("""
    A head is one run of attention with its own weight matrices. With one head, a token has one set
    of weights, so it reads one mixture. With several heads, it reads several mixtures | Each head
    looks in its own way, with its own queries | Every head has its own W_Q, W_K and W_V. So it has
    its own queries, keys and values
""")(test_heads.test_a_heads_weights_hang_on_no_other_heads_maps)
proves("a model keeps K and V of all tokens so far")(
    test_heads.test_the_cache_holds_2_g_d_t_numbers
)
proves("because their queries do")(
    test_heads.test_heads_with_shared_keys_are_grouped_query_attention
)
proves("Without the transpose, head 1 gets the whole first token, and head 2 the whole second")(
    test_heads.test_the_split_is_that_of_p13_right_and_wrong
)
proves("Layer 2 waits for all heads of layer 1")(
    test_heads.test_other_heads_of_a_layer_do_not_move_and_all_of_the_next_do
)
two_readers = proves("""
    Both heads read the same keys and values; only their queries differ | K and V stay the same; Q
    and the weights change
""")(test_real_model.test_both_are_heads_of_one_layer_and_have_the_same_keys_and_values)


def framed(page: AppTest) -> int:
    """The row that is framed in every map: that of the token on the stage."""
    maps = told(page, "small_maps")[0][0]
    assert stage(page).selected.split(".")[2] == str(maps["row"])
    return int(maps["row"])


def made_by_hand(match: re.Match[str], page: AppTest) -> None:
    """The heads on the stage are the example's, and it says which words are drawn."""
    assert page.session_state.heads_count == "hand"
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        shown = stage(page).document["arrays"][name]
        made = np.array(shown["texts"].split(" "), dtype=float).reshape(shown["shape"])
        np.testing.assert_allclose(made, RIVER_BANK.arrays[name], rtol=0, atol=1e-9)
    assert bool(drawn_words(page)) == any("random rows" in one.value for one in page.caption)


def drawn_words(page: AppTest) -> list[str]:
    """Those that are not in its lexicon."""
    words = dict.fromkeys(page.session_state.heads_text.split())
    return [word for word in words if word.lower() not in LEXICON]


def named_as_drawn(match: re.Match[str], page: AppTest) -> None:
    assert drawn_words(page)
    assert all(word in match[1] for word in drawn_words(page)[:6])


def other_sizes(match: re.Match[str], page: AppTest) -> None:
    """Those of the part that is open."""
    part = page.session_state.heads_part
    assert (int(match[1]), int(match[2])) == {"share": (16, 8), "join": (8, 4)}[part]


def of_ids(page: AppTest, name: str) -> np.ndarray:
    """What each row of the table has: the values, and what either head reads."""
    trace = head_runs.two_heads_by_hand()
    read = dict(
        zip(("head 1, previous token", "head 2, same token"), trace["context"], strict=True)
    )
    found: np.ndarray = ({"value": trace["V"][0]} | read)[name][:, 0]
    return found


def split_rows(match: re.Match[str], page: AppTest) -> None:
    way = "right" if match[1] == "reshape and transpose" else "wrong"
    said = [[*map(int, re.findall(r"\d", text))] for text in match.groups()[1:]]
    assert said == head_runs.split_family().run(heads_way=way)["Q"].reshape(2, 4).tolist()


def real_text(match: re.Match[str], page: AppTest) -> None:
    """It is that of both heads and of the stage."""
    assert {captured_heads()[name][0].prompt for name in SHARING} == {match[1]}
    shown = stages(page)[-1].document["axes"]["i"]["labels"]
    assert "".join(label.rstrip("₁₂") for label in shown) == match[1].replace(" ", "")


def real_head(match: re.Match[str], page: AppTest) -> None:
    """Which head it is, counted from 1 and from 0, and where the link leads."""
    number, *places, name = match.groups()
    head = captured_heads()[SHARING[int(number) - 1]][1]
    assert [int(at) for at in places] == [head.layer + 1, head.head + 1, head.layer, head.head]
    assert name == head.name


INVENTORY = Inventory(
    "heads",
    claims={
        r"These numbers were made by hand; a real model learns them\.$": made_by_hand,
        r"These words have random rows, .*: (.*)\.$": named_as_drawn,
        RANDOM_WEIGHTS: drawn_with,
        r"(SmolLM2-135M-Instruct \(Q4_1\)):$": row_of(
            lambda page: [captured_heads()[SHARING[0]][0].model]
        ),
        r"“(The list: .*)”$": real_text,
        r"Head (\d): layer (\d+), head (\d+) :gray\[\(index (\d+), (\d+)\)\]"
        r" \[More on this head\]\(real-heads\?real_capture=([\w-]+)\)$": real_head,
        HOW_CHOSEN: how_chosen,
        rf"“{TEXT}”: random weights \({SYMBOL} = (\d+), (\d+) heads, seed 0\)": other_sizes,
        r"\| (value|head 1, previous token|head 2, same token) \| (.*) \|$": row_of(of_ids),
        r"\| (reshape and transpose|reshape only) \| (.*) \| (.*) \|$": split_rows,
    },
    module=globals(),
    texts={
        "own_matrices": test_heads.test_a_heads_weights_hang_on_no_other_heads_maps,
        "hand hand_notice": (
            test_heads.test_one_run_holds_a_previous_token_head_and_a_same_token_head
        ),
        "split_notice split_silent": test_heads.test_the_split_is_that_of_p13_right_and_wrong,
        "join": test_heads.test_concat_times_w_o_is_the_sum_of_the_heads_contributions,
        "order": test_heads.test_other_heads_of_a_layer_do_not_move_and_all_of_the_next_do,
        "real_try": two_readers,
    },
    panels=["fold_heads_real"],
)
