"""Every sentence of the page on words before attention, at the ends of its controls."""

import itertools
import re
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from core.attention.inputs import toy_inputs
from core.attention.setups import Setup
from core.attention.tokens import tokenise
from core.chapters.words.pieces import CORPUS, chunks, learned, split
from core.limits import MAX_SEED
from core.program.trace import Trace
from core.pytorch.word2vec import LEFT_OUT, SENTENCES, TOPICS, train, vocabulary
from tests.ui.claims import ALWAYS, Inventory, printed
from tests.ui.support import stages

Match = re.Match[str]
TABLE = {"river": (2, 0, 0), "ball": (0, 2, 0), "money": (0, 0, 2), "bank": (1, 1, 1)}
SENTENCE = r"I love|I don't love"


def pieces(page: AppTest) -> list[str]:
    state = page.session_state
    return list(split(state.words_text, learned()[: state.words_merges]))


def shown_pieces(match: Match, page: AppTest) -> None:
    assert match[0].replace("\\", "") == " | ".join(p.replace(" ", "·") for p in pieces(page))


def counted(match: Match, page: AppTest) -> None:
    assert int(match[1]) == len(page.session_state.words_text)
    assert int(match[2]) == len(pieces(page))
    assert match[3] == ("token" if len(pieces(page)) == 1 else "tokens")


def joined(match: Match, page: AppTest) -> None:
    assert "".join(pieces(page)) == page.session_state.words_text


def different(match: Match, page: AppTest) -> None:
    merges = learned()[: page.session_state.words_merges]
    assert int(match[1]) == len({*CORPUS, *("".join(m.pair) for m in merges)})
    said = " ".join(one.value for one in page.markdown)
    assert ("no row" in said) == bool({*page.session_state.words_text} - {*CORPUS})


def strange(match: Match, page: AppTest) -> None:
    """Characters of the text that the corpus lacks, in the order they come in."""
    wanted = [c for c in dict.fromkeys(page.session_state.words_text) if c not in CORPUS]
    assert re.split(r", | and ", match[1].replace("\\", "")) == wanted
    assert not {*wanted} & {"".join(m.pair) for m in learned()}


def any_strange(match: Match, page: AppTest) -> None:
    assert {*page.session_state.words_text} - {*CORPUS}


def guessed(match: Match, page: AppTest) -> None:
    """The words of the sentences but for those left out: as many as the guess is over."""
    read = {word for text in SENTENCES for word in text.split()} - LEFT_OUT
    assert int(match[1]) == len(read)


def vector_width(match: Match, page: AppTest) -> None:
    *_, last = train("cbow", 2, 0, 0)
    assert int(match[1]) == last.vectors.shape[1]


def reads_itself(match: Match, page: AppTest) -> None:
    """Without other tokens the mean is the token's own; with them it has a weight too."""
    x = torch.tensor([TABLE["river"], TABLE["bank"]], dtype=torch.float64)
    weights = torch.softmax(x @ x.T / 3**0.5, -1)
    assert (weights.diagonal() > 0).all()


def fewer_is_more(match: Match, page: AppTest) -> None:
    assert len(pieces(page)) <= len(page.session_state.words_text)


def merged(match: Match, page: AppTest) -> None:
    """The count of a pair, over the corpus cut by the merges before it."""
    first, second, count = (text.replace("·", " ") for text in match.groups())
    at = next(n for n, m in enumerate(learned()) if m.pair == (first, second))
    counts: Counter[tuple[str, str]] = Counter()
    for word in chunks(CORPUS):
        counts.update(itertools.pairwise(split(word, learned()[:at])))
    assert counts[first, second] == int(count)


def corpus(match: Match, page: AppTest) -> None:
    assert match[1].strip("*. ") == CORPUS.strip("*. ")


def apart(match: Match, page: AppTest) -> None:
    """In both tables, one after the other: √2 among one-hot rows, else by the rows."""
    word, *said = match.groups()
    rows = list(TABLE.values())
    wanted = [float(np.linalg.norm(np.subtract(TABLE[word], row))) for row in rows]
    told = [float(x) for x in said]
    hot = [0.0 if other == word else 2**0.5 for other in TABLE]
    assert np.allclose(told, hot, atol=0.006) or np.allclose(told, wanted, atol=0.006)


def features(match: Match, page: AppTest) -> None:
    printed(match[2], float(np.linalg.norm(np.subtract(TABLE["bank"], TABLE["river"]))))
    printed(match[3], float(np.linalg.norm(np.subtract(TABLE["ball"], TABLE["river"]))))
    assert int(match[1]) == len(TABLE["bank"])


def surprise(match: Match, page: AppTest) -> None:
    state = page.session_state
    steps = int(match[1])
    *_, last = train(state.words_kind, state.words_window, state.words_seed, steps)
    printed(match[2], last.loss)


