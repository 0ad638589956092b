// What a person does on the graph with a pointer and with keys. These are methods of the graph;
// graph.js takes them over.

import { dragOrPress } from "../dragging.js";
import { near } from "./curves.js";

/** @satisfies {ThisType<import("./graph.js").Graph>} */
export const Gestures = {
  // A press on a node; or an edge that is drawn to the node it is let go on.
  grab(event, node) {
    if (event.button) return;
    dragOrPress(event, this.root, ".node", {
      mayBegin: () => !!this.bits,
      move: (target, at) => {
        const box = this.svg.getBoundingClientRect();
        const scale = this.svg.viewBox.baseVal.width / box.width;
        const end = [(at.clientX - box.left) * scale, (at.clientY - box.top) * scale];
        this.loose.setAttribute("d", `M${this.spots[node].map(near)} L${end.map(near)}`);
        this.nodes.forEach((other) => other.classList.toggle("target", other === target));
      },
      drop: (target) => {
        if (!target) return this.draw();
        this.at = { node: Number(target.dataset.node), line: null };
        this.join(node, this.at.node);
      },
      press: () => this.press(node),
      cancel: () => this.draw(),
    });
  },

  // By keys: nodes beside each other, and under a node the edges that lead to it.
  pressed(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { at, count } = this;
    const incoming = this.edges.filter(({ line }) => line.target === at.node);
    const here = incoming.findIndex(({ line }) => line.source === at.line?.source);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const acts = event.key === "Enter" || event.key === " ";
    if (by && at.line) this.at = { ...at, line: incoming[(here + by + incoming.length) % incoming.length].line };
    else if (by) this.at = { node: (at.node + by + count) % count, line: null };
    else if (event.key === "ArrowDown" && !at.line && incoming.length) this.at = { ...at, line: incoming[0].line };
    else if (event.key === "ArrowUp" && at.line) this.at = { ...at, line: null };
    else if (acts && at.line) {
      incoming[here].link.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true, cancelable: true }));
    } else if (acts) this.press(at.node);
    else if ((event.key === "Delete" || event.key === "Backspace") && at.line && this.bits) {
      this.at = { ...at, line: null };
      this.join(at.line.source, at.line.target);
    } else if (event.key === "Escape" && (at.line || this.held !== null)) {
      this.held = null;
      this.at = { ...at, line: null };
      this.draw();
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.focus();
  },

  focus() {
    const { at } = this;
    const edge = at.line && this.edges.find(({ line }) => line.source === at.line.source && line.target === at.line.target);
    if (at.line && !edge) at.line = null;
    this.nodes.forEach((made, node) => made.setAttribute("tabindex", !edge && node === at.node ? 0 : -1));
    this.edges.forEach((other) => other.link.setAttribute("tabindex", other === edge ? 0 : -1));
    const on = edge ? edge.link : this.nodes[at.node];
    on.focus({ preventScroll: true });
    // A focus that moves inside a component is not heard outside of it, where the stage listens.
    on.dispatchEvent(new Event("focusin", { bubbles: true, composed: true }));
  },

  // The edge under the mouse shows its number.
  over(event) {
    const link = event?.target.closest?.(".edge");
    this.edges.forEach((edge) => edge.label.classList.toggle("over", edge.link === link));
  },

  // A pointer that moves inside a component is not heard outside of it, where the stage listens.
  tellPointed(link) {
    if (link === this.lastPointed) return;
    this.lastPointed = link;
    (link || this.board).dispatchEvent(new PointerEvent("pointerover", { bubbles: true, composed: true }));
  },
};
