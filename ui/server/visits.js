// When the connection comes back, the session behind it may be a new one, which knows only the
// address. So the page asks for its address anew, as for an entry of the history. Before that, one
// message brings what all widgets hold, and says whether somebody has gone elsewhere meanwhile: then
// they are those of another place. Streamlit says in its own page whether it is connected.

import { atPlace, element } from "../../stage/browser/dom/elements.js";

const place = () => [location.pathname, new URLSearchParams(location.search).get("lesson")].join();
const CONNECTED = "CONNECTED", MARK = "data-test-connection-state";

const STATE = "data-test-script-state", RUNNING = "running", STANDS = "notRunning";
// A run on a server that has just begun, with a class before it, may take long.
const LONGEST_HOLD = 60_000;

// After this many milliseconds without a connection the page says so.
const PATIENCE = 2000;
// Streamlit's own words are for the person who started it, and shut off the page.
const FOR_WHO_STARTED_IT = "Connection error";

class Connection {
  constructor() {
    this.send = null; // tells the page
    this.words = ""; // that the connection is lost
    this.app = document.querySelector(`[${MARK}]`);
    this.was = this.app.getAttribute(MARK);
    this.seen = new MutationObserver(() => this.look());
    this.seen.observe(this.app, { attributeFilter: [MARK] });
    this.dialogs = new MutationObserver(() => this.closeDialog());
  }

  look() {
    const is = this.app.getAttribute(MARK), { was } = this;
    this.was = is;
    if (was === CONNECTED && is !== CONNECTED) this.lose();
    if (was !== CONNECTED && is === CONNECTED) this.comeBack();
  }

  lose() {
    this.place = place();
    this.patience = setTimeout(() => this.say(), PATIENCE);
    this.dialogs.observe(document.body, { childList: true, subtree: true });
  }

  comeBack() {
    this.say(false);
    this.holdPresses();
    document.dispatchEvent(new CustomEvent("page-reconnected"));
    this.send("reconnected", { at: Date.now(), moved: this.place !== place() });
    // Streamlit sends what was set at the end of this turn of the event loop.
    setTimeout(() => dispatchEvent(new PopStateEvent("popstate", { state: history.state })));
  }

  // A new session knows no button before its first run has ended: what is pressed until then, it
  // would never hear of. The last press waits for it.
  holdPresses() {
    this.hold?.end();
    let pressed = null, runs = false;
    const press = (event) => {
      const button = event.target.closest?.("button");
      if (!button) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      pressed = button;
    };
    const end = () => {
      removeEventListener("click", press, true);
      state.disconnect();
      clearTimeout(patience);
      this.hold = null;
      if (pressed?.isConnected) pressed.click();
    };
    const state = new MutationObserver(() => {
      const is = this.app.getAttribute(STATE);
      if (is === RUNNING) runs = true;
      else if (runs && is === STANDS) setTimeout(end); // once what it has drawn is there
    });
    state.observe(this.app, { attributeFilter: [STATE] });
    const patience = setTimeout(end, LONGEST_HOLD);
    addEventListener("click", press, true);
    this.hold = { end };
  }

  // Say that the connection is lost, above whatever fills the window; or no more.
  say(lost = true) {
    clearTimeout(this.patience);
    this.note?.remove();
    this.note = lost ? element("div", "connection-lost", this.words) : null;
    if (!lost) return this.dialogs.disconnect();
    this.note.setAttribute("role", "status");
    this.note.popover = "manual";
    document.body.append(this.note);
    this.note.showPopover?.();
  }

  closeDialog() {
    const dialogs = [...document.querySelectorAll('[data-testid="stDialog"] [role="dialog"]')];
    const found = dialogs.find((one) => one.querySelector("h2")?.textContent === FOR_WHO_STARTED_IT);
    found?.querySelector("button").click();
  }

  close() {
    this.say(false);
    this.seen.disconnect();
  }
}

export default function ({ parentElement, data, setStateValue }) {
  const [connection, leave] = atPlace(parentElement, () => new Connection());
  connection.send = setStateValue;
  connection.words = data[0].lost;
  return leave;
}
