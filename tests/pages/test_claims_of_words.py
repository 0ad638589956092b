"""Every sentence of the page on words before attention, at the ends of its controls."""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import transformers
from streamlit.testing.v1 import AppTest
from tokenizers.pre_tokenizers import ByteLevel

from core.attention.setups import Setup
from core.chapters.words.neighbours import LOVES, bank_family, bank_rows, loves
from core.chapters.words.pieces import CORPUS, chunks, learned, piece_vocabulary, split
from core.chapters.words.vectors import (
    TABLE,
    distances,
    drawn_mean,
    embedding_table,
    mean_family,
    mean_of,
    one_hot_rows,
)
from core.program.trace import Trace
from core.pytorch.word2vec import LEFT_OUT, SENTENCES, TOPICS, nearest, topic_of, train
from tests.core.chapters.words import test_words
from tests.facts import test_of_terms
from tests.quotes import proves
from tests.ui.agreement import Filled, Values, row_of
from tests.ui.claims import Inventory
from tests.ui.support import stages
from ui.text import Markdown

SENTENCE = r"I love|I don't love"
WORDS = [*TABLE]


@proves("""
    One-hot rows are all √2 ≈ {hot} apart: no two words are closer than others. Rows of E have
    {features}, made by hand ({names}). {bank} is {near} from each other word; the others are {far}
    apart | After {steps} the mean surprise of a guess is {surprise} | For {together} of {words},
    the closest other word (by direction) is on the same topic | after {steps}. For {together} of
    them, the closest other word (by direction) is on the same topic | the mean of the four values
    is ({x}, {y}) | with the weights {weights}. Their mean is at ({x}, {y}) | with the weights as
    probabilities | (seed 0) give ({lucky_x}, {lucky_y}) | {bank} always enters attention as
    ({before}). Here it leaves as ({after}): [moved] it has read itself and what comes before it.
    [else] nothing comes before it, and the mask hides what comes after | Before reading, {bank} is
    the same row in both sentences. After reading, its largest number is in column [first_feature ==
    second_feature] {first_feature}, next to {first_word} and next to {second_word} | [else]
    {first_feature} next to {first_word}, and in column {second_feature} next to {second_word} |
    Here {characters} became {tokens} | The model knows {size}, its vocabulary; each has a row of
    numbers | Each guess is a softmax over all {words}. A row has {width}, each word has one more
    number (a bias) | The training sees no topics, only {sentences} | With these weights, the mean |
    {draws} draws (seed 0) give | The vocabulary lacks {pieces}, so {?} no row
""")
def filled(page: AppTest) -> Mapping[str, Filled]:
    state = page.session_state
    text, merges = state.words_text, learned()[: state.words_merges]
    lacks = [sign for sign in dict.fromkeys(text) if sign not in CORPUS]
    hot, apart = distances(one_hot_rows(WORDS)), distances(embedding_table())
    at = WORDS.index("bank")
    assert len({*np.delete(apart[at], at)}) == len({*apart[apart > apart[at, 0] + 0.01]}) == 1
    *_, last = train(state.words_kind, state.words_window, state.words_seed, state.words_steps)
    together = sum(topic_of(one) == topic_of(other) for one, other in nearest(last.vectors).items())
    guessed = {word for said in SENTENCES for word in said.split()} - LEFT_OUT
    goes_in, comes_out = bank_rows(bank_family().run(words_order=state.words_order))
    first, second = both_sentences(page)
    return {
        "pieces": {"characters": len(text), "tokens": len(split(text, merges))},
        "rows_of_pieces": {"size": len(piece_vocabulary(merges))},
        "no_row": {"pieces": lacks, "number": len(lacks)},
        "distances": {
            "bank": "bank", "features": len(TABLE["bank"]), "names": "water, play, finance",
            "hot": hot[0, 1], "near": apart[at, 0], "far": apart.max(),
        },
        "word2vec": {"words": len(guessed), "width": last.vectors.shape[1]},
        "untrained": {"can_train": "words_training" not in state},
        "surprise": {"steps": state.words_steps, "surprise": last.loss},
        "topics": {
            "together": together, "words": sum(map(len, TOPICS.values())),
            "sentences": len(SENTENCES),
        },
        "learned_alt": {"together": together, "steps": state.words_steps},
        "bank_rows": {
            "bank": "bank", "before": goes_in, "after": comes_out,
            "moved": not np.allclose(goes_in, comes_out),
        },
        "notice": {
            "bank": first.tokens[-1], "first_word": "river", "second_word": second.tokens[-2],
            "first_feature": largest(first), "second_feature": largest(second),
        },
        "loves_apart": {"loves": sum(said.split().count("love") for said in LOVES)},
        "mean": lambda: dict(zip("xy", mean_of(dialled(page)), strict=True)),
        "mean_alt": lambda: {
            "weights": dialled(page)["weights"][0], "x": mean_of(dialled(page))[0],
            "y": mean_of(dialled(page))[1],
        },
        "expectation": lambda: {"draws": "1,000"} | {
            f"lucky_{axis}": drawn_mean(dialled(page)["weights"][0], 1000, seed=0)[at]
            for at, axis in enumerate("xy")
        },
    }  # fmt: skip


