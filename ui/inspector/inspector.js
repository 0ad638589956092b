// "This number": built once, then told what the selected cell's arithmetic is.

const FRONT_END = 'script[type="module"][src*="/static/js/"]';
const shown = new WeakMap(); // a component's element → its parts and what they have to say
let katex;

// KaTeX stands beside the script that started the page.
function loaded(name) {
  katex ??= name
    ? import(new URL(name, document.querySelector(FRONT_END).src).href).then((module) => module.default)
    : Promise.reject(new Error("no KaTeX"));
  return katex;
}

function build(root) {
  const parts = {
    title: element("strong", ""),
    words: element("p", "words"),
    maths: element("div", "maths"),
    feeds: element("p", "feeds"),
    copying: element("div", "copying"),
    said: element("span", "said"),
    text: element("textarea", "by-hand"),
  };
  parts.said.setAttribute("role", "status");
  parts.text.readOnly = true;
  parts.text.hidden = true;
  parts.text.setAttribute("aria-label", "The arithmetic, to be copied by hand");
  for (const [label, key] of [["Copy as LaTeX", "latex"], ["Copy as text", "plain"]]) {
    const button = element("button", "copy", label);
    button.type = "button";
    button.onclick = () => copy(parts, parts.data[key]);
    parts.copying.append(button);
  }
  parts.copying.append(parts.said);
  const box = element("section", "this-number");
  box.setAttribute("aria-label", "This number");
  box.append(parts.title, parts.words, parts.maths, parts.feeds, parts.copying, parts.text);
  root.append(box);
  return parts;
}

// Over plain http a page has no clipboard: then the text is there to be selected.
async function copy(parts, text) {
  parts.text.hidden = true;
  try {
    await navigator.clipboard.writeText(text);
    parts.said.textContent = "Copied.";
  } catch {
    parts.text.value = text;
    parts.text.rows = Math.min(8, text.split("\n").length + 1);
    parts.text.hidden = false;
    parts.text.select();
    parts.said.textContent = "Selected: copy it with your keyboard.";
  }
}

async function draw(parts) {
  const { title, words, latex, plain, feeds, katex: name } = parts.data;
  const typesetter = await loaded(name).catch(() => null);
  if (parts.data.latex !== latex) return; // another number came in the meantime, and draws itself
  parts.title.textContent = title;
  parts.words.textContent = words;
  parts.feeds.textContent = feeds;
  parts.said.textContent = "";
  parts.text.hidden = true;
  if (typesetter) {
    typesetter.render(latex, parts.maths, { displayMode: true, throwOnError: false, strict: "ignore" });
  } else parts.maths.replaceChildren(element("pre", "", plain));
}

export default function ({ parentElement: root, data }) {
  if (!shown.has(root)) shown.set(root, build(root));
  const parts = shown.get(root);
  const told = JSON.stringify(data);
  if (parts.told === told) return;
  parts.told = told;
  parts.data = data;
  // The stage comes first: its numbers are painted before their arithmetic is typeset.
  requestAnimationFrame(() => setTimeout(() => draw(parts)));
}
