"""The colours of maps of heads, as a browser has painted them."""

DOTS = """(canvas) => {
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const dots = Array.from(new Uint32Array(data.buffer));
  return Array.from({ length: height }, (_, row) => dots.slice(row * width, (row + 1) * width));
}"""
"""The colours of a canvas, row by row."""
STRONGEST = """(grid) => {
  const probe = Object.assign(document.createElement("span"), { className: "w20" });
  const pen = document.createElement("canvas").getContext("2d");
  grid.append(probe);
  pen.fillStyle = getComputedStyle(probe).backgroundColor;
  probe.remove();
  pen.fillRect(0, 0, 1, 1);
  return new Uint32Array(pen.getImageData(0, 0, 1, 1).data.buffer)[0];
}"""
"""The last colour of the scale of weights."""
