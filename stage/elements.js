// What every component builds its part of the page from. Text is always a text node.
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const MINUS = "\u2212";

// A number's text with real minus signs.
function minus(text) {
  return text.replace("inf", "∞").replaceAll("-", MINUS);
}
