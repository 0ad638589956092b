"""The stage's own style sheet and module, each as one text, as every host takes them."""

from pathlib import Path

from stage.assets import compact, module
from stage.views import LEVELS

_FOLDER = Path(__file__).parent
_SCRIPTS = ("patterns.js", "matrices.js", "formula.js", "picture.js", "gestures.js", "stage.js")
"""The parts of its ES module, in order; only the last exports."""


def style_sheet() -> str:
    return _palette() + "\n" + compact(_FOLDER / "stage.css")


def script() -> str:
    return module(*(_FOLDER / name for name in _SCRIPTS))


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
