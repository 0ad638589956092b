// Projecting: the stage alone fills the window and fits it, at every step. These are methods of the
// stage; stage.js takes them over.

import { Curtain } from "./curtain.js";

export const Presenting = {
  // The top layer is above whatever the host's page shows, and out of its scrolling boxes.
  present() {
    if (this.presenting) return;
    this.playing.stop();
    this.presenting = true;
    this.pageBelow = false;
    this.body.style.minHeight = "";
    this.root.classList.add("present");
    this.root.popover = "manual";
    this.root.showPopover?.();
    this.tellShown(true);
    Curtain.the.projecting.add(this);
    this.toolbar.root.open = true;
    this.tools.panel.prepend(this.toolbar.root);
    if (this.run) this.draw();
  },

  // Something of the stage's came to stand beside it since.
  makeRoom() {
    if (!this.presenting) return;
    this.tellShown(true);
    this.openBehind();
    this.shutBehind();
    if (this.run) this.draw();
  },

  leave() {
    if (!this.presenting) return;
    this.unfill();
    if (document.fullscreenElement) document.exitFullscreen();
    this.draw();
    this.tools.focus();
    this.report();
    this.host.left?.();
  },

  // Something else is projected from now on: another stage of the page may fill the window already.
  makeWay() {
    if (!this.presenting) return;
    this.unfill();
    this.draw();
    document.dispatchEvent(new CustomEvent("stage-room"));
  },

  unfill() {
    this.playing.stop();
    this.sentence.close();
    this.presenting = this.ownWindow = false;
    Curtain.the.leave(this);
    this.tellShown(false);
    this.openBehind();
    this.root.hidePopover?.();
    this.root.removeAttribute("popover");
    this.root.classList.remove("present");
    this.toolbar.root.open = !this.narrow;
    this.workings.classList.remove("left-out");
    this.shows.append(this.workings, this.toolbar.root);
    this.tools.shut();
    [this.formula.root, this.arithmetic.rows, this.arithmetic.verdict, this.workings].forEach((part) => { part.style.fontSize = ""; });
    [...this.arithmetic.rows.children].forEach((row) => { row.classList.remove("left-out"); });
  },

  // What belongs to the stage may stand beside it, in the part of the window that it takes.
  tellShown(on) {
    const detail = { stage: this.config?.stage, on, beside: [], taken: 0 };
    document.dispatchEvent(new CustomEvent("stage-shown", { detail }));
    this.beside = on ? detail.beside : [];
    this.root.classList.toggle("taken", on && detail.taken > 0);
    this.root.style.setProperty("--taken", `${100 * (on ? detail.taken : 0)}vw`);
  },

  // What stands behind the window is not reached by keys or screen readers; more may come there.
  shutBehind() {
    const covers = (part) => part.matches("[popover]"); // as a curtain does
    const open = around(this.root, ...this.beside).filter((part) => !part.inert && !covers(part));
    open.forEach((part) => { part.inert = true; });
    this.behind.push(...open);
  },

  openBehind() {
    this.behind.forEach((part) => { part.inert = false; });
    this.behind = [];
  },

  // What the page has besides: it stands below, as large, and the link still asks for the projector.
  showPage() {
    this.pageBelow = true;
    this.makeWay();
  },

  // A person asks for it: the window too takes the whole screen, where it may.
  fill() {
    document.documentElement.requestFullscreen?.().catch(() => {});
    this.present();
    this.ownWindow = true;
    this.head.focus();
    this.report();
  },
};

// Everything on the page but some nodes and what they stand in.
function around(...nodes) {
  const inside = new Set(nodes.flatMap(lineage));
  const beside = [...inside].flatMap((at) => [...(at.parentNode?.children || [])]);
  return beside.filter((other) => !inside.has(other) && other instanceof HTMLElement);
}

// A node and what it stands in, up to the page's body.
export function lineage(node) {
  const found = [];
  for (let at = node; at && at !== document.body; at = at.parentNode || at.host) found.push(at);
  return found;
}
