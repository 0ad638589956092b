// Streamlit as the stage's host. The stage is one component, with constant data, because its code
// travels with every change of it; what it is told comes by components that only carry data. They
// meet in a register of the page, whichever is there first.

const register = (globalThis[Symbol.for("attention-told")] ||= new Map());
const placed = new WeakMap();

// The stage's keys in the address are the browser's own. Streamlit writes the whole query at times,
// as the server knew it: then they are put right again.
class Address {
  constructor(keys) {
    this.keys = keys;
    this.said = null;
    this.page = location.pathname;
    this.right = () => this.write();
    globalThis.navigation?.addEventListener("currententrychange", this.right);
  }

  write(said = this.said) {
    this.said = said;
    if (!said || location.pathname !== this.page) return; // somebody is on the way to another page
    const url = new URL(location.href);
    Object.entries(this.keys).forEach(([kind, key]) => {
      if (said[kind]) url.searchParams.set(key, said[kind]);
      else url.searchParams.delete(key);
    });
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  close() {
    globalThis.navigation?.removeEventListener("currententrychange", this.right);
  }
}

// From the click on another page's link until that page comes, Streamlit takes whatever is said for
// a run of the old page, and empties the new one. So nothing is said, and nothing there is touched.
const LOST = 10_000; // milliseconds: then the click was lost, as when the server is gone

class Leaving {
  constructor(say) {
    this.say = say;
    this.page = location.pathname;
    this.clicked = (event) => {
      const link = event.composedPath().find((part) => part.localName === "a");
      if (event.defaultPrevented && link && link.pathname !== this.page) this.leave();
    };
    window.addEventListener("click", this.clicked); // after Streamlit has taken the click
  }

  leave() {
    clearTimeout(this.patience);
    this.main(true);
    this.patience = setTimeout(() => this.stay(), LOST);
  }

  stay() {
    this.patience = null;
    this.main(false);
  }

  report(state) { // what is not said now the stage says again
    if (!this.patience && location.pathname === this.page) this.say(state);
  }

  main(inert) {
    const main = document.querySelector('[data-testid="stMain"]');
    if (main) main.inert = inert;
  }

  close() {
    window.removeEventListener("click", this.clicked);
    if (this.patience) this.main(false);
    clearTimeout(this.patience);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  let here = placed.get(parentElement);
  if (!here) {
    const address = new Address({ ...data.keys, ...(data.fills && { present: "present" }) });
    const asked = new URLSearchParams(location.search);
    const embedded = asked.get("embed") === "true";
    const present = data.fills && (embedded || asked.get("present") === "1");
    // The page around was made for projecting: without it, it is made anew.
    const left = () => data.present && location.reload();
    const leaving = new Leaving((state) => here.say(state));
    const host = {
      link: (said) => address.write(said),
      report: (state) => leaving.report(state),
      left,
    };
    here = { address, leaving, stage: new Stage(parentElement, { ...data, present, embedded }, host) };
    placed.set(parentElement, here);
  }
  here.say = (state) => setStateValue("view", state);
  const told = register.get(data.stage) || {};
  here.hear ||= () => here.stage.hear(register.get(data.stage));
  told.hear = here.hear;
  register.set(data.stage, told);
  told.hear();
  return () => {
    if (told.hear === here.hear) delete told.hear; // else another stage stands there already
    here.address.close();
    here.leaving.close();
    here.stage.close();
    placed.delete(parentElement);
  };
}
