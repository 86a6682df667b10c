// The runs in numbers: a table, which becomes one card per run where it is too narrow.
import { gaveUp, number, percent, span, when } from "./format.js";
import { swatch } from "./plots.js";

const COLUMNS = [
  ["step", (run) => span(run.step)],
  ["ms per step", (run) => number(run.ms_per_step)],
  ["steps", (run) => number(run.steps, 6)],
  ["energy kept", (run) => percent(run.energy_kept)],
  ["error", (run) => number(run.error)],
  ["diverged at", (run) => (gaveUp(run) ? `⊗ ${run.outcome === "failed" ? "failed, " : ""}${when(run.diverged_at)}` : run.outcome === "stopped" ? "stopped" : "–")],
  ["work", (run) => work(run.work)],
];

export function drawTable(element, meta) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const name of ["run", ...COLUMNS.map(([name]) => name)]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    head.append(cell);
  }
  const body = table.createTBody();
  meta.runs.forEach((run, i) => {
    const row = body.insertRow();
    row.classList.toggle("diverged", gaveUp(run));
    const name = document.createElement("th");
    name.scope = "row";
    name.append(swatch(i), run.label);
    row.append(name);
    for (const [column, value] of COLUMNS) {
      const cell = row.insertCell();
      cell.dataset.column = column;
      cell.textContent = value(run);
      if (column === "work") cell.className = "work";
    }
  });
  element.append(table);
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = meta.reference ? `Error against ${meta.reference}.` : "";
  if (meta.reference) element.append(note);
}

function work(counts) {
  const parts = Object.entries(counts ?? {}).filter(([, count]) => count);
  return parts.map(([name, count]) => `${number(count, 6)} ${name.replaceAll("_", " ")}`).join(", ") || "–";
}
