// Puts the report together: facts into the page, frames into players, one clock and one view over all.
import { readMeta, readShape, recordedSource } from "./data.js";
import { Clock, LiveClock } from "./clock.js";
import { LiveFrames } from "./live.js";
import { interfere } from "./interfere.js";
import { View, orbitBy } from "./orbit.js";
import { Body, Player } from "./player.js";
import { Stage } from "./stage.js";
import { Cell } from "./cell.js";
import { bodyColour, defineColours, drawLegend, mapOf } from "./colours.js";
import { obstaclesOf, withBalls } from "./obstacles.js";
import { boundsOf } from "./normals.js";
import { connect } from "./controls.js";
import { dampingPlot, energyPlot, precisionPlot } from "./figures.js";
import { drawTable } from "./table.js";
import { number } from "./format.js";
import { timing } from "./timing.js";

const byId = (id) => document.getElementById(id);

async function start() {
  defineColours(document.documentElement);
  const meta = readMeta();
  if (!meta) throw new Error("This page has no data in it: reports are made by pliant compare.");
  writeFacts(meta);

  const source = meta.live ? [new LiveFrames(meta)] : recordedSource(meta);
  const clock = new (meta.live ? LiveClock : Clock)(meta.times, () => reach(meta, source));
  const { every = 1 } = meta.shape;
  const note = every > 1 ? `1 in ${every} particles is drawn` : "";
  const cells = meta.runs.map((run, i) => new Cell(byId("players"), run, i, meta.runs.length, note));
  const energies = energyPlot(byId("plots"), meta, clock);
  precisionPlot(byId("plots"), meta);
  dampingPlot(byId("plots"), meta);
  if (!meta.live) drawTable(byId("runs"), meta);
  for (const id of ["looks", "transport", "runs", "repeat"]) byId(id).hidden = Boolean(meta.live) && id === "runs";

  const shape = await readShape(meta);
  const body = new Body(meta, shape);
  const obstacles = meta.obstacles ?? [];
  const seen = sight(meta, shape);
  const players = meta.runs.map((run, i) => new Player(body, source[i], run, bodyColour(i), obstaclesOf(obstacles, ...seen)));
  const view = new View(...withBalls(obstacles, ...seen), meta.up ?? [0, 0, 1]);
  const stage = openStage(cells);
  let stale = true;
  const redraw = () => (stale = true);
  view.onchange(redraw);
  clock.onchange(redraw);
  addEventListener("scroll", redraw, { passive: true });
  addEventListener("resize", redraw);
  new ResizeObserver(() => {
    stage?.fit();
    redraw();
  }).observe(byId("players"));
  const live = meta.live && follow({ meta, clock, view, players, cells, source, energies, legend: () => look.legend() });
  for (const cell of cells) orbitBy(cell.element, view);

  const maps = {};
  const look = {
    colour(name) {
      const field = meta.fields?.find((candidate) => candidate.name === name);
      if (field) maps[name] ??= mapOf(name);
      players.forEach((player) => player.colour(field ? name : null, maps[name] ?? null));
      if (field) for (const frames of source) frames.want(name, redraw);
      look.legend = () => drawLegend(byId("legend"), field);
      look.legend();
      redraw();
    },
    legend() {},
    wireframe(on) {
      for (const player of players) player.wireframe = on;
      redraw();
    },
    ghost(on) {
      for (const player of players) player.ghost = on;
      redraw();
    },
    flow(on) {
      for (const player of players) player.flow(on, meta);
      if (on) for (const frames of source) frames.wantFlow(meta.flow, redraw);
      redraw();
    },
    trails(on) {
      for (const player of players) player.trails(on, meta);
      redraw();
    },
  };
  connect({ meta, clock, view, look });

  // Playing starts by itself as soon as there is a second to play, unless motion is unwelcome.
  let waiting = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const progress = () => {
    redraw();
    live?.tell();
    if (meta.live?.interferes || !waiting || reach(meta, source) < Math.min(clock.start + 1, clock.end)) return;
    waiting = false;
    clock.play(true);
  };
  byId("notice").hidden = true;
  for (const frames of source) frames.read(progress).then(progress);

  const frame = (now) => {
    requestAnimationFrame(frame);
    const begun = performance.now();
    clock.tick(now);
    if (!stale) return;
    stale = false;
    let moved = false;
    players.forEach((player, i) => {
      if (player.show(clock, clock.time)) moved = true;
      cells[i].show(player, clock.time);
      player.onshow?.();
    });
    timing.own(performance.now() - begun);
    stage?.draw(players, view);
    if (moved && clock.time > clock.start) timing.moved();
  };
  requestAnimationFrame(frame);
  setInterval(() => writeTiming(), 1000);
  window.pliant = { meta, clock, view, players, look, timing, source, rest: shape.rest };
}

