// What hands do to the one stage of a page, and how it then stands: asked by tests/browser/test_hands.py.

const [stage] = globalThis[Symbol.for("attention-stages")], { root } = stage, letter = stage.run.sliced[0];
const find = (action) => root.querySelector(`[data-action="${action}"]`);
const seen = (parts) => [...root.querySelectorAll(parts)].filter((one) => one.checkVisibility());
const hidden = () => [...root.querySelectorAll(".focus .covered")].map((one) => one.dataset.cell);

// Everything as untouched, but for an address, what is in hand there, and what the host has set.
function at(address, where = "", set = {}) {
  const asked = new URLSearchParams(address), step = asked.get("step") || "scores";
  const slices = { [letter]: (asked.get("head") || 1) - 1 }, cell = asked.get("cell") || stage.run.openedAt(step, slices);
  if (document.querySelector(".curtain")) press("x");
  if (stage.presenting) stage.projection.end();
  root.querySelectorAll(".cell input, .extra").forEach((part) => part.remove());
  localStorage.setItem("attention-single-keys", where.includes("off") ? "off" : "on");
  stage.config = { ...stage.config, kept_covered: false, quiet: false, present: false, ...set };
  stage.host.left = set.present && (() => {});
  stage.head.telling = stage.code.isOpen = stage.projection.pageBelow = false;
  stage.covers.kept = stage.config.kept_covered;
  stage.covers.turnTo(asked.get("cover") || "");
  stage.move(stage.settled({ step, cell, open: false, slices }));
  if (where.includes("window")) stage.projection.fill();
  if (where.includes("projector")) stage.projection.begin();
  document.activeElement.blur();
  stage.tools.root.open = /choice|tools/.test(where);
  if (where.includes("cell")) stage.selected().focus();
  if (where.includes("field")) stage.arithmetic.field.focus();
  if (where.includes("choice")) root.querySelector('[data-control="head"] [aria-checked="true"]').focus();
  if (where.includes("typing")) stage.edit(stage.selected());
  if (!where.includes("text")) return;
  root.append(element("textarea", "extra"));
  root.lastChild.focus();
}

const element = (tag, className) => Object.assign(document.createElement(tag), { className });

function says() {
  const said = new URLSearchParams(location.hash.slice(1));
  said.delete("at");
  return String(said);
}

// Keys one after another, as in "ctrl+u PageDown".
function press(keys) {
  keys.split(" ").forEach((names) => {
    const [key, ...held] = names.split("+").reverse();
    const told = { key: key === "space" ? " " : key, bubbles: true, composed: true, cancelable: true };
    held.forEach((one) => { told[`${one}Key`] = true; });
    if (key === "click") document.querySelector(".curtain").click();
    else document.activeElement.dispatchEvent(new KeyboardEvent("keydown", told));
  });
}

function pressed([before, where, keys]) {
  at(before, where);
  press(keys);
  return [says(), hidden().length, !!document.querySelector(".curtain")];
}

// Which cell a key leads to, and which Tab then finds in each matrix.
function moved([cell, keys]) {
  at(`cell=${cell}`, "cell");
  press(keys);
  const stops = [...root.querySelectorAll('.focus [tabindex="0"][data-cell]')].map((one) => one.dataset.cell);
  return [stage.at.cell, document.activeElement.dataset.cell, stops];
}

function chosen([before, control, value]) {
  if (before !== null) at(before, "tools");
  const group = root.querySelector(`[data-control="${control}"]`), options = [...group.querySelectorAll(".choice")];
  options.find(({ textContent }) => textContent === value).click();
  const held = options.filter((one) => one.getAttribute("aria-checked") === "true").map((one) => one.textContent);
  return [says(), hidden(), held, find("reset")?.ariaLabel ?? ""];
}

