// A link to another page, in what a page says, leads on in the same session: Streamlit would open
// another. What leads on is in ui/page/browser/in_app_navigation.js.

import { followed } from "./in_app_navigation.js";

(() => {
  const once = Symbol.for("attention-leads");
  if (globalThis[once]) return;
  globalThis[once] = true;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(":is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer]) a[href]");
    if (link && link.origin === location.origin && !link.hash) followed(event, () => {}, link);
  });
})();
