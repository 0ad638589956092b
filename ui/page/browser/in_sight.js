// What was reached by keys stays in the window when the page grows above it, as with a longer message
// above a toggle. Who scrolls or presses by hand looks where they want.

(() => {
  const once = Symbol.for("attention-in-sight");
  if (globalThis[once]) return;
  globalThis[once] = true;

  const PATIENCE = 5000; // milliseconds after a key in which its answer comes

  let pressed = -Infinity;
  let block = null; // what a page is drawn in; each page has its own

  function focused() {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    return node;
  }

  const growth = new ResizeObserver(() => {
    const node = focused();
    if (performance.now() - pressed > PATIENCE || !node || node.matches("body, [data-testid=stMain]")) return;
    const { top, bottom } = node.getBoundingClientRect();
    if (bottom - top < innerHeight && (top < 0 || bottom > innerHeight)) node.scrollIntoView({ block: "nearest" });
  });

  addEventListener("keydown", () => {
    pressed = performance.now();
    const now = document.querySelector("[data-testid=stMainBlockContainer]");
    if (now === block) return;
    growth.disconnect();
    if (now) growth.observe(now);
    block = now;
  }, true);
  for (const act of ["pointerdown", "wheel", "touchmove"]) {
    addEventListener(act, () => { pressed = -Infinity; }, { capture: true, passive: true });
  }
})();
