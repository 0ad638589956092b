// Weights drawn as a canvas with a dot for each, which the style sheet makes as large as there is room.

import { levelsOf, readingColours } from "../../../stage/browser/dom/css_colours.js";

// How many colours there are.
const LEVELS = 21;

// Unpacks a map (head_maps.py) once: its weights are then numbers from 0 to `most`.
export async function unpack(map) {
  map.dots ||= await unpacked(map);
  return map;
}

async function unpacked({ levels, most }) {
  const bytes = Uint8Array.from(atob(levels), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const numbers = await new Response(stream).arrayBuffer();
  return most > 255 ? new Uint16Array(numbers) : new Uint8Array(numbers);
}

// One head of the maps of several.
export function mapOf(maps, at) {
  const cells = maps.rows * maps.columns;
  return { ...maps, dots: maps.dots.subarray(at * cells, (at + 1) * cells) };
}

// Whether a mask hides all keys of a point of a map from its queries.
export function isHidden({ causal, queries, block: [high, wide] }, row, column) {
  return causal && column * wide >= Math.min(queries, (row + 1) * high);
}

export const partOf = ({ dots, most, columns }, row, column) => dots[row * columns + column] / most;

// What a cell says, as everywhere in whole percent: nothing if the mask hides it.
export function percentOf(map, row, column) {
  if (isHidden(map, row, column)) return null;
  const part = partOf(map, row, column), percent = Math.round(part * 100);
  if (part && !percent) return "<1";
  return part < 1 && percent === 100 ? ">99" : `${percent}`;
}

// The colours of weights in the page's theme, and of what a mask hides.
function weightColours(root) {
  return readingColours(root, (read) => ({ scale: levelsOf("w", LEVELS, read), hidden: read("gap") }));
}

// Each row is coloured by itself: its largest weight has the strongest colour. Weights of a row add up to
// 1, so the more evenly a row reads, the more of it is coloured.
export function drawWeights(canvas, map, { scale, hidden }) {
  const { rows, columns, dots: weights } = map;
  Object.assign(canvas, { width: columns, height: rows });
  const pen = canvas.getContext("2d"), image = pen.createImageData(columns, rows);
  const dots = new Uint32Array(image.data.buffer);
  for (let row = 0, n = 0; row < rows; row += 1) {
    const largest = Math.max(1, ...weights.subarray(n, n + columns)); // 1 where all are 0
    for (let column = 0; column < columns; column += 1, n += 1) {
      dots[n] = isHidden(map, row, column) ? hidden : scale[Math.round((weights[n] / largest) * (LEVELS - 1))];
    }
  }
  pen.putImageData(image, 0, 0);
}

// Calls a task now and whenever the page's theme changes, and for paper.
export class ThemeWatch {
  constructor(root, task) {
    this.queries = ["(prefers-color-scheme: dark)", "print"].map((query) => matchMedia(query));
    this.observer = new MutationObserver(() => this.look());
    this.look = () => {
      const { color, backgroundColor } = getComputedStyle(root), theme = `${color} ${backgroundColor}`;
      if (root.isConnected && theme !== this.theme) task(weightColours(root));
      this.theme = theme;
    };
    this.queries.forEach((query) => query.addEventListener("change", this.look));
    this.observer.observe(document.documentElement, { attributes: true, subtree: false });
    this.look();
  }

  close() {
    this.observer.disconnect();
    this.queries.forEach((query) => query.removeEventListener("change", this.look));
  }
}
