"""A run as one HTML file: the stage with everything it can show, without a server or a network.

Explanations of very many cells take little room in it: what they share is written once. A line that
adds up products of printed numbers says which two lists of numbers it goes through, and the browser
writes it out (unpacked.js); every other line is there as it is. Cells are in the order of their
array, the last index running fastest.
"""

import gzip
import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.attention.tokens import spaceless
from core.files.downloads import inputs_npz
from core.program.code.script import TITLE
from core.program.explanations import arithmetic, described, line_pieces
from core.program.families import Family, Options
from core.program.formulas import Formula
from core.program.labels import cell_id
from core.program.mistakes import HandSlip, Mistake
from core.program.numbers.arithmetic import ArithmeticLine, Expression, PrintedNumber, Product, Sum
from core.program.numbers.literals import inert
from core.program.patterns import Cell
from core.program.reading import made_between, weights_between_tokens
from core.program.trace import Trace
from core.texts import core_texts
from stage.document.document import document
from stage.document.number_tiles import all_texts
from stage.document.other_runs import alternatives, mistaken
from stage.document.places import Opening, opened_at
from stage.document.row_tables import row_table
from stage.hosts.component import font_script, stage_script, style_sheet

TEXTS = core_texts("stage_pages")
Data = dict[str, Any]
LONGEST_TITLE = 80
"""The title of a window has at most this many characters of a sentence."""
PackedLine = int | list[Any]
"""A written line's number; or the numbers of two lists, whether it is exact, and its result."""
MOST_NUMBERS = 10_000
"""Of a run with more, only what comes from the scores on is explained,"""
MOST_EXPLAINED = 25_000
"""and nothing of one that has more of that."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline';
 style-src 'unsafe-inline'; font-src data:; img-src blob: data:">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1 dir="auto">{heading}</h1>
<p>{about}</p>
<div id="stage"></div>
</main>
<script type="application/json" id="told">{told}</script>
<script type="text/plain" id="numbers">{numbers}</script>
<script type="module">{script}</script>
</body>
</html>
"""
PAGE_STYLE = """
:root { color-scheme: light dark;
  --st-text-color: light-dark(#262730, #fafafa); --st-background-color: light-dark(#fff, #0e1117);
  --st-secondary-background-color: light-dark(#f7f7f9, #1c1e29); }
body { margin: 0 auto; padding: 16px 24px; max-width: 1500px; font-family: system-ui, sans-serif;
  color: var(--st-text-color); background: var(--st-background-color); }
h1 { font-size: 1.4rem; margin: 0 0 4px; overflow-wrap: anywhere; text-align: start;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
p { margin: 0 0 14px; max-width: 60rem; }
@page { margin: 10mm; }
@media print {
  body { padding: 0; max-width: none; color: #000; background: #fff; font-size: 14px; }
  h1 { -webkit-line-clamp: none; }
}
"""
ABOUT = TEXTS("about")


def standalone(
    trace: Trace,
    opening: tuple[str, Cell] | Opening,
    *,
    family: Family | None = None,
    options: Options | None = None,
    keep: Mapping[str, Sequence[str]] | None = None,
    mistakes: Iterable[Mistake | HandSlip] = (),
    cover: str = "",
    sentence: str = "",
    about: str = ABOUT,
) -> str:
    """The file's text, with the numbers that the run started from, so that it can be read back.

    `family` and `options` as for `document`.

    Its heading is the `sentence`, or else the tokens; its title has that and the product's name.
    `keep` says which options of which toggles can be switched in it, all of them in combination.
    `mistakes` are recognised in what is typed into covered cells. `cover` is what is covered first:
    `result`, an array, or a row or a cell of one, as a link writes it.
    """
    known = list(mistakes)
    kept = _kept(family, keep or {}) if family else None
    chosen = dict(options or {})

    def made(run: Trace, now: Options) -> Data:
        return document(run, opening, family=kept, options=now, code=True)

    packer = Packer()

    def explained(run: Trace) -> Data:
        return everything(run, packer) | {"mistaken": mistaken(run, known)}

    whole = made(trace, chosen)
    runs = {whole["id"]: explained(trace)}

    def other(now: Options) -> Data:
        assert family is not None
        run = family.run(**now)
        told = made(run, now)
        runs[told["id"]] = _apart(explained(run), runs[whole["id"]])
        return told

    others = (
        alternatives(whole, kept, chosen, other) if kept else {"of": whole["id"], "documents": []}
    )
    told = {
        "document": whole,
        "alternatives": others,
        "explained": _zipped({"runs": runs} | packer.shared()),
        "view": {
            "step": opening[0],
            "cell": cell_id(opening[0], opened_at(trace, opening[0], opening, {})),
            "open": False,
            "slices": {},
            "cover": cover,
        },
        "config": {"stage": "stage", "keys": {}, "comparisons": []},
        "untouched": chosen,
        "home": {"step": opening[0], "cover": cover},
    }
    heading = inert(" ".join((sentence or tokens_sentence(trace.tokens)).split()))
    return PAGE.format(
        title=html.escape(f"{_shortened(heading)} – {TITLE}" if heading else TITLE),
        heading=html.escape(heading or TITLE),
        about=html.escape(f"{TITLE}. {about}" if heading else about),
        style=PAGE_STYLE + style_sheet(),
        told=_inert(told),
        numbers=b64encode(inputs_npz(trace)).decode(),
        script=f"{font_script()}\n{stage_script('page.js')}",
    )


