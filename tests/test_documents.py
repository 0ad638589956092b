"""README, CONTRIBUTING, DECISIONS and docs: short, with links that lead somewhere, and true."""

import re
from collections.abc import Iterator
from importlib import import_module
from math import prod
from pathlib import Path

import pytest

import core
import stage
from core import InputError, attention_program, models, toy_inputs
from core.attention.masks import KINDS
from core.files.lesson import read_lesson
from tests.sampling import ROOT
from tests.test_texts import AVOIDED, LONGEST, SENTENCE_END
from ui.chapters.walkthrough.keys import WALKTHROUGH
from ui.classroom.class_session import ROOM
from ui.lessons.shelf import LESSON, PACKED, place_of
from ui.links.links import EVERY_PAGE
from ui.links.question_link import LINK

PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(path for path in ROOT.rglob("DECISIONS.md") if ".venv" not in path.parts),
    *sorted((ROOT / "docs").glob("*.md")),
]
TEXTS = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in PAGES}
MOST_LINES = 100
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^|(?<=\n\n))(?: {4}.*\n?|\n(?= {4}))+", re.MULTILINE)
LINKED = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
WORD = re.compile(r"\w[\w'’.,-]*")
CODE = re.compile(r"`([^`\n]+)`")
ROOMS = ("core", "stage", "ui", "pages", "lessons", "tests", "tools", "benchmarks", "docs")


def prose(text: str) -> str:
    """A page without blocks of code."""
    return INDENTED.sub("", FENCED.sub("", text))


