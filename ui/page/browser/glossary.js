// Terms of the glossary: what one means is said beside it while it is pointed at, has the focus or was
// tapped. A term is a link to #term-name; MEANINGS is put before this script (ui/page/frame.py).

(() => {
  const once = Symbol.for("attention-glossary");
  if (globalThis[once]) return;
  globalThis[once] = true;
  const said = document.createElement("div");
  said.className = "term-said";
  said.id = "term-said";
  said.setAttribute("role", "tooltip");
  said.hidden = true;
  document.querySelector("[data-testid=stApp]").append(said);
  let shown = null;

  const termAt = (target) => target.closest?.('a[href^="#term-"]');

  function hide() {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    said.hidden = true;
  }

  function show(link) {
    const meaning = MEANINGS[link.hash.slice("#term-".length)];
    if (!meaning || shown === link) return;
    hide();
    shown = link;
    said.textContent = meaning;
    said.hidden = false;
    link.setAttribute("aria-describedby", said.id);
    place();
  }

  function place() {
    const { left, bottom, top } = shown.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = said;
    const below = bottom + height + 8 < innerHeight;
    said.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    said.style.top = `${below ? bottom + 6 : top - height - 6}px`;
  }

  const over = ({ target }) => {
    if (shown && termAt(target) !== shown && shown !== document.activeElement) hide();
  };
  const at = (event) => {
    over(event);
    const link = termAt(event.target);
    if (link) show(link);
  };
  // Scrolling brings terms under a pointer that rests: only one that moves points at a term.
  document.addEventListener("pointermove", at);
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", at);
  document.addEventListener("focusout", ({ target }) => { if (target === shown) hide(); });
  document.addEventListener("click", (event) => {
    const link = termAt(event.target);
    if (!link) return hide();
    event.preventDefault();
    show(link);
  });
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape") hide(); });
  // The browser itself scrolls to what gets the focus.
  addEventListener("scroll", () => {
    if (shown?.matches(":focus, :hover")) place();
    else hide();
  }, { capture: true, passive: true });
})();
