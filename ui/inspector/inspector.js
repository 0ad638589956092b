// "This number": built once, then told what the selected cell's arithmetic is.

const FRONT_END = 'script[type="module"][src*="/static/js/"]';
const shown = new WeakMap(); // a component's element → its parts, and what they were told last
let katex;

// KaTeX stands beside the script that started the page. null where it cannot be had.
async function loaded(name) {
  try {
    katex ??= (await import(new URL(name, document.querySelector(FRONT_END).src).href)).default;
  } catch {
    return null;
  }
  return katex;
}

function build(root) {
  const parts = {
    title: element("strong"),
    words: element("p"),
    maths: element("div", "maths"),
    feeds: element("p"),
    copying: element("div", "copying"),
    said: element("span", "said"),
    text: element("textarea", "by-hand"),
  };
  parts.said.setAttribute("role", "status");
  parts.text.readOnly = true;
  parts.text.hidden = true;
  parts.text.setAttribute("aria-label", "The arithmetic, to be copied by hand");
  for (const [form, key] of [["LaTeX", "latex"], ["text", "plain"]]) {
    const button = element("button", "copy", `Copy as ${form}`);
    button.type = "button";
    button.onclick = () => copy(parts, parts.data[key], form);
    parts.copying.append(button);
  }
  parts.copying.append(parts.said);
  const box = element("div", "this-number");
  box.append(parts.title, parts.words, parts.maths, parts.feeds, parts.copying, parts.text);
  root.append(box);
  return parts;
}

// Over plain http a page has no clipboard: then the text is there to be selected.
async function copy(parts, text, form) {
  parts.said.textContent = "";
  parts.text.hidden = true;
  try {
    await navigator.clipboard.writeText(text);
    parts.said.textContent = `Copied as ${form}.`;
  } catch {
    parts.text.value = text;
    parts.text.rows = Math.min(8, text.split("\n").length + 1);
    parts.text.hidden = false;
    parts.text.focus();
    parts.text.select();
    parts.said.textContent = "Selected: copy it with your keyboard.";
  }
}

async function draw(parts, data) {
  if (parts.data !== data) return; // another number came in the meantime
  parts.title.textContent = data.title;
  parts.words.textContent = data.words;
  parts.feeds.textContent = data.feeds;
  parts.said.textContent = "";
  parts.text.hidden = true;
  const typesetter = await loaded(data.katex);
  if (parts.data !== data) return;
  if (typesetter) typeset(typesetter, data.latex, parts.maths);
  else parts.maths.replaceChildren(element("pre", "", data.plain));
}

// The module is of a later KaTeX than Streamlit's style sheet, which does not know the prefix that
// class names have got since: they get both names.
function typeset(typesetter, latex, place) {
  typesetter.render(latex, place, { displayMode: true, throwOnError: false, strict: "ignore" });
  place.querySelectorAll('[class*="katex-"]').forEach(({ classList }) => {
    classList.add(...[...classList].map((name) => name.replace("katex-", "")));
  });
}

export default function ({ parentElement: root, data }) {
  if (!shown.has(root)) shown.set(root, build(root));
  const parts = shown.get(root);
  const told = JSON.stringify(data);
  if (parts.told === told) return;
  Object.assign(parts, { told, data });
  // The stage comes first: its numbers are painted before their arithmetic is typeset.
  requestAnimationFrame(() => setTimeout(() => draw(parts, data)));
}
