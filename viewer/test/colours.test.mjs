// Colours of runs can be told apart by everyone: distances between them in CIELAB, as seen with each kind of colour blindness
// (Machado, Oliveira and Fernandes 2009, at full severity), and contrast with the ground of plots.
import assert from "node:assert/strict";
import { test } from "node:test";
import { RUNS } from "../src/colours.js";

const VISION = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const GROUND = ["#ffffff", "#1d2128"];

const linear = (hex) =>
  [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const times = (matrix, v) => matrix.map((row) => Math.min(Math.max(row.reduce((sum, m, i) => sum + m * v[i], 0), 0), 1));
const luminance = (rgb) => 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];

function lab([r, g, b]) {
  const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(luminance([r, g, b]));
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

for (const [theme, ground] of GROUND.entries()) {
  test(`colours on ${ground}`, () => {
    const runs = RUNS.map((pair) => linear(pair[theme]));
    for (const run of runs) {
      const [bright, dim] = [luminance(run), luminance(linear(ground))].sort((a, b) => b - a);
      assert.ok((bright + 0.05) / (dim + 0.05) > 2.95);
    }
    for (const [name, matrix] of Object.entries(VISION)) {
      const seen = runs.map((run) => lab(times(matrix, run)));
      seen.forEach((a, i) =>
        seen.slice(0, i).forEach((b, j) => {
          const apart = Math.hypot(...a.map((v, c) => v - b[c]));
          assert.ok(apart > 25, `${name}: runs ${j} and ${i} are ${apart.toFixed(0)} apart`);
        }),
      );
    }
  });
}
