// Keys that a person merges by hand: sets in boxes, each with its score and its value. A change is
// drawn here, at once, and the new forest is reported to the server, which computes the numbers.
// Until these arrive, a set shows dots.

import { Announcer } from "../../../stage/browser/dom/announcer.js";
import { element, minus } from "../../../stage/browser/dom/elements.js";
import { barButton, barGroup, replaceButtons } from "../buttons.js";
import { componentOf } from "../component.js";
import { Telling } from "../events.js";
import { Counts } from "./counts.js";
import { KeyForest, setName, writtenTree } from "./forest.js";
import { Gestures } from "./gestures.js";

export class Trees extends Telling {
  constructor(parent) {
    super(parent, "trees");
    this.bar = element("div", "bar");
    this.board = element("div", "board");
    this.board.setAttribute("role", "tree");
    this.help = element("p", "help");
    this.help.setAttribute("role", "status");
    this.picture = element("div", "picture");
    this.sums = element("div", "sums");
    this.picture.append(this.sums, this.board);
    this.root.append(this.picture, this.bar, this.help);
    this.announcer = new Announcer(this.root);
    this.past = [];
    this.announced = ""; // what was said last
    this.held = null;
    this.at = 0;
    this.board.addEventListener("keydown", (event) => this.pressed(event));
    // Numbers that are covered on a stage are covered here as well.
    this.covers = new MutationObserver(() => this.draw());
    this.covers.observe(document.documentElement, { attributeFilter: ["data-covering"] });
  }

  update(data, send) {
    this.board.setAttribute("aria-label", TEXTS("board"));
    super.update(data, send);
    this.mine = false;
  }

  take({ forest }) {
    if (forest === this.text) return;
    this.forest = new KeyForest(forest);
    this.text = forest;
    this.held = null;
    if (!this.mine) this.past = [];
  }

  // Merges what is held with another tree: the two become a set, in the place of the other.
  merge(target) {
    const { held } = this;
    this.held = null;
    const set = held && this.forest.merge(held, target);
    if (set) this.changed(set);
    else this.draw();
  }

  // Puts what is held apart from everything else.
  putApart() {
    const { held } = this;
    this.held = null;
    if (held && this.forest.putApart(held)) this.changed(held);
    else this.draw();
  }

  // Splits a set into its parts; takes a key away that is counted more than once.
  takeApart(tree) {
    this.held = null;
    if (!tree.key) return this.changed(this.forest.split(tree));
    if (this.forest.timesOf(tree.key) < 2) return;
    this.forest.takeOut(tree);
    this.changed(null);
  }

  // The forest is another one: the focus goes to one of its trees.
  changed(focused) {
    this.to(this.forest.text, this.forest.every.indexOf(focused));
  }

  to(text, at = 0) {
    if (text === this.text) return this.draw();
    this.past.push(this.text);
    this.tell(text, at);
  }

  tell(text, at = 0) {
    this.text = text;
    this.forest = new KeyForest(text);
    this.held = null;
    this.at = Math.max(0, at);
    this.mine = true;
    this.events.tell("tree", { forest: text });
    this.draw(true);
  }

  pick(tree) {
    this.held = this.held === tree ? null : tree;
    this.at = Math.max(0, this.forest.every.indexOf(tree));
    this.draw(true);
  }

  // A press on a piece takes it up, or merges what is held with it.
  press(tree) {
    if (this.held && this.held !== tree) this.merge(tree);
    else this.pick(tree);
  }

  // Whether numbers are covered on a stage.
  get covering() { return document.documentElement.hasAttribute("data-covering"); }

