// The colours of the style sheet's classes, as the numbers that a canvas takes.

import { element } from "./elements.js";

export function readingColours(root, task) {
  const pen = Object.assign(element("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const probe = root.appendChild(element("span"));
  const found = task((name) => {
    probe.className = name;
    pen.fillStyle = getComputedStyle(probe).backgroundColor;
    pen.fillRect(0, 0, 1, 1);
    return new Uint32Array(pen.getImageData(0, 0, 1, 1).data.buffer)[0];
  });
  probe.remove();
  return found;
}

// The colours of a palette, from its lowest level.
export const levelsOf = (palette, levels, read) => Uint32Array.from({ length: levels }, (_, level) => read(palette + level));
