// A tree over keys that is put together by hand: sets in boxes, each with its score and its value.
// Picking up, merging and taking apart happen here, at once; the numbers are the server's, which
// hears of each new forest. A set whose numbers it has not told yet shows dots.

const LEAF = /\s*([()]|\d+)/g;

// The forest of a text such as `((1 2) 3) 4`: a leaf is {key}, a set {children}.
function readForest(text) {
  const stack = [[]];
  for (const [, part] of text.matchAll(LEAF)) {
    if (part === "(") stack.push([]);
    else if (part === ")") {
      const children = stack.pop();
      stack.at(-1).push({ children });
    } else stack.at(-1).push({ key: Number(part) });
  }
  return stack[0];
}

const writtenTree = (tree) => (tree.key ? String(tree.key) : `(${tree.children.map(writtenTree).join(" ")})`);
const keysOf = (tree) => (tree.key ? [tree.key] : tree.children.flatMap(keysOf));
const everyTree = (tree) => [tree, ...(tree.children || []).flatMap(everyTree)];
const setName = (tree) => `{${keysOf(tree).sort((one, other) => one - other).join(", ")}}`;

class Trees {
  constructor(parent) {
    this.root = element("div", "trees");
    this.root.dataset.testid = "trees";
    this.bar = element("div", "bar");
    this.board = element("div", "board");
    this.board.setAttribute("role", "tree");
    this.help = element("p", "help");
    this.help.setAttribute("role", "status");
    this.picture = element("div", "picture");
    this.sums = element("div", "sums");
    this.picture.append(this.sums, this.board);
    this.root.append(this.bar, this.picture, this.help);
    this.announcer = new Announcer(this.root);
    parent.append(this.root);
    this.events = new Events();
    this.past = [];
    this.held = null;
    this.at = 0;
    this.board.addEventListener("keydown", (event) => this.pressed(event));
    // What is covered on a stage stands here as well.
    this.covers = new MutationObserver(() => this.draw());
    this.covers.observe(document.documentElement, { attributeFilter: ["data-covering"] });
  }

  // What the server says counts, except where it has not heard yet of what was done last.
  update(data, send) {
    this.events.hear(data, send);
    this.data = data;
    this.board.setAttribute("aria-label", data.words.board);
    if (this.events.answered && data.forest !== this.text) {
      this.forest = readForest(data.forest);
      this.text = data.forest;
      this.held = null;
      if (!this.mine) this.past = [];
    }
    this.mine = false;
    this.draw();
  }

  get every() {
    return this.forest.flatMap(everyTree);
  }

  parentOf(tree) {
    return this.every.find(({ children }) => children?.includes(tree));
  }

  // A tree out of where it is; of a set with one part left only that part stays.
  takeOut(tree) {
    const parent = this.parentOf(tree);
    if (!parent) {
      this.forest = this.forest.filter((other) => other !== tree);
      return;
    }
    parent.children = parent.children.filter((other) => other !== tree);
    if (parent.children.length > 1) return;
    const [left] = parent.children;
    delete parent.children;
    Object.assign(parent, left);
  }

  // Put the tree that is held on another: the two become a set, in the place of the other.
  merge(target) {
    const { held } = this;
    this.held = null;
    if (!held || held === target || everyTree(held).includes(target)) return this.draw();
    if (this.every.includes(held)) this.takeOut(held);
    const other = { ...target };
    Object.keys(target).forEach((name) => delete target[name]);
    target.children = [other, held];
    this.changed(target);
  }

  // Put what is held beside everything else.
  putApart() {
    const { held } = this;
    this.held = null;
    if (!held || !this.every.includes(held) || this.forest.includes(held)) return this.draw();
    this.takeOut(held);
    this.forest.push(held);
    this.changed(held);
  }

  // A set falls into its parts, where it stands; a key that is there once more goes.
  takeApart(tree) {
    this.held = null;
    if (tree.key) {
      if (this.every.filter(({ key }) => key === tree.key).length < 2) return;
      this.takeOut(tree);
      return this.changed(null);
    }
    const parent = this.parentOf(tree);
    const among = parent ? parent.children : this.forest;
    among.splice(among.indexOf(tree), 1, ...tree.children);
    this.changed(tree.children[0]);
  }

  changed(focused) {
    const text = this.forest.map(writtenTree).join(" ");
    this.to(text, this.every.indexOf(focused));
  }

  to(text, at = 0) {
    if (text === this.text) return this.draw();
    this.past.push(this.text);
    this.tell(text, at);
  }

  tell(text, at = 0) {
    this.text = text;
    this.forest = readForest(text);
    this.held = null;
    this.at = Math.max(0, at);
    this.mine = true;
    this.events.tell("tree", { forest: text });
    this.draw(true);
  }

