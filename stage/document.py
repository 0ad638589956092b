"""A whole run as plain data: what the stage is told once, and then draws any step from.

Numbers travel as texts where they are read and as colour levels where they are only seen; the
browser computes none. A document says nothing of where one looks: that is the browser's own.
"""

import json
import math
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import numpy as np

from core.program import formulas as f
from core.program.described import Titled
from core.program.display import array_texts
from core.program.families import Family, Options, Toggle
from core.program.labels import axis_label, marked_token, sentence_parts, split_cell
from core.program.operation import CORNER, SHARES
from core.program.patterns import Cell, Shape
from core.program.steps import Phase, Step
from core.program.story import NO_STORY, Story
from core.program.trace import Trace
from core.program.vectorised_format import cell_texts
from core.texts import core_texts
from stage.places import Opening
from stage.ribbon import ribbons

TEXTS = core_texts("stage_pages")
_RANDOM_TITLE = sentence_parts(TEXTS("random_number", row=marked_token("row")))
LEVELS = 20
MASKED = 255
NOT_A_NUMBER = 254
RANDOM = 253
"""The level of a cell in a row drawn at random: it is grey."""
MOST_TOLD = 1024
"""A matrix of more numbers travels as colours; its numbers are asked for, tile by tile."""
Data = dict[str, Any]


class WrittenData(Data):
    """Data, and the JSON that it is written out as."""

    text: str


def document(
    trace: Trace,
    opening: tuple[str, Cell] | Opening,
    *,
    editable: Sequence[str] = (),
    paint: str = "",
    badge: str = "",
    story: Story = NO_STORY,
    family: Family | None = None,
    options: Options = MappingProxyType({}),
    code: bool = False,
    doubted: bool = False,
    ribbon: bool = True,
) -> WrittenData:
    """Everything the stage draws of a run, at any step and of any head.

    `opening` is the array and cell where one looks who has not chosen; every run of a family has
    that array. `editable` names the arrays that may be typed into, `paint` the one that may be
    painted where it is an input: a mask, or a picture of 1 and −1. `badge` says what is not made
    from the inputs as they were asked for; `story` is what to notice in this run. `family` has the
    run's toggles, and `options` says what is chosen of them. With `code` each step comes with its
    lines of code, which a run with a mistake to be found must not. A run that is `doubted` may be
    wrong: what is typed into its covers is compared with it and not judged by it, and it has no
    ribbon. Without `ribbon` it has none either: the page draws the same weights. `id` tells
    documents apart that differ in anything. Raises `ValueError` where the opening's array is
    missing.
    """
    program = trace.program
    there = Opening(*opening)
    if there.array not in trace:
        raise ValueError(f"the opening is {there.array}; the program has {', '.join(trace)}")
    made = {
        "phases": [_phase(trace, phase) for phase in program.phases],
        "formula": list(program.definitions),
        "roles": dict(program.roles),
        "axes": {letter: _axis(trace, letter) for letter in trace.sizes},
        "sliced": list(program.sliced),
        "arrays": {
            name: {
                **_array(trace, name),
                **(_coded(trace, name) if code else {}),
                "editable": name in editable,
                "paint": name == paint and name not in trace.steps,
            }
            for name in trace
        },
        "operands": {step.name: list(step.operands) for step in program.steps},
        "ways": _ways(trace),
        "opening": [
            there.array,
            list(there.cell),
            {name: list(at) for name, at in there.own.items()},
        ],
        "badge": badge,
        "story": _story(story),
        "ribbons": ribbons(trace) if ribbon and not doubted else [],
        "doubted": doubted,
        "toggles": [_toggle(toggle) for toggle in family.toggles] if family else [],
        "options": dict(options),
    }
    text = json.dumps(made)
    digest = blake2b(text.encode(), digest_size=9).hexdigest()
    told = WrittenData(made | {"id": digest})
    told.text = f'{text[:-1]}, "id": "{digest}"}}'
    return told


def _story(story: Story) -> list[Any]:
    taught = {array: list(map(_told, sentences)) for array, sentences in story.taught.items()}
    return [story.title, _told(story.text), list(map(_told, story.meanings)), taught]


def _told(sentence: str) -> list[Any]:
    """A sentence in parts: each second one a token, or a cell's number and the cell."""
    cut = (split_cell(piece) for piece in sentence_parts(sentence))
    return [[text, cell] if cell else text for text, cell in cut]


def _toggle(toggle: Toggle) -> Data:
    return {
        "key": toggle.key,
        "word": toggle.word,
        "options": list(toggle.options.items()),
        "shows": dict(toggle.shows),
        "about": toggle.about,
    }


