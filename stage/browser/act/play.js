// Play: the step's result row by row, each with its arithmetic, and on into the next step.

const BEAT = 1200;

export class Play {
  constructor(stage) {
    this.stage = stage;
    this.timer = null; // while it goes on
  }

  get isOn() { return this.timer !== null; }

  toggle() {
    if (this.isOn) {
      this.stop();
      return this.stage.draw();
    }
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.beat();
    this.timer = setInterval(() => this.beat(), BEAT);
    this.beat();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }

  beat() {
    const { stage } = this;
    if (stage.coveredHere().length) this.stop(); // it is the class that goes on here
    else {
      const { cells, view } = this.made(), number = cells.indexOf(stage.selected());
      if (number + view.cols < cells.length) return this.look(cells[number < 0 ? 0 : number + view.cols]);
      const next = stage.stops[stage.stop + 1];
      if (next) {
        stage.at = { ...stage.at, step: next.first, open: next.inside };
        stage.draw();
        return this.look(this.made().cells[number % view.cols] || this.made().cells[0]);
      }
      this.stop();
    }
    return stage.draw();
  }

  // The large matrix that the step makes.
  made() {
    const { large: { results, row }, at } = this.stage, drawn = [...results, ...row];
    return drawn.find(({ view }) => view.name === at.step) || drawn.at(-1);
  }

  look({ dataset: { cell } }) {
    this.stage.hovered = "";
    this.stage.lookAt(cell);
  }
}