  pick(tree) {
    this.held = this.held === tree ? null : tree;
    this.at = Math.max(0, this.every.indexOf(tree));
    this.draw(true);
  }

  // A press on a piece: take it up, or merge with it what is held.
  press(tree) {
    if (this.held && this.held !== tree) this.merge(tree);
    else this.pick(tree);
  }

  draw(focus = false) {
    const { data, forest, held } = this;
    const had = this.root.getRootNode().activeElement?.closest?.(".node");
    const inBar = replaceButtons(this.bar, ...this.buttons());
    this.sums.replaceChildren(this.bars(), this.result());
    this.items = [];
    this.board.replaceChildren(...forest.map((tree) => this.node(tree, 1)));
    this.board.classList.toggle("holding", !!held);
    this.at = Math.min(this.at, this.items.length - 1);
    this.items.forEach((item, at) => { item.tabIndex = at === this.at ? 0 : -1; });
    if (!inBar && (focus || had)) this.items[this.at].focus({ preventScroll: true });
    const said = held ? data.words.held.replace("…", setName(held)) : data.words.idle;
    if (this.help.textContent !== said) this.help.textContent = said;
    this.announce();
    this.root.classList.toggle("present", !!data.present);
    this.root.dataset.forest = this.text;
    this.root.dataset.settled = String(this.events.answered);
  }

  // What the merged sets come to, and which keys count more than once, each time that is another.
  announce() {
    const { data, every, forest } = this, { words } = data, { merged, whole, off } = data.counts;
    if (forest.length > 1 || !this.events.answered || !merged) return;
    const covering = document.documentElement.hasAttribute("data-covering");
    const twice = data.labels.map((_, at) => at + 1).filter((key) => every.filter((leaf) => leaf.key === key).length > 1);
    const said = [
      ...(covering ? [] : [`${minus(merged)} ${words.merged} ${off ? "≠" : "="} ${minus(whole)} ${words.whole}.`]),
      ...(twice.length ? [words.twice.replace("…", twice.join(", "))] : []),
    ].join(" ");
    const now = `${this.text} ${said}`;
    if (this.announced && this.announced !== now) this.announcer.say(said);
    this.announced = now;
  }

  // How much each key counts: one that is there more than once is drawn as often as that.
  bars() {
    const { data, every } = this, made = element("div", "bars");
    const covering = document.documentElement.hasAttribute("data-covering");
    made.setAttribute("role", "img");
    const times = data.labels.map((_, at) => every.filter(({ key }) => key === at + 1).length);
    const { sizes, texts } = data.counts, most = Math.max(1, ...sizes.map((size, at) => size * times[at]));
    const said = texts.map((text, at) => `${at + 1}: ${times[at] > 1 ? `${times[at]} × ` : ""}${minus(text)}`);
    made.setAttribute("aria-label", `${data.words.counts}: ${covering ? data.words.covered : said.join(", ")}`);
    sizes.forEach((size, at) => {
      const column = element("div", "column"), pile = element("div", "pile weights");
      Array.from({ length: Math.max(1, times[at]) }, (_, n) => {
        const bar = element("i", n ? "again" : "");
        bar.style.height = `${covering ? 30 : (100 * size) / most}%`;
        pile.append(bar);
      });
      column.append(element("span", "count", covering ? "?" : minus(texts[at])), pile, element("b", "", `{${at + 1}}`));
      made.append(column);
    });
    return made;
  }

  // What the one set comes to beside all keys at once; nothing while the server has not told it.
  result() {
    const { data } = this, { merged, whole, off } = data.counts, made = element("p", "result");
    const covering = document.documentElement.hasAttribute("data-covering");
    if (this.forest.length > 1) return made;
    const told = this.events.answered && merged && !covering;
    const wrong = told && off;
    made.classList.toggle("off", !!wrong);
    const number = (text, said) => {
      const part = element("span", "part");
      part.append(element("b", "", covering ? "?" : told ? minus(text) : "…"), element("small", "", said));
      return part;
    };
    made.append(number(merged, data.words.merged), element("b", "sign", wrong ? "≠" : "="), number(whole, data.words.whole));
    return made;
  }

  buttons() {
    const { data } = this;
    const group = element("span", "group");
    group.append(element("span", "word", data.words.shapes));
    data.shapes.forEach(([label, text]) => group.append(this.button(label, () => this.to(text), this.text === text)));
    const again = element("span", "group");
    again.append(element("span", "word", data.words.again));
    data.labels.forEach((_, at) => {
      const made = this.button(String(at + 1), () => this.pick({ key: at + 1 }), this.held?.key === at + 1 && !this.every.includes(this.held));
      made.classList.add("key");
      made.setAttribute("aria-label", `${data.words.again} ${at + 1}`);
      again.append(made);
    });
    const back = this.button(data.words.back, () => this.tell(this.past.pop()), false);
    back.removeAttribute("aria-pressed");
    back.disabled = !this.past.length;
    return [group, again, back];
  }

