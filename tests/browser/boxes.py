"""Where a part of a page stands in the window."""

from dataclasses import dataclass

from playwright.sync_api import Locator


@dataclass(frozen=True)
class Box:
    """In pixels from the left upper corner of the window."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


def box_of(part: Locator) -> Box:
    """Where it stands, which it has to."""
    found = part.bounding_box()
    assert found, f"{part} is not drawn"
    left, top = found["x"], found["y"]
    return Box(left, top, left + found["width"], top + found["height"])
