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

export default function ({ data: [config], parentElement, setStateValue }) {
  let here = placed.get(parentElement);
  if (!here) {
    const address = new Address({ ...config.keys, ...(config.fills && { present: "present" }) });
    const asked = new URLSearchParams(location.search);
    const embedded = asked.get("embed") === "true";
    const present = config.fills && (embedded || asked.get("present") === "1");
    // The page around was made for projecting: without it, it is made anew.
    const left = () => config.present && location.reload();
    const host = { link: (said) => address.write(said), left };
    here = { address, host, stage: new Stage(parentElement, { ...config, present, embedded }, host) };
    placed.set(parentElement, here);
  }
  here.host.report = (state) => setStateValue("view", state);
  const told = register.get(config.stage) || {};
  here.hear ||= () => here.stage.hear(register.get(config.stage));
  told.hear = here.hear;
  register.set(config.stage, told);
  told.hear();
  return () => {
    if (told.hear === here.hear) delete told.hear; // else another stage stands there already
    here.address.close();
    here.stage.close();
    placed.delete(parentElement);
  };
}
