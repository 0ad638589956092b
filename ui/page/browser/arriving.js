// A page comes from the top down: what stands below something that has not its size yet waits for it
// unseen (ui/page/browser/arriving.css), so that nothing moves that is seen. That is what Streamlit still loads, but
// for what takes no room, and components of ours that say when they are drawn (stage/browser/dom/elements.js). What
// is in a closed fold holds nothing up. A style sheet could say all this with :has(); WebKit then takes
// half a minute for a page with charts.

(() => {
  const LOADS = `.stElementContainer:not(.st-key-house, .st-key-reconnected, .st-key-path, .st-key-projecting, .st-key-kept_keys)
    [data-testid=stSkeleton]`;
  const DRAWS = `.stElementContainer:is([class*='stage '], [class*='board '], [class*='arrows '],
    [class*='picture '], [class*='maps '], .st-key-lesson_way):not([data-drawn])`;
  const CHOICE = "[data-testid=stButtonGroup]"; // whose key may end like a component's
  const PARTS = ".stElementContainer, .stColumn, [data-testid=stLayoutWrapper]";
  let waiting = new Set();

  /** Every later sibling of the parts that a late element is in. */
  function below(late, found) {
    for (let part = late.closest(PARTS); part; part = part.parentElement.closest(PARTS)) {
      for (let next = part.nextElementSibling; next && !found.has(next); next = next.nextElementSibling) found.add(next);
    }
  }

  function arrange() {
    const found = new Set();
    for (const late of document.querySelectorAll(`${LOADS}, ${DRAWS}`)) {
      if (!late.closest("details:not([open])") && !late.querySelector(CHOICE)) below(late, found);
    }
    for (const part of waiting) if (!found.has(part)) part.removeAttribute("data-waits");
    for (const part of found) if (!waiting.has(part)) part.setAttribute("data-waits", "");
    waiting = found;
  }

  // Before anything is painted: such an observer is called as soon as the script is done that changed something.
  const watched = { childList: true, subtree: true, attributes: true, attributeFilter: ["class", "data-drawn", "open"] };
  new MutationObserver(arrange).observe(document, watched);
})();
