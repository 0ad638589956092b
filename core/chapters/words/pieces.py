"""Byte-pair encoding, small: the pair of neighbours that is most frequent becomes one piece, again
and again (Sennrich et al. 2016, section 3.2; Gage 1994).

Pieces are characters at first. A space belongs to the word after it, as in GPT's tokenisers, so the
pieces of a text joined together are the text. The real ones start from bytes, and learn tens of
thousands of merges from a large corpus.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import regex

from core.errors import input_error
from core.texts import core_texts

TEXTS = core_texts("words")
CORPUS = TEXTS("corpus")
"""What the merges are learned from: written for this page."""
MOST_MERGES = 60
LEAST = 2
"""A pair that occurs less often is not merged."""
MAX_CHARACTERS = 60
_CHUNK = regex.compile(r" ?[\p{L}\p{M}\p{N}]+| ?[^\s\p{L}\p{M}\p{N}]+|\s+")

Pair = tuple[str, str]


@dataclass(frozen=True)
class Merge:
    """Two pieces that become one, and how often they were neighbours then."""

    pair: Pair
    count: int

    @property
    def piece(self) -> str:
        return "".join(self.pair)


def chunks(text: str) -> list[str]:
    """Return a text cut at its words, each with the space before it; no merge crosses a cut."""
    found: list[str] = _CHUNK.findall(text)
    return found


@cache
def learned(merges: int = MOST_MERGES, corpus: str = CORPUS) -> tuple[Merge, ...]:
    """Return the first merges that a corpus teaches, at most this many.

    Of equally frequent pairs, the first in the alphabet is merged first.
    """
    words = {tuple(word): count for word, count in Counter(chunks(corpus)).items()}
    found: list[Merge] = []
    while len(found) < merges:
        counts: Counter[Pair] = Counter()
        for pieces, count in words.items():
            for pair in pairwise(pieces):
                counts[pair] += count
        if not counts:
            break
        pair, most = min(counts.items(), key=lambda one: (-one[1], one[0]))
        if most < LEAST:
            break
        found.append(Merge(pair, most))
        words = {_merged(pieces, pair): count for pieces, count in words.items()}
    return tuple(found)


def split(text: str, merges: Sequence[Merge]) -> tuple[str, ...]:
    """Return the pieces of a text: its characters, merged in the order of the merges."""
    return stages(text, merges)[-1][1]


def stages(text: str, merges: Sequence[Merge]) -> tuple[tuple[Merge | None, tuple[str, ...]], ...]:
    """Return the pieces at first, and after each merge that joins some, with that merge."""
    words = [tuple(chunk) for chunk in chunks(text)]
    found: list[tuple[Merge | None, tuple[str, ...]]] = [(None, _all(words))]
    for merge in merges:
        joined = [_merged(pieces, merge.pair) for pieces in words]
        if joined != words:
            words = joined
            found.append((merge, _all(words)))
    return tuple(found)


def piece_vocabulary(merges: Sequence[Merge], corpus: str = CORPUS) -> tuple[str, ...]:
    """Return every piece there is: the characters of the corpus, then what each merge made."""
    return (*sorted(set(corpus)), *(merge.piece for merge in merges))


def unknown(pieces: Sequence[str], merges: Sequence[Merge], corpus: str = CORPUS) -> list[str]:
    """Return the pieces of a text that the vocabulary does not have, once each.

    They are characters. Real tokenisers start from bytes, so they have pieces for every text.
    """
    known = {*piece_vocabulary(merges, corpus)}
    return [piece for piece in dict.fromkeys(pieces) if piece not in known]


def short_text(text: str) -> str:
    """Return a text that can be split here. Raises `InputError` if it is empty or too long."""
    if not text.strip():
        raise input_error(TEXTS, "no_text")
    if len(text) > MAX_CHARACTERS:
        counts = {"characters": f"{len(text):,}", "over": f"{len(text) - MAX_CHARACTERS:,}"}
        raise input_error(TEXTS, "long_text", most=MAX_CHARACTERS, **counts)
    return text


def _merged(pieces: tuple[str, ...], pair: Pair) -> tuple[str, ...]:
    """The pieces with each such pair as one, from the left."""
    made: list[str] = []
    for piece in pieces:
        # A piece that was joined just now is no first half: it is longer than the pair's.
        if made and (made[-1], piece) == pair:
            made[-1] = "".join(pair)
        else:
            made.append(piece)
    return tuple(made)


def _all(words: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(piece for pieces in words for piece in pieces)
