// The font of mathematics. It is the document's: one that a shadow root's style sheet names is not
// looked for. Whoever comes first brings it.
export function bringFont(family, address) {
  const brought = (globalThis[Symbol.for("attention-fonts")] ||= new Map());
  if (brought.has(family)) return;
  brought.set(family, address);
  const face = new FontFace(family, `url(${address})`);
  document.fonts.add(face);
  face.load();
}
