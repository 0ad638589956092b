// Projecting: the stage alone fills the window and fits it, at every step.

import { Curtain } from "./curtain.js";

export class Projection {
  constructor(stage) {
    this.stage = stage;
    this.isOn = false;
    this.isOwn = false; // a person asked for it here
    this.pageBelow = false; // a link still asks for the projector, but the page stands below
    this.behind = []; // what the window has shut off
    this.beside = []; // what belongs to the stage and stands beside it
  }

  // The top layer is above whatever the host's page shows, and out of its scrolling boxes.
  begin() {
    if (this.isOn) return;
    const { stage } = this, { root } = stage;
    stage.playing.stop();
    this.isOn = true;
    this.pageBelow = false;
    root.classList.add("present");
    root.popover = "manual";
    root.showPopover?.();
    this.tell();
    Curtain.the.projecting.add(this);
    stage.enterWindow();
    if (stage.run) stage.draw();
  }

  // A person asks for it: the window too takes the whole screen, where it may.
  fill() {
    document.documentElement.requestFullscreen?.().catch(() => {});
    this.begin();
    this.isOwn = true;
    this.stage.head.focus();
    this.stage.report();
  }

  // Something of the stage's came to stand beside it since.
  makeRoom() {
    if (!this.isOn) return;
    this.tell();
    this.openBehind();
    this.shutBehind();
    if (this.stage.run) this.stage.draw();
  }

  leave() {
    if (!this.isOn) return;
    const { stage } = this;
    this.end();
    if (document.fullscreenElement) document.exitFullscreen();
    stage.draw();
    stage.tools.focus();
    stage.report();
    stage.host.left?.();
  }

  // Something else is projected from now on: another stage of the page may fill the window already.
  makeWay() {
    if (!this.isOn) return;
    this.end();
    this.stage.draw();
    document.dispatchEvent(new CustomEvent("stage-room"));
  }

  // What the page has besides: it stands below, as large.
  showPage() {
    this.pageBelow = true;
    this.makeWay();
  }

  end() {
    const { stage } = this, { root } = stage;
    stage.playing.stop();
    stage.sentence.close();
    this.isOn = this.isOwn = false;
    this.tell();
    this.close();
    root.hidePopover?.();
    root.removeAttribute("popover");
    root.classList.remove("present");
    stage.leaveWindow();
  }

  close() {
    Curtain.the.leave(this);
    this.openBehind();
  }

  // What belongs to the stage may stand beside it, in the part of the window that it takes.
  tell() {
    const { isOn: on, stage: { config, root } } = this, detail = { stage: config.stage, on, beside: [], taken: 0 };
    document.dispatchEvent(new CustomEvent("stage-shown", { detail }));
    this.beside = on ? detail.beside : [];
    root.classList.toggle("taken", on && detail.taken > 0);
    root.style.setProperty("--taken", `${100 * (on ? detail.taken : 0)}vw`);
  }

  // What stands behind the window is not reached by keys or screen readers; more may come there.
  shutBehind() {
    if (!this.isOn) return;
    const covers = (part) => part.matches("[popover]"); // as a curtain does
    const open = around(this.stage.root, ...this.beside).filter((part) => !part.inert && !covers(part));
    open.forEach((part) => { part.inert = true; });
    this.behind.push(...open);
  }

  openBehind() {
    this.behind.forEach((part) => { part.inert = false; });
    this.behind = [];
  }
}

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
