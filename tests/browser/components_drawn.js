// The tables of components that draw something (components.js).

const ON = () => [here().node, here().from, here().to];
const EDGES = () => all(".edge").map(({ dataset }) => dataset.from + dataset.to).sort();
const line = (source, target, weight, width) => ({
  source, target, cell: `w.${target}.${source}`, text: weight.toFixed(2), spoken: "", weight, width,
});
/** Whether an edge begins at its source, and ends at its target with its head. */
function leads(edge) {
  const spots = all(".node").map((one) => one.transform.baseVal[0].matrix);
  const nearest = ([x, y]) => {
    const far = spots.map(({ e, f }) => Math.hypot(e - x, f - y));
    return String(far.indexOf(Math.min(...far)));
  };
  const [from, to] = ends(edge.querySelector(".stroke")).map(nearest);
  const head = nearest(numbers(edge.querySelector(".tip").getAttribute("d")));
  return from === edge.dataset.from && to === edge.dataset.to && head === to;
}

const OWN = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], LATER = [[1, 1, 1], [0, 1, 1], [0, 0, 1]];
const FILLED = () => all(".dots").map((one) => [...one.children].map((dot) => +(dot.className === "changed")).join(""));
const rowsOf = (path) => ends(path).map(([, y]) => (y - 16) / 32).join("");
const LIT = () => all(".box").map((box) => [...box.querySelectorAll("path.changed")].map(rowsOf));

const LINES = () => all(".K tr").map((line) => line.className);
const OFF = () => all(".way button").map((one) => one.disabled);

const third = (at) => Math.round(at * 3 / 100 - 0.5);
const FROM_TO = () => all("line").map((one) => (
  [third(one.getAttribute("x1")), third(one.getAttribute("x2")), one.getAttribute("class")].join("")));

const order = (same, below) => ({
  tokens: [TOKENS, ["c", "a", "b"]], place: [1, 2, 0], same,
  rows: [[["1"], ["-2"], ["3"]], [["3"], ["1"], [below]]],
});

const AT = () => here().tree;
const COUNTS = {
  sizes: [1, 2, 4], texts: ["1.00", "2.00", "4.00"], merged: "5", whole: "5", off: false,
};

/** Where the middle of the arc stands and where its name does: an angle, and how far away. */
function turns() {
  const wedge = all(".wedge")[0], { x, y } = wedge.getPointAtLength(wedge.getTotalLength() / 2);
  const [right, down] = ["x", "y"].map((name) => +all(".angle")[0].getAttribute(name));
  return [[x, y], [right, down - 0.14]].map(([a, b]) => (
    [Math.round(Math.atan2(-b, a) * 180 / Math.PI), +Math.hypot(a, b).toFixed(2)]));
}
const path = (name) => numbers(all(`.${name}`)[0].getAttribute("d")).map((x) => +x.toFixed(2));
const TIP = () => attrs("[data-grip=q]", "aria-valuenow");
function moved(name, ...keys) {
  const [grip] = all(`[data-grip="${name}"]`);
  keys.forEach((one) => key(one, grip));
  grip.dispatchEvent(new Event("keyup"));
}

const CHECKED = () => ["data-head", "data-head", "aria-label"].map((name, n) => attrs(n === 1 ? "[tabindex='0']" : "[aria-checked=true]", name).join());

const matrix = (role, lit, asked, removed = []) => ({
  caption: ["word", role, role], label: role, head: "", role, rows: ["a", "b"], columns: ["x", "y"], axes: ["", ""],
  cells: [["00", "01"], ["10", "11"]], lit, asked, removed,
});

