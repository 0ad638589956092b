// All heads of a run as small maps, a column for each layer or call; the chosen one is drawn large next
// to them. What it draws comes by a register of the page (ui/components/data_channel.py), so that its code does not
// travel with every choice.

import { element } from "../../../stage/browser/dom/elements.js";
import { Carried, carriedOf } from "../carried.js";
import { LargeMap } from "./large_map.js";
import { drawWeights, mapOf, ThemeWatch, unpack } from "./weight_canvas.js";

class HeadGrid extends Carried {
  constructor(parent, key) {
    super(parent, key, "all in-colours", { id: "head-grid" });
    this.grid = element("div", "grid");
    this.grid.setAttribute("role", "group");
    this.large = new LargeMap();
    this.root.append(this.grid, this.large.root);
    this.theme = new ThemeWatch(this.root, (colours) => { this.colours = colours; this.paint(); });
    this.grid.addEventListener("click", ({ target }) => this.choose(target.closest("button")));
    this.grid.addEventListener("keydown", (event) => this.key(event));
  }

  // Draws what there is, once what it is packed in is unpacked, and all of it is about the same runs.
  async refresh() {
    const { state, small, large, counted } = this.told, now = (this.refreshed = {});
    if (!this.send || !small || small.runs !== state?.runs) return;
    this.events.hear(state, this.send);
    this.data = state;
    await Promise.all([...small.maps, ...(large?.maps || []), counted].filter(Boolean).map(unpack));
    if (now !== this.refreshed) return; // something newer is on its way
    const isNew = small !== this.small;
    this.small = small;
    this.whole = large;
    this.counted = counted;
    if (isNew) this.build();
    this.root.classList.toggle("present", state.present);
    this.describe();
    this.at = this.events.answered || this.at === undefined ? this.numbered(this.data.chosen) : this.at;
    this.theme.look();
    if (isNew) this.paint();
    else this.show(this.at);
    this.drawn();
  }

  numbered([layer, head]) { return layer * this.small.heads + head; }

  // The layer and head of a map.
  placed(at) {
    const { heads } = this.small;
    return [Math.floor(at / heads), at % heads];
  }

  build() {
    const { grid } = this, { layers, heads, names } = this.small, calls = names.length > 0;
    const built = JSON.stringify([layers, heads, names]);
    if (built === this.built) return;
    this.built = built;
    grid.style.setProperty("--layers", layers);
    grid.setAttribute("aria-label", TEXTS(calls ? "map_grid_of_calls" : "map_grid", { layers, heads }));
    const corner = element("span", "corner", TEXTS(calls ? "map_call" : "map_layer"));
    const numbers = Array.from({ length: layers }, (_, layer) => {
      const number = element("span", "number", `${layer + 1}`);
      number.title = names[layer] || "";
      return number;
    });
    this.maps = Array.from({ length: layers * heads }, () => {
      const map = element("button", "map");
      map.type = "button";
      map.tabIndex = -1;
      map.setAttribute("aria-pressed", "false");
      map.append(element("canvas"), element("i", "bar"));
      return map;
    });
    const rows = Array.from({ length: heads }, (_, head) => [
      element("span", "number side", `${head ? "" : `${TEXTS("map_head")} `}${head + 1}`),
      ...Array.from({ length: layers }, (__, layer) => this.maps[layer * heads + head]),
    ]);
    grid.replaceChildren(corner, ...numbers, ...rows.flat());
  }

  // What is said of each map, and how it is marked.
  describe() {
    const { data: { framed, off, scores }, small: { names } } = this, said = JSON.stringify([framed, off, scores, this.built]);
    if (said === this.described) return;
    this.described = said;
    const [isFramed, isOff] = [framed, off].map((places) => new Set(places.map((place) => this.numbered(place))));
    this.grid.classList.toggle("scored", !!scores);
    this.maps.forEach((map, at) => {
      const [column, row] = this.placed(at), layer = column + 1, head = row + 1, name = names[column], score = scores?.[column][row];
      let label = name ? TEXTS("map_of_call", { layer, name, head }) : TEXTS("map_of_layer", { layer, head });
      if (scores) label = TEXTS("map_scored", { map: label, score });
      if (isOff.has(at)) label = TEXTS("map_off", { map: label });
      map.classList.toggle("framed", isFramed.has(at));
      map.classList.toggle("off", isOff.has(at));
      map.style.setProperty("--score", `${score?.replace(/\D/, "") || 0}%`);
      map.setAttribute("aria-label", label);
      map.title = label;
    });
  }

  paint() {
    const { colours, maps, small } = this;
    if (!colours || !small) return;
    const last = small.maps.at(-1), side = Math.max(last.rows, last.columns);
    this.grid.classList.toggle("fine", side > MOST_DOTS);
    maps.forEach((map, at) => drawWeights(map.firstChild, mapOf(last, at), colours));
    this.show(this.at);
  }

  show(at) {
    const { grid, maps } = this, mark = (map, is) => {
      map.setAttribute("aria-pressed", `${is}`);
      map.tabIndex = is ? 0 : -1;
    };
    this.at = at;
    grid.querySelectorAll("[aria-pressed=true], [tabindex='0']").forEach((map) => mark(map, false));
    mark(maps[at], true);
    this.enlarge();
    this.reveal(maps[at]);
  }

  enlarge() {
    const { colours, counted, small } = this, [maps, coming] = this.largeMaps();
    if (colours) this.large.draw(small, maps, counted, colours, coming);
  }

  // The chosen map, or those before and after, and whether they are still to come: until then the small
  // one is drawn in the place of each.
  largeMaps() {
    const { at, small, whole } = this, own = small.maps.map((one) => mapOf(one, at));
    if (small.whole) return [own, false];
    if (whole?.runs === small.runs && this.numbered(whole.at) === at) return [whole.maps, false];
    return [Array(whole?.maps.length || 1).fill(own[0]), true];
  }

  // Where the grid is larger than its room, the chosen map is in sight; the numbers of rows are over it.
  reveal({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) {
    const { grid } = this, { offsetWidth: side } = grid.firstChild;
    const left = offsetLeft - grid.offsetLeft - side, top = offsetTop - grid.offsetTop, room = grid.clientWidth - side;
    if (left < grid.scrollLeft) grid.scrollLeft = left;
    else if (left + offsetWidth > grid.scrollLeft + room) grid.scrollLeft = left + 2 * offsetWidth - room;
    if (top - offsetHeight < grid.scrollTop) grid.scrollTop = top - offsetHeight;
    else if (top + offsetHeight > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + 2 * offsetHeight - grid.clientHeight;
  }

  choose(map) {
    if (!map) return;
    const at = this.maps.indexOf(map), [layer, head] = this.placed(at);
    this.show(at);
    map.focus({ preventScroll: true });
    this.events.tell("place", { layer, head });
  }

  key(event) {
    const { heads } = this.small, steps = { ArrowRight: heads, ArrowLeft: -heads, ArrowDown: 1, ArrowUp: -1 };
    const at = this.maps.indexOf(event.target), next = at + steps[event.key];
    if (!(event.key in steps)) return;
    event.preventDefault();
    const leaves = Math.abs(steps[event.key]) === 1 && Math.floor(at / heads) !== Math.floor(next / heads);
    if (!leaves && this.maps[next]) {
      event.target.tabIndex = -1;
      this.maps[next].tabIndex = 0;
      this.maps[next].focus();
    }
  }

  close() {
    this.theme.close();
    super.close();
  }
}

// A small map of more dots has some that are smaller than a pixel: they run together.
const MOST_DOTS = 36;

export default carriedOf(HeadGrid);
