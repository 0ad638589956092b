// Charts on paper. Streamlit keeps them as wide as they are on the screen and cuts what is beyond the
// sheet: they are printed smaller instead. And what WebGL has drawn does not reach the paper: a copy does.

(() => {
  const SHEET = 718; // A4 between margins of 10 mm
  const once = Symbol.for("attention-printing");
  if (globalThis[once]) return;
  globalThis[once] = true;
  const paper = matchMedia("print");
  const charts = () => [...document.querySelectorAll(".js-plotly-plot")];
  const width = (chart) => Number(chart.querySelector(".main-svg")?.getAttribute("width"));
  let copies = [];

  // Charts into rooms of these widths. Done before the sheets are counted; a chart that has less room
  // than a sheet becomes smaller still.
  function fit(shown, rooms) {
    shown.forEach((chart, number) => {
      const size = Math.min(1, rooms[number] / width(chart) || 1);
      chart.style.setProperty("--on-paper", size);
      chart.toggleAttribute("data-smaller", size < 0.8);
    });
  }

  function laidOut() {
    const shown = charts();
    if (paper.matches) fit(shown, shown.map((chart) => Math.min(SHEET, chart.parentElement.clientWidth)));
  }

  function copied(chart) {
    const [name] = chart._fullLayout?._subplots?.gl3d || [];
    const drawn = chart.querySelector(".gl-container canvas");
    if (!name || !drawn) return;
    chart._fullLayout[name]._scene.glplot.redraw(); // else it is blank by now
    const copy = drawn.cloneNode();
    copy.className = "on-paper";
    copy.getContext("2d").drawImage(drawn, 0, 0);
    drawn.after(copy);
    copies.push(copy);
  }

  function before() {
    after();
    fit(charts(), charts().map(() => SHEET));
    charts().forEach(copied);
  }

  function after() {
    fit(charts(), charts().map(() => Infinity));
    copies.forEach((copy) => copy.remove());
    copies = [];
  }

  paper.addEventListener("change", laidOut);
  addEventListener("beforeprint", before);
  addEventListener("afterprint", after);
})();
