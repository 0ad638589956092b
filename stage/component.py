"""Style sheets and modules of the stage's parts, each as one text, as every host takes them."""

from pathlib import Path

from core.texts import core_texts
from stage.assets import compact, data_url, module, sheet
from stage.colour_levels import LEVELS

FONT = "STIX Two Math"
"""The family that theme.css gives to formulas."""
_FOLDER = Path(__file__).parent
CURTAIN = _FOLDER / "curtain.js"
PROJECTOR = _FOLDER / "projector.js"
"""The parts that a page without a stage needs too."""
_SCRIPTS = (
    "patterns.js",
    "run.js",
    "copying.js",
    "matrices.js",
    "css_colours.js",
    "colour_map.js",
    "formula.js",
    "latex.js",
    "formula_bar.js",
    "rows.js",
    "prose.js",
    "number.js",
    "toolbar.js",
    "tools.js",
    "picture.js",
    "gestures.js",
    "sentence.js",
    "answer_check.js",
    "covers.js",
    "drawing.js",
    "step_head.js",
    "code_panel.js",
    "step_cache.js",
    "ribbon.js",
    "arranging.js",
    "windows.js",
    "panes.js",
    "map.js",
    "sizes.js",
    "curtain.js",
    "projector.js",
    "present.js",
    "projected.js",
    "printing.js",
    "url_state.js",
    "reporting.js",
    "stage.js",
)
"""The parts of its ES module, in order. A host's own part comes last, and exports."""


def style_sheet() -> str:
    names = ("theme", "number", "formula", "stage", "ribbon", "present", "print")
    return "\n".join([palette("background"), sheet(*(_FOLDER / f"{name}.css" for name in names))])


def stage_script(host: str) -> str:
    """The stage's module for a host: a file of this folder such as `streamlit.js`."""
    own = ("unpacked.js",) if host == "page.js" else ()
    return module(*(_FOLDER / name for name in (*_SCRIPTS, *own, host)), texts=core_texts("stage"))


def messenger() -> str:
    """The module that carries data to a stage elsewhere on a page of Streamlit's."""
    return compact(_FOLDER / "data_channel.js")


def font_script() -> str:
    """What a page runs to have the font of its formulas; it fetches nothing."""
    font = data_url(_FOLDER / "fonts" / "stix-two-math.woff2", "font/woff2")
    return f'{compact(_FOLDER / "font.js")}\nbringFont("{FONT}", "{font}");'


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