def tokens_sentence(tokens: Sequence[str]) -> str:
    """Tokens as a sentence; "" where they are no more than the numbers of their places."""
    if list(tokens) == [str(n + 1) for n in range(len(tokens))]:
        return ""
    return re.sub(r" (?=[.,;:!?…])", "", ("" if spaceless(tokens) else " ").join(tokens))


def _shortened(heading: str) -> str:
    return heading if len(heading) <= LONGEST_TITLE else f"{heading[: LONGEST_TITLE - 1]}…"


class Packer:
    """Packs the explanations of runs of one page, which share lines and lists of numbers."""

    def __init__(self) -> None:
        self._lists: dict[str, int] = {}
        self._lines: dict[str, tuple[int, list[Formula]]] = {}

    def shared(self) -> Data:
        """What packed explanations refer to by number."""
        lines = [[plain, rows] for plain, (_, rows) in self._lines.items()]
        return {"lists": list(self._lists), "lines": lines}

    def array(self, trace: Trace, array: str) -> Data:
        """The explanations of an array's cells: what each means, what it feeds, and its lines."""
        cells = list(np.ndindex(trace[array].shape))
        said, feeds = zip(*(described(trace, array, cell) for cell in cells), strict=True)
        lines = [list(map(self._packed, arithmetic(trace, array, cell))) for cell in cells]
        return {"said": said, "feeds": feeds, "lines": lines}

    def _packed(self, made: ArithmeticLine) -> PackedLine:
        lists = _factors(made.left)
        if lists:
            numbers = [self._lists.setdefault(texts, len(self._lists)) for texts in lists]
            return [*numbers, int(made.exact), made.right.text]
        plain = made.plain()
        if plain not in self._lines:
            self._lines[plain] = len(self._lines), line_pieces(made)
        return self._lines[plain][0]


def _factors(left: Expression) -> list[str]:
    """The two lists of factors of a sum of products of two printed numbers; else nothing."""
    if not isinstance(left, Sum):
        return []
    pairs = [
        [n.text for n in term.factors if isinstance(n, PrintedNumber)]
        for term in left.terms
        if isinstance(term, Product)
    ]
    if len(pairs) < len(left.terms) or any(len(pair) != 2 for pair in pairs):
        return []
    return [" ".join(column) for column in zip(*pairs, strict=True)]


def explained_arrays(trace: Trace) -> list[str]:
    """The arrays that a page of its own explains: all of a small run.

    Of a large one those from the scores on, and none of one that is still too large.
    """
    if sum(values.size for values in trace.values()) <= MOST_NUMBERS:
        return list(trace)
    late: set[str] = set()
    for weights in weights_between_tokens(trace):
        late.update(made_between(trace, weights))
    for name, bound in trace.steps.items():
        if late & set(bound.reads):
            late.add(name)
    made = [name for name in trace.steps if name in late]
    return made if sum(trace[name].size for name in made) <= MOST_EXPLAINED else []


def everything(trace: Trace, packer: Packer) -> Data:
    """What a page can be asked of a run: explanations, tables of rows, numbers of large arrays."""
    arrays = explained_arrays(trace)
    if arrays:
        _ = trace.every_use  # asked for anew at each cell it would take most of the time
    rows = (
        (name, cell) for name in arrays for cell in np.ndindex(trace[name].shape) if not cell[-1]
    )
    tables = ((cell_id(name, cell[:-1]), row_table(trace, name, cell)) for name, cell in rows)
    return {
        "arrays": {name: packer.array(trace, name) for name in arrays},
        "tables": {row: table.data() for row, table in tables if table},
        "numbers": all_texts(trace),
    }


def _apart(run: Data, whole: Data) -> Data:
    """What of a run's explanations, tables and numbers differs from the first run's."""
    return run | {
        part: {name: told for name, told in run[part].items() if whole[part].get(name) != told}
        for part in ("arrays", "tables", "numbers")
    }


def _zipped(data: Data) -> str:
    return b64encode(gzip.compress(json.dumps(data).encode(), mtime=0)).decode()


def _kept(family: Family, keep: Mapping[str, Sequence[str]]) -> Family:
    """The family with the toggles and options that can be switched."""
    toggles = tuple(
        replace(
            toggle, options={o: toggle.options[o] for o in toggle.options if o in keep[toggle.key]}
        )
        for toggle in family.toggles
        if toggle.key in keep
    )
    return replace(family, toggles=toggles)


def _inert(told: Data) -> str:
    """JSON inside a page: nothing in it ends the script or begins markup."""
    return json.dumps(told).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
