// Points on sharp edges are drawn once per side, others once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { splitCreases } from "../src/creases.js";
import { report } from "./fixture.mjs";

test("each side of a bar has points of its own", () => {
  const { points, triangles } = report("demo").shape;
  const n = points.length / 3;
  const split = splitCreases({ points: n, triangles, rest: points });
  // 36 x 7 x 7 cells: four sides of 37 x 8 points, two ends of 8 x 8.
  assert.equal(split.origin.length, 4 * 37 * 8 + 2 * 8 * 8);
  assert.deepEqual([...split.origin.subarray(0, n)], [...Array(n).keys()]);
  assert.deepEqual([...split.triangles].map((i) => split.origin[i]), [...triangles]);
  // All triangles at a drawn point look the same way.
  const ways = new Map();
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points.subarray(3 * triangles[t + k], 3 * triangles[t + k] + 3));
    const [u, v] = [b, c].map((p) => [0, 1, 2].map((axis) => p[axis] - a[axis]));
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const way = normal.map((x) => Math.round(x / Math.hypot(...normal)) + 0).join();
    for (let k = 0; k < 3; k++) assert.equal(ways.get(split.triangles[t + k]) ?? way, way), ways.set(split.triangles[t + k], way);
  }
});

test("a body that is round everywhere stays as it is", () => {
  const [around, along] = [24, 10];
  const rest = [];
  const triangles = [];
  for (let j = 0; j <= along; j++) {
    for (let i = 0; i < around; i++) {
      const angle = (2 * Math.PI * i) / around;
      rest.push(Math.cos(angle), Math.sin(angle), j / along);
      if (j === along) continue;
      const [a, b] = [j * around + i, j * around + ((i + 1) % around)];
      triangles.push(a, b, b + around, a, b + around, a + around);
    }
  }
  const points = rest.length / 3;
  const split = splitCreases({ points, triangles: Uint32Array.from(triangles), rest: Float32Array.from(rest) });
  assert.equal(split.origin.length, points);
  assert.deepEqual([...split.triangles], triangles);
});
