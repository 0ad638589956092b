"""What a host sends: scripts as one, each file once; the font, with every formula of ours."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import stage
from core import explain
from core.program.formulas import Formula
from core.program.numbers.rounding import typeset
from stage.hosts.assets import import_order, module, with_imports
from stage.hosts.component import FONT, font_script, style_sheet
from tests.registry import REGISTRY
from tests.sampling import ROOT, some
from tools.subset_font import CHARACTERS, LATIN

SCRIPTS = sorted([*ROOT.glob("stage/**/*.js"), *ROOT.glob("ui/**/*.js")])
DECLARED = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE
)
EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|class|const|let) (.*)", re.MULTILINE)
IMPORTED = re.compile(r'^import {([^}]*)} from "(\.[^"]+)";$', re.MULTILINE)


def source(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_what_shares_a_scope_has_names_of_its_own_and_imports_what_there_is(script: Path) -> None:
    names = Counter(n for path in import_order(script) for n in DECLARED.findall(source(path)))
    assert [name for name, times in names.items() if times > 1] == []
    for said, place in IMPORTED.findall(source(script)):
        given = " ".join(EXPORTED.findall(source((script.parent / place).resolve())))
        for name in filter(None, map(str.strip, said.split(","))):
            assert re.search(rf"\b{name}\b", given), f"{place} exports no {name}"


def test_each_file_comes_once_and_after_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("// What a is.\nexport const a = 1;\n")
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\n\nexport const b = a + 1;\n')
    (tmp_path / "c.js").write_text(
        'import {\n  a,\n} from "./a.js";\nimport "./b.js";\n\nexport default () => [N, a, b];\n'
    )
    code = ["const a = 1;", "const b = a + 1;", "export default () => [N, a, b];"]
    assert module(tmp_path / "c.js", given={"N": "x"}).split("\n") == ['const N = "x";', *code]
    assert with_imports(tmp_path / "b.js", tmp_path / "a.js").split("\n") == code[:2]


def test_a_script_that_needs_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text('import { two } from "./two.js";\n')
    (tmp_path / "two.js").write_text('import { one } from "./one.js";\n')
    with pytest.raises(ValueError, match=r"^one\.js > two\.js > one\.js$"):
        module(tmp_path / "one.js")


FONTS = Path(stage.__file__).parent / "browser/fonts"


def written(node: Formula) -> Iterator[str]:
    """The texts of a formula that the program chose; a token may be of any script."""
    kind, *rest = node
    if kind == "name":
        yield from rest[:2]
    elif kind in ("word", "mark", "number"):
        yield typeset(rest[0])
    elif kind != "text":
        for part in rest:
            if isinstance(part, list):
                yield from written(part)


@pytest.mark.parametrize("name", some(list(REGISTRY), 8, 3))
def test_every_character_of_every_formula_is_in_the_font(name: str) -> None:
    trace = REGISTRY[name].run()
    formulas = [*trace.program.definitions]
    for array, values in trace.items():
        formulas += explain(trace, array, (0,) * values.ndim).rows
        if array in trace.steps:
            names = [["name", operand, "", operand] for operand in trace.steps[array].step.operands]
            formulas.append(trace.steps[array].operation.formula(*names))
    found = {char for formula in formulas for text in written(formula) for char in text}
    assert len(found) > 10
    assert found <= CHARACTERS


def test_a_letter_alone_is_there_in_italics_as_mathml_draws_it() -> None:
    italics = {unicodedata.normalize("NFKC", char): char for char in CHARACTERS - {*LATIN}}
    assert {*string.ascii_letters} <= {*LATIN} & {*italics}


def test_the_font_is_small_and_its_licence_is_with_it() -> None:
    font = FONTS / "stix-two-math.woff2"
    assert font.read_bytes()[:4] == b"wOF2"
    assert font.stat().st_size < 30_000  # some 25 KB were promised
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FONTS / "OFL.txt").read_text()


def test_the_family_that_is_brought_is_the_one_that_formulas_ask_for() -> None:
    assert f'math {{ font-family: "{FONT}", math; }}' in style_sheet()
    assert f'bringFont("{FONT}", "data:font/woff2;base64,' in font_script()