Object.assign(COMPONENTS, {
  graph: {
    given: {
      stage: "s", title: "graph", labels: TOKENS, places: [[0, -1], [0.9, 0.5], [-0.9, 0.5]], round: true,
      within: false, faint: [2], threshold: 0.2, drawn: null, chosen: 2, looks: true,
      lines: [line(0, 1, 0.25, 3), line(0, 2, 0.5, 5), line(1, 2, 0.4, 4), line(2, 2, 0.1, 1)],
    },
    steps: [
      [null, EDGES, ["01", "02", "12"]],
      [null, () => texts(".number text").sort(), ["0.25", "0.40", "0.50"]],
      [null, () => [attrs(".edge.in", "data-from"), texts(".number.in").sort()],
        [["0", "1"], ["0.40", "0.50"]]],
      [null,
        () => all(".node").map((one) => ["chosen", "faint"].filter((name) => one.classList.contains(name)).join()),
        ["", "", "chosen,faint"]],
      [null, () => attrs("[data-from='0'][data-to='2'] .stroke", "stroke-width"), ["5"]],
      [null, () => all(".edge").map(leads), [true, true, true]],
      [null, () => look("color", ".edge.in", ".edge:not(.in)"), ["weights", "rgb(207, 198, 234)"]],
      [null, () => [look("visibility", ".number.in", ".number:not(.in)"),
        look("fill", ".chosen rect", ".node rect", ".chosen text")], [["visible", "hidden"], ["ink", "paper", "paper"]]],
      [() => all(".edge:not(.in) .reach")[0].dispatchEvent(new PointerEvent("pointerover", { bubbles: true })),
        () => [texts(".number.over"), look("visibility", ".number.over")], [["0.25"], ["visible"]]],
      [() => tap("[data-node='0']"), news, [["node", { node: 0 }]]],
      [() => { draw({ chosen: 0 }); all("[data-node='0']")[0].focus(); key("ArrowLeft"); }, ON,
        ["2", null, null]],
      [() => key("ArrowDown"), ON, [null, "0", "2"]],
      [() => key("ArrowRight"), ON, [null, "1", "2"]],
      [() => key("ArrowUp"), ON, ["2", null, null]],
      [() => { key("ArrowRight"); key("ArrowRight"); key("ArrowDown"); }, ON, [null, "0", "1"]],
      [() => key("Escape"), ON, ["1", null, null]],
      [() => { key("ArrowLeft"); key("ArrowDown"); }, ON, ["0", null, null]],
      [() => key("Enter"), news, [["node", { node: 0 }]]],
      [() => {
        draw({ drawn: "000100110", threshold: 0 });
        all("[data-node='2']")[0].focus();
        ["ArrowDown", "Delete"].forEach((one) => key(one));
      },
        () => [news(), texts(".aloud")],
        [[["drawn", { bits: "000100010" }]], ["a no more c"]]],
      [() => { press(".group button", 1); tap("[data-node='1']"); },
        () => [texts(".help"), attrs("[aria-pressed=true].node", "data-node")],
        [["held b"], ["1"]]],
      [() => tap("[data-node='0']"),
        () => [news(), attrs(".edge.fresh", "data-from"), texts(".number"), texts(".aloud")],
        [[["drawn", { bits: "010100010" }]], ["1"], ["0.25", "0.40", "…"], ["b reads a"]]],
      [() => press(".bar > button"), news, [["drawn", { bits: "000100010" }]]],
      [() => press(".bar > button", 1),
        () => [news(), texts(".edge"), all(".bar > button").map((one) => one.disabled)],
        [[["drawn", { bits: "000000000" }]], [], [false, true]]],
    ],
  },
  layer_diagram: {
    given: {
      labels: TOKENS, chosen: 1,
      boxes: [
        { name: "Norm", array: "n", adds: null, alone: OWN, inside: OWN },
        { name: "Attention", array: "a", adds: 0, alone: LATER, inside: LATER },
      ],
    },
    steps: [
      [null, FILLED, ["010", "010", "011"]],
      [null, LIT, [["11"], ["11", "12"]]],
      [null, () => attrs(".mixes path", "class").sort()[0] === attrs(".mixes path", "class")[0], true],
      [null, () => texts(".how"), ["apart", "mixes"]],
      [null, () => [look("stroke", "path.changed", ".mixes path.changed"), look("borderColor", ".mixes"),
        look("backgroundColor", ".dots .changed", ".token[aria-pressed=true]")],
        [["ink", "weights"], ["weights"], ["ink", "ink"]]],
      [null, () => attrs("a", "aria-label"), ["Norm: changes b; look", "Attention: changes b, c; look"]],
      [null, () => all(".around").map((one) => one.style.gridColumn), ["4 / span 2"]],
      [() => press(".token", 2), () => [news(), attrs("[aria-pressed=true]", "data-token")],
        [[["token", { token: 2 }]], ["2"]]],
      [() => late({ chosen: 1 }), FILLED, ["001", "001", "001"]],
      [() => press(".token", 2), news, []],
      [() => draw({ chosen: 0 }), LIT, [["00"], ["00", "01", "02"]]],
      // What one visit has not answered, and nothing else, the next one is told again.
      [() => { press(".token", 1); news(); late({}); draw({ visit: "second" }, 0); }, news, [["token", { token: 1 }]]],
      [() => { draw({ chosen: 1 }); draw({ visit: "third" }, 0); }, () => [news(), FILLED()], [[], ["010", "010", "011"]]],
    ],
  },
  cache_rows: {
    given: {
      labels: TOKENS, now: 1, again: false,
      rows: { K: [["0"], ["1"], ["2"]], V: [["-0"], ["-1"], ["-2"]] },
      costs: [
        { name: "with", bars: [0.1, 0.2, 0.3], texts: ["1", "2", "3"] },
        { name: "without", bars: [0.2, 0.5, 1], texts: ["2", "5", "10"] },
      ],
    },
    steps: [
      [null, LINES, ["kept", "new drops", "later"]],
      [null, () => [look("borderColor", ".K .new td", ".V .new td"), look("borderStyle", ".kept td", ".later td"),
        look("backgroundColor", ".with i")], [["key", "value"], ["solid", "dashed"], ["to"]]],
      [null, () => look("color", ".K caption", ".V caption", ".K .new .how", ".V .new .how"),
        ["key", "value", "key", "value"]],
      [null, () => texts(".V td"), ["−0", "kept", "−1", "new", "", ""]],
      [null, () => [texts(".written span"), texts(".written .new")], [["a", "b"], ["b"]]],
      [null, () => [texts(".work b"), all(".work i").map((bar) => bar.style.width)],
        [["2", "5"], ["20%", "50%"]]],
      [() => press(".before"), news, [["token", { token: 0 }]]],
      [() => draw({ now: 1 }), LINES, ["kept", "new drops", "later"]],
      [() => draw({ again: true }), LINES, ["again", "new", "later"]],
      [null, () => look("borderColor", ".V .again td", ".K .again td"), ["value", "key"]],
      [() => press(".after"), () => [news(), texts(".V td.how")],
        [[["token", { token: 2 }]], ["again", "again", "new"]]],
      [() => late({ now: 1 }), OFF, [false, false, true]],
      [() => draw({ now: 0, again: false }), OFF, [false, true, false]],
      [() => press(".play"), () => [texts(".play"), texts(".work b"), news()], [["◼ stop"], ["2", "5"], []]],
      [890, () => texts(".work b"), ["2", "5"]],
      [10, () => [texts(".play"), texts(".work b"), news()],
        [["▶ play"], ["3", "10"], [["token", { token: 2 }]]]],
      [() => press(".play"), () => texts(".work b"), ["1", "2"]],
      [() => press(".play"), () => [texts(".play"), news()], [["▶ play"], [["token", { token: 0 }]]]],
    ],
  },
  two_orders: {
    given: {
      chosen: { mask: "none", places: "off" },
      switches: { mask: words("none", "causal"), places: words("off", "on") },
      cases: { "none off": order([true, true, true], "-2"), "causal off": order([true, false, true], "9") },
    },
    steps: [
      [null, FROM_TO, ["01same", "12same", "20same"]],
      [null, () => all(".sentence").map((one) => one.textContent), ["a1b−2c3", "c3a1b−2"]],
      [() => press("[data-option='mask causal']"), news, [["chosen", { mask: "causal", places: "off" }]]],
      [() => late({}), FROM_TO, ["01same", "12other", "20same"]],
      [null, () => [look("stroke", "line.same", "line.other"), look("color", ".said.same", ".said.other"),
        look("strokeDasharray", "line.same", "line.other")], [["to", "other"], ["to", "other"], ["none", "7px, 6px"]]],
      [null, () => all(".said").map((one) => Math.floor(parseFloat(one.style.left) / 33.4)), [0, 1, 2]],
      [null, () => [texts(".said"), attrs("button[aria-pressed=true]", "data-option")],
        [["= same", "≠ other", "= same"], ["mask causal", "places off"]]],
      [null,
        () => all(".sentence").map((one) => [...one.querySelectorAll("i.other")].map((number) => number.textContent)),
        [["−2"], ["9"]]],
    ],
  },
  trees: {
    given: {
      forest: "1 (2 3)", labels: TOKENS, shapes: [["pairs", "((1 2) 3)"], ["all", "(1 2 3)"]],
      nodes: { 1: { s: "1", v: "-2", name: "1", spoken: "one" } }, counts: COUNTS,
    },
    steps: [
      [null, () => texts(".set"), ["{1}", "{2, 3}", "{2}", "{3}"]],
      [null, () => texts(".number"), ["s 1", "v −2", "s …", "v …", "s …", "v …", "s …", "v …"]],
      [null, () => attrs(".bars", "aria-label"), ["counts: 1: 1.00, 2: 2.00, 3: 4.00"]],
      [() => press(".number.v"), news, [["look", { array: "v_1" }]]],
      [null, () => attrs(".apart", "aria-label"), ["apart: {2, 3}"]],
      [() => { all(".node")[0].focus(); key("ArrowRight"); }, AT, "1"],
      [() => { key("ArrowDown"); key("ArrowRight"); }, AT, "2"],
      [() => { key("ArrowDown"); key("ArrowRight"); }, AT, "3"],
      [() => key("ArrowLeft"), AT, "(2 3)"],
      [() => key("End"), AT, "3"],
      [() => key("ArrowUp"), AT, "2"],
      [() => key("Home"), AT, "1"],
      [() => key("Enter"), () => [texts(".help"), attrs(".held", "data-tree")], [["held {1}"], ["1"]]],
      [() => key("Escape"), () => [texts(".help"), attrs(".held", "data-tree")], [["idle"], []]],
      [() => { key(" "); key("End"); key("Enter"); }, () => [news(), here().tree],
        [[["tree", { forest: "(2 (3 1))" }]], "(3 1)"]],
      [() => draw({ forest: "(2 (3 1))" }), () => texts(".result"), ["5merged=5whole"]],
      [() => key("Delete"), () => [news(), here().tree], [[["tree", { forest: "(2 3 1)" }]], "3"]],
      [() => key("Delete"), news, []],
      [() => press(".bar > button"), news, [["tree", { forest: "(2 (3 1))" }]]],
      [() => press(".group button", 1), () => [news(), texts(".group button[aria-pressed=true]")],
        [[["tree", { forest: "(1 2 3)" }]], ["all"]]],
      [() => { press(".key", 2); tap("[data-tree='1'] > .head"); }, news,
        [["tree", { forest: "((1 3) 2 3)" }]]],
      [() => draw({ forest: "((1 3) 2 3)", counts: { ...COUNTS, merged: "6", off: true } }),
        () => [texts(".result"), all(".result.off").length, texts(".aloud")],
        [["6merged≠5whole"], 1, ["6 merged ≠ 5 whole. twice 3"]]],
      [null, () => all(".pile").map((one) => [...one.children].map((bar) => bar.style.height + bar.className)),
        [["12.5%"], ["25%"], ["50%", "50%again"]]],
      [null, () => attrs(".bars", "aria-label"), ["counts: 1: 1.00, 2: 2.00, 3: 2 × 4.00"]],
      [null, () => [look("backgroundColor", ".pile i", ".again"), look("color", ".result.off b", ".number.v")],
        [["weights", "key"], ["key", "value"]]],
      [() => press("[data-tree='3'] .apart"), news, [["tree", { forest: "(1 2 3)" }]]],
    ],
  },
  weight_maps: {
    given: {
      labels: TOKENS, row: 2,
      maps: [{
        word: "one", name: "One", stage: "stage_1", weights: [[1, 0, 0], [0.25, 0.75, 0], [0.5, -0.25, 0.75]],
        texts: [["1.00", "0", "0"], ["0.25", "0.75", "0"], ["0.50", "-0.25", "0.75"]],
      }],
    },
    steps: [
      [null, () => all("i").map((one) => one.style.getPropertyValue("--share") + one.className),
        ["100%", "0%hidden", "0%hidden", "25%", "75%", "0%hidden", "50%", "0%", "75%"]],
      [null, () => attrs("i", "title").slice(6, 8), ["c reads a: 0.50", "c reads b: −0.25"]],
      [null, () => [texts(".label"), all(".frame").map((one) => one.style.gridRow)], [["a", "b", "c"], ["3"]]],
      [null, () => look("borderColor", ".frame"), ["from"]],
      [null, () => look("backgroundImage", "i", ".hidden").map((image) => image.includes("gradient")), [false, true]],
      [() => press(".open"), news, [["map", { word: "one" }]]],
    ],
  },
  readings: {
    given: [{ said: "b reads", total: "total 1", tokens: TOKENS, query: 1, reads: ["60", "<1", ""],
      features: ["f", "g"], before: [["1", 20], ["-2", 40]], after: [["3", 60], ["4", 80]], largest: 1 }],
    steps: [
      [null, () => [texts(".asks"), texts(".percent")], [["b"], ["60\u00a0%", "<1\u00a0%", ""]]],
      [null,
        () => all("path").map((path) => [ends(path).map(([x]) => x), +(+path.getAttribute("stroke-width")).toFixed(3)]),
        [[[50, 136], 7.2], [[146, 154], 1.595]]],
      [null, () => all("tbody tr").map((row) => row.textContent), ["b before1−2", "b after34"]],
      [null, () => [look("stroke", "path"), look("backgroundColor", ".asks"), look("fontWeight", ".largest", "td[style]")],
        [["weights"], ["query"], ["700", "400"]]],
      [null, () => [texts(".largest"), all("td[style]").map((one) => one.style.getPropertyValue("--part"))],
        [["4"], ["20%", "40%", "60%", "80%"]]],
    ],
  },
  library: {
    given: {
      token: "a", best: 1, asks: "asks", returned: "gets",
      entries: [
        { token: "a", title: "T0", content: "C0", part: "20", fit: "badly" }, { token: "b", title: "T1", content: "C1", part: "80", fit: "well" },
      ],
    },
    steps: [
      [null, () => texts(".library > .card"), ["querya asks", "resulta gets"]],
      [null, () => texts("li"), ["keya: T0badly20\u00a0%valuea: C0", "keyb: T1well80\u00a0%valueb: C1"]],
      [null, () => texts(".best .token"), ["b", "b"]],
      [null, () => [look("borderColor", ".card.query", ".card.key", ".card.value"), look("stroke", "path"),
        look("fontWeight", ".best .card", ".card")], [["query", "key", "value"], ["weights"], ["600", "400"]]],
      [null, () => all("path").map((path) => [ends(path), +path.getAttribute("stroke-width")]),
        [[[[100, 0], [50, 40]], 4], [[[100, 0], [150, 40]], 11.5], [[[50, 0], [100, 40]], 4], [[[150, 0], [100,
         40]], 11.5]]],
    ],
  },
  maps: {
    given: {
      stage: "s", title: "maps", high: 40, chosen: 0, row: 1, labels: ["a", "internationalisation"],
      pictures: [[10, 255, 2, 52], [254, 253, 0, 1]].map((levels, at) => ({
        name: `Map ${at}`, place: `w.${at}`, said: ["reads ", "b"],
        matrices: [{ palette: "w", rows: 2, cols: 2, levels: btoa(String.fromCharCode(...levels)), beside: ["x", "y"] }],
      })),
    },
    steps: [
      [null, () => attrs(".map", "href"), ["#stage-w.0", "#stage-w.1"]],
      [null, () => look("fill", ".masked", ".nan", ".random"),
        ["url(\"#hidden\")", "rgb(240, 140, 191)", "rgb(227, 227, 227)"]],
      [null,
() => all(".map").map((map) => [...map.querySelectorAll("path")].map(
          (path) => path.getAttribute("class") + numbers(path.getAttribute("d")).slice(0, 2))),
        [["w100,0", "masked20,0", "w20,20", "w5220,20"], ["nan0,0", "random20,0", "w00,20", "w120,20"]]],
      [null, () => texts(".map:first-of-type .side bdi"), ["a", "interna…", "x", "y"]],
      [null, () => [attrs(".row", "y"), attrs(".map", "aria-current")], [["19", "19"], ["true", "false"]]],
      [() => { place.addEventListener("click", (event) => event.preventDefault()); press(".map", 1); },
        () => attrs(".map", "aria-current"),
        ["false", "true"]],
      [() => draw({ chosen: null, row: null }), () => [attrs(".map", "aria-current"), attrs(".row", "y")],
        [["false", "false"], []]],
      [() => press(".map"), () => attrs(".map", "aria-current"), ["false", "false"]],
    ],
  },
  player: {
    given: { values: [1, 2, 3], now: 1, title: "Slower", stop: "Stop" },
    steps: [
      [null, () => texts("button"), ["▶ Slower"]],
      [() => press("button"), () => [news(), texts("button")], [[["value", { value: 2 }]], ["◼ Stop"]]],
      [1000, () => { late({}); return news(); }, []],
      [() => draw({ now: 2 }), () => [news(), texts("button")], [[["value", { value: 3 }]], ["▶ Slower"]]],
      [() => { draw({ now: 3 }); press("button"); }, news, [["value", { value: 1 }]]],
      [340, () => { draw({ now: 1 }); return news(); }, []],
      [10, news, [["value", { value: 2 }]]],
      [() => { press("button"); draw({ now: 2 }); }, () => [news(), texts("button")], [[], ["▶ Slower"]]],
    ],
  },
  arrows: {
    given: { q: [3, 0], k: [0, 3], limit: 5, words: words("zero", "positive", "negative", "none") },
    steps: [
      [null, () => turns(), [[45, 0.7], [45, 1.05]]],
      [() => draw({ k: [0, -3] }), () => turns(), [[-45, 0.7], [-45, 1.05]]],
      [() => draw({ q: [-3, 0], k: [0, -3] }), () => turns(), [[-135, 0.7], [-135, 1.05]]],
      [() => draw({ q: [2, 2], k: [0, 4] }), () => turns().map(([at]) => Math.round(at / 10)), [7, 7]],
      [null, () => [look("stroke", ".arrow.q", ".arrow.k", ".q .tip", ".k .tip", ".shadow"), look("fill", ".name.q", ".name.k")],
        [["query", "key", "query", "key", "from"], ["query", "key"]]],
      // What falls from k on q: the shadow, the line that drops it, and the corner at its foot.
      [null, () => ["shadow", "drop"].map(path), [[0, 0, 2, -2], [0, -4, 2, -2]]],
      [null, () => path("corner"), [1.84, -1.84, 1.69, -2, 1.84, -2.16]],
      [null, () => path("arrow.k").slice(4, 6), [0, -4]],
      [null, () => ["q", "k"].map((name) => all(".name." + name)[0].getAttribute("x") > 1), [true, false]],
      [() => moved("k", "ArrowUp", "ArrowLeft"), news, [["drop", { q: [2, 2], k: [-0.1, 4.1] }]]],
      [() => moved("q", "ArrowDown", "ArrowRight"), news, [["drop", { q: [2.1, 1.9], k: [-0.1, 4.1] }]]],
      // No answer to what was told before moves a tip back.
      [() => { moved("q", "ArrowRight"); moved("q", "ArrowRight"); late({ q: [2.2, 1.9] }); }, TIP, ["2.3"]],
      [() => draw({ q: [-2, 1] }), TIP, ["-2"]],
    ],
  },
  cards: {
    given: {
      title: "heads", legend: "legend", chosen: "b", present: false,
      groups: [["One", ["a"]], ["Two", ["b", "c"]]].map(([name, heads]) => [name, heads.map((word) => ({
        word, name: word.toUpperCase(), text: `reads ${word}`, measured: "40", rows: 1, columns: 1, most: 1, queries: 1, block: [1, 1],
        dots: Uint8Array.of(1),
      }))]),
    },
    steps: [
      [null, () => all(".group").map((one) => one.textContent), ["OneAreads a40", "TwoBreads b40Creads c40"]],
      [null, CHECKED, ["b", "b", "B: reads b (40 %)"]],
      [() => press(".card"), () => [news(), ...CHECKED()], [[["head", { word: "a" }]], "a", "a", "A: reads a (40 %)"]],
      ...[["ArrowLeft", "c"], ["ArrowRight", "a"], ["ArrowDown", "b"], ["ArrowUp", "a"]].map(([name, word]) => (
        [() => key(name), () => [news(), here().head], [[["head", { word }]], word]])),
      [() => late({ chosen: "c" }), () => CHECKED()[0], "a"],
      [() => draw({ chosen: "c" }), () => CHECKED()[0], "c"],
    ],
  },
  step_picture: {
    given: {
      label: "step", corner: false, roles: {},
      operands: [matrix("query", [[0, 1]], null, [[1, 1]]), matrix("key", [[1, 0], [1, 1]], null)],
      result: matrix("weights", [], [1, 0]),
    },
    steps: [
      [null, () => all("figure").map((one) => one.className), ["query", "key", "weights result"]],
      [null, () => [texts(".lit"), texts(".asked"), texts(".removed"), texts(".arrow")], [["01", "10", "11"], ["10"], ["11"], ["→"]]],
      [null, () => [texts(".result thead th"), texts(".result tbody th"), attrs("table", "aria-label")],
        [["x", "y"], ["a", "b"], ["query", "key", "weights"]]],
    ],
  },
});
