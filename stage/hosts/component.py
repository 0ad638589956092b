"""Style sheets and modules of the stage's parts, each as one text, as every host takes them."""

from pathlib import Path

from core.texts import core_texts
from stage.document.colour_levels import LEVELS
from stage.hosts.assets import BROWSER, compact, data_url, module, sheet

FONT = "STIX Two Math"
"""The family that theme.css gives to formulas."""
_FOLDER = Path(__file__).parent
CURTAIN = BROWSER / "present/curtain.js"
PROJECTOR = BROWSER / "present/projector.js"
"""The parts that a page without a stage needs too."""
_SCRIPTS = (
    "run/patterns.js",
    "run/run.js",
    "act/copying.js",
    "draw/matrices.js",
    "draw/css_colours.js",
    "draw/colour_map.js",
    "formula/formula.js",
    "formula/latex.js",
    "formula/formula_bar.js",
    "run/rows.js",
    "draw/prose.js",
    "parts/number.js",
    "parts/toolbar.js",
    "parts/tools.js",
    "draw/picture.js",
    "act/gestures.js",
    "parts/sentence.js",
    "act/answer_check.js",
    "act/covers.js",
    "draw/drawing.js",
    "parts/step_head.js",
    "parts/code_panel.js",
    "run/step_cache.js",
    "parts/ribbon.js",
    "draw/arranging.js",
    "draw/windows.js",
    "draw/panes.js",
    "parts/map.js",
    "draw/sizes.js",
    "present/curtain.js",
    "present/projector.js",
    "present/present.js",
    "present/projected.js",
    "present/printing.js",
    "act/url_state.js",
    "act/reporting.js",
    "stage.js",
)
"""The parts of its ES module, in order. A host's own part comes last, and exports."""


def style_sheet() -> str:
    names = (
        "theme", "parts/number", "formula/formula", "stage", "parts/ribbon", "present/present",
        "present/print",
    )  # fmt: skip
    return "\n".join([palette("background"), sheet(*(BROWSER / f"{name}.css" for name in names))])


def stage_script(host: str) -> str:
    """The stage's module for a host: a file of this folder such as `streamlit.js`."""
    own = ("run/unpacked.js",) if host == "page.js" else ()
    parts = (BROWSER / name for name in (*_SCRIPTS, *own))
    return module(*parts, _FOLDER / host, texts=core_texts("stage"))


def messenger() -> str:
    """The module that carries data to a stage elsewhere on a page of Streamlit's."""
    return compact(_FOLDER / "data_channel.js")


def font_script() -> str:
    """What a page runs to have the font of its formulas; it fetches nothing."""
    font = data_url(BROWSER / "fonts" / "stix-two-math.woff2", "font/woff2")
    return f'{compact(BROWSER / "formula/font.js")}\nbringFont("{FONT}", "{font}");'


def palette(painted: str) -> str:
    """Return the style sheet with a class for each colour level: it sets the property `painted`.

    Signed values are around 0, shares from 0 to 1; then booleans.
    """
    mix = (
        f".{{name}}{{{{{painted}:color-mix(in oklab,var(--{{role}}) {{part:.0f}}%,var(--empty))}}}}"
    )
    rules = [
        mix.format(
            name=f"s{LEVELS + level}",
            role="positive" if level > 0 else "negative",
            part=100 * abs(level) / LEVELS,
        )
        for level in range(-LEVELS, LEVELS + 1)
    ]
    rules += [
        mix.format(name=f"w{level}", role="share", part=100 * level / LEVELS)
        for level in range(LEVELS + 1)
    ]
    rules += [mix.format(name=f"b{level}", role="ink", part=13 * level) for level in (0, 1)]
    return "\n".join(rules)
