// Carries data to a stage of the page: see streamlit.js.

export default function ({ data }) {
  const register = (globalThis[Symbol.for("attention-told")] ||= new Map());
  const told = register.get(data.stage) || {};
  register.set(data.stage, Object.assign(told, data.news));
  told.hear?.();
}
