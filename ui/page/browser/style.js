// The page's style sheet. One that is adopted comes after all others, also after those that Streamlit
// adds later. STYLE is put before this script (ui/page/first_paint.py).

const sheet = (globalThis[Symbol.for("attention-style")] = new CSSStyleSheet());
document.adoptedStyleSheets.push(sheet);
sheet.replaceSync(STYLE);
