// Where the focus goes when the page changes under it: into a pop-over that opened, and back to its
// button; where a control is gone, to what came instead of it; on a page that was opened, to its title.
// And a link that skips to the stage, next to Streamlit's own to the content; tables that scroll can
// be reached.

(() => {
  const once = Symbol.for("attention-focus");
  if (globalThis[once]) return;
  globalThis[once] = true;

  const CONTROLS = "a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex='0']";
  const KEYED = "[class*='st-key-']", MESSAGES = "[data-testid=stAlert]";
  const TITLES = "[data-testid=stMain] :is(h1, h2)";
  const POP_OVER = "[data-testid=stPopoverBody]", OPENS = "[data-testid=stPopoverButton][aria-expanded=true]";
  const ROW = ".st-key-room_buttons"; // what is pressed there cannot be pressed again: on to the next of its row
  const SETTLES = 60; // milliseconds without another change
  const PATIENCE = 5000; // after a press something may be taken away so late
  const PATIENT_LOOKS = 5;
  let had = null; // what had the focus last, and where it was
  let page = location.pathname;
  let left = ""; // the title of the page that was shown last
  let opener = null;
  let pending = 0;
  let looks = 0; // at a pop-over that is empty so far

  const isLost = () => !document.activeElement || document.activeElement.matches("body, [data-testid=stMain]");
  const isSeen = (node) => node.isConnected && node.checkVisibility({ visibilityProperty: true });
  const controlsIn = (place) => [...place.querySelectorAll(CONTROLS)].filter(isSeen);

  /** Focus what can be read and not pressed. */
  function read(node) {
    if (!node.hasAttribute("tabindex")) node.tabIndex = -1;
    node.focus();
  }

  /** The places with a key that a node stands in, from the innermost: by class, for they are drawn anew. */
  function placesOf(node) {
    const found = [];
    for (let at = node.closest(KEYED); at; at = at.parentElement?.closest(KEYED)) {
      found.push(`.${CSS.escape([...at.classList].find((name) => name.startsWith("st-key-")))}`);
    }
    return found;
  }

  function remember(event) {
    const node = event.composedPath()[0];
    if (!node.closest || node.matches("body, [data-testid=stMain]")) return;
    const inner = node.getRootNode().host ?? node;
    if (!inner.closest(KEYED) && !inner.closest(POP_OVER)) return;
    const [messages, titles] = [MESSAGES, TITLES].map((kind) => [...document.querySelectorAll(kind)]);
    const there = new Set([...messages, ...titles.map(({ textContent }) => textContent)]);
    had = { node, host: inner === node ? null : inner, places: placesOf(inner), there, at: performance.now() };
  }

  /** The next button of a row that can be pressed, from one that cannot any more; after the last, the first. */
  function nextInRow(node) {
    const buttons = [...node.closest(ROW).querySelectorAll("button")], at = buttons.indexOf(node);
    return [...buttons.slice(at), ...buttons.slice(0, at)].find((one) => !one.disabled && isSeen(one));
  }

  /** What had the focus is gone, by what was done with it: on to what came. */
  function goOn() {
    if (!had || !isLost()) return;
    if (had.node.disabled && had.node.closest(ROW)) return nextInRow(had.node)?.focus();
    if (had.node.disabled) had.waits = true; // for what it began
    else if (had.waits && isSeen(had.node)) had.node.focus();
    if (isSeen(had.node) || performance.now() - had.at > PATIENCE) return;
    if (had.host && isSeen(had.host)) return; // a component knows what came instead
    const { places, there } = had;
    const [own, ...around] = places.map((place) => document.querySelector(place)).filter((place) => place && isSeen(place));
    const again = own && controlsIn(own);
    if (again?.length === 1 && own.matches(".stElementContainer")) return again[0].focus();
    const place = [own, ...around].find((one) => one && !one.matches(".stElementContainer"));
    const titles = [...document.querySelectorAll(TITLES)];
    if (place) read([...place.querySelectorAll(MESSAGES)].filter((one) => !there.has(one)).at(-1) ?? place);
    else if (titles.length) read(titles.find(({ textContent }) => !there.has(textContent)) ?? titles[0]);
  }

  function arrive() {
    const title = document.querySelector("[data-testid=stMain] h1"), text = title?.textContent;
    if (location.pathname === page) {
      left = text ?? left;
      return false;
    }
    if (!title || text === left || document.querySelector("[data-stale=true]")) return true; // it is on its way
    [page, left] = [location.pathname, text];
    if (isLost() || !isSeen(document.activeElement)) read(title);
    return true;
  }

  function popOver() {
    const body = document.querySelector(POP_OVER), open = body && document.querySelector(OPENS);
    if (open === opener || (body && !open)) return;
    const [first] = body ? controlsIn(body) : [];
    if (body && !first && looks < PATIENT_LOOKS) { // what is in it comes a moment later
      looks += 1;
      setTimeout(look, SETTLES);
      return;
    }
    looks = 0;
    if (!open && isLost() && isSeen(opener)) opener.focus();
    opener = open;
    if (!open || open !== document.activeElement) return;
    if (first) first.focus();
    else read(body);
  }

  /** The first on the page of those that are seen; they are known in the order in which they came. */
  function stageHere() {
    const hostOf = ({ root }) => root.getRootNode().host ?? root;
    const isBefore = (one, other) => hostOf(one).compareDocumentPosition(hostOf(other)) & Node.DOCUMENT_POSITION_FOLLOWING;
    const stages = [...(globalThis[Symbol.for("attention-stages")] ?? [])].filter(({ root }) => isSeen(root));
    return stages.reduce((first, one) => (first && isBefore(first, one) ? first : one), undefined);
  }
  const skips = document.createElement("nav");
  skips.className = "skips";
  skips.ariaLabel = TEXTS("skip");
  const toStage = Object.assign(document.createElement("a"), { href: "#stage", textContent: TEXTS("skip_to_stage") });
  skips.append(toStage);
  toStage.addEventListener("click", (event) => {
    event.preventDefault();
    stageHere()?.head.focus();
  });

  function offerSkip() {
    const toContent = document.querySelector("[data-testid=stSkipToContent]");
    if (toContent && !skips.isConnected && toContent !== document.activeElement) {
      toContent.before(skips);
      skips.prepend(toContent); // outside of every landmark it is not found
    }
    toStage.hidden = !stageHere(); // the other link stays
  }

  function reachTables() {
    document.querySelectorAll("[data-testid=stMarkdownContainer] table").forEach((table) => {
      if (table.scrollWidth > table.clientWidth + 1) table.tabIndex = 0;
      else table.removeAttribute("tabindex");
    });
  }

  function look() {
    pending = 0;
    offerSkip();
    reachTables();
    popOver();
    if (!arrive()) goOn();
  }

  addEventListener("focusin", remember, true);
  ["keydown", "pointerdown"].forEach((act) => addEventListener(act, () => {
    if (had) had.at = performance.now();
  }, true));
  addEventListener("resize", reachTables);
  new MutationObserver(() => {
    clearTimeout(pending);
    pending = setTimeout(look, SETTLES);
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["disabled", "aria-expanded", "data-stale"] });
})();
