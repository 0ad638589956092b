"""A whole run as plain data: what the stage is told once, and then draws any step from.

Numbers travel as texts where they are read and as colour levels where they are only seen; the
browser computes none. A document says nothing of where one looks: that is the browser's own.
"""

import json
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

import numpy as np

from core.program import formulas as f
from core.program.described import Titled
from core.program.families import Family, Options, Toggle
from core.program.labels import axis_label, marked_token, sentence_parts, split_cell
from core.program.operation import CORNER
from core.program.patterns import Cell, Shape
from core.program.steps import Phase, Step
from core.program.story import NO_STORY, Story
from core.program.trace import Trace
from core.texts import core_texts
from stage.document.colour_levels import (
    array_cells,
    levels_and_texts,
    levels_of,
    longest_number,
    packed,
)
from stage.document.places import Opening
from stage.document.ribbon import ribbons

TEXTS = core_texts("stage_pages")
_RANDOM_TITLE = sentence_parts(TEXTS("random_number", row=marked_token("row")))
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
        "toggles": [_toggle(toggle) for toggle in family.on_stage] if family else [],
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
        "of": axis.of,
        "tokens": axis.tokens,
        "offset": axis.offset,
        "labels": [axis_label(trace, letter, at) for at in range(size)],
    }


def _array(trace: Trace, name: str) -> Data:
    """One array: how it is called and coloured, and its cells, the last index running fastest."""
    values, cells = trace[name], array_cells(trace, name)
    told = travels_whole(values)
    levels, texts = levels_and_texts(cells) if told else (packed(levels_of(cells)), None)
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
        **({} if told else {"longest": longest_number(cells)}),
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
