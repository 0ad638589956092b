// A screen for a class is seen whole. Its words keep one size; matrices, bars and workings are as large
// as the window has room for. Only where they are at their smallest do the words shrink too.

const PARTS = { largest: 1.7, smallest: 0.77, step: 0.97 };
const WORDS = [1, 0.9, 0.82, 0.76];
const APP = '[data-testid="stApp"]', SETTLED = `${APP}[data-test-script-state="notRunning"]`;
const STILL = 250; // milliseconds without a change, after which the screen is shown
const INSIDE = ".katex-display > .katex, [data-testid=stMarkdownContainer] table, .vote-bars, .step-picture";

class Fit {
  constructor() {
    this.look = () => {
      clearTimeout(this.shows);
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.fit());
    };
    this.drawn = new MutationObserver(this.look);
    this.drawn.observe(document.body, { childList: true, subtree: true, characterData: true });
    this.ended = new MutationObserver(this.look); // by the script, until the screen is shown
    this.ended.observe(document.querySelector(APP), { attributeFilter: ["data-test-script-state"] });
    this.grown = new ResizeObserver(this.look); // by a picture that has come
    addEventListener("resize", this.look);
    this.look();
  }

  fit() {
    const [main, block] = ["stMain", "stMainBlockContainer"].map((id) => document.querySelector(`[data-testid="${id}"]`));
    if (!main || !block) return;
    this.grown.disconnect();
    const inside = [...block.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot?.querySelectorAll(".step-picture") ?? [])])
      .filter((one) => one.matches(INSIDE));
    const whole = () => [main, ...inside].every((part) => part.scrollWidth <= part.clientWidth + 1 || !part.clientWidth)
      && main.scrollHeight <= main.clientHeight;
    const set = (words, part) => {
      document.documentElement.style.setProperty("--room-words", words);
      block.style.setProperty("--room-part", part);
    };
    for (const words of WORDS) {
      let part = PARTS.largest;
      for (set(words, part); !whole() && part > PARTS.smallest; set(words, part)) part *= PARTS.step;
      if (whole()) break;
    }
    this.observe(block);
    if (document.querySelector(SETTLED)) this.show();
  }

  // What gets its place as it is first seen would count as moved.
  show() {
    this.shows = setTimeout(() => {
      document.documentElement.dataset.roomFits = "";
      this.ended.disconnect();
    }, STILL);
  }

  // What has just got its size by this is not looked at again.
  observe(block) {
    let first = true;
    this.grown = new ResizeObserver(() => {
      if (!first) this.look();
      first = false;
    });
    [block.firstElementChild, ...block.querySelectorAll("img")].forEach((part) => part && this.grown.observe(part));
  }

  close() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.shows);
    this.ended.disconnect();
    removeEventListener("resize", this.look);
    this.drawn.disconnect();
    this.grown.disconnect();
    document.documentElement.style.removeProperty("--room-words");
    delete document.documentElement.dataset.roomFits;
    document.querySelector('[data-testid="stMainBlockContainer"]')?.style.removeProperty("--room-part");
  }
}

export default function ({ parentElement }) {
  const [, leave] = atPlace(parentElement, () => new Fit());
  return leave;
}
