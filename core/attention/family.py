"""What can be toggled in attention: the mask, the scale and the number of heads."""

from collections.abc import Mapping
from typing import Any

from core.attention.masks import KINDS, LOWER_RIGHT, UPPER_LEFT
from core.errors import InputError
from core.limits import LARGEST, MAX_HEADS
from core.program.families import Options, Toggle


def read_scale(text: str) -> bool | float:
    """on, off, or a positive number. Raises `InputError`."""
    if text in ("on", "off"):
        return text == "on"
    try:
        number = float(text.replace("−", "-").replace(",", "."))
    except ValueError:
        number = 0.0
    if not 0 < number <= LARGEST:
        raise InputError(
            f"The scale is {text[:20]!r}", f"it must be on, off, or above 0 and up to {LARGEST:g}",
            "choose on, off, or type a number such as 0.5",
        )  # fmt: skip
    return number


def scale_text(scale: bool | float) -> str:
    """A scale as a link writes it."""
    if isinstance(scale, bool):
        return "on" if scale else "off"
    return f"{scale:g}"


MASK = Toggle("mask", "Mask", {kind: "draw" if kind == "custom" else kind for kind in KINDS},
              "causal")  # fmt: skip
SCALE = Toggle("scale", "Scale by 1/√d_k", {"on": "on", "off": "off"}, "on", reads=read_scale)
HEADS = Toggle(
    "heads", "Heads", {str(n): str(n) for n in range(1, MAX_HEADS + 1)}, "2", resizes=True
)
CORNER = Toggle(
    "corner", "The mask's triangle",
    {UPPER_LEFT: "begins upper left", LOWER_RIGHT: "ends lower right"}, UPPER_LEFT,
)  # fmt: skip
"""What "causal" means with fewer queries than keys; there is nothing to choose without."""
TOGGLES = (MASK, SCALE, HEADS)


def settings_of(options: Options) -> Mapping[str, Any]:
    """What `attention_program` takes, of what is chosen."""
    return {
        "mask": options["mask"],
        "scale": read_scale(options["scale"]),
        "heads": int(options["heads"]),
        "corner": options.get(CORNER.key, UPPER_LEFT),
    }
