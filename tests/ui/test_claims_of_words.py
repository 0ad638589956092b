"""Every sentence of the page on words before attention, at the ends of its controls."""

import itertools
import re
from collections import Counter

import numpy as np
import torch
import transformers
from streamlit.testing.v1 import AppTest
from tokenizers.pre_tokenizers import ByteLevel

from core.attention.inputs import toy_inputs
from core.attention.setups import Setup
from core.attention.tokens import tokenise
from core.chapters.words.pieces import CORPUS, chunks, learned, split
from core.program.trace import Trace
from core.pytorch.word2vec import LEFT_OUT, SENTENCES, TOPICS, learned_vocabulary, train
from tests.quotes import proves
from tests.ui.claims import ALWAYS, Inventory, Values, printed
from tests.ui.support import stages
from ui.text import Markdown

Match = re.Match[str]
TABLE = {"river": (2, 0, 0), "ball": (0, 2, 0), "money": (0, 0, 2), "bank": (1, 1, 1)}
SENTENCE = r"I love|I don't love"


def pieces(page: AppTest) -> list[str]:
    state = page.session_state
    return list(split(state.words_text, learned()[: state.words_merges]))


def shown_pieces(match: Match, page: AppTest) -> None:
    assert match[0].replace("\\", "") == " | ".join(p.replace(" ", "·") for p in pieces(page))


def counted(said: Values, page: AppTest) -> None:
    text = page.session_state.words_text
    assert (said["characters"], said["tokens"]) == (len(text), len(pieces(page)))
    assert len(pieces(page)) <= len(text)
    assert "".join(pieces(page)) == text


def rows_of_pieces(said: Values, page: AppTest) -> None:
    merges = learned()[: page.session_state.words_merges]
    assert said["size"] == len({*CORPUS, *("".join(m.pair) for m in merges)})
    shown = " ".join(one.value for one in page.markdown)
    assert ("no row" in shown) == bool({*page.session_state.words_text} - {*CORPUS})


def no_row(said: Values, page: AppTest) -> None:
    """Characters of the text that the corpus lacks, in the order they come in."""
    wanted = [c for c in dict.fromkeys(page.session_state.words_text) if c not in CORPUS]
    assert isinstance(said["pieces"], Markdown)
    named = re.sub(r"\\(.)|\*\*", r"\1", said["pieces"])
    assert re.split(r", | and ", named) == wanted
    assert said["number"] == len(wanted) > 0
    assert not {*wanted} & {"".join(m.pair) for m in learned()}
    # GPT's first tokenizer has a sign for what it lacks; GPT-2's has every byte.
    first = transformers.OpenAIGPTTokenizer(vocab={"<unk>": 0}, merges=[])
    bytes_of = {sign: number for number, sign in enumerate(ByteLevel.alphabet())}
    second = transformers.GPT2Tokenizer(vocab=bytes_of, merges=[])
    for piece in wanted:
        assert first.tokenize(piece) in ([], ["<unk>"])
        assert len(second.tokenize(piece)) == len(piece.encode())


def word2vec(said: Values, page: AppTest) -> None:
    """The words of the sentences but for those left out: as many as the guess is over."""
    read = {word for text in SENTENCES for word in text.split()} - LEFT_OUT
    *_, last = train("cbow", 2, 0, 0)
    assert (said["words"], said["width"]) == (len(read), last.vectors.shape[1])


@proves("""
    Training gives each token one row of numbers. Attention gives each token a weighted average of
    rows made from the tokens it reads, itself included
""")
def takeaway(said: Values, page: AppTest) -> None:
    """Without other tokens the mean is the token's own; with them it has a weight too."""
    x = torch.tensor([TABLE["river"], TABLE["bank"]], dtype=torch.float64)
    weights = torch.softmax(x @ x.T / 3**0.5, -1)
    assert (weights.diagonal() > 0).all()


def merged(match: Match, page: AppTest) -> None:
    """The count of a pair, over the corpus cut by the merges before it."""
    first, second, count = (text.replace("·", " ") for text in match.groups())
    at = next(n for n, m in enumerate(learned()) if m.pair == (first, second))
    counts: Counter[tuple[str, str]] = Counter()
    for word in chunks(CORPUS):
        counts.update(itertools.pairwise(split(word, learned()[:at])))
    assert counts[first, second] == int(count)


