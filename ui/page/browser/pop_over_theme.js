// A pop-over is drawn outside of the app, whose theme it does not know: its colours by light-dark() are
// told here, before it is painted.

(() => {
  const once = Symbol.for("attention-pop-over-theme");
  if (globalThis[once]) return;
  globalThis[once] = true;

  new MutationObserver(() => {
    const body = document.querySelector("[data-testid=stPopoverBody]");
    const app = document.querySelector("[data-testid=stApp]");
    if (body && app) body.style.colorScheme = getComputedStyle(app).colorScheme;
  }).observe(document.body, { childList: true, subtree: true });
})();
