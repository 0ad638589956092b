// The page's style sheet stands from the moment this is read: what Streamlit is given as HTML may come
// after the first stage, which then jumps.

(() => {
  const name = Symbol.for("attention-style");
  if (!globalThis[name]) document.adoptedStyleSheets.push((globalThis[name] = new CSSStyleSheet()));
  globalThis[name].replaceSync(STYLE);
})();
