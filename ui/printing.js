// Charts on paper: Streamlit keeps them as wide as they are on the screen and cuts what is beyond the
// sheet. They are printed smaller instead.

(() => {
  const once = Symbol.for("attention-printing");
  if (globalThis[once]) return;
  globalThis[once] = true;
  const paper = matchMedia("print");
  const width = (chart) => Number(chart.querySelector(".main-svg")?.getAttribute("width"));
  paper.addEventListener("change", () => {
    const charts = [...document.querySelectorAll(".js-plotly-plot")];
    const rooms = charts.map((chart) => chart.parentElement.clientWidth / width(chart));
    charts.forEach((chart, number) => {
      chart.style.setProperty("--on-paper", paper.matches ? Math.min(1, rooms[number] || 1) : 1);
    });
  });
})();
