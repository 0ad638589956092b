"""Texts stand in files: strict about what is filled in, all used, and nowhere else."""

import ast
import re
from pathlib import Path

import pytest

from core.attention.glossary import GLOSSARY
from core.errors import input_error
from core.texts.text_file import LANGUAGE, Plain, TextFile, text_file
from ui.text import Markdown

ROOT = Path(__file__).parents[1]
FOLDERS = {
    ROOT / "pages" / "texts": Markdown,
    ROOT / "ui" / "texts": Markdown,
    ROOT / "core" / "texts": Plain,
}
FILES = [
    text_file(folder, file.stem, writing)
    for folder, writing in FOLDERS.items()
    for file in sorted((folder / LANGUAGE).glob("*.md"))
]
PHASE = re.compile(r"_(?:title|summary|words|limit|remedy)$")
PRODUCT = {
    path: path.read_text()
    for room in ("app.py", "pages", "ui", "stage", "core")
    for path in ([ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py")))
}
QUOTED = {
    node.value
    for source in PRODUCT.values()
    for node in ast.walk(ast.parse(source))
    if isinstance(node, ast.Constant) and isinstance(node.value, str)
}
QUOTED |= set(GLOSSARY)  # every entry is used
WORDS = re.compile(r"(?<!\\)\b[^\W\d_]{2,}")
MARKUP = re.compile(r"<[a-z/!][^<>]*>")
LATEX = re.compile(r"\\[A-Za-z]+(?:\{[^}]*\})?")


def written(tmp_path: Path, text: str, writing: type[Plain] = Plain) -> TextFile[Plain]:
    file = tmp_path / "page.md"
    file.write_text(text, encoding="utf-8")
    return TextFile(file, writing)


def test_a_text_is_filled_in_and_its_lines_are_joined(tmp_path: Path) -> None:
    texts = written(
        tmp_path,
        "<!-- one -->\nOf {{ n | count('query', 'queries') }}\n{% if n > 1 %}\nmany,\n{% endif %}\n"
        "read.\n\n<!-- two -->\nSee:\n- this\n- that\n\nNew paragraph.\n",
    )
    assert texts("one", n=1) == "Of 1 query read."
    assert texts("one", n=2) == "Of 2 queries many, read."
    assert texts("two") == "See:\n- this\n- that\n\nNew paragraph."


def test_what_is_missing_unknown_or_not_rounded_fails(tmp_path: Path) -> None:
    texts = written(tmp_path, "<!-- one -->\n{{ n }} and {% if more %}{{ m }}{% endif %}")
    with pytest.raises(KeyError):
        texts("two")
    with pytest.raises(TypeError, match="not given: m, more"):
        texts("one", n=1)
    with pytest.raises(TypeError, match="not in it: other"):
        texts("one", n=1, m=1, more=False, other=2)
    with pytest.raises(TypeError, match="rounded"):
        texts("one", n=0.1, m=1, more=False)


@pytest.mark.parametrize("text", ["no id", "<!-- a -->\n1\n<!-- a -->\n2"])
def test_a_file_whose_texts_cannot_be_told_apart_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match="id"):
        written(tmp_path, text)


def test_what_is_filled_in_stays_text(tmp_path: Path) -> None:
    hostile = "<b>[x](http://evil.example)</b> $x$ **b** {{ n }} `c`"
    texts = written(tmp_path, "<!-- one -->\n*{{ token }}* is {{ link }}", Markdown)
    said = texts("one", token=hostile, link=Markdown("[1](#stage-X.0.0)"))
    assert said == f"*{Markdown.escape(hostile)}* is [1](#stage-X.0.0)"
    assert not re.search(r"(?<!\\)[<\[$`](?!1)", said)
    assert isinstance(texts("one", token="a", link=said), Markdown)


def test_an_error_has_three_texts_and_no_value_too_many(tmp_path: Path) -> None:
    texts = written(
        tmp_path,
        "<!-- long -->\nThe text has {{ n }} characters\n"
        "<!-- long_limit -->\nthe limit is {{ most }}\n<!-- long_remedy -->\nshorten it",
    )
    error = input_error(texts, "long", n=9, most=5)
    assert str(error) == "The text has 9 characters; the limit is 5: shorten it"
    with pytest.raises(KeyError):
        input_error(texts, "long", n=9)
    with pytest.raises(TypeError, match="unknown: least"):
        input_error(texts, "long", n=9, most=5, least=1)


@pytest.mark.parametrize("texts", FILES, ids=lambda texts: str(texts.file.relative_to(ROOT)))
def test_every_text_of_a_file_is_used_and_can_be_filled_in(texts: TextFile[Plain]) -> None:
    unused = {id for id in texts.sources if not {id, PHASE.sub("", id)} & QUOTED}
    assert not unused
    for id in texts.sources:
        texts.placeholders(id)


def prose(path: Path) -> list[str]:
    """The strings of a module that have three words or more: neither docstrings nor code."""
    tree = ast.parse(PRODUCT[path])
    within = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    stated = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = []
    for node in ast.walk(tree):
        if id(node) in within | stated:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(p.value if isinstance(p, ast.Constant) else " " for p in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        words = len(WORDS.findall(LATEX.sub(" ", MARKUP.sub(" ", text))))
        if " " in text.strip() and words >= 3 and not is_code(node):
            found.append(text)
    return found


def is_code(node: ast.Constant | ast.JoinedStr) -> bool:
    """Whether a string is Python: it has signs that a sentence has not, and can be parsed."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(str(p.value) if isinstance(p, ast.Constant) else "x" for p in parts)
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return bool(re.search(r"[=(\[]|^(?:import|from) ", text.strip()))


AVOIDED = re.compile(
    r"\b(?:stands?|beside|alone|told|hands? over|all else|whoever|comes? to|shares?|portions?|"
    r"what is guessed|of these|in the one|as many|so many)\b",
    re.IGNORECASE,
)
"""Words that made readers stumble, and other names for what has a name (weight, only, next to)."""
AGREED: set[tuple[str, str]] = {
    ("heads", "parts_title"), ("heads", "part_share"),
    ("sharing", "share"), ("lessons", "how"), ("lessons", "take_shared"),  # the button Share
}  # fmt: skip
"""Texts, by file and id, that have one of them and should."""
LONGEST = 25
"""Words of a sentence."""
MARKS = re.compile(r"\{[{%#].*?[}%#]\}|\$[^$]*\$|\]\([^)]*\)|[*`\[\]_]")
SENTENCE_END = re.compile(r"(?<=[.?!:;])\s+|\n+|\{%.*?%\}")


@pytest.mark.parametrize("texts", FILES, ids=lambda texts: str(texts.file.relative_to(ROOT)))
def test_a_text_reads_aloud(texts: TextFile[Plain]) -> None:
    """No sentence is long, and none has words that read like a translation."""
    for id, source in texts.sources.items():
        if id == "origin":  # names and titles of papers
            continue
        if (texts.file.stem, id) not in AGREED:
            assert not AVOIDED.findall(MARKS.sub(" ", source)), id
        for sentence in SENTENCE_END.split(source):
            assert len(MARKS.sub(" x ", sentence).split()) <= LONGEST + 3, (id, sentence)


NOT_YET = {
    "ui/charts/framing.py",
    "ui/fold.py",
    "ui/frame.py",
    "ui/lessons/plan.py",
    "ui/maps/weights.py",
    "ui/prose.py",
    "ui/queue.py",
    "ui/start.py",
    "ui/text.py",
    "ui/weight_maps/__init__.py",
    "stage/component.py",
    "stage/differences.py",
    "stage/document.py",
    "stage/paper.py",
    "stage/row_tables.py",
    "stage/standalone.py",
    "stage/worksheet.py",
    "core/attention/axes.py",
    "core/attention/by_hand.py",
    "core/attention/chosen_token.py",
    "core/attention/configurations.py",
    "core/attention/fused.py",
    "core/attention/inputs.py",
    "core/attention/lengths.py",
    "core/attention/presets.py",
    "core/attention/program.py",
    "core/attention/river_bank.py",
    "core/attention/setups.py",
    "core/attention/tokens.py",
    "core/chapters/why_scale/saturation.py",
    "core/program/checking.py",
    "core/program/patterns.py",
    "core/pytorch/snippet.py",
    "core/pytorch/speed.py",
    "core/pytorch/word2vec.py",
    "core/questions/engine.py",
    "core/questions/texts.py",
    "core/texts/text_file.py",
}
"""Modules with strings of three words: what they say is not in files yet, or is no prose."""


@pytest.mark.parametrize("path", [str(path.relative_to(ROOT)) for path in PRODUCT])
def test_what_a_module_says_is_in_files(path: str) -> None:
    assert bool(prose(ROOT / path)) == (path in NOT_YET), prose(ROOT / path)
