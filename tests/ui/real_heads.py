"""Captured heads for claims of pages, read from their files: nothing of it is the core's."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path

import numpy as np
from safetensors import safe_open
from streamlit.testing.v1 import AppTest

import core.models.captures

DATA = Path(core.models.captures.__file__).parent / "data"
NAMES_A_HEAD = (
    r"(\S+ \(Q4_1\)), layer (\d+), head (\d+) :gray\[\(index (\d+), (\d+)\)\], on “(.*)” "
    r"\[More on this head\]\(real-heads\?real_capture=(\S+)\)$"
)
"""The line that names a head."""


HOW_CHOSEN = (
    r"Chosen: the highest measure “(.+)” of all (\d+) heads on this text, (\S+) %; "
    r"the median is (\S+) %\.$"
)
"""The line that says how a head was chosen."""
TITLES = {
    "previous_token": "Previous token", "next_token": "Next token", "own_token": "Own token",
    "first_token": "First token", "last_token": "Last token", "same_token": "Same token again",
    "induction": "Induction", "punctuation": "Punctuation", "evenness": "Even weights",
}  # fmt: skip
Pairs = Sequence[tuple[int, int]]


def arrays_of(run: str, name: str) -> dict[str, np.ndarray]:
    """The arrays of a captured head."""
    with safe_open(DATA / f"{run}.safetensors", framework="numpy") as file:
        keys = [key for key in file.keys() if key.startswith(f"{name}.")]  # noqa: SIM118
        return {key.removeprefix(f"{name}."): file.get_tensor(key).astype(float) for key in keys}


def maps_of(run: str) -> np.ndarray:
    """The weights of all layers and heads of a run, in whole steps of 1/255."""
    with safe_open(DATA / f"{run}.safetensors", framework="numpy") as file:
        maps: np.ndarray = file.get_tensor("maps").astype(float)
    return maps / 255


def names_a_head(match: re.Match[str], page: AppTest) -> None:
    """Layer and head count from 1, the library's index from 0; a file has this head."""
    model, *numbers, prompt, name = match.groups()
    layer, head, *index = map(int, numbers)
    assert [layer - 1, head - 1] == index
    captured = []
    for path in DATA.glob("*.safetensors"):
        with safe_open(path, framework="numpy") as file:
            said = file.metadata()
        text = " ".join(said["prompt"].split())
        captured += [
            (said["model"], text, one["layer"], one["head"], one["name"])
            for one in json.loads(said["heads"])
        ]
    assert (model, prompt, *index, name) in captured


def percent(text: str, value: float) -> None:
    """Whole percent; only what is 1 is 100 %, and only what is 0 is 0 %."""
    if text in ("<1", ">99"):
        assert 0 < value < 0.005 if text == "<1" else 0.995 <= value < 1
    else:
        assert abs(int(text) / 100 - value) <= 0.00501
        assert (text in ("0", "100")) == (min(value, 1 - value) < 1e-9)


def counted(score: str, tokens: Sequence[str], i: int) -> list[int]:
    """The keys that a score counts in row i, by its formula."""
    T = len(tokens)
    return {
        "previous_token": [i - 1] if i else [],
        "next_token": [i + 1] if i + 1 < T else [],
        "own_token": [i] if i else [],
        "first_token": [0] if i else [],
        "last_token": [T - 1] if i + 1 < T else [],
        "same_token": [j for j in range(i) if tokens[j] == tokens[i]],
        "induction": [j + 1 for j in range(i - 1) if tokens[j] == tokens[i]],
        "punctuation": [j for j in marks_in(tuple(tokens)) if j < i],
    }[score]


@cache
def marks_in(tokens: tuple[str, ...]) -> list[int]:
    """Where tokens have no letter and no digit, and are no end of a line."""
    letter = re.compile(r"\w")
    return [j for j, t in enumerate(tokens) if not letter.search(t.strip("ĠĊ")) and t != "Ċ"]