def together(match: Match, page: AppTest) -> None:
    """By the angles of the vectors that are drawn."""
    state = page.session_state
    told = " ".join(markdown.value for markdown in page.markdown)
    steps = re.search(r"After (\d+) steps", told)
    asked = state.words_kind, state.words_window, state.words_seed
    *_, now = train(*asked, int(steps[1]) if steps else 0)
    shown = [(topic, word) for topic, words in TOPICS.items() for word in words]
    angle = {word: np.arctan2(*now.vectors[vocabulary().index(word)][::-1]) for _, word in shown}
    count = 0
    for topic, word in shown:
        _, best = min(
            (abs(np.angle(np.exp(1j * (angle[word] - angle[other])))), their)
            for their, other in shown
            if other != word
        )
        count += best == topic
    assert (int(match[1]), int(match[2])) == (len(shown), count)


def untrained(match: Match, page: AppTest) -> None:
    told = " ".join(markdown.value for markdown in page.markdown)
    assert "mean surprise" not in told


def sentences_read(match: Match, page: AppTest) -> None:
    assert int(match[1]) == len(SENTENCES)


def bank(page: AppTest) -> tuple[np.ndarray, np.ndarray]:
    words = page.session_state.words_order.split("-")
    x = torch.tensor([TABLE[word] for word in words], dtype=torch.float64)
    hidden = ~torch.ones(len(x), len(x)).tril().bool()
    weights = torch.softmax((x @ x.T / 3**0.5).masked_fill(hidden, -torch.inf), -1)
    at = words.index("bank")
    return x[at].numpy(), (weights @ x)[at].numpy()


def goes_in(match: Match, page: AppTest) -> None:
    for text, value in zip(match.groups(), bank(page)[0], strict=True):
        printed(figure(text), float(value))


def comes_out(match: Match, page: AppTest) -> None:
    before, after = bank(page)
    for text, value in zip(match.groups()[:3], after, strict=True):
        printed(figure(text), float(value))
    assert ("has read itself and what comes before" in match[4]) == (not np.allclose(before, after))


def figure(text: str) -> str:
    return re.sub(r"\[|\]\(.*\)", "", text)


def both_words(page: AppTest) -> list[str]:
    """The words before *bank* that are compared: *river*, and the one that is chosen."""
    chosen = page.session_state.words_neighbour
    return ["river", "money" if chosen == "river" else chosen]


def both_sentences(page: AppTest) -> list[Trace]:
    """The walkthrough's runs."""
    texts = [f"we sat by the {word} bank" for word in both_words(page)]
    return [Setup(preset="river-bank", text=text, heads=2).trace for text in texts]


def the_same_row(match: Match, page: AppTest) -> None:
    one, other = (trace["X"][-1] for trace in both_sentences(page))
    assert np.array_equal(one, other)


def turned(match: Match, page: AppTest) -> None:
    """A mean of the rows with the weights of the walkthrough's first head, sentence by sentence."""
    features, words = match.groups()[::2], match.groups()[1::2]
    assert list(words) == both_words(page)
    for trace, feature in zip(both_sentences(page), features, strict=True):
        mean = trace["weights"][0, -1] @ trace["X"]
        assert trace.labels["m"][int(mean.argmax())] == feature
    if words[1] == "money":
        assert features == ("water", "money")


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


def spread(at: int):
    def check(match: Match, page: AppTest) -> None:
        rows = loves()[at]
        printed(match[1], max(float(np.linalg.norm(a - b)) for a in rows for b in rows))

    return check


def still_equal(match: Match, page: AppTest) -> None:
    spread(1)(match, page)
    _, after = loves()
    pairs = [(i, j) for i in range(4) for j in range(i) if np.allclose(after[i], after[j])]
    assert pairs == [(2, 0)]  # both stand after “I”, and nothing else


def dials(page: AppTest) -> np.ndarray:
    found: np.ndarray = np.array(
        [page.session_state[f"words_dial_{n}"] for n in range(1, 5)], dtype=float
    )
    return found


def mean(match: Match, page: AppTest) -> None:
    values = np.array([[0, 0], [4, 0], [4, 3], [0, 3]])
    for text, value in zip(match.groups(), dials(page) @ values / dials(page).sum(), strict=True):
        printed(figure(text), float(value))


def lucky(match: Match, page: AppTest) -> None:
    """Within four standard errors of the mean."""
    values = np.array([[0, 0], [4, 0], [4, 3], [0, 3]])
    p = dials(page) / dials(page).sum()
    for v, text in enumerate(match.groups()):
        middle = p @ values[:, v]
        error = np.sqrt(p @ (values[:, v] - middle) ** 2 / 1000)
        assert abs(float(text) - middle) <= 4 * error + 0.005


def none_is_up(match: Match, page: AppTest) -> None:
    assert not dials(page).any()
    assert "words_mean_stage" not in [shown.config["stage"] for shown in stages(page)]


