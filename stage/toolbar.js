// A group of choices on the toolbar, one of which holds: arrow keys move among them.

function choices(key, word, options, chosen, choose) {
  const group = element("div", "choices");
  group.dataset.control = key;
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-label", word);
  const label = element("span", "word", word);
  label.setAttribute("aria-hidden", "true");
  group.append(label);
  const buttons = options.map(([value, text]) => {
    const button = element("button", "choice", text);
    button.type = "button";
    button.dataset.value = value;
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", String(value === chosen));
    button.tabIndex = value === chosen ? 0 : -1;
    button.onclick = () => choose(value);
    return button;
  });
  if (!buttons.some((button) => button.tabIndex === 0)) buttons[0].tabIndex = 0;
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
