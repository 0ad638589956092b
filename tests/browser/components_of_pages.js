// The tables of what belongs to whole pages: what a browser keeps, links, a lesson's way (components.js).

const SCROLLS = `<div data-testid="stMain" style="height: 50px; overflow: auto">
  <div data-testid="stMainBlockContainer" style="height: 500px"></div></div>`;
const main = () => document.querySelector("[data-testid=stMain]");

const NAME = "Name", TICKS = "attention-path";
const CHAPTERS = [["one", "One", 5, []], ["two", "Two", 6, [1]], ["three", "Three", 7, [1, 2]]]
  .map(([name, title, minutes, needs]) => ({ name, title, address: `./${name}`, minutes, needs }));
const BESIDE = [{ name: "more", title: "More", address: "./more", place: "line" }];
const shown = (what) => all(what).filter(({ hidden }) => !hidden).map(({ textContent }) => textContent);
const DOTS = () => [all(".dots span").map(({ className }) => className).join(), all(".dots")[0].ariaLabel];
const HEADER = () => [
  ...DOTS(), all(".way a").map(({ hidden, textContent }) => (hidden ? "" : textContent)).join("|"),
  `|${texts("nav > button")[0]}|${texts("p button")}${all("p button")[0].disabled ? "-" : ""}`,
  shown(".rest button").join(), texts("[aria-current]").join(),
];
const TICKED = () => [texts(".tick").join(), ...DOTS(), all("p button")[0].disabled];

const search = (what) => all(what).map(({ href }) => new URL(href).search);
const WAY = () => [[...all("nav")[0]?.children ?? []].map(({ textContent }) => textContent).join("|"), ...search("nav a")];
const FOCUS = () => place.getRootNode().activeElement?.className ?? "";
const THERE = () => new URLSearchParams(location.search).get("lesson");
function follow(what, detail) {
  const [link] = all(what);
  link.focus();
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true, cancelable: true, detail }));
}
/** Whether a click is kept from the browser. */
function clicked(link, more = {}) {
  let isKept;
  addEventListener("click", (event) => {
    isKept = event.defaultPrevented;
    event.preventDefault();
  }, { once: true });
  link.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true, cancelable: true, ...more }));
  return isKept;
}
/** The page of a scene, as it opens. */
function at(scene, given) {
  history.replaceState({}, "", `?lesson=${scene}`);
  draw(given);
}
function turned(stage, by, names, last) {
  const turn = new CustomEvent("stage-turns", { cancelable: true, detail: { stage, by, names, last } });
  document.dispatchEvent(turn);
  return THERE() + (turn.defaultPrevented ? "!" : "");
}

