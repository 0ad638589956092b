"""Every sentence of 'one query at a time', at the ends of its controls."""

import re
from collections.abc import Mapping

import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.configurations import CONFIGURATIONS
from core.attention.tokens import tokenise
from core.chapters.one_query.cached import (
    LAYER,
    bytes_here,
    corner_family,
    seen_by_last,
    writing_family,
    writing_work,
)
from core.chapters.one_query.growing import refused, size_of_fixed
from core.chapters.one_query.one_row import one_row_family
from core.chapters.one_query.through_time import influence, layer_kinds
from core.program.labels import token_labels
from tests.core.chapters.one_query import test_one_query
from tests.core.questions import test_questions
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, agree, rounding, row_of
from tests.ui.claims import RANDOM_WEIGHTS, Inventory, drawn_with
from tests.ui.support import stages
from ui.page_texts import chart_texts

MODELS = {model.dated: model for model in CONFIGURATIONS}


def place(page: AppTest, key: str) -> int:
    """Which token is chosen, from 1."""
    chosen = page.session_state[key]
    return len(tokenise(page.session_state.query_text)) if chosen == "last" else int(chosen)


@proves("""
    it does not run: “{error}” | Token {number}, {token} | {with_cache} multiplications with a
    cache, {without} without, which is {times} times the work | Without a cache the first takes
    {without_first} and the last {without_last}; with a cache, {with_first} and {with_last}. Token
    {now} is marked: {without_now} and {with_now} | Feature 1 of {token} is {single} with a single
    query and {matrix} in the matrix form | {seen} of {keys} keys | The matrix for {tokens} has
    {size} numbers. With {tokens} tokens it does not run | With d_model = {d_model}, attention has
    {attention} numbers for any text; a map for {tokens} tokens would have {fixed} | for {first} to
    {last} tokens. A map of fixed size grows from {fixed_first} to {fixed_last}; attention stays at
    {attention} | With the factor {factor}, the state {?} from step to step: at token {tokens} it
    holds {left} of token 1. Attention reads {read}, the chosen weight, at any distance | Both begin
    at {first}. At token {tokens} the state of the recurrent net holds {left}, and attention reads
    {read} | {biggest} keeps {size} for every token. {sharing} has one key/value head for {heads}
    heads, so it keeps one number instead of {heads} | While the sentence above grows token by
    token, the first row of attention's output [moved] moves by {moved} at most (rounding) [else]
    does not change
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state, names = page.session_state, token_labels(tokenise(page.session_state.query_text))
    T, t, asks = len(names), place(page, "query_token"), place(page, "query_row")
    work = writing_work(T)
    row = one_row_family(state.query_text).run(query_row=state.query_row)
    corner = corner_family().run(query_corner=state.query_corner, query_new=state.query_new)
    fixed, weight = int(state.query_fixed), float(state.query_weight)
    reach = influence(float(state.query_factor), weight, 32)
    ends = {"left": reach.recurrent[-1], "read": weight}
    held = {"attention": LAYER.parameters}
    biggest = max(CONFIGURATIONS, key=lambda model: model.cache_bytes(1))
    return {
        "notice": {
            "number": t, "token": names[t - 1 : t], "again": state.query_cache == "again",
            "apart": rounding,
        },
        "counted": {
            "tokens": T, "with_cache": sum(work.with_cache), "without": sum(work.without),
            "times": sum(work.without) / sum(work.with_cache),
        },
        "work_alt": {"tokens": T, "now": t} | {
            f"{name}_{when}": counts[at]
            for name, counts in (("with", work.with_cache), ("without", work.without))
            for when, at in (("first", 0), ("last", -1), ("now", t - 1))
        },
        "row_notice": {
            "token": names[asks - 1 : asks], "single": row["y_t"][0, 0, 0],
            "matrix": row["context"][0, asks - 1, 0],
        },
        "corner": {"sentence": "The cat sat on the mat"},
        "corner_notice": {"new": int(state.query_new), "seen": seen_by_last(corner), "keys": 6},
        "fixed": {
            "tokens": fixed, "size": size_of_fixed(fixed, 2),
            "error": lambda said: said == refused(fixed + 1, fixed),
        },
        "grow_notice": held | {"d_model": 8, "tokens": 12, "fixed": size_of_fixed(12, 8)},
        "sizes_alt": held | {
            "first": 1, "last": 12, "fixed_first": size_of_fixed(1, 8),
            "fixed_last": size_of_fixed(12, 8),
        },
        "grow_more": {"moved": rounding},
        "recurrent_notice": ends | {
            "tokens": 32, "trend": reach.trend, "factor": float(state.query_factor),
        },
        "influence_alt": ends | {"tokens": 32, "first": 1},
        "bytes_notice": {
            "biggest": biggest.name, "size": biggest.cache_bytes(1), "sharing": "Llama 2 70B",
            "heads": 8,
        },
        "sources": {
            "sources": lambda said: all(f"{each.name}: " in said for each in CONFIGURATIONS),
        },
    }  # fmt: skip


proves("""
    A model that writes adds one token at a time | its query meets the keys of all tokens so far. So
    keys and values can be kept | no output row depends on a later token
""")(test_one_query.test_rows_stay_as_the_sentence_grows)
proves("One query meets all keys so far, and its row equals that of the matrix form")(
    test_one_query.test_the_single_query_is_its_row_of_the_matrix_form
)
proves("""
    “Ends lower right” lets a query see the keys up to its own. “Begins upper left” lets the first
    query see only the first key. PyTorch's scaled_dot_product_attention reads is_causal=True as
    upper left. With fewer queries than keys, this hides keys
""")(test_questions.test_the_table_of_corners_is_what_is_causal_lets_queries_see)
proves("""
    Each token adds one row to K and V | Keys and values are kept, so a step projects one row; the
    cache grows with every token
""")(test_one_query.test_each_step_is_the_row_of_the_whole_pass_with_a_cache_and_without)


@proves("""
    [number == 1] nothing has been kept yet, and one row of X comes in | [again] all {number} tokens
    so far come in, and {number} rows of K and of V are computed. The steps before had already
    computed | [else] one row of X comes in. It meets {number} rows of K and of V; {number} of each
    {?} kept | Its output row is the same as in one pass over the sentence [apart] , up to {apart}
    (rounding) | Queries are not kept, because each is used once | A query is used now and never
    again. New keys and values are kept, because every later token will read them
""")
def notice(said: Values, page: AppTest) -> None:
    """Which rows come in and are computed, as the stage has them; and its row of the whole pass."""
    state, shown = page.session_state, stages(page)[0]
    arrays = shown.document["arrays"]
    assert ("K_kept" in arrays) == (said["number"] > 1 and not said["again"])
    assert "Q_kept" not in arrays
    labels = {"new_row": "new", "kept_row": "kept", "again_row": "computed again"}
    labels |= {"with_bar": "with a cache", "without_bar": "without"}
    assert labels == {id: chart_texts("one_query")(id) for id in labels}
    family = writing_family(state.query_text)
    step = family.run(query_token=state.query_token, query_cache=state.query_cache)
    for name in ("X", "K", "V", *(("K_kept", "V_kept") if "K_kept" in arrays else ())):
        assert shown.texts(name).shape[-2:] == step[name].shape[-2:]
    agree(list(shown.texts("output")[-1]), step["output"][-1])


def layer(page: AppTest, name: str) -> list[int]:
    state = page.session_state
    kinds = layer_kinds(state.query_n, state.query_d, state.query_kernel)
    (kind,) = (each for each in kinds if each.name == name)
    return [kind.layers, kind.multiplications, kind.steps, kind.path, kind.kept]


@proves(r"""
    reads at most {tokens} | With $G$ key/value heads, a cache holds $2 \cdot … \cdot G \cdot d_k$
    numbers for each token
""")
def cache_of(match: re.Match[str], page: AppTest) -> None:
    name, *cells = match.string.removeprefix("| ").removesuffix(" |").split(" | ")
    tokens = page.session_state.query_context
    if name not in MODELS:
        agree(cells[:5], [1, 2, 4, 8, bytes_here(tokens)])
        return
    model = MODELS[name]
    reads = not 0 < model.positions < tokens
    held = 2 * model.layers * model.kv_heads * model.d_head * 2 * tokens
    beyond = f"reads at most {model.positions:,}"
    agree(
        cells,
        [model.layers, model.kv_heads, model.d_head, 2, held if reads else beyond, model.context],
    )


def heading(match: re.Match[str], page: AppTest) -> None:
    many = page.session_state.query_context
    assert (match[1], bool(match[2])) == (f"{many:,}", many > 1)


@proves("""
    A position beyond the table has no row, so such a model cannot read a longer text | {models}
    learned a row for each position, and have no row for a later one. The other models turn queries
    and keys instead, and have no such end
""")
def bytes_learned(said: Values, page: AppTest) -> None:
    """It names the models that PyTorch's table of so many rows stops."""
    assert said["models"] == "GPT-2 and GPT-3"
    assert [model.name for model in CONFIGURATIONS if model.positions] == ["GPT-2", "GPT-3"]
    for rows in (1024, 2048):
        table = torch.nn.Embedding(rows, 1)
        assert table(torch.tensor([rows - 1])).shape == (1, 1)
        with pytest.raises(IndexError):
            table(torch.tensor([rows]))


INVENTORY = Inventory(
    "one_query",
    claims={
        RANDOM_WEIGHTS: drawn_with,
        r"\| (recurrent|convolution|dilated convolution|attention) \| (.*) \|$": row_of(layer),
        r"\| model \| layers \| key/value heads \| \$d_k\$ \| bytes per number"
        r" \| cache of ([\d,]+) token(s?) \| context length in training \|$": heading,
        r"\| (this page, one layer|GPT-2|GPT-3|Llama 2 70B|Llama 3 8B \(April 2024\)) \|": cache_of,
    },
    module=globals(),
    texts={
        "try": test_one_query.test_each_step_is_the_row_of_the_whole_pass_with_a_cache_and_without,
        "why_it_works": test_one_query.test_rows_stay_as_the_sentence_grows,
        "corner_more": test_questions.test_the_table_of_corners_is_what_is_causal_lets_queries_see,
    },
)