CELL = r"(\[?[\d.−]+\]?(?:\([^)]*\))?)"
INVENTORY = Inventory(
    "words",
    ends={
        "words_neighbour": ("river", "money", "boat", "loan"),
        "words_text": ("a", "a prejudice | <b>no justice</b>"),
        "words_merges": ("0", str(len(learned()))),
        "words_kind": ("cbow", "skip-gram"),
        "words_window": ("1", "4"),
        "words_seed": ("0", str(MAX_SEED)),
        "words_steps": ("0", "3"),
        "words_order": ("river-bank", "bank-river", "money-bank", "river-money-bank"),
        **{f"words_dial_{n}": ("0", "10") for n in range(1, 5)},
    },
    claims={
        r"Words before attention: why": ALWAYS,
        r"A model computes with numbers|So a text is cut": ALWAYS,
        r"What to notice\.$|To take away\.$": ALWAYS,
        r"Notice\.$|Try it\.$|Below the numbers, choose another word before bank": ALWAYS,
        r"Then go through the three steps": ALWAYS,
        r"Before it reads, bank is the same row of numbers in both sentences\.$": the_same_row,
        r"After it has read, its largest number is (.+) after (\w+) and (.+) after (\w+)\.$": (
            turned
        ),
        r"A token is what a model reads": ALWAYS,
        r"Here (\d+) characters have become (\d+) (tokens?); the raised dot": counted,
        r"Joined, they are the text again": joined,
        r"The vocabulary has (\d+) different pieces, and each of them gets a row": different,
        r"The corpus has (?:no|none of) (.+), so (?:this piece gets|these get) no row\.$": strange,
        r"Real tokenisers begin with bytes, so they have pieces for every text\.$": any_strange,
        r"A model reads so many tokens at a time": fewer_is_more,
        r"\| merged \|": ALWAYS,
        r"\| characters \|  \|": ALWAYS,
        r"\| (\S+) \| (\S+) \| (\d+) \|": merged,
        r"How they were learned|In a small corpus the two|No merge goes over": ALWAYS,
        r"The corpus, written for this page: (.*)$": corpus,
        r"How far one-hot rows|How far rows of E": ALWAYS,
        r"\| distance \| river \| ball \| money \| bank \|$": ALWAYS,
        r"\| (river|ball|money|bank) \| (\S+) \| (\S+) \| (\S+) \| (\S+) \|$": apart,
        r"Between one-hot rows of two words the distance is always √2 ≈ 1\.41": ALWAYS,
        r"Rows with (\d) features .* is (\S+) from each of the others, and they are (\S+) apart": (
            features
        ),
        r"These were chosen by hand": ALWAYS,
        r"After (\d+) steps the mean surprise of a guess is (\S+) nats": surprise,
        r"Of (\d+) words (\d+) have their closest": together,
        r"So far all vectors are drawn": untrained,
        r"Nobody tells the training .* it sees (\d+) sentences": sentences_read,
        r"Smaller than the original\.$": ALWAYS,
        r"Here each guess is a full softmax over (\d+) words, with a bias for each": guessed,
        r"Vectors have (\d+) features, and Adam sets the steps\.$": vector_width,
        r"Word2Vec has vectors of some hundred features and no bias\.$": ALWAYS,
        r"It avoids the full softmax: its authors used a tree of words": ALWAYS,
        rf"Into attention bank goes as \({CELL}, {CELL}, {CELL}\), whatever": goes_in,
        rf"It comes out as \({CELL}, {CELL}, {CELL}\): (.*)$": comes_out,
        r"The same for love|How far is each love|\| sentence \|": ALWAYS,
        rf"\| ((?:{SENTENCE}).*) \| (\d+) \| (\S+) \| (\S+) \|$": of_a_love,
        r"Before attention they are at most (\S+) apart": spread(0),
        r"After it they are up to (\S+) apart: only those": still_equal,
        r"Rows that stand for a word alone": ALWAYS,
        rf"The mean of the values is \({CELL}, {CELL}\)\.$": mean,
        r"Draw one of the four .* what came up is \((\S+), (\S+)\)\.$": lucky,
        r"That is what an expectation is|Weights that are not negative and add": ALWAYS,
        r"All dials are 0": none_is_up,
        r"Turn one up": none_is_up,
        r"A token is a piece of text, and gets": ALWAYS,
        r"That row is the same wherever .* over the tokens that it may read, itself": reads_itself,
        r"(?:\S+ \| )*(?!Notice)\S+$": shown_pieces,
    },
    others=[
        {"words_dial_1": "0", "words_dial_2": "0", "words_dial_3": "0"},
        {"words_text": "prejudice", "words_merges": "10"},
        {"words_text": "The Judge"},
    ],
    panels=["fold_attention"],
)


class AtOnce:
    """In place of a thread: what it has to do is done when it is started."""

    def __init__(self, target: Callable[[], None], name: str, daemon: bool) -> None:
        self.start = target


def test_its_controls_are_seen_at_their_ends() -> None:
    INVENTORY.check_ends()


def test_every_sentence_holds_at_the_ends_of_its_controls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ui.queue.Thread", AtOnce)
    INVENTORY.check()
