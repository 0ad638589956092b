"""Scripts of the stage for a page that has nothing else."""

from pathlib import Path

from core.texts import core_texts
from stage.hosts.assets import text_script, with_imports
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
    return "\n".join(
        [
            "(() => {",
            text_script(core_texts("stage"), f"{scripts}\n{code}"),
            scripts,
            code,
            end,
            "})();",
        ]
    )