  draw(focus = false) {
    const { forest, held } = this;
    const had = this.root.getRootNode().activeElement?.closest?.(".node");
    const inBar = replaceButtons(this.bar, ...this.buttons());
    this.sums.replaceChildren(this.bars(), this.result());
    this.items = [];
    this.board.replaceChildren(...forest.roots.map((tree) => this.node(tree, 1)));
    this.board.classList.toggle("holding", !!held);
    this.at = Math.min(this.at, this.items.length - 1);
    this.items.forEach((item, at) => { item.tabIndex = at === this.at ? 0 : -1; });
    if (!inBar && (focus || had)) this.items[this.at].focus({ preventScroll: true });
    const help = held ? TEXTS("board_held").replace("…", setName(held)) : TEXTS("board_idle");
    if (this.help.textContent !== help) this.help.textContent = help;
    this.announce();
    this.root.dataset.forest = this.text;
    this.root.dataset.settled = String(this.events.answered);
  }

  buttons() {
    const { data } = this;
    const shapes = data.shapes.map(([label, text]) => barButton(label, () => this.to(text), this.text === text));
    const again = data.labels.map((_, at) => {
      const made = barButton(String(at + 1), () => this.pick({ key: at + 1 }), this.held?.key === at + 1 && !this.forest.has(this.held));
      made.classList.add("key");
      made.setAttribute("aria-label", `${TEXTS("board_again")} ${at + 1}`);
      return made;
    });
    const back = barButton(TEXTS("board_back"), () => this.tell(this.past.pop()));
    back.disabled = !this.past.length;
    return [barGroup(TEXTS("board_shapes"), ...shapes), barGroup(TEXTS("board_again"), ...again), back];
  }

  node(tree, level) {
    const { data } = this;
    const made = element("div", tree.key ? "node leaf" : "node");
    const shown = this.covering ? { s: "?", v: "?", spoken: TEXTS("board_covered") } : data.nodes[writtenTree(tree)];
    const name = setName(tree);
    made.dataset.tree = writtenTree(tree);
    made.setAttribute("role", "treeitem");
    made.setAttribute("aria-level", level);
    made.setAttribute("aria-selected", String(tree === this.held));
    made.setAttribute("aria-label", shown ? `${name}: ${shown.spoken}` : name);
    made.classList.toggle("held", tree === this.held);
    this.items.push(made);
    made.tree = tree;
    const head = element("div", "head");
    head.append(element("span", "grip", "⠿"), element("span", "set", name));
    if (tree.key && data.labels[tree.key - 1] !== String(tree.key)) head.append(element("span", "token", data.labels[tree.key - 1]));
    ["s", "v"].forEach((letter) => head.append(this.number(letter, shown)));
    if (!tree.key || this.forest.timesOf(tree.key) > 1) {
      const apart = element("button", "apart", "×");
      apart.type = "button";
      apart.tabIndex = -1;
      apart.title = tree.key ? TEXTS("board_leave") : TEXTS("board_apart");
      apart.setAttribute("aria-label", `${apart.title}: ${name}`);
      apart.onclick = (event) => {
        event.stopPropagation();
        this.takeApart(tree);
      };
      head.append(apart);
    }
    head.addEventListener("pointerdown", (event) => this.grab(event, tree));
    made.append(head);
    if (!tree.key) {
      const inside = element("div", "children");
      inside.setAttribute("role", "group");
      inside.append(...tree.children.map((child) => this.node(child, level + 1)));
      made.append(inside);
    }
    return made;
  }

  // A piece's score or value. If it is pressed, the stage shows where it is made.
  number(letter, shown) {
    const made = element("button", `number ${letter}`);
    made.type = "button";
    made.tabIndex = -1;
    made.append(element("i", "", letter), shown ? ` ${minus(shown[letter])}` : " …");
    if (shown?.name) {
      made.title = TEXTS("board_look");
      made.onclick = (event) => {
        event.stopPropagation();
        this.events.tell("look", { array: `${letter}_${shown.name}` });
      };
    } else made.disabled = true;
    return made;
  }

  close() {
    this.covers.disconnect();
    super.close();
  }
}

Object.assign(Trees.prototype, Counts, Gestures);

export default componentOf(Trees);