def _phase(trace: Trace, phase: Phase) -> Data:
    """A stop of the walk, with those inside it. Of what is given nothing says how it is made."""
    given = [name for name in phase.names if name in trace.pinned]
    return {
        "title": phase.title,
        "summary": TEXTS("given", arrays=", ".join(map(f.symbol_text, given)))
        if given
        else phase.summary,
        "words": "" if given else phase.words,
        "names": list(phase.names),
        "first": phase.main,
        "minis": list(phase.miniatures),
        "focus": _focus(trace, phase),
        "phases": [_phase(trace, inner) for inner in phase.phases],
    }


def _focus(trace: Trace, phase: Phase) -> Data:
    """How a step's arrays stand: products in the corner of their operands, others side by side.

    What was given stands alone: nothing is drawn beside it as if it had made it.
    """
    if phase.phases:
        return {"row": list(phase.miniatures), "left": "", "columns": []}
    made = [trace.steps[name] for name in phase.names if name in trace.steps]
    corner = [bound.step for bound in made if bound.operation.layout == CORNER]
    if corner:
        given = [name for name in phase.names if name in trace.pinned]
        more = [operand for step in corner for operand in step.operands[2:]]
        columns = [
            {"above": step.operands[1], "turned": 1 in step.operation.turned, "result": step.name}
            for step in corner
        ]
        return {"row": [*given, *more], "left": corner[0].operands[0], "columns": columns}
    if phase.names[-1] not in trace.steps:
        return {"row": list(phase.names), "left": "", "columns": []}
    results = phase.names if phase.defines else phase.names[-1:]
    row = [name for result in results for name in (*_shown_beside(trace, result), result)]
    return {"row": list(dict.fromkeys(row)), "left": "", "columns": []}


def _shown_beside(trace: Trace, array: str) -> list[str]:
    """The operands that stand beside a result; none beside one that is given."""
    if array not in trace.steps:
        return []
    reads = dict.fromkeys(trace.steps[array].reads)
    return [name for name in reads if not _size_only(trace, array, name)]


def _size_only(trace: Trace, array: str, operand: str) -> bool:
    bound = trace.steps[array]
    return all(
        any(axis.unread for axis in bound.pattern.operands[part])
        for part, read in enumerate(bound.reads)
        if read == operand
    )


def _axis(trace: Trace, letter: str) -> Data:
    """What a letter counts, and the label of each of its places."""
    axis = trace.program.axis(letter)
    size = trace.sizes[letter]
    return {
        "size": size,
        "kind": axis.kind,
        "word": axis.word,
        "symbol": axis.size,
        "of": axis.of,
        "tokens": axis.tokens,
        "offset": axis.offset,
        "labels": [axis_label(trace, letter, at) for at in range(size)],
    }


def _array(trace: Trace, name: str) -> Data:
    """One array: how it is called and coloured, and its cells, the last index running fastest."""
    values, cells = trace[name], _cells(trace, name)
    told = travels_whole(values)
    levels, texts = _known(cells) if told else (packed(_levels(cells)), None)
    made = trace.steps.get(name)
    return {
        "letters": list(trace.program.letters[name]),
        "shape": list(values.shape),
        "palette": cells.palette,
        **_called(name, made.step if made else None),
        "title": _title(trace, name),
        "randomTitle": _RANDOM_TITLE if trace.random_rows.get(name) else [],
        "levels": levels,
        "texts": texts,
        **({} if told else {"longest": _longest(cells)}),
    }


def _title(trace: Trace, name: str) -> list[str]:
    """What a cell is in words, where its meaning says it and it has a row and a column."""
    meaning = trace.program.meaning[name]
    return list(meaning.title) if isinstance(meaning, Titled) and trace[name].ndim > 1 else []


def travels_whole(values: np.ndarray) -> bool:
    """Whether an array's numbers are in the document itself."""
    return math.prod(values.shape[-2:]) <= MOST_TOLD


@lru_cache(maxsize=256)
def _called(name: str, step: Step | None) -> Data:
    """An array's name, its caption (with the step that makes it) and its name turned.

    As formulas, the last two in plain text too.
    """
    symbol = caption = f.name(name)
    if step is not None:
        formula = step.operation.formula(*map(f.name, step.operands))
        caption = f.row(symbol, f.word_formula("="), formula)
    turned = f.transpose(symbol)
    return {
        "symbol": symbol,
        "caption": [caption, f.plain_formula(caption)],
        "turned": [turned, f.plain_formula(turned)],
    }


def _coded(trace: Trace, name: str) -> Data:
    """The lines of numpy and of PyTorch that make an array; nothing for one that is given."""
    bound = trace.steps.get(name)
    return {"code": _lines(bound.step, bound.shapes)} if bound else {}


@lru_cache(maxsize=256)
def _lines(step: Step, shapes: tuple[Shape, ...]) -> list[str]:
    helper = step.operation.helper.strip()
    code = step.operation.code(step.operands, shapes)
    torch_code = step.operation.torch_code(step.operands, shapes)
    return [
        "\n\n".join([*([helper] if helper else []), f"{step.name} = {code}"]),
        f"{step.name} = {torch_code}",
    ]