def corpus(said: Values, page: AppTest) -> None:
    """What is shown is what the merges are learned from: the first joins its most frequent pair."""
    pairs = Counter(pair for word in chunks(said["corpus"]) for pair in itertools.pairwise(word))
    assert learned()[0].count == max(pairs.values()) == pairs[learned()[0].pair]


def byte_pairs(said: Values, page: AppTest) -> None:
    """Each merge joins the most frequent pair, and no piece goes over the end of a word."""
    known = learned()
    for at in (1, len(known) // 2, len(known) - 1):
        counts = Counter(
            pair
            for word in chunks(CORPUS)
            for pair in itertools.pairwise(split(word, known[:at]))
        )  # fmt: skip
        assert counts[known[at].pair] == max(counts.values())
    assert not any(re.search(r"\S\s", "".join(merge.pair)) for merge in known)


def apart(match: Match, page: AppTest) -> None:
    """In both tables, one after the other: √2 among one-hot rows, else by the rows."""
    word, *said = match.groups()
    rows = list(TABLE.values())
    wanted = [float(np.linalg.norm(np.subtract(TABLE[word], row))) for row in rows]
    told = [float(x) for x in said]
    hot = [0.0 if other == word else 2**0.5 for other in TABLE]
    assert np.allclose(told, hot, atol=0.006) or np.allclose(told, wanted, atol=0.006)


@proves("""
    A model turns each word into a row of numbers | A one-hot row has a 1 in its word's column, and
    0 elsewhere. Multiply it by a table E, and you get the word's row of E
""")
def one_hot(said: Values, page: AppTest) -> None:
    for word, row in zip(np.eye(len(TABLE)), TABLE.values(), strict=True):
        np.testing.assert_array_equal(word @ np.array([*TABLE.values()]), row)


@proves("""
    One-hot rows are all √2 ≈ {hot} apart: no two words are closer than others. Rows of E have
    {features}, made by hand ({names}). {bank} is {near} from each other word; the others are {far}
    apart
""")
def distances(said: Values, page: AppTest) -> None:
    rows = {word: np.array(row) for word, row in TABLE.items()}
    hot = dict(zip(TABLE, np.eye(len(TABLE)), strict=True))
    for one, other in itertools.combinations(TABLE, 2):
        printed(said["hot"], float(np.linalg.norm(hot[one] - hot[other])))
        name = "near" if said["bank"] in (one, other) else "far"
        printed(said[name], float(np.linalg.norm(rows[one] - rows[other])))
    assert said["features"] == len(said["names"].split(", ")) == len(TABLE["bank"])


def asked(page: AppTest) -> tuple[str, int, int]:
    state = page.session_state
    return state.words_kind, state.words_window, state.words_seed


@proves("After {steps} the mean surprise of a guess is {surprise}")
def surprise(said: Values, page: AppTest) -> None:
    """With a probability of each right word, from the vectors that training has reached."""
    *_, last = train(*asked(page), said["steps"])
    assert said["steps"] == page.session_state.words_steps > 0
    printed(said["surprise"], last.loss)
    assert 0 < np.exp(-last.loss) < 1


@proves("For {together} of {words}, the closest other word (by direction) is on the same topic")
def topics(said: Values, page: AppTest) -> None:
    """By the angles of the vectors that are drawn."""
    assert said["sentences"] == len(SENTENCES)
    together(said, page.session_state.words_steps, page)
    assert said["words"] == sum(map(len, TOPICS.values()))


@proves("""
    after {steps}. For {together} of them, the closest other word (by direction) is on the same
    topic
""")
def learned_alt(said: Values, page: AppTest) -> None:
    together(said, said["steps"], page)
    assert (sum(map(len, TOPICS.values())), said["steps"]) == (12, page.session_state.words_steps)


def together(said: Values, steps: int, page: AppTest) -> None:
    *_, now = train(*asked(page), steps)
    shown = [(topic, word) for topic, words in TOPICS.items() for word in words]
    angle = {
        word: np.arctan2(*now.vectors[learned_vocabulary().index(word)][::-1]) for _, word in shown
    }
    count = 0
    for topic, word in shown:
        _, best = min(
            (abs(np.angle(np.exp(1j * (angle[word] - angle[other])))), their)
            for their, other in shown
            if other != word
        )
        count += best == topic
    assert said["together"] == count


def untrained(said: Values, page: AppTest) -> None:
    assert not page.session_state.words_steps
    assert said["can_train"] == ("words_training" not in page.session_state)
    assert not page.button(key="words_train").disabled


def bank(page: AppTest) -> tuple[np.ndarray, np.ndarray]:
    words = page.session_state.words_order.split("-")
    x = torch.tensor([TABLE[word] for word in words], dtype=torch.float64)
    hidden = ~torch.ones(len(x), len(x)).tril().bool()
    weights = torch.softmax((x @ x.T / 3**0.5).masked_fill(hidden, -torch.inf), -1)
    at = words.index("bank")
    return x[at].numpy(), (weights @ x)[at].numpy()


@proves("""
    {bank} always enters attention as ({before}). Here it leaves as ({after}): [moved] it has read
    itself and what comes before it. [else] nothing comes before it, and the mask hides what comes
    after
""")
def bank_rows(said: Values, page: AppTest) -> None:
    goes_in, comes_out = bank(page)
    for name, row in (("before", goes_in), ("after", comes_out)):
        for text, value in zip(said[name].split(", "), row, strict=True):
            printed(figure(text), float(value))
    assert said["moved"] == (not np.allclose(goes_in, comes_out))
    assert said["moved"] == (page.session_state.words_order.split("-")[0] != "bank")
    others = [order.split("-") for order in INVENTORY.ends["words_order"]]
    assert all(said["bank"] in words for words in others)
    np.testing.assert_array_equal(goes_in, TABLE[said["bank"]])


def figure(text: str) -> str:
    return re.sub(r"\[|\]\(.*\)|\\", "", text)


def both_words(page: AppTest) -> list[str]:
    """The words before *bank* that are compared: *river*, and the one that is chosen."""
    chosen = page.session_state.words_neighbour
    return ["river", "money" if chosen == "river" else chosen]


def both_sentences(page: AppTest) -> list[Trace]:
    """The walkthrough's runs."""
    texts = [f"we sat by the {word} bank" for word in both_words(page)]
    return [Setup(preset="river-bank", text=text, heads=2).trace for text in texts]


@proves("""
    Before reading, {bank} is the same row in both sentences. After reading, its largest number is
    in column [first_feature == second_feature] {first_feature}, next to {first_word} and next to
    {second_word} | [else] {first_feature} next to {first_word}, and in column {second_feature} next
    to {second_word}
""")
def notice(said: Values, page: AppTest) -> None:
    """A mean of the rows with the weights of the walkthrough's first head, sentence by sentence."""
    first, second = both_sentences(page)
    assert np.array_equal(first["X"][-1], second["X"][-1])
    assert [said["first_word"], said["second_word"]] == both_words(page)
    assert (first.tokens[-1], second.tokens[-1]) == (said["bank"], said["bank"])
    for trace, name in ((first, "first_feature"), (second, "second_feature")):
        mean = trace["weights"][0, -1] @ trace["X"]
        assert trace.labels["m"][int(mean.argmax())] == said[name]
    if said["second_word"] == "money":
        assert (said["first_feature"], said["second_feature"]) == ("water", "money")


def whole_rows(said: Values, page: AppTest) -> None:
    """Head 1 passes on the features that tell, as they are; all else that changes is another."""
    for trace in both_sentences(page):
        mean = trace["weights"][0, -1] @ trace["X"]
        whole = Setup(preset="river-bank", text=" ".join(trace.tokens)).trace
        np.testing.assert_allclose(whole["weights"][0, -1], trace["weights"][0, -1])
        differs = ~np.isclose(whole["output"][-1], mean, atol=0.005)
        assert {whole.labels["m"][at] for at in np.flatnonzero(differs)} >= {"thing", "open"}
        assert not differs[[whole.labels["m"].index(name) for name in ("water", "money")]].any()


def loves() -> tuple[list[np.ndarray], list[np.ndarray]]:
    before, after = [], []
    for text in (
        "I love mischief and deceit", "I don't love chocolate cake",
        "I love you, but I'm not in love with you",
    ):  # fmt: skip
        toy = toy_inputs(text, heads=1, d_model=8)
        q, k, v = (torch.tensor(toy["X"] @ toy[f"W_{name}"][0]) for name in "QKV")
        hidden = ~torch.ones(len(q), len(q)).tril().bool()
        weights = torch.softmax((q @ k.T / 8**0.5).masked_fill(hidden, -torch.inf), -1)
        out = (weights @ v).numpy() @ toy["W_O"]
        for place, token in enumerate(tokenise(text)):
            if token == "love":
                before.append(toy["X"][place])
                after.append(out[place])
    return before, after


def of_a_love(match: Match, page: AppTest) -> None:
    text, place = match[1], int(match[2])
    assert tokenise(text)[place - 1] == "love"
    before, after = loves()
    n = {("I love m", 2): 0, ("I don't ", 3): 1, ("I love y", 2): 2, ("I love y", 9): 3}[
        text[:8], place
    ]
    printed(match[3], float(np.linalg.norm(before[n] - before[0])))
    printed(match[4], float(np.linalg.norm(after[n] - after[0])))


def random_head(said: Values, page: AppTest) -> None:
    """Other seeds have other weights; the table's numbers are those of seed 0 (`of_a_love`)."""
    first, other = (toy_inputs("love", heads=1, d_model=8, seed=seed)["W_Q"] for seed in (0, 1))
    assert first.shape[0] == 1
    assert not np.allclose(first, other)


@proves("""
    Before attention all {loves} are identical. After attention only those after the same words are
    still equal
""")  # noqa: RUF027
def loves_apart(said: Values, page: AppTest) -> None:
    before, after = loves()
    assert said["loves"] == len(before) == 4
    assert all(np.array_equal(row, before[0]) for row in before)
    pairs = [(i, j) for i in range(4) for j in range(i) if np.allclose(after[i], after[j])]
    assert pairs == [(2, 0)]  # both come after “I”, and nothing else


def dials(page: AppTest) -> np.ndarray:
    found: np.ndarray = np.array(
        [page.session_state[f"words_dial_{n}"] for n in range(1, 5)], dtype=float
    )
    return found


@proves("""
    the mean of the four values is ({x}, {y}). A mean with such weights never leaves the rectangle
""")
def mean(said: Values, page: AppTest) -> None:
    values = np.array([[0, 0], [4, 0], [4, 3], [0, 3]])
    for name, value in zip("xy", dials(page) @ values / dials(page).sum(), strict=True):
        printed(figure(said[name]), float(value))
    assert 0 <= float(figure(said["x"])) <= 4
    assert 0 <= float(figure(said["y"])) <= 3


@proves("with the weights {weights}. Their mean is at ({x}, {y})")
def mean_alt(said: Values, page: AppTest) -> None:
    mean(said, page)
    for text, weight in zip(said["weights"].split(", "), dials(page) / dials(page).sum(),
                            strict=True):  # fmt: skip
        printed(text, float(weight))


@proves("""
    with the weights as probabilities | (seed 0) give ({lucky_x}, {lucky_y})
""")
def expectation(said: Values, page: AppTest) -> None:
    """Within four standard errors of the mean."""
    values = np.array([[0, 0], [4, 0], [4, 3], [0, 3]])
    p = dials(page) / dials(page).sum()
    draws = int(said["draws"].replace(",", ""))
    for v, name in enumerate(("lucky_x", "lucky_y")):
        middle = p @ values[:, v]
        error = np.sqrt(p @ (values[:, v] - middle) ** 2 / draws)
        assert abs(float(said[name]) - middle) <= 4 * error + 0.005


def no_dials(said: Values, page: AppTest) -> None:
    assert not dials(page).any()
    assert "words_mean_stage" not in [shown.config["stage"] for shown in stages(page)]


INVENTORY = Inventory(
    "words",
    typed={"words_text": ("a", "a prejudice | <b>no justice</b>"), "words_steps": ("0", "3")},
    claims={
        r"\| (?:merged|distance|sentence) \|": ALWAYS,
        r"\| (\S+) \| (\S+) \| (\d+) \|$": merged,
        r"Distances between (?:one-hot rows|rows of E)$": ALWAYS,
        r"\| (river|ball|money|bank) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$": apart,
        rf"\| ((?:{SENTENCE}).*) \| (\d+) \| (\S+) \| (\S+) \|$": of_a_love,
        r"(?:\S+ \| )*(?!Notice)\S+$": shown_pieces,
    },
    module=globals(),
    always="lede try of_attention origin",
    texts={"pieces": counted, "loves": random_head},
    others=[
        {"words_dial_1": "0", "words_dial_2": "0", "words_dial_3": "0"},
        {"words_text": "prejudice", "words_merges": "10"},
        {"words_text": "The Judge"},
    ],
    panels=["fold_attention"],
)
