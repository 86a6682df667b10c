// Plots as SVG, drawn at the size they are shown in so that text and lines are crisp at every width.
import { colourOf, dashOf } from "./colours.js";
import { logTicks, number, ticks } from "./format.js";

/**
 * `x`, `y`: { label, log }. `lines`: [{ label, run, points: [[x, y], ...], dots, dash, loose, mark }]; `loose` lines do not
 * widen the axes (what blew up would flatten all others), `mark` puts the sign of divergence at their end.
 */
export class Plot {
  constructor(element, { label, x, y, lines, cursor, tip }) {
    Object.assign(this, { element, label, x, y, lines, cursor, tip });
    this.time = null;
    this.figure = document.createElement("div");
    this.figure.className = "figure";
    this.tooltip = document.createElement("div");
    this.tooltip.className = "tip";
    this.tooltip.hidden = true;
    element.append(this.figure, this.tooltip);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.figure);
  }

  set(changes) {
    Object.assign(this, changes);
    this.draw();
  }

  draw() {
    const width = this.figure.clientWidth;
    if (!width) return;
    const height = Math.round(Math.min(Math.max(width * 0.55, 200), parseFloat(getComputedStyle(this.figure).maxHeight)));
    this.area = { left: 52, right: width - 12, top: 10, bottom: height - 40 };
    const { left, right, top, bottom } = this.area;
    this.across = axis(this.x, range(this.lines, 0, this.x), left, right);
    this.upwards = axis(this.y, range(this.lines, 1, this.y), bottom, top);

    const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.label });
    const clip = `clip-${(this.number ??= Plot.count++)}`;
    svg.append(make("clipPath", { id: clip }, make("rect", { x: left, y: top - 4, width: right - left + 4, height: bottom - top + 8 })));
    for (const value of this.across.ticks(Math.floor((right - left) / 70))) {
      const at = this.across.place(value);
      svg.append(make("line", { class: "rule", x1: at, x2: at, y1: top, y2: bottom }));
      svg.append(make("text", { x: at, y: bottom + 16, "text-anchor": "middle" }, number(value)));
    }
    for (const value of this.upwards.ticks(Math.floor((bottom - top) / 38))) {
      const at = this.upwards.place(value);
      svg.append(make("line", { class: "rule", x1: left, x2: right, y1: at, y2: at }));
      svg.append(make("text", { x: left - 6, y: at + 4, "text-anchor": "end" }, number(value)));
    }
    svg.append(make("text", { class: "axis", x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, this.x.label));
    const side = { class: "axis", transform: `translate(11 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle" };
    svg.append(make("text", side, this.y.label));

    const drawing = make("g", { "clip-path": `url(#${clip})` });
    for (const line of this.lines) this.drawLine(drawing, line);
    svg.append(drawing);
    this.rod = make("line", { class: "cursor", y1: top, y2: bottom, visibility: "hidden" });
    svg.append(this.rod);
    this.figure.replaceChildren(svg);
    this.moveCursor(this.time);
  }

  drawLine(drawing, { run, points, dots, dash, mark }) {
    const colour = colourOf(run);
    const places = points.map(([x, y]) => (defined(x, this.x) && defined(y, this.y) ? [this.across.place(x), this.upwards.place(y)] : null));
    if (!dots || dots === "joined") {
      let path = "";
      let pen = "M";
      for (const at of places) {
        if (at) path += `${pen}${at[0].toFixed(1)} ${at[1].toFixed(1)}`;
        pen = at ? "L" : "M";
      }
      if (path) drawing.append(make("path", { class: "line", d: path, style: `stroke:${colour}`, "stroke-dasharray": dash ?? dashOf(run) }));
    }
    if (dots) for (const at of places) if (at) drawing.append(make("circle", { class: "dot", cx: at[0], cy: at[1], r: 3.5, style: `fill:${colour}` }));
    if (!mark) return;
    const end = places.findLast(Boolean);
    if (!end) return;
    const { left, right, top, bottom } = this.area;
    const [x, y] = [clamp(end[0], left + 7, right - 7), clamp(end[1], top + 7, bottom - 7)];
    const sign = make("g", { class: "sign", style: `stroke:${colour}` });
    sign.append(make("circle", { cx: x, cy: y, r: 6.5 }), make("path", { d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` }));
    drawing.append(sign);
  }

  /** The rod that follows the clock. */
  moveCursor(time) {
    this.time = time;
    if (!this.rod || time === null) return;
    const at = this.across.place(time).toFixed(1);
    this.rod.setAttribute("visibility", "visible");
    this.rod.setAttribute("x1", at);
    this.rod.setAttribute("x2", at);
  }

  listen() {
    const { figure } = this;
    const seek = (event) => this.cursor(this.across.value(event.clientX - figure.getBoundingClientRect().left));
    figure.addEventListener("pointerdown", (event) => {
      if (!this.cursor || !this.across) return;
      figure.setPointerCapture(event.pointerId);
      seek(event);
    });
    figure.addEventListener("pointermove", (event) => {
      if (!this.across) return;
      if (this.cursor && event.buttons) seek(event);
      this.showTip(event);
    });
    figure.addEventListener("pointerleave", () => (this.tooltip.hidden = true));
    figure.classList.toggle("seeks", Boolean(this.cursor));
  }

  showTip(event) {
    const box = this.figure.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const { left, right, top, bottom } = this.area;
    const content = x >= left && x <= right && y >= top && y <= bottom ? this.tip(this, x, y) : null;
    this.tooltip.hidden = !content;
    if (!content) return;
    this.tooltip.replaceChildren(...content);
    const width = this.tooltip.offsetWidth;
    this.tooltip.style.left = `${clamp(x + 14 + width > box.width ? x - width - 14 : x + 14, 0, Math.max(box.width - width, 0))}px`;
    this.tooltip.style.top = `${top}px`;
  }
}
Plot.count = 0;

/** A row of a tooltip or legend: the run's sign, its name and a value. */
export function entry(run, label, value) {
  const row = document.createElement("div");
  row.className = "entry";
  row.append(swatch(run), label);
  if (value !== undefined) {
    const number = document.createElement("b");
    number.textContent = value;
    row.append(number);
  }
  return row;
}

/** The sign of a run: a short piece of its line. */
export function swatch(run) {
  const svg = make("svg", { class: "swatch", width: 18, height: 10, viewBox: "0 0 18 10", "aria-hidden": "true" });
  svg.append(make("path", { d: "M0 5H18", style: `stroke:${colourOf(run)}`, "stroke-width": 4, "stroke-dasharray": dashOf(run) }));
  return svg;
}

/** The point nearest to a place on the screen, if one is near. */
export function nearest(plot, x, y) {
  let best = null;
  for (const line of plot.lines) {
    for (const point of line.points) {
      if (!defined(point[0], plot.x) || !defined(point[1], plot.y)) continue;
      const apart = Math.hypot(plot.across.place(point[0]) - x, plot.upwards.place(point[1]) - y);
      if (apart < 40 && (!best || apart < best.apart)) best = { apart, line, point };
    }
  }
  return best;
}

function range(lines, c, { log, zero }) {
  const firm = lines.some((line) => !line.loose) ? lines.filter((line) => !line.loose) : lines;
  let [low, high] = [Infinity, -Infinity];
  for (const { points } of firm) {
    for (const point of points) {
      if (!defined(point[c], { log })) continue;
      low = Math.min(low, point[c]);
      high = Math.max(high, point[c]);
    }
  }
  if (zero) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  if (!(low <= high)) return log ? [0.1, 10] : [0, 1];
  if (log) return low === high ? [low / 2, high * 2] : [low, high];
  // Room in which a line that leaves can be seen leaving.
  if (c === 1 && lines.some(({ loose, points }) => loose && points.some((point) => point[1] > high))) high += 0.2 * (high - low);
  return low === high ? [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2] : [low, high];
}

function axis({ log, tight }, [low, high], from, to) {
  const scale = log ? Math.log10 : (v) => v;
  let [a, b] = [scale(low), scale(high)];
  if (!tight) [a, b] = [a - 0.05 * (b - a), b + 0.05 * (b - a)];
  const back = log ? (v) => 10 ** v : (v) => v;
  return {
    // Far outside is as good as a little outside, and SVG has no large numbers.
    place: (v) => clamp(from + ((scale(v) - a) / (b - a)) * (to - from), Math.min(from, to) - 2000, Math.max(from, to) + 2000),
    value: (at) => back(a + ((at - from) / (to - from)) * (b - a)),
    ticks: (wanted) => (log ? logTicks : ticks)(back(a), back(b), Math.max(wanted, 2)),
  };
}

const defined = (v, { log }) => Number.isFinite(v) && (!log || v > 0);
const clamp = (v, low, high) => Math.min(Math.max(v, low), high);

function make(name, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) if (value !== "") element.setAttribute(key, value);
  element.append(...children);
  return element;
}
