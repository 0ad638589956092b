// A page that has nothing drawn two seconds after its script ended (seen twice, half a second apart)
// asks for its address anew. If that draws nothing either, it is loaded again, and if that draws
// nothing, it says so. A page that an error of Streamlit's own takes away is loaded again. Blank is
// worse than wrong, and nobody may sit at it: a class looks at a projector. This is in the page
// itself, because what is lost may be all that came with it.

(() => {
  const STATE = "data-test-script-state", CONNECTION = "data-test-connection-state";
  const APP = "[data-testid=stApp]", ENDED = `${APP}[${STATE}=notRunning][${CONNECTION}=CONNECTED]`;
  const OF_THE_PAGE = ".stElementContainer:not(.st-key-header, .st-key-share_page, .st-key-share_page *)";
  const PATIENCE = 1500, SURE = 500, ANSWERED = 5000; // milliseconds
  const LOADED_AGAIN = "attention-loaded-again";
  let timer, ran = false, seenEmpty = false, asked = false, note = null;

  const look = (after) => {
    clearTimeout(timer);
    timer = setTimeout(draw, after);
  };

  function isDrawn() {
    const main = document.querySelector("[data-testid=stMain]");
    if (!main) return false;
    return Boolean(main.querySelector("[data-testid=stSkeleton]")) // it still comes
      || [...main.querySelectorAll(OF_THE_PAGE)].some(({ offsetHeight }) => offsetHeight);
  }

  function draw() {
    const isThere = document.querySelector("[data-testid=stApp]");
    if (isThere && !document.querySelector(ENDED)) return;
    if (isDrawn()) done();
    else if (isThere && !seenEmpty) lookOnceMore();
    else if (isThere && !asked) askAgain();
    else if (!note && mayLoadAgain()) location.reload();
    else if (!note) say();
  }

  // A run that begins empties the page a moment before it says that it runs.
  function lookOnceMore() {
    seenEmpty = true;
    look(SURE);
  }

  function askAgain() {
    asked = true;
    console.warn(TEXTS("nothing_drawn"));
    dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    look(ANSWERED);
  }

  // Once, until something is drawn. A browser that keeps nothing may not: it would do so again and again.
  function mayLoadAgain() {
    try {
      if (sessionStorage.getItem(LOADED_AGAIN)) return false;
      sessionStorage.setItem(LOADED_AGAIN, "yes");
      return true;
    } catch {
      return false;
    }
  }

  function say() {
    note = document.createElement("div");
    note.className = "nothing-drawn";
    note.setAttribute("role", "alert");
    note.popover = "manual";
    const button = document.createElement("button");
    button.textContent = TEXTS("load_again");
    button.onclick = () => location.reload();
    note.append(TEXTS("nothing_drawn"), button);
    document.body.append(note);
    note.showPopover?.();
  }

  function done() {
    asked = false;
    note?.remove();
    note = null;
    try {
      sessionStorage.removeItem(LOADED_AGAIN);
    } catch { /* a browser that keeps nothing */ }
  }

  const hadApp = (nodes) => [...nodes].some((node) => node.matches?.(APP) || node.querySelector?.(APP));
  const seen = new MutationObserver((changes) => {
    // A server may be slow to begin; an error may take the page away before its first run.
    ran ||= changes.some(({ attributeName, removedNodes }) => attributeName === STATE || hadApp(removedNodes));
    seenEmpty = false;
    if (ran) look(PATIENCE);
  });
  seen.observe(document, { subtree: true, attributeFilter: [STATE, CONNECTION] });
  // What Streamlit itself raises takes its whole page away.
  addEventListener("DOMContentLoaded", () => seen.observe(document.getElementById("root"), { childList: true }));
})();
