/* Parts of a page come one after the other: until a person does something, the view follows. */
export default () => {
  const done = Symbol.for("question-of-the-link");
  if (globalThis[done]) return;
  globalThis[done] = true;
  const show = () => document.querySelector('[class*="st-key-asked_"]')?.scrollIntoView();
  const grows = new ResizeObserver(show);
  grows.observe(document.querySelector('[data-testid="stMainBlockContainer"]'));
  const acts = ["wheel", "pointerdown", "keydown", "touchstart"];
  const leave = () => {
    grows.disconnect();
    acts.forEach((act) => removeEventListener(act, leave, true));
  };
  acts.forEach((act) => addEventListener(act, leave, true));
};