/** Ties a page to a run that goes on: what the server says of it is told with every answer. */
function follow({ meta, clock, view, players, cells, source, energies, legend }) {
  const [run, frames, cell, player] = [meta.runs[0], source[0], cells[0], players[0]];
  const controls = meta.live.interferes ? interfere({ meta, clock, view, player, cell, frames }) : null;
  frames.renumbered = () => player.forget();
  let tops = "";
  let drawn = 0;
  return {
    tell() {
      const { state } = frames;
      Object.assign(run, { label: state.method, method: state.method, step: state.step, message: state.diverged?.cause ?? null });
      Object.assign(run, { outcome: state.diverged ? (state.diverged.failed ? "failed" : "diverged") : "live", diverged_at: state.diverged?.time ?? null, words: wordsOf(state) });
      cell.tell();
      controls?.tell(state);
      clock.grows = state.running;
      if (controls && clock.playing !== state.running) clock.playing = state.running;
      clock.changed();
      const now = meta.fields.map((field) => field.max).join(" ");
      if (now !== tops) legend();
      tops = now;
      // Plots are drawn anew as a whole: not with every frame.
      if (performance.now() - drawn < 250 && state.running) return;
      drawn = performance.now();
      energies?.refresh();
    },
  };
}

function wordsOf({ words, running, diverged, ms_per_step }) {
  if (words || diverged) return words;
  return running ? `${number(ms_per_step, 2)} ms per step` : "paused";
}

/** Up to which time all runs can be shown [s]: one that ended early or cannot be read holds nobody back. */
function reach(meta, source) {
  let time = meta.times.at(-1);
  meta.runs.forEach((run, i) => {
    if (source[i].failure || source[i].available >= run.frames) return;
    time = Math.min(time, meta.times[Math.max(source[i].available - 1, 0)]);
  });
  return time;
}

/** Box that the view should hold [m]: all motion, unless something flew far away. */
function sight(meta, shape) {
  const [low, high] = meta.box;
  const size = high.map((h, axis) => h - low[axis]);
  const rest = boundsOf(shape.rest);
  const across = Math.hypot(...rest.size);
  if (Math.hypot(...size) < 5 * across) return [low, size];
  return [rest.low.map((l) => l - across / 2), rest.size.map((s) => s + across)];
}

/** Without WebGL there are still plots, the table and the scene. */
function openStage(cells) {
  try {
    const stage = new Stage(byId("stage"), byId("players"));
    stage.cells = cells.map((cell) => cell.element);
    stage.fit();
    return stage;
  } catch (error) {
    complain(`The players need WebGL 2, which this browser does not provide (${error.message}).`);
    return null;
  }
}

function writeFacts(meta) {
  document.title = meta.title;
  byId("title").textContent = meta.title;
  byId("scene").textContent = meta.scene;
  byId("command").textContent = meta.command;
  byId("version").textContent = `pliant ${meta.pliant}`;
}

function writeTiming() {
  const { median, worst, decode, first_motion } = timing;
  const parts = [`own code ${median.toFixed(2)} ms per drawn frame (worst ${worst.toFixed(1)})`, `decoding ${decode.toFixed(2)} ms per frame`];
  if (first_motion) parts.unshift(`first motion after ${number(first_motion / 1000, 2)} s`);
  byId("timing").textContent = parts.join(" · ");
}

function complain(text) {
  const notice = byId("notice");
  notice.hidden = false;
  notice.className = "wrong";
  notice.textContent = text;
}

start().catch((error) => complain(error.message));
