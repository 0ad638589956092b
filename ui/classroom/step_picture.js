// A step of a question as tables: operands with their numbers, the result with what is asked. Formulas
// are drawn by stage/formula.js.

const NARROWEST = 4, LONGEST_LABEL = 9; // of a column, in digits

class StepPicture {
  constructor(parent) {
    this.root = element("div", "step-picture in-colours");
    this.root.dataset.testid = "step-picture";
    this.root.setAttribute("role", "group");
    parent.append(this.root);
  }

  update(data) {
    const drawn = JSON.stringify(data);
    if (this.drawn === drawn) return;
    this.drawn = drawn;
    const { corner, operands, result, roles, label } = data, all = [...operands, result];
    this.root.setAttribute("aria-label", label);
    const cell = 1 + Math.max(
      NARROWEST,
      ...all.flatMap(({ cells }) => cells.flat().map((text) => text.length)),
      ...all.flatMap(({ columns }) => columns.map((text) => Math.min([...text].length, LONGEST_LABEL))),
    );
    const wide = all.map(({ rows, columns }) => columns.length * cell + 2 + Math.max(...rows.map((text) => [...text].length)));
    const total = corner ? wide[0] + Math.max(wide[1], wide[2]) : wide.reduce((sum, one) => sum + one) + 4 * all.length;
    const style = { cell, widest: Math.max(...wide), total };
    Object.entries(style).forEach(([name, value]) => this.root.style.setProperty(`--${name}`, value));
    const step = element("div", corner ? "corner" : "beside");
    const figures = operands.map((matrix) => this.figure(matrix, roles));
    if (corner) figures.slice(0, 2).forEach((figure, at) => figure.classList.add(["left", "above"][at]));
    const made = this.figure(result, roles);
    made.classList.add("result");
    step.append(...figures);
    if (!corner && figures.length) {
      step.append(element("span", "arrow", "→"));
      step.lastChild.setAttribute("aria-hidden", "true");
    }
    step.append(made);
    this.root.replaceChildren(step);
  }

  figure({ caption, label, head, role, rows, columns, cells, lit, removed, asked }, roles) {
    const figure = element("figure", role), title = element("figcaption"), table = element("table");
    title.append(mathOf(caption, roles));
    if (head) title.append(element("small", "", head));
    table.setAttribute("aria-label", label);
    const top = table.createTHead().insertRow(), body = table.createTBody();
    top.append(element("td"), ...columns.map((text) => heading(text, "col")));
    rows.forEach((name, i) => {
      const row = body.insertRow();
      row.append(name ? heading(name, "row") : element("td"), ...cells[i].map((text) => element("td", "number", text)));
    });
    const at = ([i, j]) => body.rows[i].cells[j + 1];
    removed.forEach((place) => at(place).classList.add("removed"));
    lit.forEach((place) => at(place).classList.add("lit"));
    if (asked) at(asked).classList.add("asked");
    figure.append(title, table);
    return figure;
  }

  close() {
    this.root.remove();
  }
}

function heading(text, scope) {
  const made = element("th");
  made.scope = scope;
  made.append(element("bdi", "", text));
  return made;
}

export default function ({ data: [data], parentElement }) {
  const [picture, leave] = atPlace(parentElement, () => new StepPicture(parentElement));
  picture.update(data);
  drawnAt(parentElement);
  return leave;
}
