// Painting a mask, or a picture: press on a cell and drag; every cell on the way gets what the first one got.

import { parts } from "../run/run.js";

export class Painting {
  constructor(stage) {
    this.stage = stage;
    this.stroke = null; // cells on the way, until the button is lifted, and whether they become visible
    stage.root.addEventListener("pointerdown", (event) => {
      const cell = this.over(event);
      if (!cell) return;
      event.target.releasePointerCapture?.(event.pointerId);
      this.stroke = { visible: this.isEmpty(cell), cells: new Set() };
      this.mark(cell);
    });
    stage.root.addEventListener("pointerover", (event) => {
      const cell = this.stroke && this.over(event);
      if (cell) this.mark(cell);
    });
    stage.root.addEventListener("pointercancel", () => { this.stroke = null; });
  }

  over(event) {
    const cell = event.target.closest?.('[role="gridcell"]');
    return cell && this.stage.view(cell)?.paint ? cell : null;
  }

  mark(cell) {
    this.stroke.cells.add(cell.dataset.cell);
    cell.classList.add("painted");
  }

  // Whether a cell that can be painted is empty: hidden by a mask, or −1 in a picture.
  isEmpty(cell) {
    const { run } = this.stage, [name, index] = parts(cell.dataset.cell);
    return cell.classList.contains("masked") || run.textAt(name, run.flat(name, index)).startsWith("-");
  }

  lift() {
    if (!this.stroke) return;
    const { cells, visible } = this.stroke;
    this.stroke = null;
    this.stage.act("paint", { cells: [...cells], visible });
  }

  // One cell, by a key.
  toggle(cell) {
    if (this.stage.view(cell)?.paint) this.stage.act("paint", { cells: [cell.dataset.cell], visible: this.isEmpty(cell) });
  }
}