function acted([before, where, actions, set]) {
  at(before, where, set);
  actions.split(" ").filter(Boolean).forEach((action) => find(action).click());
  const said = (action, name) => find(action)?.getAttribute(`aria-${name}`) ?? "";
  return {
    says: says(), hidden: hidden().length, tools: stage.tools.root.open,
    next: [find("next")?.textContent ?? "", said("next", "keyshortcuts")],
    back: [said("previous", "label"), said("previous", "keyshortcuts")],
    code: [said("code", "expanded"), ...seen("figcaption, pre").map((one) => one.textContent)],
    keys: [said("keys", "pressed"), localStorage.getItem("attention-single-keys")],
    more: [find("tell").textContent, said("tell", "expanded"), seen(".words .more").length],
    window: ["fill", "leave", "page"].filter(find), focus: document.activeElement.tagName,
    fields: seen(".this-number :is(input, button)").map((one) => one.textContent || "input"),
    covers: !!root.querySelector('[data-control="cover"]'),
  };
}

// Whether the menu of tools stays open, and what has the focus then.
function shut(how) {
  at("", "tools");
  const [summary, panel] = stage.tools.root.children, choice = panel.querySelector('[data-value="result"]');
  const clicked = (node, detail) => node.dispatchEvent(new MouseEvent("click", { detail, bubbles: true }));
  const pointed = (node) => node.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, composed: true }));
  choice.focus();
  ({
    escape: () => press("Escape"), key: () => press("x"),
    mouse: () => clicked(choice, 1), enter: () => clicked(choice, 0),
    code: () => clicked(find("code"), 1), keys: () => clicked(find("keys"), 1),
    inside: () => pointed(choice), outside: () => pointed(document.body),
  })[how]();
  return [stage.tools.root.open, document.activeElement === summary];
}

// Where the map, the formula and the title say that one is.
function placed(step) {
  at(`step=${step}`);
  stage.formula.toggle(true);
  const state = (part) => ["done", "now", "later"].filter((name) => part.classList.contains(name));
  const parts = [...root.querySelectorAll(".whole button.part")].map((part) => [part.dataset.step, ...state(part), part.ariaCurrent]);
  stage.formula.toggle(false);
  const phases = [...root.querySelectorAll(".strip .phase")];
  const said = root.querySelector(":scope > .aloud").textContent;
  return [stage.head.title.textContent, phases.map((one) => [one.ariaLabel, one.ariaCurrent]), parts, said];
}

// Which cells of each matrix are lit, by how, where a token of the ribbon, or a link of prose, is pointed at.
function lit([step, kind, what]) {
  at(`step=${step}`);
  const prose = document.body.appendChild(element("p")), link = element("a");
  prose.dataset.stage = "stage";
  prose.append(Object.assign(link, { href: `#stage-${what}` }));
  const node = kind === "chip" ? root.querySelectorAll(".chip")[what] : link;
  node.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, composed: true }));
  const found = {};
  root.querySelectorAll(".focus .cell:is(.here, .source, .use)").forEach(({ dataset: { cell }, className }) => {
    const [name, ...index] = cell.split("."), at = index.slice(-2);
    (found[`${name} ${className.split(" ").at(-1)}`] ||= new Set()).add(kind === "chip" ? at[0] : at.join("."));
  });
  const outlined = [...root.querySelectorAll(".matrix.lit[data-matrix]")].map((one) => one.dataset.matrix);
  node.dispatchEvent(new PointerEvent("pointerleave", { composed: true }));
  root.querySelector(".reading").dispatchEvent(new PointerEvent("pointerleave"));
  node.click();
  const after = says();
  prose.remove();
  return [Object.fromEntries(Object.entries(found).map(([name, some]) => [name, [...some]])), outlined, after];
}

// What typing into a cell, or painting it, asks of the host.
function typed([cell, keys]) {
  at(`step=${cell.split(".")[0]}&cell=${cell}`, "cell");
  const views = stage.shown.map(({ view }) => view), done = [], { act } = stage;
  views.forEach((view) => { view.editable = view.name === "X"; view.paint = view.name === "mask"; });
  stage.act = (kind, told) => done.push([kind, told]);
  keys.split(" ").forEach((key) => {
    const field = root.querySelector(".cell input");
    if (field && key.startsWith("=")) field.value = key.slice(1);
    else press(key);
  });
  const field = root.querySelector(".cell input");
  stage.act = act;
  return [done, field ? field.value : null];
}

