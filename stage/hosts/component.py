"""Style sheets and modules of the stage's parts, each as one text, as every host takes them."""

from pathlib import Path

from stage.document.colour_levels import LEVELS
from stage.hosts.assets import BROWSER, data_url, module, sheet, with_imports

FONT = "STIX Two Math"
"""The family that theme.css gives to formulas."""
_HOSTS = Path(__file__).parent


def style_sheet() -> str:
    names = (
        "theme", "parts/number", "formula/formula", "stage", "parts/ribbon", "present/present",
        "present/print",
    )  # fmt: skip
    return "\n".join([palette("background"), sheet(*(BROWSER / f"{name}.css" for name in names))])


def stage_script(host: str) -> str:
    """The stage's module for a host: a file of this folder such as `streamlit.js`."""
    return module(_HOSTS / host)


def messenger() -> str:
    """The module that carries data to a stage elsewhere on a page of Streamlit's."""
    return module(_HOSTS / "data_channel.js")


def font_script() -> str:
    """What a page runs to have the font of its formulas; it fetches nothing."""
    font = data_url(BROWSER / "fonts" / "stix-two-math.woff2", "font/woff2")
    return f'{with_imports(BROWSER / "dom/font.js")}\nbringFont("{FONT}", "{font}");'


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
