// What a page tells: which one it is, that its end is here, or that a question is answered.

import { Header, thisPage } from "./header.js";
import { answered, read } from "./ticks.js";

// A page that still grows shows its end before anybody has read it.
let acted = false;
for (const act of ["wheel", "touchmove", "keydown", "pointerdown"]) {
  addEventListener(act, () => { acted = true; }, { capture: true, passive: true });
}

const headers = new WeakMap();
const watched = new WeakMap();

export default function ({ data: [told], parentElement }) {
  if (told.here) {
    Object.assign(thisPage, { here: told.here, shares: told.shares });
    const root = parentElement.querySelector(".path");
    if (!headers.has(root)) headers.set(root, new Header(root));
    headers.get(root).show();
    return () => {
      headers.get(root).close();
      headers.delete(root);
    };
  }
  if (told.answered && thisPage.here) answered(thisPage.here, told.answered);
  if (told.end && !watched.has(parentElement)) {
    const seen = new IntersectionObserver((entries) => {
      if (acted && entries.some((entry) => entry.isIntersecting)) read(told.end);
    });
    seen.observe(parentElement.querySelector(".path"));
    watched.set(parentElement, seen);
    return () => {
      seen.disconnect();
      watched.delete(parentElement);
    };
  }
  return undefined;
}
