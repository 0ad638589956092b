// What a person does on the trees with a pointer and with keys. These are methods of the trees;
// trees.js takes them over.

import { dragOrPress } from "../dragging.js";

/** @satisfies {ThisType<import("./trees.js").Trees>} */
export const Gestures = {
  // A press on a piece; or a piece that is dragged to what it is let go on.
  grab(event, tree) {
    if (event.button || event.target.closest("button")) return;
    const mark = (target) => this.items.forEach((item) => item.classList.toggle("target", item === target));
    dragOrPress(event, this.root, ".node, .board", {
      begin: () => {
        this.held = tree;
        this.items.forEach((item) => item.classList.toggle("held", item.tree === tree));
        this.board.classList.add("holding");
      },
      move: mark,
      drop: (target) => {
        mark(null);
        if (target?.tree) this.merge(target.tree);
        else if (target) this.putApart();
        else this.pick(tree);
      },
      press: () => this.press(tree),
      cancel: () => {
        this.held = null;
        this.draw();
      },
    });
  },

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
  },
};