proves("""
    A model turns each word into a row of numbers | A one-hot row has a 1 in its word's column, and
    0 elsewhere. Multiply it by a table E, and you get the word's row of E
""")(test_words.test_one_hot_rows_are_all_root_two_apart_and_pick_their_row)
proves("A mean with such weights never leaves the rectangle")(
    test_words.test_a_mean_with_dials_is_the_expectation
)
proves("""
    Before attention all {loves} are identical. After attention only those after the same words are
    still equal
""")(test_words.test_every_love_goes_in_alike_and_comes_out_different)  # noqa: RUF027
proves("""
    Training gives each token one row of numbers. Attention gives each token a weighted average of
    rows made from the tokens it reads, itself included
""")(test_of_terms.test_weights_of_a_query_add_up_to_1_or_to_0)


def both_sentences(page: AppTest) -> list[Trace]:
    """The walkthrough's runs with the words before *bank* that are compared."""
    chosen = page.session_state.words_neighbour
    return [
        Setup(preset="river-bank", text=f"we sat by the {word} bank").trace
        for word in ("river", "money" if chosen == "river" else chosen)
    ]


def largest(trace: Trace) -> str:
    """The column of the largest number of the mean with the weights of the first head."""
    return str(trace.labels["m"][int((trace["weights"][0, -1] @ trace["X"]).argmax())])


def dialled(page: AppTest) -> Trace:
    return mean_family([page.session_state[f"words_dial_{n}"] for n in range(1, 5)]).run()


def rows_of_pieces(said: Values, page: AppTest) -> None:
    lacks = {*page.session_state.words_text} - {*CORPUS}
    assert bool(lacks) == any("no row" in one.value for one in page.markdown)


def no_row(said: Values, page: AppTest) -> None:
    """GPT's first tokenizer has a sign for what it lacks; GPT-2's has every byte."""
    assert isinstance(said["pieces"], Markdown)
    first = transformers.OpenAIGPTTokenizer(vocab={"<unk>": 0}, merges=[])
    bytes_of = {sign: number for number, sign in enumerate(ByteLevel.alphabet())}
    second = transformers.GPT2Tokenizer(vocab=bytes_of, merges=[])
    for piece in {*page.session_state.words_text} - {*CORPUS}:
        assert first.tokenize(piece) in ([], ["<unk>"])
        assert len(second.tokenize(piece)) == len(piece.encode())


def corpus(said: Values, page: AppTest) -> None:
    """What is shown is what the merges are learned from: the first joins its most frequent pair."""
    pairs = Counter(pair for word in chunks(said["corpus"]) for pair in pairwise(word))
    assert learned()[0].count == max(pairs.values()) == pairs[learned()[0].pair]


def whole_rows(said: Values, page: AppTest) -> None:
    """Head 1 passes on the features that tell, as they are; all else that changes is another."""
    for trace in both_sentences(page):
        differs = ~np.isclose(trace["output"][-1], trace["weights"][0, -1] @ trace["X"], atol=0.005)
        named = {trace.labels["m"][at] for at in np.flatnonzero(differs)}
        assert named >= {"thing", "open"}
        assert not named & {"water", "money"}


def no_dials(said: Values, page: AppTest) -> None:
    assert "words_mean_stage" not in [shown.config["stage"] for shown in stages(page)]


def counted(page: AppTest, first: str, second: str) -> list[int]:
    (pair,) = (
        m for m in learned() if m.pair == (first.replace("·", " "), second.replace("·", " "))
    )
    return [pair.count]


def love(page: AppTest, text: str, place: str) -> list[float]:
    """How far its row is from that of the first, before attention and after."""
    found, at = loves(), (LOVES.index(text), int(place) - 1)
    n = [*zip(found.sentence, found.place, strict=True)].index(at)
    return [found.from_first(rows, n) for rows in (found.before, found.after)]


def pieces_shown(match: re.Match[str], page: AppTest) -> None:
    state = page.session_state
    made = split(state.words_text, learned()[: state.words_merges])
    assert match[0].replace("\\", "") == " | ".join(piece.replace(" ", "·") for piece in made)


def apart(match: re.Match[str], page: AppTest) -> None:
    """In both tables, one after the other."""
    word, *told = match.groups()
    rows = [distances(made)[WORDS.index(word)] for made in (one_hot_rows(WORDS), embedding_table())]
    assert any(np.allclose([float(x) for x in told], row, atol=0.006) for row in rows)


INVENTORY = Inventory(
    "words",
    claims={
        r"\| (\S+) \| (\S+) \| (\d+) \|$": row_of(counted),
        r"\| (river|ball|money|bank) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$": apart,
        rf"\| ((?:{SENTENCE}).*) \| (\d+) \| (\S+ \| \S+) \|$": row_of(love),
        r"(?:\S+ \| )*(?!Notice)\S+$": pieces_shown,
    },
    module=globals(),
    texts={
        "byte_pairs": (
            test_words.test_each_merge_joins_the_most_frequent_pair_of_the_corpus_as_it_is_then
        ),
        "one_hot": test_words.test_one_hot_rows_are_all_root_two_apart_and_pick_their_row,
    },
    panels=["fold_attention"],
)