// The choices as soon as each is behind a press: the name of each, whether it is open, and what is remembered.
function folded(actions) {
  localStorage.removeItem("stage-controls");
  stage.toolbar.opened.clear();
  at("");
  at("", "", { quiet: true });
  actions.split(" ").filter(Boolean).forEach((action) => (find(action) || root.querySelector(action)).click());
  const folds = [...root.querySelectorAll(".toolbar .folded")].map((one) => [one.firstChild.innerText, one.firstChild.ariaExpanded, one.lastChild.checkVisibility()]);
  return [find("controls")?.textContent, folds];
}

// What is said of a token that reads, and of each of its arcs how far its ends and its percentage are off.
function arcs(query) {
  at(`step=weights&cell=weights.0.${query}.0`);
  const chips = [...root.querySelectorAll(".chip")], { left } = root.querySelector(".reading svg").getBoundingClientRect();
  const middle = (part) => part.getBoundingClientRect().left + part.getBoundingClientRect().width / 2 - left;
  const found = [...root.querySelectorAll("[data-arc]")].map((arc) => {
    const key = Number(arc.dataset.arc.split(".")[1]), ends = [0, arc.getTotalLength()].map((on) => arc.getPointAtLength(on).x);
    const share = root.querySelector(`[data-share="${query}.${key}"]`);
    return [
      Math.abs(query - key), Math.abs(ends[0] - middle(chips[key])), Math.abs(ends[1] - middle(chips[query])),
      Math.abs(middle(share) - middle(chips[key])), arc.getBBox().height,
    ];
  });
  return [chips[query].ariaLabel, found];
}

// Which parts are in sight.
function inSight([where, ...parts]) {
  at(`step=weights${where.includes("answered") ? "&cover=weights" : ""}`, where);
  find("tell").click();
  if (where.includes("answered")) stage.answer(stage.at.cell, "9");
  if (where.includes("noted")) stage.head.notes.append(element("span", "badge"), "told");
  return parts.filter((part) => seen(part).length);
}

// How a part differs from another of its kind.
function looks([address, ...parts]) {
  at(address);
  stage.formula.toggle(true);
  const told = parts.slice(0, 2).map((part) => {
    const { fontWeight: bold, color: ink, backgroundColor: ground, textDecorationLine: line, borderTopWidth, borderTopColor } = (
      getComputedStyle(root.querySelector(part))
    );
    return { bold, frame: parseFloat(borderTopWidth) ? borderTopColor : "", ground, ink, line };
  });
  return Object.keys(told[0]).filter((kind) => told[0][kind] !== told[1][kind]).join(" ");
}

// How strongly, and with which line, each kind of cell is framed where one points.
function framed() {
  const kinds = {};
  ["scores.0.2.1", "Q.0.2.1"].forEach((cell) => {
    at(`cell=${cell}`);
    root.querySelectorAll(".focus .cell").forEach((one) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(one);
      kinds[one.className.split(" ")[2] || "none"] = [outlineStyle, parseFloat(outlineWidth)];
    });
  });
  return kinds;
}

// Where labels stand beside what they name: the cells below or beside them.
function stands() {
  at("");
  const box = (part) => part.getBoundingClientRect(), middle = (part) => box(part).left + box(part).width / 2;
  const text = (part) => { const range = document.createRange(); range.selectNodeContents(part); return range; };
  return [...root.querySelectorAll('.focus [role="grid"]')].map((grid) => {
    const [head, ...rows] = grid.children, [, ...tops] = head.children, [side, ...cells] = rows[0].children;
    return {
      across: Math.max(...tops.map((top, n) => Math.abs(middle(text(top)) - middle(cells[n])))),
      beside: box(cells[0]).left - box(text(side)).right,
      inside: Math.max(...cells.map((cell) => Math.abs(middle(text(cell)) - middle(cell)))),
      above: Math.abs(middle(text(grid.previousSibling)) - (box(cells[0]).left + box(cells.at(-1)).right) / 2),
    };
  });
}

const ASKED = { pressed, moved, chosen, acted, shut, placed, lit, typed, folded, arcs, inSight, looks, framed, stands };
Object.assign(globalThis, { asked: ([kind, cases]) => cases.map(ASKED[kind]) });
