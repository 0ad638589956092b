"""One name, one thing: no two modules define different public things of one name."""

import ast
from collections import defaultdict

from tests.sampling import ROOT

BY_CONTRACT = {"TEXTS"}
"""What each module has of its own by the same name: the texts of its subject."""


def room_of(module: str) -> str:
    """A chapter's name, or "" outside of chapters: chapters never import each other."""
    parts = module.split("/")
    return parts[2] if parts[:2] == ["core", "chapters"] else ""


def defined() -> dict[str, list[str]]:
    """The modules that define each public function, class, and constant that others import."""
    imported = set()
    found: dict[str, list[str]] = defaultdict(list)
    constants: dict[tuple[str, str], str] = {}
    for room in ("core", "stage", "ui", "pages"):
        for path in sorted((ROOT / room).rglob("*.py")):
            module = str(path.relative_to(ROOT)).removesuffix(".py").removesuffix("/__init__")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module:
                    imported |= {(node.module.replace(".", "/"), one.name) for one in node.names}
            if room == "pages":  # nobody imports a page
                continue
            for node in tree.body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    found[node.name].append(module)
                targets = node.targets if isinstance(node, ast.Assign) else []
                targets += [node.target] if isinstance(node, ast.AnnAssign) else []
                for target in targets:
                    if isinstance(target, ast.Name):
                        constants[module, target.id] = module
    for module, name in constants.keys() & imported:
        found[name].append(module)
    return {name: sorted(set(modules)) for name, modules in found.items() if name[0] != "_"}


def clashing(modules: list[str]) -> bool:
    """Whether somebody can meet two of them: outside of chapters, or within one chapter."""
    rooms = [room_of(module) for module in modules]
    return len(modules) > 1 and ("" in rooms or len(set(rooms)) < len(rooms))


def test_two_things_have_two_names() -> None:
    clashes = {name: modules for name, modules in defined().items() if clashing(modules)}
    assert clashes.keys() == BY_CONTRACT, {n: clashes.get(n) for n in clashes.keys() ^ BY_CONTRACT}