def _palette(trace: Trace, name: str) -> str:
    if trace[name].dtype == bool:
        return "b"
    return "w" if trace.program.palettes[name] == SHARES else "s"


@dataclass(frozen=True)
class _Cells:
    """What texts and colours of an array's cells are made of."""

    content: bytes
    dtype: str
    gone: bytes
    by_chance: bytes
    noise: float
    palette: str
    largest: float

    @property
    def values(self) -> np.ndarray:
        return np.frombuffer(self.content, self.dtype)

    @property
    def removed(self) -> np.ndarray | None:
        return np.frombuffer(self.gone, bool) if self.gone else None

    @property
    def random(self) -> np.ndarray | None:
        return np.frombuffer(self.by_chance, bool) if self.by_chance else None


def _cells(trace: Trace, name: str) -> _Cells:
    values, removed = trace[name], trace.removed[name]
    return _Cells(
        values.tobytes(), values.dtype.str, b"" if removed is None else removed.tobytes(),
        _in_random_rows(trace, name), trace.noise[name], _palette(trace, name),
        _largest(trace, name),
    )  # fmt: skip


def _in_random_rows(trace: Trace, name: str) -> bytes:
    """Which cells are in rows drawn at random; nothing if none is."""
    rows = trace.random_rows.get(name)
    if not rows:
        return b""
    found = np.zeros(trace[name].shape, bool)
    found[..., list(rows), :] = True
    return found.tobytes()


def _longest(cells: _Cells) -> int:
    """The letters of an array's longest number: of its largest, its least and its smallest ones."""
    values = cells.values
    if values.dtype == bool:
        return 1
    finite = np.abs(values[np.isfinite(values) & (values != 0)])
    ends = [*finite.min(initial=1.0, keepdims=True), finite.max(initial=1.0)]
    sign = int((values < 0).any())
    return sign + max(map(len, cell_texts(np.array(ends), cells.noise)))


def miniature(trace: Trace, name: str, outer: Cell = ()) -> Data:
    """Return the colours of one matrix of an array; `outer` are the indices before its last two."""
    cells = _cells(trace, name)
    matrix = np.atleast_2d(_levels(cells).reshape(trace[name].shape)[outer])
    return {
        "palette": cells.palette,
        "rows": matrix.shape[0],
        "cols": matrix.shape[1],
        "levels": packed(matrix),
    }


@lru_cache(maxsize=256)
def _known(cells: _Cells) -> tuple[str, str]:
    """Colours and texts, kept for the runs that have the same array: most of a toggle's do."""
    return packed(_levels(cells)), " ".join(array_texts(cells.values, cells.removed, cells.noise))


def _levels(cells: _Cells) -> np.ndarray:
    """Colour levels, one for each cell: 0–20–40 for signed values, 0–20 for shares.

    A level of their own have a cell that the mask took out, one that is NaN, one of a random row.
    """
    values, removed, random = cells.values, cells.removed, cells.random
    if cells.palette == "s":
        finite = np.where(np.isfinite(values), values, 0.0)
        levels = LEVELS + np.rint(LEVELS * np.clip(finite / cells.largest, -1, 1))
    else:
        levels = np.rint(LEVELS * np.clip(values, 0, 1)) if cells.palette == "w" else values
    levels = levels if random is None else np.where(random, RANDOM, levels)
    levels = np.where(np.isnan(values), NOT_A_NUMBER, levels)
    return levels if removed is None else np.where(removed, MASKED, levels)


def _largest(trace: Trace, name: str) -> float:
    """The value of the strongest colour; element-wise steps keep that of what they change."""
    values = trace[name]
    own = float(np.abs(values, where=np.isfinite(values), out=np.zeros_like(values)).max(initial=0))
    bound = trace.steps.get(name)
    if bound and not bound.pattern.summed and trace[bound.reads[0]].shape == values.shape:
        own = max(own, _largest(trace, bound.reads[0]))
    return own or 1.0


def _ways(trace: Trace) -> Mapping[str, Any]:
    """The index patterns, which cells the mask took out, and which nothing guards from those."""
    return {
        "steps": [
            {
                "name": name,
                "reads": list(bound.reads),
                "pattern": str(bound.pattern),
                "decidedBy": bound.operation.decided_by,
            }
            for name, bound in trace.steps.items()
        ],
        "removed": {
            name: packed(gone)
            for name, gone in trace.removed.items()
            if gone is not None and trace[name].dtype != bool
        },
        "overwritten": {name: packed(gone) for name, gone in trace.overwritten.items()},
        "unguarded": {name: packed(cells) for name, cells in trace.unguarded.items()},
    }


def packed(levels: np.ndarray) -> str:
    """Small whole numbers, or True and False, as base64: one byte each."""
    return b64encode(np.ascontiguousarray(levels).astype(np.uint8).tobytes()).decode()
