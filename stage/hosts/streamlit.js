// Streamlit as the stage's host. The stage is one component, with constant data, because its code
// travels with every change of it; what it is told comes by components that only carry data. They
// meet in a register of the page, whichever is there first.

import { atPlace, drawnAt } from "../browser/dom/elements.js";
import { isProjected } from "../browser/present/projector.js";
import { Stage } from "../browser/stage.js";

const register = (globalThis[Symbol.for("attention-told")] ||= new Map());

// What the address asks the page to be set as. While it asks for something else than the page was last
// told, what it leaves out is to be as there.
const asksFor = () => ["lesson", "again"].map((key) => new URLSearchParams(location.search).get(key)).join();

// Whether an address' keys leave it without any of a view: whose view it is says nothing of that.
const isBare = (keys) => [...keys].every(([key]) => key === "role");

// The stage's keys in the address are the browser's own. Streamlit writes the whole query at times,
// as the server knew it: then they are put right again.
class Address {
  constructor(keys) {
    this.keys = keys;
    this.said = null;
    this.page = location.pathname;
    this.right = () => this.follows === asksFor() && this.write();
    globalThis.navigation?.addEventListener("currententrychange", this.right);
  }

  write(said = this.said) {
    this.said = said;
    this.follows = asksFor();
    if (!said || location.pathname !== this.page) return; // somebody is on the way to another page
    const url = new URL(location.href);
    Object.entries(this.keys).forEach(([kind, key]) => {
      if (said[kind]) url.searchParams.set(key, said[kind]);
      else url.searchParams.delete(key);
    });
    if (said.beside?.some((key) => url.searchParams.has(key))) said.at.forEach(([kind, text]) => url.searchParams.set(this.keys[kind], text));
    if (isBare(new URLSearchParams(location.search)) && this.fillsBare(url.searchParams, said.bare || {})) return;
    if (said.opened && [this.keys.step, "lesson"].some((key) => url.searchParams.has(key))) url.searchParams.set(this.keys.cell, said.opened);
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  // An address without a key may mean more than one that has some. Returns whether it still means
  // all that is asked for; else what it meant is asked for as well.
  fillsBare(asked, bare) {
    if ([...asked].every(([key, value]) => bare[key] === value || isBare([[key]]))) return true;
    Object.entries(bare).forEach(([key, value]) => asked.has(key) || asked.set(key, value));
    return false;
  }

  close() {
    globalThis.navigation?.removeEventListener("currententrychange", this.right);
  }
}

// A stage on a page of Streamlit's, its address, and what it hears.
class Hosted {
  constructor(parentElement, config) {
    this.name = config.stage;
    this.fills = config.fills;
    this.address = new Address(this.keys(config));
    const asked = new URLSearchParams(location.search);
    const embedded = asked.get("embed") === "true";
    // The page around was made for projecting: without it, it is made anew.
    const left = () => config.present && location.reload();
    const drawn = () => drawnAt(parentElement);
    this.host = { link: (said) => this.address.write(said), left, drawn };
    this.stage = new Stage(parentElement, { ...config, present: this.isFilling(config), embedded }, this.host);
    this.hear = () => this.stage.hear(register.get(this.name));
  }

  keys(config) {
    return { ...config.keys, ...(config.fills && { present: "present" }) };
  }

  // Whether the address asks for a stage that fills the window, and this is the one.
  isFilling({ fills }) {
    const asked = new URLSearchParams(location.search);
    return fills && (asked.get("embed") === "true" || isProjected(asked));
  }

  update(config, setStateValue) {
    this.host.report = (state) => setStateValue("view", state);
    register.set(this.name, Object.assign(register.get(this.name) || {}, { hear: this.hear }));
    this.hear();
    if (config.fills !== this.fills) this.turn(config);
  }

  // A lesson's scene may be about another part of the page than the one before.
  turn(config) {
    this.fills = config.fills;
    this.address.keys = this.keys(config);
    if (this.isFilling(config)) this.stage.projection.begin();
    else if (config.present) this.stage.projection.makeWay();
  }

  close() {
    const told = register.get(this.name);
    if (told.hear === this.hear) delete told.hear; // else another stage stands there already
    this.address.close();
    this.stage.close();
  }
}

export default function ({ data: [config], parentElement, setStateValue }) {
  const [hosted, leave] = atPlace(parentElement, () => new Hosted(parentElement, config));
  hosted.update(config, setStateValue);
  return leave;
}