def slugs(text: str) -> set[str]:
    """What a link may say after # to lead to a heading, as GitHub writes it."""
    headings = HEADING.findall(prose(text))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def dead_links(text: str, folder: Path) -> list[str]:
    """The relative links of a page in a folder that lead to no file, or to no heading in it."""
    dead = []
    for found in LINKED.findall(prose(text)):
        link = "".join(found)
        if "://" in link:
            continue
        place, _, heading = link.partition("#")
        file = (folder / place).resolve()
        leads = not place or file.exists()
        if leads and heading:
            leads = heading in slugs(file.read_text(encoding="utf-8") if place else text)
        if not leads:
            dead.append(link)
    return dead


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page, each piece of code as one word, without the button *Share*."""
    plain = CODE.sub(" x ", re.sub(r"<[^<>\n]+>", "", prose(text)))
    plain = re.sub(r"\*Share\*|\]\([^)]*\)|[*_\[\]]", " ", plain)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-#|]|\d+\. ))|\|", plain):
        joined = " ".join(block.split())
        yield from (found for found in SENTENCE_END.split(joined) if found)


@pytest.mark.parametrize("page", TEXTS)
def test_every_link_file_and_command_of_make_leads_somewhere(page: str) -> None:
    assert dead_links(TEXTS[page], (ROOT / page).parent) == []
    path = re.compile(rf"(?:{'|'.join(ROOMS)})/[\w./-]*")
    named = [code for code in CODE.findall(prose(TEXTS[page])) if path.fullmatch(code)]
    assert [code for code in named if not (ROOT / code).exists()] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    said = set(re.findall(r"\bmake ([a-z][\w-]*)(?=[ `\n])", "\n".join(code_of(TEXTS[page]))))
    assert said <= set(re.findall(r"^([a-z][\w-]*):", makefile, re.MULTILINE))


def test_readme_is_one_page_and_leads_to_every_other_or_to_the_decisions_which_do() -> None:
    assert len(TEXTS["README.md"].splitlines()) <= MOST_LINES
    linked = {
        "".join(found).partition("#")[0]
        for page in ("README.md", "DECISIONS.md")
        for found in LINKED.findall(TEXTS[page])
    }
    assert {*TEXTS} - linked == {"README.md"}


@pytest.mark.parametrize("page", TEXTS)
def test_a_page_reads_aloud(page: str) -> None:
    for sentence in sentences(TEXTS[page]):
        assert not AVOIDED.findall(sentence), sentence
        assert len(WORD.findall(sentence)) <= LONGEST, sentence


def code_of(text: str) -> Iterator[str]:
    """What a page says as code, in lines and in blocks."""
    yield from CODE.findall(prose(text))
    yield from INDENTED.findall(FENCED.sub("", text))


def blocks(page: str, language: str) -> list[str]:
    return [code for kind, code in FENCED.findall(TEXTS[page]) if kind == language]


def test_the_operation_and_the_program_of_contributing_run() -> None:
    """Scores divided by 2, and nothing else: as with a scale of 1/2."""
    names: dict[str, object] = {}
    for code in blocks("CONTRIBUTING.md", "python"):
        exec(compile(code, "CONTRIBUTING.md", "exec"), names)
    program = names["temperature_program"]
    inputs = toy_inputs("The cat sat", heads=1)
    made = program(2.0).run(inputs)  # type: ignore[operator]
    expected = attention_program(heads=1, scale=0.5).run(inputs)
    assert (made["output"] == expected["output"]).all()
    assert "/ 2" in core.explain(made, "scaled", (0, 1, 0)).plain[-1]


def test_the_lesson_of_the_docs_is_one_and_leads_into_the_product() -> None:
    (text,) = blocks("docs/teaching.md", "toml")
    lesson = read_lesson(text)
    assert lesson.scenes
    assert [place_of(scene.link).page for scene in lesson.scenes] == ["walkthrough"]
    with pytest.raises(InputError):
        read_lesson(text.replace("minutes", "hours"))


def rows(heading: str) -> list[list[str]]:
    """The cells of the tables under a heading of the list of interfaces."""
    section = TEXTS["docs/interfaces.md"].split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def names_in(cell: str) -> list[str]:
    return CODE.findall(cell)


def test_the_masks_that_are_listed_are_those_that_there_are() -> None:
    listed = {names_in(name)[0]: names_in(sizes) for name, sizes, _ in rows("Masks")}
    assert listed == {
        name: [f"{size.key}={size.default}" for size in kind.sizes] for name, kind in KINDS.items()
    }


def test_the_names_others_rely_on_are_those_that_there_are() -> None:
    listed = {name for first, *_ in rows("Python") for name in names_in(first)}
    others = {"core.files.text.parse_matrix", "core.files.lesson.read_lesson"}
    others |= {f"core.models.{name}" for name in models.__all__ if name != "Recording"}
    assert listed == {*core.__all__, *stage.__all__} | others
    for name in others:
        module, _, function = name.rpartition(".")
        assert callable(getattr(import_module(module), function))


def test_the_arrays_others_rely_on_have_the_shapes_that_are_listed() -> None:
    """With sizes that are all different, so that no two letters can be taken for each other."""
    sizes = {"H": 6, "G": 3, "T": 5, "S": 5, "d_model": 7, "d_k": 2, "d_v": 11}
    given = toy_inputs("a b c d e", heads=6, kv_heads=3, d_model=7, d_k=2, d_v=11)
    trace = attention_program(heads=6, kv_heads=3).run(given)
    listed = {names_in(name)[0]: shape for name, shape, _ in rows("The arrays of a trace")}
    assert list(listed) == list(trace)
    for name, shape in listed.items():
        axes = shape.strip("()").split(", ")
        expected = tuple(prod(sizes[factor] for factor in axis.split("·")) for axis in axes)
        assert trace[name].shape == expected, name


def test_the_keys_of_links_others_rely_on_are_those_that_there_are() -> None:
    listed = [names_in(key)[0] for key, *_ in rows("Links")]
    own = {*EVERY_PAGE, LESSON, PACKED, LINK, ROOM}
    assert sorted(listed) == sorted({*WALKTHROUGH, *own, "embed"})  # embed is Streamlit's own
    for key, default, *rest in rows("Links"):
        (name,) = names_in(key)
        if rest and WALKTHROUGH[name].default not in (None, ""):
            assert default == str(WALKTHROUGH[name].default), name


def test_the_hooks_others_rely_on_are_in_the_scripts_of_the_stage() -> None:
    scripts = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "stage").rglob("*.js")))
    words = set(re.findall(r"[\w.-]+", scripts))
    hooks = [hook for first, _ in rows("Hooks in the page") for hook in names_in(first)]
    assert len(hooks) > 20
    for hook in hooks:
        name, _, value = hook.partition("=")
        assert not value or value in scripts, hook
        if name.startswith("data-"):
            dataset = f"dataset.{name.removeprefix('data-')}"
            assert name in words or any(word.endswith(dataset) for word in words), hook
        else:
            assert name.lstrip(".") in words, hook
