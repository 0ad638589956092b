"""Texts stand in files: strict about what is filled in, all used, and nowhere else."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from core.attention.glossary import GLOSSARY
from core.errors import input_error
from core.texts.text_file import LANGUAGE, Plain, TextFile, first_upper, text_file
from tests.sampling import ROOT
from ui.text import Markdown

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
EACH_FILE = pytest.mark.parametrize(
    "texts", FILES, ids=lambda texts: str(texts.file.relative_to(ROOT))
)
PHASE = re.compile(r"_(?:title|summary|words|limit|remedy|sees|why|size|prompt|hint|explanation)$")
PRODUCT = {
    path: path.read_text()
    for room in ("app.py", "pages", "ui", "stage", "core")
    for path in ([ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py")))
}
SCRIPTS = {
    path: path.read_text()
    for room in ("ui", "stage")
    for path in sorted((ROOT / room).rglob("*.js"))
}
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
    assert first_upper("row 2 of W_Q") == "Row 2 of W_Q"
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
    plain = written(tmp_path, "<!-- one -->\n“{{ text }}”{% if more %} {% endif %} is  read")
    assert plain("one", text=" a  b ", more=True) == "“ a  b ” is read"
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


@cache
def quoted() -> set[str]:
    """What stands in quotes in the product's modules and scripts, and the glossary's entries."""
    in_modules = {
        node.value
        for source in PRODUCT.values()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    in_scripts = {id for source in SCRIPTS.values() for id in re.findall(r'"(\w+)"', source)}
    return in_modules | in_scripts | {*GLOSSARY}


@EACH_FILE
def test_every_text_of_a_file_is_used_and_can_be_filled_in(texts: TextFile[Plain]) -> None:
    assert not {id for id in texts.sources if not {id, PHASE.sub("", id)} & quoted()}
    for id in texts.sources:
        texts.placeholders(id)


def prose(path: Path) -> list[str]:
    """The strings of a module that have three words or more: no docstrings, no code, no shapes of
    arrays, and no names in the lists of all programs and families.
    """
    tree = ast.parse(PRODUCT[path])
    shapes = {
        id(node.slice.elts[-1])
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)
        if ast.unparse(node.value) in ("Bool", "Float", "Int")
    }
    within = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    stated = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    named = {
        id(key)
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign)
        if re.match(r"(?:PROGRAMS|FAMILIES)\b", ast.unparse(node))
        for part in ast.walk(node)
        for key in keys_of(part)
    }
    found = []
    for node in ast.walk(tree):
        if id(node) in within | stated | shapes | named:
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


def keys_of(node: ast.AST) -> list[ast.expr | None]:
    """The keys of a dictionary, or of an entry of one."""
    if isinstance(node, ast.Dict):
        return node.keys
    if isinstance(node, ast.DictComp):
        return [node.key]
    return [node.slice] if isinstance(node, ast.Subscript) else []


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
    ("sharing", "share"), ("components", "share"),  # the button Share
    ("lessons", "how"), ("lessons", "own_scene_remedy"),
    ("setups", "uneven_limit"),  # heads share d_model
}  # fmt: skip
"""Texts, by file and id, that have one of them and should."""
LONGEST = 25
"""Words of a sentence."""
MARKS = re.compile(r"\{[{%#].*?[}%#]\}|\$[^$]*\$|\]\([^)]*\)|[*`\[\]_]")
SENTENCE_END = re.compile(r"(?<=[.?!:;])\s+|\n+|\{%.*?%\}")


@EACH_FILE
def test_a_text_reads_aloud(texts: TextFile[Plain]) -> None:
    """No sentence is long, and none has words that read like a translation."""
    for id, source in texts.sources.items():
        if id == "origin":  # names and titles of papers
            continue
        if (texts.file.stem, id) not in AGREED:
            assert not AVOIDED.findall(MARKS.sub(" ", source)), id
        for sentence in SENTENCE_END.split(source):
            assert len(MARKS.sub(" x ", sentence).split()) <= LONGEST + 3, (id, sentence)


NO_PROSE = {
    "names": (
        "core/attention/axes core/attention/configurations "
        "core/models/checkpoints/tokeniser_parts core/pytorch/speed stage/hosts/component "
        "ui/charts/framing"
    ),
    "words to compute with": (
        "core/attention/examples/presets core/attention/examples/river_bank core/attention/setups "
        "core/attention/examples/two_meanings core/models/trained/tasks core/pytorch/word2vec"
    ),
    "code, SQL, style sheets, HTML, patterns": (
        "core/pytorch/snippet stage/paper/paper stage/hosts/standalone ui/classroom/store/database "
        "ui/classroom/store/given_texts ui/classroom/store/room ui/classroom/store/rooms "
        "ui/classroom/store/students ui/components/script_files ui/page/frame "
        "ui/lessons/printed_lesson ui/page/prose"
    ),
    "for who writes the product, or runs its server": (
        "core/models/offers core/program/patterns core/questions/engine core/questions/texts "
        "core/texts/text_file stage/document/document ui/page/fold ui/server/queue "
        "ui/server/server_startup ui/text"
    ),
}
"""Modules with strings of three words that are no texts of the product, by what they are."""


def test_what_a_module_says_is_in_files() -> None:
    listed = {f"{path}.py" for modules in NO_PROSE.values() for path in modules.split()}
    said = {str(path.relative_to(ROOT)): found for path in PRODUCT if (found := prose(path))}
    assert {path: found for path, found in said.items() if path not in listed} == {}
    assert said.keys() == listed


IN_SCRIPTS = {
    "stage": text_file(ROOT / "core" / "texts", "stage", Plain),
    "ui": text_file(ROOT / "ui" / "texts", "components", Plain),
    "ui/components/weight_maps": text_file(ROOT / "ui" / "texts", "maps", Plain),
    **{
        f"ui/components/{name}": text_file(ROOT / "pages" / "texts", page, Plain)
        for name, page in {
            "graph": "graph", "trees": "recursive_attention", "layer_diagram": "block",
            "cache_rows": "one_query", "two_orders": "word_order",
            "library": "queries_keys_values",
        }.items()
    },
}  # fmt: skip
"""What the scripts of a folder say that have no texts of their own folder."""
CALL = re.compile(r"TEXTS\(((?:[^(){}]|\([^()]*\))*?)(?:, \{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\})?\)")
GIVEN_NAME = re.compile(r"(?:^|, )\s*(\w+)(?=\s*(?::|,|$))")


def test_a_script_gives_each_text_what_it_asks_for_and_nothing_else() -> None:
    checked = 0
    for path, source in SCRIPTS.items():
        folders = map(str, path.relative_to(ROOT).parents)
        texts = next(IN_SCRIPTS[folder] for folder in folders if folder in IN_SCRIPTS)
        for id_part, values in CALL.findall(source):
            ids = [id for id in re.findall(r'"(\w+)"', id_part) if id in texts.sources]
            given = set(GIVEN_NAME.findall(flattened(values)))
            for id in ids:
                if "..." not in values:
                    assert given == texts.placeholders(id), (path.name, id)
                assert not re.search(r"{%|\|", texts.sources[id]), (path.name, id)
                checked += 1
            assert ids or not re.fullmatch(r'"\w+"', id_part), (path.name, id_part)
    assert checked > 140


def flattened(values: str) -> str:
    """The names and values of an object of JavaScript, what is inside of brackets left out."""
    inner = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|`[^`]*`")
    while inner.search(values):
        values = inner.sub("", values)
    return values.strip().rstrip(",")


STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`")
COMMENT = re.compile(r"(?m)^\s*(?://|/?\*).*$|\s//\s.*$")
SENTENCE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,},? (?:[a-z]+,? )*[a-z]{2,}")
CLASSES = {"grid matrix weights", "box mixes weights"}


def test_what_a_script_says_is_in_files() -> None:
    for path, source in SCRIPTS.items():
        strings = STRING.findall(COMMENT.sub("", source))
        plain = [re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", " ", text[1:-1]) for text in strings]
        said = [text for text in plain if SENTENCE.search(text) and text not in CLASSES]
        assert not [text for text in said if not re.search(r"[\[=:;]|, \.", text)], path.name


FILLED = re.compile(r"{{.*?}}|{%.*?%}|\[\[.*\]\]|1, 2, 3 …")
TYPED = re.compile(r"(?<![\w/-])(?:\d[\d,.]*\d|[2-9])(?!\w)")
"""Numbers from two up; 0 and 1 are where things begin."""


@EACH_FILE
def test_no_limit_of_an_error_is_typed(texts: TextFile[Plain]) -> None:
    """What an error says is allowed is what the code allows: the number is filled in."""
    limits = {id: text for id, text in texts.sources.items() if id.endswith("_limit")}
    typed = {id: TYPED.findall(FILLED.sub("", text)) for id, text in limits.items()}
    assert {id: found for id, found in typed.items() if found} == {}


COUNTED = re.compile(r"(\w+)s \| count\(\"([^\"]+)\"")
"""A number that is called by what it counts, and the word that is written after it."""
ALSO_CALLED = {"group": "key/value head", "kv_head": "key/value head", "axe": "axis"}


@EACH_FILE
def test_what_is_counted_is_what_the_number_is_called(texts: TextFile[Plain]) -> None:
    for id, source in texts.sources.items():
        for counted, unit in COUNTED.findall(source):
            one = ALSO_CALLED.get(counted, re.sub("ie$", "y", counted))
            assert one in unit, (id, counted, unit)
