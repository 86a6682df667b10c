// Reports made of formulas, in the format of README.md: a bar that swings and twists, and a rope. No simulation is needed to
// test the page, and every number in them is known.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

/** Surface of a bar of n[0] x n[1] x n[2] cells along x, y and z: points [m] and triangles that face outwards. */
function bar(n, edges) {
  const numbers = new Map();
  const points = [];
  const triangles = [];
  const point = (ijk) => {
    const key = ijk.join();
    if (!numbers.has(key)) {
      numbers.set(key, points.length / 3);
      points.push(...ijk.map((i, axis) => (i / n[axis] - (axis ? 0.5 : 0)) * edges[axis]));
    }
    return numbers.get(key);
  };
  for (let axis = 0; axis < 3; axis++) {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    for (const side of [0, n[axis]]) {
      for (let i = 0; i < n[u]; i++) {
        for (let j = 0; j < n[v]; j++) {
          const corner = (a, b) => {
            const ijk = [0, 0, 0];
            [ijk[axis], ijk[u], ijk[v]] = [side, i + a, j + b];
            return point(ijk);
          };
          const [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
          triangles.push(...(side ? [a, b, c, a, c, d] : [a, c, b, a, d, c]));
        }
      }
    }
  }
  return { points: Float32Array.from(points), triangles: Uint32Array.from(triangles), lines: new Uint32Array(0) };
}

function rope(links, length) {
  const points = new Float32Array(3 * (links + 1));
  const lines = new Uint32Array(2 * links);
  for (let i = 0; i <= links; i++) points[3 * i] = (length * i) / links;
  for (let i = 0; i < links; i++) lines.set([i, i + 1], 2 * i);
  return { points, triangles: new Uint32Array(0), lines };
}

/** So many particles along x, y and z, in the box of a bar. */
function drops(n, edges) {
  const points = [];
  for (let k = 0; k < n[2]; k++) {
    for (let j = 0; j < n[1]; j++) {
      for (let i = 0; i < n[0]; i++) points.push(...[i, j, k].map((at, axis) => ((at + 0.5) / n[axis] - (axis ? 0.5 : 0)) * edges[axis]));
    }
  }
  return { points: Float32Array.from(points), triangles: new Uint32Array(0), lines: new Uint32Array(0), particles: points.length / 3 };
}

/** A bar held at x = 0: bends down and twists, both fading at `decay` a second; `wild` grows instead. */
function place(rest, out, t, length, { decay, wild }) {
  const fade = wild ? Math.exp(4 * t) * 0.1 : Math.exp(-decay * t);
  const bend = 0.5 * fade * Math.sin(7 * t);
  const twist = 1.6 * fade * Math.sin(11 * t);
  for (let i = 0; i < rest.length; i += 3) {
    const s = rest[i] / length;
    const ripple = wild ? 0.2 * fade * Math.sin(40 * s) : 0;
    const [c, d] = [Math.cos(twist * s), Math.sin(twist * s)];
    out[i] = rest[i] * (1 - 0.3 * (bend * s) ** 2);
    out[i + 1] = rest[i + 1] * c - rest[i + 2] * d + ripple;
    out[i + 2] = rest[i + 1] * d + rest[i + 2] * c - bend * length * s * s;
  }
}

const STEP = 1 / 60;

/** One run, quantised and packed as the format says; `blocks` takes what was packed. */
function simulate(shape, length, box, frames, kind, i, fields, blocks) {
  const rest = shape.points;
  const n = rest.length / 3;
  const [now, before] = [new Float64Array(3 * n), new Float64Array(3 * n)];
  const positions = Buffer.alloc(6 * n * frames);
  const packed = Object.fromEntries(fields.map(({ name }) => [name, Buffer.alloc(n * frames)]));
  const q = new Uint16Array(3 * n);
  const values = Object.fromEntries(fields.map(({ name }) => [name, new Uint8Array(n)]));
  place(rest, before, 0, length, kind);
  for (let f = 0; f < frames; f++) {
    place(rest, now, f * STEP, length, kind);
    for (let axis = 0; axis < 3; axis++) {
      const scale = 65535 / (box[1][axis] - box[0][axis]);
      const at = 6 * n * f + 2 * axis * n;
      for (let p = 0; p < n; p++) {
        const next = Math.round(Math.min(Math.max((now[3 * p + axis] - box[0][axis]) * scale, 0), 65535));
        const d = (next - q[3 * p + axis]) & 0xffff;
        positions[at + p] = d & 0xff;
        positions[at + n + p] = d >> 8;
        q[3 * p + axis] = next;
      }
    }
    for (const { name, max } of fields) {
      for (let p = 0; p < n; p++) {
        const speed = Math.hypot(now[3 * p] - before[3 * p], now[3 * p + 1] - before[3 * p + 1], now[3 * p + 2] - before[3 * p + 2]) / STEP;
        const value = name === "speed" ? speed : name === "strain" ? 0.1 * Math.abs(Math.sin(7 * f * STEP)) * (1 - rest[3 * p] / length) : speed * speed * 40;
        const v = Math.round(255 * Math.sqrt(Math.min(value / max, 1)));
        packed[name][n * f + p] = v - values[name][p];
        values[name][p] = v;
      }
    }
    before.set(now);
  }
  blocks[`run-${i}-positions`] = positions;
  for (const { name } of fields) blocks[`run-${i}-${name}`] = packed[name];
}

function series(frames, { decay, wild }) {
  const s = { t: [], kinetic: [], elastic: [], loads: [], total: [] };
  for (let k = 0; k <= 4 * (frames - 1); k++) {
    const t = (k * STEP) / 4;
    const kept = wild ? 12 * (1 + 0.02 * Math.exp(9 * t)) : 12 * Math.exp(-2 * decay * t);
    const kinetic = kept * Math.cos(7 * t) ** 2;
    const loads = -2 * Math.sin(7 * t) * Math.exp(-decay * t);
    s.t.push(t);
    s.kinetic.push(kinetic);
    s.loads.push(loads);
    s.elastic.push(kept - kinetic);
    s.total.push(kept);
  }
  return s;
}

const KINDS = [
  { label: "siere", decay: 0.02 },
  { label: "implicit-midpoint", decay: 0 },
  { label: "backward-euler", decay: 2.5 },
  { label: "linearly-implicit-euler", wild: true },
  { label: "bdf2", decay: 0.9 },
  { label: "generalized-alpha", decay: 0.35 },
];

const SIZES = {
  demo: { n: [36, 7, 7], frames: 121, runs: 6, fields: ["speed", "strain", "energy"] },
  // More runs than colours, two steps per method, and runs that diverged at once.
  many: { n: [12, 3, 3], frames: 31, runs: 12, fields: [] },
  rope: { links: 120, frames: 121, runs: 2, fields: ["speed"] },
  // Particles: few that are far apart, and as many as a page may have to move.
  drops: { n: [4, 1, 1], radius: 0.1, every: 3, frames: 31, runs: 1, fields: ["speed"] },
  fluid: { n: [60, 25, 20], radius: 0.01, every: 1, frames: 31, runs: 1, fields: ["speed"] },
  // A bar in a flow, which turns about its middle and is pulled along; with the trail of its end.
  swimmer: { n: [12, 3, 3], frames: 31, runs: 2, fields: ["speed"], flow: [9, 5] },
  // The surface of about 100 000 tets.
  large: { n: [180, 38, 38], frames: 250, runs: 1, fields: ["speed"] },
};

/** A whirl about y that goes upward: centre of the plane, then the velocity at each arrow; faster from frame to frame. */
function whirl([columns, rows], frames) {
  const numbers = [];
  for (let f = 0; f < frames; f++) {
    numbers.push(1, 0, 0.01 * f);
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        const [x, z] = [0.3 * (i - (columns - 1) / 2), 0.3 * (j - (rows - 1) / 2)];
        numbers.push(z * (1 + f / 30), 0, -x * (1 + f / 30));
      }
    }
  }
  return Buffer.from(Float32Array.from(numbers).buffer);
}

