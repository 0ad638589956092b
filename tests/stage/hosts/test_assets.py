"""Scripts that import each other, as one: each file once, after what it needs."""

import re
from collections import Counter
from pathlib import Path

import pytest

from stage.hosts.assets import import_order, module, with_imports
from tests.sampling import ROOT

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
    names = Counter(
        name for path in import_order(script) for name in DECLARED.findall(source(path))
    )
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