  button(label, act, pressed) {
    const made = element("button", "", label);
    made.type = "button";
    made.setAttribute("aria-pressed", String(!!pressed));
    made.onclick = act;
    return made;
  }

  node(tree, level) {
    const { data } = this;
    const made = element("div", tree.key ? "node leaf" : "node");
    const covering = document.documentElement.hasAttribute("data-covering");
    const told = covering ? { s: "?", v: "?", spoken: data.words.covered } : data.nodes[writtenTree(tree)];
    const name = setName(tree);
    made.dataset.tree = writtenTree(tree);
    made.setAttribute("role", "treeitem");
    made.setAttribute("aria-level", level);
    made.setAttribute("aria-selected", String(tree === this.held));
    made.setAttribute("aria-label", told ? `${name}: ${told.spoken}` : name);
    made.classList.toggle("held", tree === this.held);
    this.items.push(made);
    made.tree = tree;
    const head = element("div", "head");
    head.append(element("span", "grip", "⠿"), element("span", "set", name));
    if (tree.key && data.labels[tree.key - 1] !== String(tree.key)) head.append(element("span", "token", data.labels[tree.key - 1]));
    ["s", "v"].forEach((letter) => head.append(this.number(letter, told)));
    if (!tree.key || this.every.filter(({ key }) => key === tree.key).length > 1) {
      const apart = element("button", "apart", "×");
      apart.type = "button";
      apart.tabIndex = -1;
      apart.title = tree.key ? data.words.leave : data.words.apart;
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

  // A piece's score or value; pressed, the stage shows where it is made.
  number(letter, told) {
    const made = element("button", `number ${letter}`);
    made.type = "button";
    made.tabIndex = -1;
    made.append(element("i", "", letter), told ? ` ${minus(told[letter])}` : " …");
    if (told?.name) {
      made.title = this.data.words.look;
      made.onclick = (event) => {
        event.stopPropagation();
        this.events.tell("look", { array: `${letter}_${told.name}` });
      };
    } else made.disabled = true;
    return made;
  }

  // A press that stays is a press; one that moves drags the piece to what it is let go on.
  grab(event, tree) {
    if (event.button || event.target.closest("button")) return;
    const from = [event.clientX, event.clientY];
    const scope = this.root.getRootNode();
    const pointed = ({ clientX, clientY }) => scope.elementFromPoint(clientX, clientY)?.closest?.(".node, .board");
    let moved = false;
    const mark = (target) => this.items.forEach((item) => item.classList.toggle("target", item === target));
    const move = (at) => {
      if (!moved && Math.hypot(at.clientX - from[0], at.clientY - from[1]) < 6) return;
      at.preventDefault();
      if (!moved) {
        moved = true;
        this.held = tree;
        this.items.forEach((item) => item.classList.toggle("held", item.tree === tree));
        this.board.classList.add("holding");
      }
      mark(pointed(at));
    };
    const done = (at) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", done);
      removeEventListener("pointercancel", dropped);
      mark(null);
      if (!moved) return this.press(tree);
      const target = pointed(at);
      if (target?.tree) this.merge(target.tree);
      else if (target) this.putApart();
      else this.pick(tree);
    };
    const dropped = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", done);
      this.held = null;
      this.draw();
    };
    addEventListener("pointermove", move, { passive: false });
    addEventListener("pointerup", done);
    addEventListener("pointercancel", dropped, { once: true });
  }

  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("button")) return;
    const { items, at } = this;
    const item = items[at];
    const level = (node) => Number(node.getAttribute("aria-level"));
    const go = {
      ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1,
      ArrowRight: items[at + 1] && level(items[at + 1]) > level(item) ? at + 1 : at,
      ArrowLeft: items.findLastIndex((node, n) => n < at && level(node) < level(item)),
    }[event.key];
    if (go !== undefined) {
      this.at = Math.max(0, Math.min(go < 0 && event.key === "ArrowLeft" ? at : go, items.length - 1));
      items.forEach((node, n) => { node.tabIndex = n === this.at ? 0 : -1; });
      items[this.at].focus();
    } else if (event.key === "Enter" || event.key === " ") this.press(item.tree);
    else if (event.key === "Delete" || event.key === "Backspace") this.takeApart(item.tree);
    else if (event.key === "Escape" && this.held) {
      this.held = null;
      this.draw(true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  close() {
    this.covers.disconnect();
    this.root.remove();
  }
}


export default function ({ data: [data], parentElement, setStateValue }) {
  const [trees, leave] = atPlace(parentElement, () => new Trees(parentElement));
  trees.update(data, setStateValue);
  drawnAt(parentElement);
  return leave;
}
