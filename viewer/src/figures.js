// The plots of a report: energies over time, work against precision, artificial damping against the step.
import { gaveUp, moment, number, span } from "./format.js";
import { Plot, entry, nearest } from "./plots.js";

const ENERGIES = ["total", "kinetic", "elastic", "loads"];

/** Energies of all runs over time, with a cursor at the clock. */
export function energyPlot(element, meta, clock) {
  const present = ENERGIES.filter((name) => meta.live || meta.runs.some((run) => run.series?.[name]?.length));
  if (!present.length) return null;
  const lines = (name) =>
    meta.runs.map((run, i) => ({
      label: run.label,
      run: i,
      points: (run.series?.[name] ?? []).map((value, k) => [run.series.t[k], value]),
      loose: gaveUp(run),
      mark: gaveUp(run),
    }));
  const { body, head } = panel(element, "Energy");
  const plot = new Plot(body, {
    label: "Energy of every run over time",
    x: { label: "time [s]", tight: true },
    y: { label: "total energy [J]" },
    lines: lines("total"),
    cursor: (time) => clock.seek(time),
    tip: (self, x) => {
      const time = self.across.value(x);
      return [text(`t = ${moment(time, clock.end)} s`), ...self.lines.map((line) => entry(line.run, line.label, number(at(line.points, time))))];
    },
  });
  const choice = document.createElement("div");
  choice.className = "choice";
  choice.setAttribute("role", "group");
  choice.setAttribute("aria-label", "Which energy");
  let chosen = present[0];
  const choose = (name) => {
    chosen = name;
    for (const button of choice.children) button.setAttribute("aria-pressed", button.dataset.energy === name);
    plot.set({ lines: lines(name), y: { label: `${name} energy [J]` }, label: `${name} energy of every run over time` });
  };
  for (const name of present) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.dataset.energy = name;
    button.addEventListener("click", () => choose(name));
    choice.append(button);
  }
  head.append(choice);
  choose(present[0]);
  // The method of a live run changes, and there is one line only.
  if (!meta.live) legend(body, meta.runs.map((run, i) => [i, run.label]));
  clock.onchange(() => plot.moveCursor(clock.time));
  plot.moveCursor(clock.time);
  plot.refresh = () => choose(chosen);
  return plot;
}

/** Error against what a simulated second costs: low and left is better. */
export function precisionPlot(element, meta) {
  if (!meta.precision?.length) return null;
  const { body } = panel(element, "Work against precision");
  const lines = meta.precision.map(({ label, points }, i) => ({ label, run: runOf(meta, label, i), points, dots: "joined" }));
  const plot = new Plot(body, {
    label: "Error against computing time, both logarithmic",
    x: { label: "cost of a simulated second [ms]", log: true },
    y: { label: meta.precision_axis ?? "error", log: true },
    lines,
    tip: (self, x, y) => {
      const found = nearest(self, x, y);
      if (!found) return null;
      const [cost, error, step] = found.point;
      const rows = [entry(found.line.run, found.line.label), text(`${number(cost)} ms per simulated second`), text(`error ${number(error)}`)];
      return step ? [...rows, text(`h = ${span(step)}`)] : rows;
    },
  });
  legend(body, lines.map((line) => [line.run, line.label]));
  return plot;
}

/** Artificial damping of an undamped oscillation by a method: lines by formula, dots measured. */
export function dampingPlot(element, meta) {
  const curves = meta.damping?.curves;
  if (!curves?.length) return null;
  const { body } = panel(element, "Artificial damping");
  const lines = curves.flatMap(({ label, h_omega, formula, measured }, i) => {
    const run = runOf(meta, label, i);
    return [
      { label, run, points: (h_omega ?? []).map((x, k) => [x, formula?.[k]]) },
      { label, run, points: measured ?? [], dots: true, measured: true },
    ];
  });
  const steps = lines.flatMap(({ points }) => points.map(([x]) => x)).filter((x) => x > 0);
  const plot = new Plot(body, {
    label: "Artificial damping against the step times the frequency",
    x: { label: "step × frequency, hω", log: Math.max(...steps) > 20 * Math.min(...steps) },
    y: { label: meta.damping.axis ?? "artificial damping d/ω", zero: true },
    lines,
    tip: (self, x, y) => {
      const found = nearest(self, x, y);
      if (!found) return null;
      const way = found.line.measured ? "measured" : "formula";
      return [entry(found.line.run, found.line.label), text(`hω = ${number(found.point[0])}`), text(`${way}: ${number(found.point[1])}`)];
    },
  });
  legend(body, curves.map(({ label }, i) => [runOf(meta, label, i), label]), "line: formula, dots: measured");
  return plot;
}

/** The run that a curve belongs to, so that it has its colour; else one that no run has. */
function runOf(meta, label, i) {
  let found = meta.runs.findIndex((run) => run.label === label);
  if (found < 0) found = meta.runs.findIndex((run) => run.method === label);
  return found < 0 ? meta.runs.length + i : found;
}

/** The value of a line at a time, between its samples. */
function at(points, time) {
  if (!points.length || time > points.at(-1)[0]) return null;
  const after = points.findIndex(([t]) => t >= time);
  if (after <= 0) return points[0][1];
  const [[t0, v0], [t1, v1]] = [points[after - 1], points[after]];
  return v0 === null || v1 === null ? null : v0 + ((time - t0) / (t1 - t0)) * (v1 - v0);
}

function panel(element, title) {
  const section = document.createElement("section");
  section.className = "panel";
  const head = document.createElement("div");
  head.className = "head";
  const name = document.createElement("h2");
  name.textContent = title;
  head.append(name);
  const body = document.createElement("div");
  body.className = "plot";
  section.append(head, body);
  element.append(section);
  return { head, body };
}

function legend(body, entries, note) {
  const list = document.createElement("div");
  list.className = "entries";
  list.append(...entries.map(([run, label]) => entry(run, label)));
  if (note) list.append(text(note));
  body.append(list);
}

function text(content) {
  const row = document.createElement("div");
  row.className = "note";
  row.textContent = content;
  return row;
}
