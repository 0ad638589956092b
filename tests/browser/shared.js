// What scripts of the tests share: it is in every page of theirs before the page's own scripts.

/** All elements below the root that match, also those inside of components, in order. */
globalThis.everywhere = (wanted = "*", root = document) => [...root.querySelectorAll("*")].flatMap(
  (one) => [
    ...(one.matches(wanted) ? [one] : []),
    ...(one.shadowRoot ? everywhere(wanted, one.shadowRoot) : []),
  ],
);

/** The range of what is written in a part: where its text is, not its box. */
globalThis.written = (part) => {
  const range = document.createRange();
  range.selectNodeContents(part);
  return range;
};

/** What a look sees once it is good, or after so many frames: sizes follow the window by and by. */
globalThis.laterSeen = async (look, isGood, frames = 60) => {
  let seen;
  for (let frame = 0; frame < frames; frame += 1) {
    await new Promise(requestAnimationFrame);
    seen = look();
    if (frame > 1 && isGood(seen)) break;
  }
  return seen;
};

// A class that is set by what is undefined comes and goes by turns: the page logs an error.
{
  const toggle = DOMTokenList.prototype.toggle;
  DOMTokenList.prototype.toggle = function (...given) {
    const missing = given.length > 1 && given[1] === undefined;
    if (missing) console.error(`${given[0]} is toggled by what is undefined`);
    return toggle.apply(this, given);
  };
}
