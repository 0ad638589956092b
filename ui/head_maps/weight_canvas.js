// Weights drawn as a canvas with a dot for each, which the style sheet makes as large as there is room.

// A weight of 1 as it comes, and how many colours there are.
const MOST = 65535, LEVELS = 21;

async function unpackedLevels(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint16Array(await new Response(stream).arrayBuffer());
}

// The colours of weights in the page's theme, and of what a mask hides.
function weightColours(root) {
  return readingColours(root, (read) => ({ scale: levelsOf("w", LEVELS, read), hidden: read("gap") }));
}

function drawWeights(canvas, levels, size, causal, { scale, hidden }) {
  Object.assign(canvas, { width: size, height: size });
  const pen = canvas.getContext("2d"), image = pen.createImageData(size, size);
  const dots = new Uint32Array(image.data.buffer);
  for (let n = 0; n < dots.length; n += 1) {
    const future = causal && n % size > Math.floor(n / size);
    dots[n] = future ? hidden : scale[Math.round((levels[n] / MOST) * (LEVELS - 1))];
  }
  pen.putImageData(image, 0, 0);
}

// Calls a task now and whenever the page's theme changes.
class ThemeWatch {
  constructor(root, task) {
    this.query = matchMedia("(prefers-color-scheme: dark)");
    this.observer = new MutationObserver(() => this.look());
    this.look = () => {
      const { color, backgroundColor } = getComputedStyle(root), theme = `${color} ${backgroundColor}`;
      if (root.isConnected && theme !== this.theme) task(weightColours(root));
      this.theme = theme;
    };
    this.query.addEventListener("change", this.look);
    this.observer.observe(document.documentElement, { attributes: true, subtree: false });
    this.look();
  }

  close() {
    this.observer.disconnect();
    this.query.removeEventListener("change", this.look);
  }
}
