// Text over a player: the run and its progress.
import { gaveUp, span, when } from "./format.js";
import { swatch } from "./plots.js";

export class Cell {
  /** `note`: what is to be known of what is drawn. */
  constructor(grid, run, i, count, note = "") {
    this.run = run;
    this.note = note;
    this.element = node("figure", "player");
    this.element.tabIndex = 0;
    this.element.classList.toggle("alone", count === 1);
    this.element.classList.toggle("wide", count === 2);
    const columns = count <= 3 ? count : count === 4 ? 2 : count <= 9 ? 3 : 4;
    grid.style.setProperty("--columns", columns);
    grid.style.setProperty("--narrow", count <= 2 ? 1 : 2);

    const caption = node("figcaption");
    this.name = node("span", "name");
    this.name.append(swatch(i), document.createTextNode(""));
    this.facts = node("span", "facts");
    caption.append(this.name, this.facts);
    this.state = node("div", "state");

    // The papers' sign for a run that diverged.
    this.cross = node("div", "cross");
    this.cross.hidden = true;
    this.moment = node("div", "when");
    this.cause = node("div", "cause");
    this.cross.append(node("div", "sign", "⊗"), this.moment, this.cause);
    this.tell();
    this.element.append(caption, this.cross, this.state);
    // Before the canvas, which is drawn over the ground of players and under what is written here.
    grid.insertBefore(this.element, grid.lastElementChild);
  }

  /** Writes what is known of the run; of a live one it changes. */
  tell() {
    const { run } = this;
    this.element.setAttribute("aria-label", `${run.label}: drag to turn, wheel or + and - to zoom, keys w a s d to turn`);
    this.name.lastChild.data = ` ${run.label}`;
    const facts = [run.method !== run.label ? run.method : "", run.step ? `h = ${span(run.step)}` : "", this.note].filter(Boolean);
    write(this.facts, facts.join(" · "));
    const word = run.outcome === "failed" ? "failed" : "diverged";
    write(this.moment, Number.isFinite(run.diverged_at) ? `${word} at ${when(run.diverged_at)}` : word);
    write(this.cause, run.message ?? "");
  }

  /** At time `time` [s]. */
  show(player, time) {
    this.cross.hidden = !player.ended;
    write(this.state, this.words(player, time));
  }

  words(player, time) {
    const { frames } = player;
    if (frames.failure) return `cannot be shown to its end: ${frames.failure}`;
    if (this.run.words) return this.run.words;
    if (frames.available < this.run.frames) return `decoding ${Math.floor((100 * frames.available) / this.run.frames)} %`;
    if (gaveUp(this.run)) return player.ended ? "" : `${this.run.outcome === "failed" ? "fails" : "diverges"} at ${when(this.run.diverged_at)}`;
    if (this.run.outcome === "stopped") return "stopped before its end";
    const kept = keptAt(this.run, time);
    return kept === null ? this.run.outcome : `energy ${Math.round(100 * kept)} %`;
  }
}

/** Energy at a time over that at the beginning, where the whole run has such a share; else null. */
function keptAt({ energy_kept, series }, time) {
  if (!Number.isFinite(energy_kept) || !(series?.total?.[0] > 0)) return null;
  const later = series.t.findIndex((t) => t >= time);
  const total = series.total.at(later < 0 ? -1 : later);
  return Number.isFinite(total) ? total / series.total[0] : null;
}

/** Changes text only where it differs: a page that is laid out anew every frame is slow. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function node(name, kind = "", text = "") {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  element.textContent = text;
  return element;
}
