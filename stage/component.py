"""Style sheets and modules of the stage's parts, each as one text, as every host takes them."""

from pathlib import Path

from stage.assets import compact, data_url, module
from stage.views import LEVELS

FONT = "STIX Two Math"
"""The family that theme.css gives to formulas."""
_FOLDER = Path(__file__).parent
_SCRIPTS = ("patterns.js", "matrices.js", "formula.js", "picture.js", "gestures.js", "stage.js")
"""The parts of its ES module, in order; only the last exports."""


def style_sheet() -> str:
    return "\n".join(
        [_palette(), *(compact(_FOLDER / f"{name}.css") for name in ("theme", "stage"))]
    )


def script() -> str:
    return module(*(_FOLDER / name for name in _SCRIPTS))


def number_style_sheet() -> str:
    """For "this number" on its own."""
    return _sheets("theme", "number")


def number_script(host: Path) -> str:
    """`ThisNumber` on its own, and the host's module that shows it."""
    return module(_FOLDER / "formula.js", _FOLDER / "number.js", host)


def font_script() -> str:
    """What a page runs to have the font of its formulas; it fetches nothing."""
    font = data_url(_FOLDER / "fonts" / "stix-two-math.woff2", "font/woff2")
    return f'{compact(_FOLDER / "font.js")}\nbringFont("{FONT}", "{font}");'


def _sheets(*names: str) -> str:
    return "\n".join(compact(_FOLDER / f"{name}.css") for name in names)


def _palette() -> str:
    """A class for each colour level: signed values around 0, shares from 0 to 1, booleans."""
    mix = ".{name}{{background:color-mix(in oklab,var(--{role}) {part:.0f}%,var(--empty))}}"
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
    rules += [mix.format(name=f"b{level}", role="share", part=30 * level) for level in (0, 1)]
    return "\n".join(rules)
