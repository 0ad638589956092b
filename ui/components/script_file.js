// Stands for a component's script, which it fetches with its styles from a file of the server
// (script_files.py). What fails once is asked for again.

const file = new URL(ADDRESS, document.baseURI).href;
const { default: run, COMPONENT_STYLES } = await import(file).catch(() => import(`${file}?again`));
const sheet = new CSSStyleSheet();
sheet.replaceSync(COMPONENT_STYLES);

export default (component) => {
  const { adoptedStyleSheets } = component.parentElement.getRootNode();
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
  return run(component);
};