def score_by_hand(
    score: str, weights: np.ndarray, tokens: Sequence[str], pairs: Pairs = ()
) -> float:
    """A head's measure on a text, by its formula."""
    T = len(tokens)
    if score == "linked_words":
        return float(np.mean([weights[i, j] for i, j in pairs]))
    if score == "evenness":
        sees = range(2, T + 1) if not np.triu(weights, 1).any() else [T] * (T - 1)
        rows = ([w for w in row if w > 0] for row in weights[1:].tolist())
        surprise = [-sum(w * log(w) for w in row) for row in rows]
        return float(np.mean([one / log(n) for one, n in zip(surprise, sees, strict=True)]))
    found = [(i, js) for i in range(T) if (js := counted(score, tokens, i))]
    return float(np.mean([sum(weights[i, j] for j in js) for i, js in found])) if found else 0.0


@dataclass(frozen=True)
class ReadText:
    """A text that a captured head reads, and its measure there."""

    prompt: str
    tokens: Sequence[str]
    pairs: Pairs
    weights: np.ndarray
    measure: float


@dataclass(frozen=True)
class FiledHead:
    """A captured head as its file has it: the text it was chosen on, then two others."""

    title: str
    texts: Sequence[ReadText]
    every: np.ndarray
    """The measure of every head of the model on the first text."""


@cache
def filed_heads() -> dict[str, FiledHead]:
    """Every captured head by its name."""
    found = {}
    for path in sorted(DATA.glob("*.safetensors")):
        with safe_open(path, framework="numpy") as file:
            said = file.metadata()
        tokens, maps = json.loads(said["tokens"]), maps_of(path.stem)
        rows = maps[:, :, 1:] if said["mask"] == "causal" else maps
        rows[rows == 1] = 254.75 / 255  # 254.5 to 255 steps: other keys have some
        chosen = {
            one["name"]: (one, arrays_of(path.stem, one["name"]))
            for one in json.loads(said["heads"])
        }
        for one, arrays in chosen.values():
            maps[one["layer"], one["head"]] = arrays["weights"]
        for name, (one, arrays) in chosen.items():
            score = one["score"]
            own = {"prompt": said["prompt"], "tokens": tokens, "pairs": one["pairs"]}
            read = [(own, arrays["weights"])]
            read += [(text, arrays[f"further.{n}"]) for n, text in enumerate(one["further"])]
            texts = []
            for text, weights in read:
                words, pairs = text["tokens"], text["pairs"]
                measure = score_by_hand(score, weights, words, pairs)
                texts.append(ReadText(text["prompt"], words, pairs, weights, measure))
            title = TITLES.get(score) or ", ".join(
                f"{tokens[i].strip('Ġ')} → {tokens[j].strip('Ġ')}" for i, j in one["pairs"]
            )
            every = [
                score_by_hand(score, w, tokens, one["pairs"])
                for w in maps.reshape(-1, *maps.shape[2:])
            ]
            found[name] = FiledHead(title, texts, np.array(every))
    return found


def how_chosen(match: re.Match[str], page: AppTest) -> None:
    """A head that the page shows has the highest measure of all heads, and this is the median."""
    title, heads, own, median = match.groups()
    links = re.findall(r"real_capture=([\w-]+)", " ".join(str(one.value) for one in page.markdown))
    state = page.session_state
    names = [*links, *([state.real_capture] if "real_capture" in state else [])]
    head = next(filed_heads()[name] for name in names if filed_heads()[name].title == title)
    assert int(heads) == head.every.size
    assert head.texts[0].measure == head.every.max() > sorted(head.every)[-2]
    percent(own, head.texts[0].measure)
    percent(median, float(np.median(head.every)))


OF_A_HEAD = {NAMES_A_HEAD: names_a_head, HOW_CHOSEN: how_chosen}
"""What a chapter with a real head says of it."""
