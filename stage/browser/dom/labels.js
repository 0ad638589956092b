// A label, and the number at its end where its token occurs more than once: what is cut keeps it, ag…₁.
export function wordAndNumber(label) {
  const at = label.search(/[₀-₉]+$/);
  return at < 0 ? [label, ""] : [label.slice(0, at), label.slice(at)];
}

// A label cut after so many letters.
export function cutAfter(label, letters) {
  const [word, number] = wordAndNumber(label);
  return `${[...word].slice(0, letters).join("")}…${number}`;
}
