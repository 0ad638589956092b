"""What can be toggled in attention: the mask, the scale and the number of heads."""

from collections.abc import Mapping
from typing import Any

from core.attention.masks import CAUSAL, KINDS, LOWER_RIGHT, OFFERED, UPPER_LEFT
from core.errors import input_error
from core.limits import LARGEST, MAX_HEADS
from core.program.families import Options, Toggle
from core.texts import core_texts

TEXTS = core_texts("masks")


def read_scale(text: str) -> bool | float:
    """on, off, or a positive number. Raises `InputError`."""
    if text in ("on", "off"):
        return text == "on"
    try:
        number = float(text.replace("−", "-").replace(",", "."))
    except ValueError:
        number = 0.0
    if not 0 < number <= LARGEST:
        raise input_error(TEXTS, "no_scale", given=repr(text[:20]), largest=f"{LARGEST:g}")
    return number


def scale_text(scale: bool | float) -> str:
    """A scale as a link writes it."""
    if isinstance(scale, bool):
        return "on" if scale else "off"
    return f"{scale:g}"


MASK_TOGGLE = Toggle(
    "mask", TEXTS("mask"), {name: KINDS[name].word for name in OFFERED}, CAUSAL.name, about="masked"
)
SCALE_TOGGLE = Toggle(
    "scale", TEXTS("scale"), {"on": TEXTS("on"), "off": TEXTS("off")}, "on",
    reads=read_scale, about="scaled",
)  # fmt: skip
HEADS_TOGGLE = Toggle(
    "heads", TEXTS("heads"), {str(n): str(n) for n in range(1, MAX_HEADS + 1)}, "2",
    resizes=True, about="concat",
)  # fmt: skip
CORNER_TOGGLE = Toggle(
    "corner", TEXTS("corner"),
    {UPPER_LEFT: TEXTS("upper_left"), LOWER_RIGHT: TEXTS("lower_right")}, UPPER_LEFT,
)  # fmt: skip
"""What "causal" means with fewer queries than keys; there is nothing to choose without."""


def settings_of(options: Options) -> Mapping[str, Any]:
    """What `attention_program` takes, of what is chosen."""
    return {
        "mask": options["mask"],
        "scale": read_scale(options["scale"]),
        "heads": int(options["heads"]),
        "corner": options.get(CORNER_TOGGLE.key, UPPER_LEFT),
    }
