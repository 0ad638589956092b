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

from core.errors import InputError

CORPUS = (
    "the judge will judge the case and the case is before the judge . "
    "we prepare a present , we prefer a prefix , we preview the price . "
    "a voice is a choice , a notice is advice , an office is a service . "
    "prejudge no judge , precede no office , present no advice before the notice . "
    "the judicial office will prepare the judicial case . "
    "he will prepare , she will prefer , they will present the notice ."
)
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
    """A text cut at its words, each with the space before it; no merge goes over a cut."""
    found: list[str] = _CHUNK.findall(text)
    return found


@cache
def learned(merges: int = MOST_MERGES, corpus: str = CORPUS) -> tuple[Merge, ...]:
    """The first merges that a corpus teaches, at most so many. Of equally frequent pairs the one
    that comes first in the alphabet is taken.
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
    """The pieces of a text: its characters, with the merges done in the order they were learned."""
    return stages(text, merges)[-1][1]


def stages(text: str, merges: Sequence[Merge]) -> tuple[tuple[Merge | None, tuple[str, ...]], ...]:
    """The pieces at first, and after each merge that joins some: with the merge that did it."""
    words = [tuple(chunk) for chunk in chunks(text)]
    found: list[tuple[Merge | None, tuple[str, ...]]] = [(None, _all(words))]
    for merge in merges:
        joined = [_merged(pieces, merge.pair) for pieces in words]
        if joined != words:
            words = joined
            found.append((merge, _all(words)))
    return tuple(found)


def vocabulary(merges: Sequence[Merge], corpus: str = CORPUS) -> tuple[str, ...]:
    """Every piece there is: the corpus' characters, then what each merge made."""
    return (*sorted(set(corpus)), *(merge.piece for merge in merges))


def unknown(pieces: Sequence[str], merges: Sequence[Merge], corpus: str = CORPUS) -> list[str]:
    """The pieces of a text that the vocabulary does not have, once each: characters of no corpus.

    Real tokenisers begin with bytes, so that each text is made of pieces they have.
    """
    known = {*vocabulary(merges, corpus)}
    return [piece for piece in dict.fromkeys(pieces) if piece not in known]


def short_text(text: str) -> str:
    """A text that is split here. Raises `InputError` for none, and for one that is too long."""
    if not text.strip():
        raise InputError("There is no text", "it needs at least one character", "type a word")
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"The text has {len(text):,} characters", f"the limit here is {MAX_CHARACTERS}",
            f"leave out {len(text) - MAX_CHARACTERS:,} or more",
        )  # fmt: skip
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