/** The points at the far end of a bar. */
function ends(points, length) {
  return Array.from({ length: points.length / 3 }, (_, i) => i).filter((i) => points[3 * i] > 0.99 * length);
}

/** Facts and blocks of a report. */
export function report(name) {
  const size = SIZES[name];
  const length = 2;
  const edges = [length, 0.4, 0.4];
  const shape = size.links ? rope(size.links, length) : size.radius ? drops(size.n, edges) : bar(size.n, edges);
  const box = [[-0.05, -0.5, -1.05], [2.05, 0.5, 1.05]];
  const all = [{ name: "speed", unit: "m/s", max: 8 }, { name: "strain", unit: "", max: 0.1 }, { name: "energy", unit: "J/m^3", max: 900 }];
  const fields = all.filter((field) => size.fields.includes(field.name));
  const blocks = { shape: Buffer.concat([shape.triangles, shape.lines, shape.points].map((a) => Buffer.from(a.buffer))) };
  const runs = Array.from({ length: size.runs }, (_, i) => {
    const kind = KINDS[i % KINDS.length];
    const again = i >= KINDS.length;
    const frames = !kind.wild ? size.frames : name === "many" ? Number(again) : Math.floor(size.frames * 0.45);
    simulate(shape, length, box, frames, kind, i, fields, blocks);
    if (size.flow) blocks[`run-${i}-flow`] = whirl(size.flow, frames);
    const end = Math.max(frames - 1, 0) * STEP;
    return {
      label: again ? `${kind.label} with half the step` : kind.label, method: kind.label, step: again ? 0.005 : 0.01, outcome: kind.wild ? "diverged" : "done",
      diverged_at: kind.wild ? end : null, message: kind.wild ? "an element is inside out: 3 of 1470 tets have no volume left" : null,
      frames, ms_per_step: 1.9 + 0.7 * i, steps: Math.round(end / 0.01), work: { factorisations: 10 + i, solves: 120 * (i + 1), products: 8000 },
      energy_kept: kind.wild ? null : Math.exp(-2 * kind.decay * end), error: kind.wild ? null : 0.002 + 0.11 * kind.decay,
      series: series(frames, kind), positions: `run-${i}-positions`,
      fields: Object.fromEntries(fields.map((field) => [field.name, `run-${i}-${field.name}`])), flow: size.flow ? `run-${i}-flow` : null,
    };
  });
  const demo = name === "demo";
  const steps = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
  // d/ω of backward Euler: an amplitude shrinks by 1/√(1 + x²) = exp(-d h/2) a step, with x = h ω.
  const euler = (x) => Math.log(1 + x * x) / x;
  const meta = {
    pliant: "0.1.0", title: demo ? "One stiff bar, six methods, one step" : `A ${size.links ? "rope" : "bar"} by formula: ${name}`,
    scene: `name = "${name}"\nduration = ${(size.frames - 1) * STEP}\n\n[[bodies]]\nshape = { generator = "bar", cells = [36, 7, 7], size = [2.0, 0.4, 0.4] } # </script> and <!-- are text here\n`,
    command: "pliant compare scenes/numb-bar.toml --methods siere,implicit-midpoint,backward-euler --steps 0.01",
    times: Array.from({ length: size.frames }, (_, f) => f * STEP), up: [0, 0, 1],
    shape: { points: shape.points.length / 3, triangles: shape.triangles.length / 3, lines: shape.lines.length / 2, block: "shape", particles: shape.particles, radius: size.radius, every: size.every },
    box, fields, runs, reference: demo ? "implicit-midpoint @ 0.001 s" : null,
    damping: demo ? { axis: "artificial damping d/ω", curves: [
      { label: "backward-euler", h_omega: steps, formula: steps.map(euler), measured: steps.map((x) => [x, euler(x) * 1.02]) },
      { label: "siere", h_omega: steps, formula: steps.map(() => 0), measured: steps.map((x) => [x, 0.004]) },
    ] } : null,
    precision: demo ? KINDS.filter((kind) => !kind.wild).map(({ label }, i) => ({
      label, points: [1, 2, 4, 8].map((k) => [30 * k * (1 + i / 3), 0.3 / k ** (i % 2 ? 1 : 2), 0.02 / k]) })) : null,
    ...(size.flow ? { flow: { count: size.flow, steps: [[0.3, 0, 0], [0, 0, 0.3]], max: 4 }, trails: [ends(shape.points, length)] } : {}),
    obstacles: size.links ? [{ kind: "plane", point: [0, 0, -0.6], normal: [0, 0, 1] }, { kind: "ball", center: [1, 0.2, -0.3], radius: 0.2 }] : [],
    live: null,
  };
  return { meta, blocks, shape };
}

/** Puts facts and blocks into the page. */
export function fill(page, { meta, blocks }) {
  const json = JSON.stringify(meta).replaceAll("<", "\\u003c");
  const scripts = [`<script type="application/json" id="pliant-report">${json}</script>`];
  for (const [id, bytes] of Object.entries(blocks)) {
    scripts.push(`<script type="text/plain" id="${id}">${deflateSync(bytes, { level: 1 }).toString("base64")}</script>`);
  }
  return page.replace("<!--PLIANT-DATA-->", () => scripts.join("\n"));
}

/** Writes the report of this name beside others; gives its path. */
export function write(name, folder) {
  const page = readFileSync(new URL("../dist/page.html", import.meta.url), "utf8");
  const path = `${folder}/${name}.html`;
  writeFileSync(path, fill(page, report(name)));
  return path;
}
