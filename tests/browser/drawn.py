"""The cells of the stage as they are on the screen: numbers, labels and colours."""

from dataclasses import dataclass
from typing import Literal

from playwright.sync_api import Page

from core.program.numbers.display import shown_matrix
from core.program.numbers.rounding import typeset
from core.program.patterns import Cell
from core.program.trace import Trace
from tests.browser.stage import said

CELLS = """stage => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const pixels = {};
  const pixel = (colour) => {
    if (!pixels[colour]) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      pixels[colour] = [...canvas.getImageData(0, 0, 1, 1).data];
    }
    return pixels[colour];
  };
  return [...stage.querySelectorAll("[data-cell]")].map((cell) => {
    const { part, matrix, head } = cell.closest("[data-matrix]").dataset;
    const style = getComputedStyle(cell);
    const text = (name) => cell.querySelector(name)?.textContent ?? "";
    return {
      id: cell.dataset.cell, part, matrix, head: head ?? "", number: text(".number"),
      change: text(".change"), label: cell.getAttribute("aria-label") ?? "",
      rgba: pixel(style.backgroundColor), hatched: style.backgroundImage !== "none",
    };
  });
}"""


@dataclass(frozen=True)
class Drawn:
    """A cell as it is on the screen, and the cell of the run that it says it stands for."""

    id: str
    part: Literal["focus", "strip"]
    matrix: str
    head: str
    number: str
    change: str
    label: str
    rgba: list[int]
    hatched: bool

    @property
    def cell(self) -> Cell:
        return tuple(int(place) for place in self.id.split(".")[1:])

    @property
    def tint(self) -> int:
        """How much bluer than it is red the cell is."""
        red, _, blue, _ = self.rgba
        return blue - red

    @property
    def depth(self) -> int:
        """How far from grey the cell is."""
        return max(self.rgba[:3]) - min(self.rgba[:3])


def cells(page: Page) -> list[Drawn]:
    said(page)
    found = [Drawn(**cell) for cell in page.get_by_test_id("stage").evaluate(CELLS)]
    assert all(cell.id.split(".")[0] == cell.matrix for cell in found)
    return found


def written(trace: Trace, array: str, head: int) -> list[str]:
    """The numbers of a matrix as a stage writes them; of that head where it has several."""
    prefix = (head,) * (trace[array].ndim == 3)
    return [typeset(text) for row in shown_matrix(trace, array, prefix) for text in row]


def plain(printed: str) -> str:
    """A number as `float` reads it."""
    return printed.replace("−", "-").replace("∞", "inf")


def aloud(number: str) -> str:
    """A printed number as it is read aloud."""
    if number == "NaN":
        return "not a number"
    digits, _, power = number.replace("inf", "infinity").partition("e")
    said = f"{digits} times 10 to the {power}" if power else digits
    return said.replace("-", "minus ").replace("−", "minus ")
