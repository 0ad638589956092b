// How large the stage draws: cells as wide as the focus allows and as high as the window. These are
// methods of the stage; stage.js takes them over.

// From this width on "this number" stands beside the focus, and is as wide as that.
const BESIDE = 860, ASIDE = 360;
// On paper, matrices whose cells would be narrower than this stand below each other; where each cell
// holds two numbers, than that.
const LEGIBLE = 24, LEGIBLE_TWO = 28;
// The height of a matrix' caption and column labels, and of the gap to the next.
const CAPTIONS = 66;
// What is said of a step needs so much room beside a matrix.
const WORDS = 200;
// A letter of a caption, about.
const CAPTION_LETTER = 6.5;
// A label's size in that of the stage, its lines in its own, the space beside it, and the line of column
// labels that CAPTIONS counts.
const LABEL_SIZE = 0.84, LABEL_LINE = 1.25, BESIDE_LABEL = 10, ONE_LINE = 19;
// The least size of digits, as in the style sheet.
const LEAST_DIGITS = 12;
const PEN = document.createElement("canvas").getContext("2d");

const Sizes = {
  // Cells as wide as the focus allows, numbers first.
  fit() {
    if (!this.large) return;
    if (this.presenting) return this.fitWindow();
    // The width is kept: to ask for it here would lay out the page once more at every update.
    this.width ||= this.root.clientWidth;
    const full = this.sheet || this.width;
    const { large } = this, narrow = full < 560, beside = full >= BESIDE;
    // The room of the focus: what "this number" leaves.
    const width = beside ? full - ASIDE : full;
    this.root.classList.toggle("beside", beside);
    if (this.narrow !== narrow) {
      this.narrow = narrow;
      this.toolbar.open = !narrow;
      this.drawNumber();
    }
    const viewed = (matrices) => matrices.map((matrix) => matrix.view);
    const lines = large.left
      ? [viewed([large.left, ...large.results]), viewed(large.row)] : [viewed(large.row)];
    const views = lines.flat();
    const labelled = [...views, ...viewed(large.above)];
    const longest = Math.max(...labelled.flatMap((v) => v.rowLabels.map((label) => label.length)));
    // A token may be cut, a name not.
    const called = labelled.filter(({ rowsNamed }) => rowsNamed).flatMap(({ rowLabels }) => rowLabels);
    const needed = called.length ? this.widest(called) + BESIDE_LABEL : 0;
    const label = Math.max(Math.min(Math.max(longest * 8 + 10, 26), narrow ? 70 : 112), Math.ceil(needed));
    const big = Math.max(...views.map((view) => Math.max(view.rows, view.cols)));
    // Cells so small have no room for numbers, also those of a matrix that is not large itself.
    this.root.classList.toggle("numberless", big > MAX_NUMBERS);
    const roomOf = (across) => Math.min(...across.filter((line) => line.length).map((line) => {
      const cols = line.reduce((sum, view) => sum + view.cols, 0);
      const own = across === lines && !large.left ? this.rowsLabelled() : Math.min(line.length, 2);
      const labels = big > MAX_LABELS ? 0 : own * label;
      return (width - 8 - labels - line.length * (large.left ? 16 : 40)) / cols - (big > MAX_NUMBERS ? 0 : 2);
    }));
    const changed = [...large.row, ...large.results, large.left].some((matrix) => matrix?.changes);
    const tight = this.sheet > 0 && big <= MAX_NUMBERS && roomOf(lines) < (changed ? LEGIBLE_TWO : LEGIBLE);
    const stacked = narrow || tight;
    this.root.classList.toggle("narrow", stacked);
    const alone = views.map((view) => [view]);
    const abreast = alone.flatMap((_, n) => (n % 2 ? [] : [views.slice(n, n + 2)]));
    const two = tight && !narrow && roomOf(abreast) >= LEGIBLE_TWO;
    const room = roomOf(!stacked ? lines : two ? abreast : alone);
    const small = this.sheet ? 12 : Math.max(changed ? 40 : 31, DIGIT * LEAST_DIGITS * this.longestNumber() + 1);
    const [least, most] = big > MAX_NUMBERS ? [3, 18] : [small, 54];
    const cell = Math.max(least, Math.min(most, Math.floor(room)));
    this.shorten(stacked, width, cell + 2, label);
    this.placeWords(stacked, large.left ? large.left.view.cols * (cell + 2) + label : 0);
    const names = this.placeNames([...labelled, ...viewed(large.results)], cell);
    const roomy = Math.max(changed ? 38 : 28, cell * 0.62);
    const low = (this.sheet ? 19 : 23) + (changed ? 15 : 0);
    const high = Math.max(low, Math.min(roomy, this.share(stacked, low, Math.max(0, names - ONE_LINE))));
    const strip = this.miniViews();
    const minis = strip.reduce((sum, view) => sum + Math.min(view.cols, MAX_MINI), 0);
    const gaps = this.strip.children.length * 26 + strip.length * 6 + 24;
    const share = (full - gaps) / minis, gap = share >= 5 ? 1 : 0, smallest = narrow ? 3 : 1.5;
    const sizes = {
      "--cell": `${cell}px`,
      "--cell-height": `${big > MAX_NUMBERS ? cell : high}px`,
      "--label": `${label}px`,
      "--mini-least": `${smallest}px`,
      "--mini": `${Math.max(smallest, Math.min(8.5, share - gap))}px`,
      "--mini-gap": `${gap}px`,
      "--gap": big > MAX_NUMBERS ? "0px" : "2px",
    };
    this.putSizes(sizes);
  },

  // Where captions side by side need more room than there is, operands have their names alone.
  shorten(stacked, width, cell, label) {
    const { large } = this;
    const wide = ({ view: { cols, plainCaption } }) => (
      Math.max(cols * cell, plainCaption.length * CAPTION_LETTER) + label
    );
    const needed = large.row.reduce((sum, matrix) => sum + wide(matrix), 0);
    large.row.forEach((matrix) => {
      matrix.terse = !stacked && !large.left && needed > width && matrix !== large.row.at(-1);
      matrix.entitle();
    });
  },

  // How many signs the longest number on show has, with what it has changed by.
  longestNumber() {
    const { row, above, left, results } = this.large;
    const shown = [...row, ...above, ...results, left].filter((matrix) => matrix?.numbered);
    const texts = shown.flatMap(({ view, changes }) => [
      ...view.text, ...(changes ? view.flat.map((at) => noted(changes[at] || "")) : []),
    ]);
    return Math.max(0, ...texts.map(({ length }) => length));
  },

  // How many of the matrices side by side have row labels of their own.
  rowsLabelled() {
    return this.large.row.filter(({ root }) => !root.classList.contains("shared")).length;
  },

  // What is said of a step stands in the empty corner of a product, where that is wide enough, else
  // above the matrices; where these stand below each other, after them.
  placeWords(stacked, width) {
    const { words, story, body } = this;
    const corner = !stacked && width >= WORDS && this.focus.querySelector(".nothing");
    const after = stacked ? body : this.code;
    if (after.nextSibling !== story) after.after(story);
    if (corner ? words.parentNode === corner : words.previousSibling === story) return;
    if (corner) corner.append(words);
    else story.after(words);
  },

  // Names above columns stand a word a line, or upright where a word is wider than a cell. Returns how
  // high they are.
  placeNames(views, cell, size) {
    const names = views.filter(({ colsNamed }) => colsNamed).flatMap(({ colLabels }) => colLabels);
    const words = names.map((name) => name.split(" "));
    const upright = names.length > 0 && this.widest(words.flat(), size) > cell;
    this.focus.classList.toggle("upright", upright);
    if (upright) return this.widest(names, size);
    return LABEL_LINE * (size || ONE_LINE / LABEL_LINE) * Math.max(0, ...words.map(({ length }) => length));
  },

  // How wide the widest of some labels is, at their own size or at another.
  widest(labels, size) {
    const { fontFamily, fontSize } = getComputedStyle(this.root);
    PEN.font = `${size || LABEL_SIZE * parseFloat(fontSize)}px ${fontFamily}`;
    return Math.max(0, ...labels.map((label) => PEN.measureText(label).width));
  },

  // What is set on the whole stage is set on every step that is kept.
  putSizes(sizes) {
    Object.entries(sizes).forEach(([name, size]) => {
      const { style } = name.startsWith("--mini") ? this.root : this.focus;
      if (style.getPropertyValue(name) !== size) style.setProperty(name, size);
    });
  },

  // How high a cell may be so that the whole focus is on the screen with what stands above it; on the
  // sheet with what stands below it too, if that leaves cells as high as `low`. `names` is what names
  // of columns are higher than a line.
  share(stacked, low, names) {
    if (stacked || !(this.sheet || this.top)) return Infinity;
    const rooms = this.sheet ? this.rooms : [innerHeight - this.top - 14];
    const { row, above, left, results } = this.large;
    const placed = [row, above, left ? [left, ...results] : []].filter((line) => line.length);
    const lines = placed.map((line) => Math.max(...line.map(({ view }) => view.rows)));
    const named = placed.filter((line) => line.some(({ view }) => view.colsNamed)).length;
    const cells = lines.reduce((sum, count) => sum + count, 0);
    const heights = rooms.map((room) => Math.floor((room - lines.length * CAPTIONS - named * names) / cells) - 2);
    return heights.find((height) => height >= low) ?? heights.at(-1);
  },

  // Where the focus begins, measured once the page has been laid out.
  measure() {
    if (this.presenting || this.sheet || !this.large) return;
    let top = this.focus.getBoundingClientRect().top;
    for (let node = this.focus; node; node = node.parentNode || node.host) top += node.scrollTop || 0;
    // One that begins further down is read after scrolling: then it has the window but for its head.
    const found = Math.round(top < 0.6 * innerHeight ? top : 0.25 * innerHeight);
    if (Math.abs(found - (this.top || 0)) < 5) return;
    this.top = found;
    this.fit();
  },
};
