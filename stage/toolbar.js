// A group of choices on the toolbar, one of which holds: arrow keys move among them.

function choices({ key, word, options, choose }) {
  const group = element("div", "choices");
  group.dataset.control = key;
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", word);
  const label = prose("span", "word", word);
  label.setAttribute("aria-hidden", "true");
  group.append(label);
  const buttons = options.map(([, text]) => {
    const button = element("button", "choice", text);
    button.type = "button";
    button.setAttribute("role", "radio");
    button.onclick = () => choose(button.dataset.value);
    return button;
  });
  group.append(...buttons);
  group.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const next = buttons[(buttons.indexOf(event.target) + by + buttons.length) % buttons.length];
    choose(next.dataset.value);
  });
  return group;
}

// What a group's options stand for now, and the one that holds, which is reached by Tab; the first is
// where none holds.
function hold(group, { options, chosen }) {
  const buttons = [...group.querySelectorAll(".choice")];
  const now = options.findIndex(([value]) => value === chosen);
  buttons.forEach((button, number) => {
    button.dataset.value = options[number][0];
    button.setAttribute("aria-checked", String(number === now));
    button.tabIndex = number === Math.max(now, 0) ? 0 : -1;
  });
}
