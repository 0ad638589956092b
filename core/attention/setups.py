"""A setup: everything that decides a run of the attention program, as a person chose it.

A sentence or a preset, the toggles, and edited arrays on top. An edited input replaces it; an
edited step is pinned, so that the run starts there. Arrays with other rows than the sentence has
tokens bring their own positions, named by number.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from core.attention.examples import river_bank_story
from core.attention.examples.presets import Preset, preset
from core.attention.examples.two_meanings import Lexicon, hindrance
from core.attention.family import (
    CORNER_TOGGLE,
    HEADS_TOGGLE,
    MASK_TOGGLE,
    SCALE_TOGGLE,
    scale_text,
    settings_of,
)
from core.attention.given import starting_points
from core.attention.inputs import check_tokens, toy_inputs
from core.attention.layers.biases import BIASES
from core.attention.masks import UPPER_LEFT, Rule
from core.attention.tokens import neighbours, tokenise
from core.errors import input_error
from core.limits import LARGEST
from core.program.families import Built, Family, Options
from core.program.inputs import Inputs
from core.program.labels import listed_names, off_stage
from core.program.story import NO_STORY, Story
from core.program.trace import Trace
from core.texts import core_texts

TEXTS = core_texts("setups")
DEFAULT_TEXT = "The cat sat on the mat"
"""The sentence of a link that has none: whatever the language, links mean what they meant."""
SENTENCE = TEXTS("the_sentence")
"""What is changed of an example that is shown with another sentence."""
OWN_KEYS = ("word", "cues", "meanings")
"""What makes an example of a person's own: fields of a setup, and keys of a link."""
ASKING_TEXT = "Le chat est"
"""The beginning of its translation, which asks."""
EDITABLE = ("X", *starting_points.PROJECTIONS, "W_O", *starting_points.PINNABLE)
OF_PAIRS = ("mask", "bias")
GIVABLE = (*EDITABLE, *BIASES, "weights", *OF_PAIRS, *starting_points.TOKEN_LISTS)
"""All that a person may give, tokens included."""
_ROWS = {"X": 0, "Q": 1, "K": 1, "V": 1, "scores": 1, "weights": 1}
"""The axis of an edited array that counts tokens."""
KEY_FEATURES = {"W_Q": -1, "W_K": -1, "Q": -1, "K": -1}
VALUE_FEATURES = {"W_V": -1, "V": -1}
"""The axes of edited arrays that say how large d_k and d_v are."""


