// A screen for a class is seen whole. Its words keep one size; matrices, bars, texts and workings are as large
// as the window has room for, never below a bound. Where that is too large, the working is next to the
// picture of a step, and the picture leaves out what the asked cell does not need. Only then do the
// words shrink too, and at last a long working is left to the teacher's window.

import { atPlace } from "../../../stage/browser/dom/elements.js";

const TYPE_SIZES = { largest: 1.7, smallest: 0.77, tiny: 0.3, halvings: 6 }; // of words at their largest
const WORD_SIZES = [1, 0.9, 0.84, 0.76];
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
    document.addEventListener("step-picture", this.look); // what is drawn in it is not seen from here
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
    const fits = (words, part) => {
      document.documentElement.style.setProperty("--room-words", words);
      block.style.setProperty("--room-part", part / words);
      return whole();
    };
    const picture = inside.find((part) => part.picture?.data)?.picture;
    const arranged = (variant, isNext) => {
      if (variant) picture.show(variant);
      block.style.setProperty("--room-picture", `${picture?.step.offsetWidth ?? 0}px`);
      block.toggleAttribute("data-room-next", isNext);
    };
    arranged(null, false);
    const hidden = (is) => block.toggleAttribute("data-room-bare", is);
    const ways = (picture?.variants ?? [null]).flatMap((one) => (picture ? [false, true] : [false]).map((isNext) => [one, isNext]));
    const hasFound = () => WORD_SIZES.some((words) => {
      hidden(true);
      const has = fits(words, TYPE_SIZES.smallest); // else no picture is small enough
      hidden(false);
      return has && ways.some((way) => {
        arranged(...way);
        return largest((part) => fits(words, part), TYPE_SIZES.smallest);
      });
    });
    const isBrief = (is) => block.toggleAttribute("data-room-brief", is);
    isBrief(false);
    const found = hasFound() || (isBrief(true) && hasFound());
    if (!found) largest((part) => fits(WORD_SIZES.at(-1), part), TYPE_SIZES.tiny);
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
    document.removeEventListener("step-picture", this.look);
    this.drawn.disconnect();
    this.grown.disconnect();
    document.documentElement.style.removeProperty("--room-words");
    delete document.documentElement.dataset.roomFits;
    document.querySelector('[data-testid="stMainBlockContainer"]')?.style.removeProperty("--room-part");
  }
}

// Sets the largest part that fits, from a smallest one on; whether there is one.
function largest(fits, smallest) {
  if (!fits(smallest)) return false;
  if (fits(TYPE_SIZES.largest)) return true;
  let [low, high] = [smallest, TYPE_SIZES.largest];
  for (let n = 0; n < TYPE_SIZES.halvings; n++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return fits(low);
}

export default function ({ parentElement }) {
  const [, leave] = atPlace(parentElement, () => new Fit());
  return leave;
}
