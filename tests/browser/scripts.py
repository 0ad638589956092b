"""Scripts of the stage for a page that has nothing else."""

from pathlib import Path

from playwright.sync_api import Page

from core.program.explanations import Explanation
from core.program.formulas import Formula
from core.texts import core_texts
from stage.hosts.assets import text_script, with_imports
from stage.hosts.component import font_script, style_sheet
from tests.sampling import ROOT


def of_stage(name: str) -> Path:
    """Return the script of the stage with that name."""
    (found,) = ROOT.glob(f"stage/**/{name}")
    return found


def script_of(*names: str, code: str = "", shown: str = "") -> str:
    """Return a script: these of the stage with all that they import, and then `code`.

    What `shown` lists is the page's, so that a test can ask for it.
    """
    scripts = with_imports(*map(of_stage, names))
    end = f"Object.assign(globalThis, {{ {shown} }});"
    texts = text_script(core_texts("stage"), f"{scripts}\n{code}")
    return "\n".join(["(() => {", texts, scripts, code, end, "})();"])


def show_number_alone(page: Page, size: tuple[int, int], around: str) -> None:
    """Put "this number" into an empty page with the stage's style and font, as `number`."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.set_content("<!doctype html><body>")
    page.add_style_tag(content=style_sheet())
    host = f"globalThis.number = new ThisNumber();\n{around}.append(number.root);"
    for script in (font_script(), script_of("number.js", code=host)):
        page.add_script_tag(content=script, type="module")
    page.wait_for_function("() => globalThis.number")


def explained(*rows: Formula) -> Explanation:
    """What "this number" is told of a cell whose arithmetic is these rows."""
    return Explanation("A title", ["Words."], "Feeds nothing.", list(rows), ["1 = 1"])
