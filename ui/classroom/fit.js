// A screen for a class is seen whole, and as large as its window has room for.

const LARGEST = 1 / 330, SMALLEST = 1 / 900; // of the window's height, as many times as usual
const STEP = 0.97;
const AGAIN = 8;

class Fit {
  constructor() {
    this.look = () => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.fit());
    };
    this.drawn = new MutationObserver(this.look);
    this.drawn.observe(document.body, { childList: true, subtree: true, characterData: true });
    this.grown = new ResizeObserver(this.look); // by a picture that has come
    addEventListener("resize", this.look);
    this.look();
  }

  // A chart is drawn by and by, and anew when it has another size: so a screen is fitted again, and
  // after so many times only made smaller, or it would be fitted for ever.
  fit() {
    const [main, block] = ["stMain", "stMainBlockContainer"].map((id) => document.querySelector(`[data-testid="${id}"]`));
    if (!main || !block) return;
    const whole = () => main.scrollHeight <= main.clientHeight && main.scrollWidth <= main.clientWidth;
    const shown = [innerWidth, innerHeight, block.querySelectorAll("img").length, block.textContent].join(" ");
    if (shown !== this.shown) this.again = AGAIN;
    this.shown = shown;
    if (this.again-- > 0) this.size = innerHeight * LARGEST;
    this.grown.observe(block.firstElementChild);
    const enlarge = () => {
      block.style.zoom = this.size;
      block.style.setProperty("--zoom", this.size);
    };
    enlarge();
    while (!whole() && this.size > innerHeight * SMALLEST) {
      this.size *= STEP;
      enlarge();
    }
  }

  close() {
    cancelAnimationFrame(this.frame);
    removeEventListener("resize", this.look);
    this.drawn.disconnect();
    this.grown.disconnect();
    document.querySelector('[data-testid="stMainBlockContainer"]')?.style.removeProperty("zoom");
  }
}

export default function ({ parentElement }) {
  const [, leave] = atPlace(parentElement, () => new Fit());
  return leave;
}
