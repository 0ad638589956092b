// Trees over keys: a leaf is {key}, a set is {children}; a forest is what is not merged yet.

const LEAF = /\s*([()]|\d+)/g;

// The trees of a text such as `((1 2) 3) 4`.
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

export const writtenTree = (tree) => (tree.key ? String(tree.key) : `(${tree.children.map(writtenTree).join(" ")})`);
const keysOf = (tree) => (tree.key ? [tree.key] : tree.children.flatMap(keysOf));
const everyTree = (tree) => [tree, ...(tree.children || []).flatMap(everyTree)];
export const setName = (tree) => `{${keysOf(tree).sort((one, other) => one - other).join(", ")}}`;

export class KeyForest {
  constructor(text) {
    this.roots = readForest(text);
  }

  get text() { return this.roots.map(writtenTree).join(" "); }

  get isOneTree() { return this.roots.length === 1; }

  // All trees, each before those inside it.
  get every() { return this.roots.flatMap(everyTree); }

  has(tree) { return this.every.includes(tree); }

  // How often a key is counted.
  timesOf(key) { return this.every.filter((tree) => tree.key === key).length; }

  parentOf(tree) {
    return this.every.find(({ children }) => children?.includes(tree));
  }

  // Takes a tree out of its place; a set with one part left becomes that part.
  takeOut(tree) {
    const parent = this.parentOf(tree);
    if (!parent) {
      this.roots = this.roots.filter((other) => other !== tree);
      return;
    }
    parent.children = parent.children.filter((other) => other !== tree);
    if (parent.children.length > 1) return;
    const [left] = parent.children;
    delete parent.children;
    Object.assign(parent, left);
  }

  // Merges a tree with another one, in the place of the other. Returns the set, if that is possible.
  merge(tree, target) {
    if (tree === target || everyTree(tree).includes(target)) return null;
    if (this.has(tree)) this.takeOut(tree);
    const other = { ...target };
    Object.keys(target).forEach((name) => delete target[name]);
    target.children = [other, tree];
    return target;
  }

  // Moves a tree out of its set, to the end. Returns whether it was in one.
  putApart(tree) {
    if (!this.has(tree) || this.roots.includes(tree)) return false;
    this.takeOut(tree);
    this.roots.push(tree);
    return true;
  }

  // Splits a set into its parts, in its place. Returns the first part.
  split(tree) {
    const siblings = this.parentOf(tree)?.children || this.roots;
    siblings.splice(siblings.indexOf(tree), 1, ...tree.children);
    return tree.children[0];
  }
}