@dataclass(frozen=True, eq=False)
class Setup:
    """`scale` as in `attention_program`; `kv_heads` None means as many as heads.

    A `mask`, `scale` or `text` of None is the preset's own, and without one causal, True and
    `DEFAULT_TEXT`. `sizes` are those of masks, by their keys. The matrices of a preset are for its
    own number of heads; `text` counts under one that takes any sentence. `word`, `cues` and
    `meanings` are those of a person's own example, as a link writes them.
    """

    text: str | None = None
    preset: str = ""
    mask: str | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    scale: bool | float | None = None
    heads: int = 2
    kv_heads: int | None = None
    d_model: int = 8
    seed: int = 0
    corner: str = UPPER_LEFT
    word: str = ""
    cues: str = ""
    meanings: str = ""
    edits: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def example(self) -> Preset:
        """The preset. Raises `InputError` if it is a person's own that cannot be made."""
        return preset(self.preset, self.word, self.cues, self.meanings)

    @property
    def settings(self) -> dict[str, Any]:
        """What `attention_program` takes."""
        own: dict[str, Any] = {"heads": self.heads, "kv_heads": self.kv_heads}
        own |= {"mask": "causal", "scale": True}
        if self.preset:
            own |= self.example.settings
        asked = {"mask": self.mask, "scale": self.scale}
        chosen = {name: value for name, value in asked.items() if value is not None}
        return {**own, **chosen, **self.sizes, "corner": self.corner}

    @cached_property
    def trace(self) -> Trace:
        """The trace of this setup. Raises `InputError`."""
        return self.run()

    @property
    def sentence(self) -> str:
        """The sentence of the run as it was typed; "" where its tokens are another's."""
        is_typed = self.takes_text and tuple(tokenise(self.words)) == self.trace.tokens
        return self.words if is_typed else ""

    @property
    def takes_text(self) -> bool:
        """Whether the rows of X follow from the text."""
        return not self.preset or self._lexicon is not None

    @property
    def _lexicon(self) -> Lexicon | None:
        """The rows of words, of an example that takes any sentence."""
        return self.example.lexicon if self.preset else None

    @property
    def words(self) -> str:
        """The sentence that was asked for, or the preset's own."""
        if not self.takes_text:
            return self.example.text
        own = self.example.text if self.preset else DEFAULT_TEXT
        return own if self.text is None else self.text

    @property
    def drawn_words(self) -> tuple[str, ...]:
        """The tokens whose rows of X an example that takes any sentence has not made by hand."""
        lexicon = self._lexicon
        if not lexicon or not self.sentence or "X" in self.edits:
            return ()
        return lexicon.unknown_words(self.trace.tokens)

    @property
    def opening_array(self) -> str:
        """The array that is looked at first: the scores, or what a run has instead."""
        return "scores" if "scores" in self.trace else "weights"

    @property
    def opening(self) -> tuple[int, int]:
        """The query and the key at which one looks first: of an example, where it asks."""
        query, key = neighbours(*self.trace["weights"].shape[1:])
        lexicon, tokens = self._told_lexicon, self.trace.tokens
        if lexicon is None:
            return query, key
        if asking := river_bank_story.opening(self.trace, lexicon):
            return asking
        # No word asks: a known one is looked at.
        known = [at for at, token in enumerate(tokens) if lexicon.knows(token)]
        return (query, key) if query in known or not known else (known[-1], max(known[-1] - 1, 0))

    @property
    def openings(self) -> dict[str, tuple[int, ...]]:
        """The arrays of an example that open at a number of their own."""
        lexicon = self._told_lexicon
        return river_bank_story.openings(self.trace, lexicon) if lexicon else {}

    @property
    def hindrance(self) -> str:
        """Why the cue of an example's word does not tell its meaning; "" if it does."""
        lexicon = self._told_lexicon
        two = self.example.two if lexicon else None
        return hindrance(self.trace, two, lexicon) if two and lexicon else ""

    @property
    def _told_lexicon(self) -> Lexicon | None:
        """That lexicon, if the numbers are the example's own, on a sentence."""
        return self._lexicon if self.sentence and not set(self.edits) - {"mask"} else None

    @property
    def family(self) -> Family:
        """The programs that its toggles lead to, on the same inputs."""
        chosen = self.options
        heads = {n: n for n in HEADS_TOGGLE.options if self._divides(int(n))}
        all_toggles = (
            MASK_TOGGLE, SCALE_TOGGLE, replace(HEADS_TOGGLE, options=heads), CORNER_TOGGLE,
        )  # fmt: skip
        toggles = (replace(t, default=chosen[t.key]) for t in all_toggles if t.key in chosen)
        return Family(tuple(toggles), lambda options: self.built(**settings_of(options)))

    @property
    def has_corner(self) -> bool:
        """Whether there are fewer queries than keys, so that "causal" can mean two things."""
        T, S = self.trace["weights"].shape[-2:]
        return bool(T < S) and not starting_points.starts_at_weights(self.edits)

    @property
    def rule(self) -> Rule:
        """Which keys a query may see."""
        return starting_points.rule_of_settings(self.settings)

    def _divides(self, heads: int) -> bool:
        """Whether so many heads can share the vectors, and the key/value heads serve them.

        An example's matrices are for its own number: for any other it is left.
        """
        is_fixed = "X" not in self.trace or set(starting_points.PROJECTIONS) <= set(self.edits)
        if (self.preset or is_fixed) and heads == self.settings["heads"]:
            return True
        if is_fixed:
            return False
        width = self.d_model if self.preset else self.trace["X"].shape[-1]
        return width % heads == 0 and heads % (self.kv_heads or heads) == 0

    @property
    def options(self) -> dict[str, str]:
        """What is chosen, as a link writes it."""
        if starting_points.starts_at_weights(self.edits):
            return {}
        now = self.settings
        scale, heads = scale_text(now["scale"]), str(now["heads"])
        chosen = {"mask": now["mask"], "scale": scale, "heads": heads}
        return {**chosen, "corner": now["corner"]} if self.has_corner else chosen

    def run(self, **changed: Any) -> Trace:
        """The trace, with some settings changed if asked. Raises `InputError`."""
        return self.built(**changed).run()

    def left(self) -> "Setup":
        """The same words and settings without the example: drawn matrices in place of its own."""
        now, given = self.settings, self.example
        masks = {**given.arrays, **self.edits}
        kept = {"mask": masks["mask"]} if now["mask"] == "custom" and "mask" in masks else {}
        return replace(
            self, preset="", text=self.words, mask=now["mask"], scale=now["scale"],
            heads=now["heads"], edits=kept,
        )  # fmt: skip

    def changed(self, options: Options) -> str:
        """Return what is not as the example opens, in words; "" if everything is."""
        example = replace(Setup(), **{n: getattr(self, n) for n in ("preset", "text", *OWN_KEYS)})
        own = example.trace
        edited = {n for n, a in self.edits.items() if n not in own or not np.array_equal(a, own[n])}
        mask, scale = options.get(MASK_TOGGLE.key), options.get(SCALE_TOGGLE.key)
        drawn = mask == "custom" and "mask" in edited
        found = {
            SENTENCE: self.words != self.example.text,
            TEXTS("the_mask"): mask != example.options[MASK_TOGGLE.key] or drawn,
            TEXTS("the_scale"): scale != example.options[SCALE_TOGGLE.key],
            TEXTS("the_numbers"): bool(edited - {"mask"}),
        }
        return listed_names([word for word, is_so in found.items() if is_so])

    def story(self, run: Trace, options: Options) -> Story:
        """Return the title of the example and what to notice in it; nothing without an example.

        `run` is the one with these options of the toggles. With another number of heads the
        example is left: `built` takes drawn matrices then. Weights that are given are of none.
        """
        heads = self.options.get(HEADS_TOGGLE.key)
        if not self.preset or heads is None or options[HEADS_TOGGLE.key] != heads:
            return NO_STORY
        example, changed = self.example, self.changed(options)
        if example.lexicon is None:
            note = example.story
            if changed:
                note = TEXTS("changed", changed=changed, note=off_stage(note))
            return Story(example.title, note)
        if set(self.edits) - {"mask"}:
            return Story(example.title, TEXTS("changed_numbers", changed=changed))
        told = tuple(river_bank_story.meanings(run, example.lexicon))
        taught = river_bank_story.taught(run, example.lexicon)
        if not changed:
            return Story(text=example.story, meanings=told, taught=taught)
        settings = settings_of(options)
        scaled = self.run(**{**settings, "scale": True}) if settings["scale"] is False else None
        notes = river_bank_story.notes(run, self.drawn_words, scaled, example.lexicon)
        return Story(text=notes, meanings=told, taught=taught)

    def built(self, **changed: Any) -> Built:
        """Program and inputs, with some settings changed if asked. Raises `InputError`."""
        if self.preset and changed.get("heads", self.settings["heads"]) != self.settings["heads"]:
            return self.left().built(**changed)
        settings = {**self.settings, **changed}
        drawn, pinned = self._given(settings)
        return starting_points.built_of(settings, drawn, pinned, self.edits)

    def edited(self, matrices: Mapping[str, np.ndarray], head: int = 0) -> "Setup":
        """This setup with some arrays, or one head's matrices of them, replaced all at once.

        Of keys and values that heads share it is those of `head` that are replaced.
        Raises `InputError` where it does not run so.
        """
        check_numbers(matrices)
        now = self.trace
        heads = now.program.sizes["h"]
        whole = {
            n: _of_head(n, matrix, now[n], head * len(now[n]) // heads) if n in now else matrix
            for n, matrix in matrices.items()
        }
        changed = replace(self, edits={**self.edits, **whole})
        _ = changed.trace  # raises where it does not run
        return changed

    def _given(self, settings: Mapping[str, Any]) -> tuple[Inputs, Mapping[str, np.ndarray]]:
        """The inputs before any edit, and what a preset pins."""
        rows = {e.shape[_ROWS[n]] for n, e in self.edits.items() if n in _ROWS}
        if not self.takes_text:
            example = self.example
            return example.inputs(), example.pinned
        named = self.edits.get("tokens")
        inputs = self._inputs_on(settings, self.words if named is None else tuple(named.tolist()))
        if rows and rows != {len(inputs.tokens)}:
            count = max(rows)
            check_tokens(count)
            inputs = self._inputs_on(settings, tuple(str(n + 1) for n in range(count)))
        return inputs, {}

    def _inputs_on(self, settings: Mapping[str, Any], text: str | tuple[str, ...]) -> Inputs:
        """The inputs of a sentence or of tokens: drawn, or by an example that takes any."""
        if self.preset:
            words = text if isinstance(text, str) else " ".join(text)
            return self.example.on(words).inputs()
        return toy_inputs(
            text,
            heads=settings["heads"],
            kv_heads=settings["kv_heads"],
            d_model=size_of(self.edits, {"X": -1}) or self.d_model,
            d_k=size_of(self.edits, KEY_FEATURES),
            d_v=size_of(self.edits, VALUE_FEATURES),
            seed=self.seed,
        )


def check_numbers(matrices: Mapping[str, np.ndarray]) -> None:
    """Raise `InputError` for a number beyond ±`LARGEST`; tokens are no numbers."""
    for name, matrix in matrices.items():
        if matrix.dtype.kind not in "biuf":
            continue
        largest = np.abs(matrix.astype(float)).max(initial=0)
        if largest > LARGEST:
            raise input_error(
                TEXTS, "large_number", name=name, largest=f"{largest:g}", most=f"{LARGEST:g}"
            )


def size_of(edits: Mapping[str, np.ndarray], axes: Mapping[str, int]) -> int | None:
    """Return a size as the first edited array says it that has such an axis; None: none has."""
    return next((edits[name].shape[axis] for name, axis in axes.items() if name in edits), None)


def _of_head(name: str, matrix: np.ndarray, now: np.ndarray, head: int) -> np.ndarray:
    """A matrix given for one head, as the array of all heads with that one replaced."""
    if matrix.ndim != now.ndim - 1:
        return matrix
    if len(now) == 1:
        return matrix[None]
    if matrix.shape == now.shape[1:]:
        return np.stack([matrix if h == head else now[h] for h in range(len(now))])
    given, size = (" × ".join(map(str, shape)) for shape in (matrix.shape, now.shape[1:]))
    raise input_error(TEXTS, "other_head", given=given, name=name, size=size)
