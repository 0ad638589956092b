// "This number": the arithmetic of one cell, what it means and what it feeds. It is shown an
// `Explanation` of the core, as plain data.

class ThisNumber {
  constructor() {
    this.root = element("section", "this-number");
    this.root.dataset.testid = "arithmetic";
    this.root.setAttribute("aria-label", "This number");
    this.title = element("strong");
    this.words = element("div", "sentence");
    this.maths = element("div", "maths");
    this.maths.setAttribute("role", "img");
    this.rows = element("div", "rows");
    this.maths.append(this.rows);
    this.feeds = element("div", "sentence");
    this.copier = new Copier("The arithmetic");
    const copying = element("div", "copying");
    copying.append(
      this.button("LaTeX", ({ latex }) => `\\begin{aligned}\n${latex.join(" \\\\\n")}\n\\end{aligned}`),
      this.button("text", ({ plain }) => plain.join("\n")),
      this.copier.said,
    );
    this.root.append(this.title, this.words, this.maths, this.feeds, copying, this.copier.text);
    this.sizes = new ResizeObserver(() => this.reachable());
    this.sizes.observe(this.maths);
    this.sizes.observe(this.rows);
  }

  // `roles`, if given too, says which part an array plays, as for `mathNode`.
  show(explanation) {
    const told = JSON.stringify(explanation);
    if (this.told === told) return;
    this.told = told;
    this.explanation = explanation;
    const { title, words, rows, plain, feeds, roles = {} } = explanation;
    this.title.textContent = title;
    this.words.textContent = words;
    this.feeds.textContent = feeds;
    this.rows.replaceChildren(...rows.map((row) => displayed(row, roles)));
    this.maths.setAttribute("aria-label", plain.join("; "));
    this.maths.scrollLeft = 0;
    this.copier.silence();
  }

  close() {
    this.sizes.disconnect();
    this.root.remove();
  }

  // Rows that are wider than their room can be scrolled by keyboard too.
  reachable() {
    if (this.maths.scrollWidth > this.maths.clientWidth) this.maths.tabIndex = 0;
    else this.maths.removeAttribute("tabindex");
  }

  button(form, write) {
    const made = element("button", "copy", `Copy as ${form}`);
    made.type = "button";
    made.onclick = () => {
      const { told } = this;
      this.copier.copy(write(this.explanation), `as ${form}`, () => this.told === told);
    };
    return made;
  }
}
