"""The stage's module is made of parts that share one object: none takes another's method away."""

import re
from collections import Counter

from tests.sampling import ROOT

SOURCE = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "stage").rglob("*.js")))


def methods_of(name: str) -> list[str]:
    """The methods of a class or of an object with such a name, in the module."""
    body = re.search(
        rf"^(?:export )?(?:const|class) {name}\b[^{{]*\{{\n(.*?)^\}}", SOURCE, re.M | re.S
    )
    assert body, name
    return re.findall(r"^  (?:async |get )?([a-z]\w*)\([^()]*\) \{", body[1], re.M)


def test_no_part_of_the_stage_has_a_method_that_another_part_has() -> None:
    taken = re.findall(r"Object\.assign\(Stage\.prototype, ([^)]+)\)", SOURCE)[0].split(", ")
    assert len(taken) > 5
    found = Counter(method for part in ("Stage", *taken) for method in methods_of(part))
    assert len(found) > 100
    assert [method for method, times in found.items() if times > 1] == []