Object.assign(COMPONENTS, {
  class_button: {
    given: { label: "Ask", room: { code: "A", key: "k" }, primary: true, teachers: false },
    steps: [
      [() => press("button"), news, [["press", { room: { code: "A", key: "k" } }]]],
      // The browser keeps the room that was opened last.
      [() => { draw({ room: { code: "B", key: "l" }, primary: false }); press("button"); }, news,
        [["press", { room: { code: "B", key: "l" } }]]],
      [() => { draw({ room: null, teachers: true }); press("button"); }, news, [["press", { room: { code: "B", key: "l" } }]]],
      [null, () => [texts("button:not([hidden]):not(.primary)"), attrs("button", "hidden")], [["Ask"], [null]]],
      [() => draw({ wants: "A" }), news, []],
      [() => draw({ wants: "B" }), news, [["press", { room: { code: "B", key: "l" } }]]],
      [() => draw({ wants: "B" }), news, []],
      [() => draw({ label: "" }), () => attrs("button", "hidden"), [""]],
      [() => { localStorage.clear(); draw({ label: "Ask", wants: "" }); }, () => attrs("button", "hidden"), [""]],
      [() => { draw({ teachers: false }); press("button"); }, news, [["press", { room: null }]]],
    ],
  },
  kept_keys: {
    given: { place: "p1", key: "k1", visit: 1 },
    steps: [
      [null, news, [["told", { place: "p1", key: "k1" }]]],
      [() => anew({ place: "p1", key: "", visit: 2 }), news, [["told", { place: "p1", key: "k1" }]]],
      [() => anew({ place: "p1", key: "", visit: 2 }), news, []],
      [() => anew({ place: "p1", key: "k2", visit: 3 }), news, [["told", { place: "p1", key: "k2" }]]],
      [() => anew({ place: "p2", key: "", visit: 3 }), news, [["told", { place: "p2", key: "" }]]],
      // What was kept first goes first.
      [() => [...Array(20).keys()].forEach((n) => anew({ place: `q${n}`, key: `${n}`, visit: 4 })), () => news().length, 20],
      [() => ["p1", "q0", "q19"].forEach((one) => anew({ place: one, key: "", visit: 5 })),
        () => news().map(([, { key }]) => key), ["", "0", "19"]],
      [() => [["q0", "0"], ["r", "r"], ["q0", ""], ["q1", ""]].forEach(([one, key]) => anew({ place: one, key, visit: 6 })),
        () => news().map(([, { key }]) => key), ["0", "r", "0", ""]],
    ],
  },
  student: {
    given: { visit: 1 },
    steps: [
      [null, () => news().map(([name, { id }]) => name + /^[\da-f]{32}$/.test(id)), ["studenttrue"]],
      [() => [2, 3].forEach((visit) => anew({ visit })), () => new Set(news().map(([, { id }]) => id)).size, 1],
      [() => anew({ visit: "" }), news, []],
    ],
  },
  own_pace: {
    around: SCROLLS,
    given: 3,
    steps: [[3, 40], [4, 0], [3, 0], [3, 40]].map(([number, at]) => (
      [() => { main().scrollTo(0, 40); draw(number); }, () => main().scrollTop, at])),
  },
  join_code: {
    given: { label: "Show", how: "Open", address: "a.test", code: "ABC", picture: "data:,", alt: "Code" },
    steps: [
      [null, () => [texts("p"), attrs("img", "alt"), attrs("dialog", "aria-label")], [["Open", "a.test", "ABC"], ["Code"], ["Code"]]],
      ...[["q", true], ["q", false], ["Q", false], ["x", false]].map(([name, isOpen]) => (
        [() => key(name, document.body), () => attrs("dialog", "open").length && all("dialog")[0].open, isOpen])),
      [() => key("q", document.body, { ctrlKey: true }), () => all("dialog")[0].open, false],
      [() => key("q", place.appendChild(document.createElement("input"))), () => all("dialog")[0].open, false],
      [() => press("button"), () => all("dialog")[0].open, true],
      [() => press("dialog"), () => all("dialog")[0].open, false],
      [() => { localStorage.setItem("attention-single-keys", "off"); key("q", document.body); }, () => all("dialog")[0].open, false],
    ],
  },
  header: {
    around: "<div data-shadow></div>",
    inside: "<div class=path></div>",
    given: { here: "one", shares: true },
    steps: [
      [null, HEADER, ["here,,", "Chapter 1 of 3", "|Two ›", "|Chapters ▾|Clear the ticks-", "Share", "One"]],
      ...[
        [{ read: ["two"], answered: {} }, [",✓ read,", "here,read,", "Chapter 1 of 3, 1 read", false]],
        [{ read: [], answered: { three: ["q"] } }, [",,✓ 1 answered", "here,,", "Chapter 1 of 3", false]],
        [{ read: ["one", "two"], answered: { two: ["q", "r"] } },
          ["✓ read,✓ read, ✓ 2 answered,", "here,read,", "Chapter 1 of 3, 2 read", false]],
        [{ read: [], answered: {} }, [",,", "here,,", "Chapter 1 of 3", true]],
      ].map(([kept, shown]) => [() => { localStorage.setItem(TICKS, JSON.stringify(kept)); draw({}); }, TICKED, shown]),
      [() => { localStorage.setItem(TICKS, '{"read":["two"],"answered":{}}'); draw({}); },
        () => look("backgroundColor", ".dots .read", ".dots span:not(.read, .here)"), ["rgb(162, 157, 186)", "rgba(0, 0, 0, 0)"]],
      [() => press("p button"),
        () => [localStorage.getItem(TICKS), ...TICKED()], [null, ",,", "here,,", "Chapter 1 of 3", true]],
      [() => draw({ here: "two" }), HEADER, [",here,", "Chapter 2 of 3", "‹ One|Three ›", "|Chapters ▾|Clear the ticks-", "Share", "Two"]],
      [() => draw({ here: "more", shares: false }), HEADER, [",,", "3 chapters", "|", "|Chapters ▾|Clear the ticks-", "", "More,More"]],
      [() => anew({ answered: "q" }), () => JSON.parse(localStorage.getItem(TICKS)), { read: [], answered: { more: ["q"] } }],
      [() => ["r", "q"].forEach((answered) => anew({ answered })), () => JSON.parse(localStorage.getItem(TICKS)).answered, { more: ["q", "r"] }],
      [null, () => texts("li"), ["1One5 minneeds nothing", "2Two6 minneeds 1", "3Three7 minneeds 1, 2"]],
    ],
  },
  panel: {
    around: `${SCROLLS}<div class="st-key-lesson"><div data-shadow></div></div>`,
    inside: "<div class=course></div>",
    given: {
      title: "L", at: 0, here: true, alone: false, question: false, stage: "", along: { own: "x" }, begun: 1,
      scenes: ["A", "B", "C"].map((title, n) => ({ title, address: `./?lesson=l.${n + 1}`, minutes: n + 2 })),
    },
    steps: [
      [null, WAY, ["1 / 3|Next →", "?lesson=l.2&own=x"]],
      [null, () => texts("li"), ["A 2 min", "B 3 min", "C 4 min"]],
      [null, () => texts("[aria-current]"), ["A"]],
      // By keys: the way on has the focus in the next scene too; by a press it has not.
      [() => follow(".next", 0), () => [location.search, texts(".state"), FOCUS()], ["?lesson=l.2&own=x", ["The scene is on its way …"], "next"]],
      [() => draw({ at: 1 }), () => [...WAY(), FOCUS(), texts(".aloud")],
        ["← Back|2 / 3|Next →", "?lesson=l.1&own=x", "?lesson=l.3&own=x", "next", ["L: scene 2 of 3. B"]]],
      [null, () => attrs("nav a", "aria-label"), ["Back: A", "Next: C"]],
      // With another button or a key held, the browser opens it in a tab of its own.
      ...["ctrlKey", "metaKey", "shiftKey", "button"].map((held) => (
        [null, () => [clicked(all(".next")[0], { [held]: 1 }), THERE()], [false, "l.2"]])),
      [() => { follow(".next", 1); draw({ at: 2 }); }, () => [...WAY(), FOCUS()],
        ["← Back|3 / 3|The end", "?lesson=l.2&own=x", ""]],
      [() => { follow("nav a", 0); draw({ at: 1 }); }, FOCUS, "next"],
      // What was set there is there again; who looks in which way goes along.
      [() => { history.replaceState({}, "", "?lesson=l.2&present=1&role=student&room=r&screen=1"); draw({}); }, WAY,
        ["← Back|2 / 3|Next →", ...[1, 3].map((n) => `?lesson=l.${n}&own=x&present=1&role=student&room=r&screen=1`)]],
      // Where one looks is no change.
      [() => { history.replaceState({}, "", "?lesson=l.2&step=a&head=2&cell=1&cover=a"); draw({}); }, () => all(".state a").length, 0],
      [() => { history.replaceState({}, "", "?lesson=l.2&mask=none&role=student&cell=1"); draw({}); },
        () => [texts(".state"), search(".state a")],
        [["These words are about the scene as it opens. Show it so again"], ["?lesson=l.2&own=x&role=student&again=1"]]],
      [() => { follow("nav a", 1); draw({ at: 0 }); }, WAY, ["1 / 3|Next →", "?lesson=l.2&mask=none&own=x&role=student"]],
      // On by a stage: at its last step, or at the last that the scene is about; back at the first.
      ...[
        [1, ["p"], false, "l.2"], [1, ["p"], true, "l.3!"], [-1, ["p"], false, "l.2"], [-1, ["a"], false, "l.1!"],
        [1, ["z"], false, "l.3!"], [1, ["a"], false, "l.2"], [-1, ["z"], false, "l.2"],
      ].map(([by, names, last, there]) => [() => at("l.2", { at: 1, stage: "s", first: "a", until: "z" }), () => turned("s", by, names, last), there]),
      [() => at("l.2", { at: 1 }), () => turned("other", 1, ["z"], true), "l.2"],
      [() => at("l.1", { at: 0 }), () => turned("s", -1, ["a"], false), "l.1"],
      [() => at("l.3", { at: 2 }), () => turned("s", 1, ["z"], false), "l.3"],
      [() => at("l.2", { at: 1, alone: true }), () => turned("s", 1, ["z"], false) + WAY(), "l.2!"],
      // By a remote without a stage, where the page is at its end, or at its top.
      ...[["PageDown", 0, "l.2"], ["PageDown", 999, "l.3"], ["PageUp", 40, "l.2"], ["PageUp", 0, "l.1"]].map(([name, top, there]) => (
        [() => { at("l.2&present=1", { at: 1, alone: false, stage: "" }); main().scrollTo(0, top); key(name, document.body); }, THERE, there])),
      [() => { at("l.2", { at: 1 }); main().scrollTo(0, 999); key("PageDown", document.body); }, THERE, "l.2"],
      [() => draw({ here: false }), () => WAY()[0], "Back to “B”"],
    ],
  },
  history: {
    steps: [["?x=1", 0], ["/other?x=1", 1], ["?x=2", 0], ["/", 1]].map(([address, more]) => [
      () => { localStorage.before = history.length; history.pushState({}, "", address); },
      () => [history.length - localStorage.before, location.pathname + location.search],
      [more, address.startsWith("/") ? address : `${address === "?x=1" ? "/" : "/other"}${address}`]]),
  },
  lesson_links: {
    around: `<div data-testid="stMarkdownContainer"><a href="/there">a</a><a href="#here">b</a><a href="http://other.test/">c</a></div>
      <div data-testid="stCaptionContainer"><a href="/here">d</a></div><a href="/no">e</a>`,
    steps: [[0, true, "/there"], [1, false, "/there"], [2, false, "/there"], [3, true, "/here"], [4, false, "/here"]].map(
      ([at, isKept, path]) => [null, () => [clicked(document.querySelectorAll("a")[at]), location.pathname], [isKept, path]]),
  },
  options: {
    around: `<div class="st-key-question_class_1"><div role="radiogroup"><label><p>A</p></label></div></div>
      <div class="st-key-room_options"><ol><li>A</li></ol></div>
      <table class="vote-bars"><tr><th scope="row">A</th></tr><tr class="right"><th scope="row">B</th></tr></table>`,
    steps: [
      [null, () => getComputedStyle(document.querySelector("label p"), "::before").content,
        'counter(option, upper-alpha) "\u2002"'],
      [null, () => [["ol", "listStyleType"], ["label", "counterIncrement"], ["[role]", "counterReset"], ["th", "fontWeight"],
        [".right th", "fontWeight"]].map(([what, property]) => getComputedStyle(document.querySelector(what))[property]),
        ["upper-alpha", "option 1", "option 0", "400", "700"]],
    ],
  },
});
