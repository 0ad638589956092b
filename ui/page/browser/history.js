// Streamlit makes a place to go back to of every change of the address. A change of the view is none:
// Back leaves the page, at the first press.

(() => {
  const once = Symbol.for("attention-history");
  if (globalThis[once]) return;
  globalThis[once] = true;
  const push = history.pushState.bind(history);
  history.pushState = (state, unused, url) => {
    const samePage = new URL(url ?? location.href, location.href).pathname === location.pathname;
    if (samePage) history.replaceState(state, unused, url);
    else push(state, unused, url);
  };
})();
