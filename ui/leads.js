// A link to a lesson in what a page says leads on in the same session: Streamlit would open another.
// What leads on is in ui/follow.js.

(() => {
  const once = Symbol.for("attention-leads");
  if (globalThis[once]) return;
  globalThis[once] = true;
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href*="lesson="]');
    if (link && link.origin === location.origin) followed(event, () => {}, link);
  });
})();
