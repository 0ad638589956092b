// Where one looks, as a link says it. These are methods of the stage; stage.js takes them over.

// What a link says where a part of it is as on an untouched page, and that has to be said.
export const EMPTY = { head: "1", cell: "none", cover: "none" };

/** @satisfies {ThisType<import("../stage.js").Stage>} */
export const Addressed = {
  // What a link says of where one looks: only what an untouched page does not show.
  link() {
    const { config, run, at, home } = this;
    const [name] = run.opening;
    const said = { present: (this.presenting || this.projection.pageBelow) && !config.embedded ? "1" : "" };
    said.step = home.step !== null && at.step === (home.step || name) ? "" : at.step;
    said.cell = at.cell === this.untouchedCell() && !home.cell ? "" : at.cell;
    said.cover = this.covers.cover;
    const [letter] = run.sliced;
    said.head = letter && at.slices[letter] ? String(at.slices[letter] + 1) : "";
    Object.entries(this.untouched).forEach(([key, untouched]) => {
      const value = key === "compare" ? this.compare : this.options[key];
      said[key] = value === untouched ? "" : value;
    });
    return said;
  },

  // The cell that an untouched page selects at this step.
  untouchedCell() {
    const { step, slices } = this.at;
    return this.run.openedAt(step, slices);
  },

  // The same as the address has it, which may begin from elsewhere than an untouched page.
  address() {
    const { bare, beside, always = [] } = this.home, own = this.link();
    const parts = { ...this.options, step: this.at.step, head: own.head || EMPTY.head };
    /** @type {Record<string, any>} */
    const said = { ...own, bare, beside, at: always.map((part) => [part, parts[part]]) };
    Object.keys(EMPTY).filter((part) => this.home[part]).forEach((part) => {
      said[part] = said[part] === this.home[part] ? "" : said[part] || EMPTY[part];
    });
    return { ...said, opened: said.cell || this.home.cell ? "" : this.ownCell() };
  },

  // Where this step opens, if that is not the opening's place in it: what links mean that name a step alone.
  ownCell() {
    const { step, slices } = this.at, own = this.untouchedCell();
    return own === this.run.openedAt(step, slices, {}) ? "" : own;
  },
};
