// When the connection comes back, the session behind it may be a new one, which knows only the
// address. So the page asks for its address anew, as for an entry of the history. Before that, one
// message brings what all widgets hold, and says whether somebody has gone elsewhere meanwhile: then
// they are those of another place. Streamlit says in its own page whether it is connected.

const place = () => [location.pathname, new URLSearchParams(location.search).get("lesson")].join();
const CONNECTED = "CONNECTED", MARK = "data-test-connection-state";

class Connection {
  constructor() {
    this.app = document.querySelector(`[${MARK}]`);
    this.was = this.app.getAttribute(MARK);
    this.seen = new MutationObserver(() => this.look());
    this.seen.observe(this.app, { attributeFilter: [MARK] });
  }

  look() {
    const is = this.app.getAttribute(MARK), { was } = this;
    this.was = is;
    if (was === CONNECTED) this.place = place();
    if (is !== CONNECTED || was === CONNECTED) return;
    document.dispatchEvent(new CustomEvent("page-reconnected"));
    this.send("reconnected", { at: Date.now(), moved: this.place !== place() });
    // Streamlit sends what was set at the end of this turn of the event loop.
    setTimeout(() => dispatchEvent(new PopStateEvent("popstate", { state: history.state })));
  }

  close() {
    this.seen.disconnect();
  }
}

export default function ({ parentElement, setStateValue }) {
  const [connection, leave] = atPlace(parentElement, () => new Connection());
  connection.send = setStateValue;
  return leave;
}
