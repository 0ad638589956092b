// Carries data to a stage, or another component, of the page: see streamlit.js. It comes as bytes, which are new ones at
// every run of the page, also where they say what they said before.

const said = new WeakMap();

export default function ({ data, parentElement }) {
  const text = new TextDecoder().decode(data);
  if (said.get(parentElement) === text) return;
  said.set(parentElement, text);
  const { stage, news } = JSON.parse(text);
  const register = (globalThis[Symbol.for("attention-told")] ||= new Map());
  const told = register.get(stage) || {};
  register.set(stage, Object.assign(told, news));
  told.hear?.();
}
