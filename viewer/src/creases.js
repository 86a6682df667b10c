// Light turns sharply at the edges of a box and slowly over a ball: points on sharp edges are drawn once for each side of them.

/** Faces at rest that turn by more than this at an edge have normals of their own [radians]. */
const SHARP = (50 * Math.PI) / 180;

/**
 * Triangles over more points, and for each of those the point that it copies. The first ones are those of the shape, so that what
 * counts points, like lines and edges, need not know of it.
 */
export function splitCreases({ points, triangles, rest }) {
  const classes = smoothCorners(triangles, normalsOf(triangles, rest));
  const origin = Array.from({ length: points }, (_, i) => i);
  const split = new Uint32Array(triangles.length);
  const numbers = new Map();
  const taken = new Uint8Array(points);
  for (let corner = 0; corner < triangles.length; corner++) {
    const root = find(classes, corner);
    let number = numbers.get(root);
    if (number === undefined) {
      const point = triangles[corner];
      number = taken[point] ? origin.push(point) - 1 : point;
      taken[point] = 1;
      numbers.set(root, number);
    }
    split[corner] = number;
  }
  return { triangles: split, origin: Uint32Array.from(origin) };
}

/** Corners of triangles that share a normal, as trees: those of one point on both sides of an edge that is not sharp. */
function smoothCorners(triangles, normals) {
  const parents = Uint32Array.from(triangles, (_, corner) => corner);
  const least = Math.cos(SHARP);
  const sides = new Map();
  for (let t = 0; t < triangles.length; t += 3) {
    for (let e = 0; e < 3; e++) {
      const [from, to] = [t + e, t + ((e + 1) % 3)];
      const [a, b] = [triangles[from], triangles[to]];
      const key = Math.min(a, b) * 4294967296 + Math.max(a, b);
      const other = sides.get(key);
      if (other === undefined) {
        sides.set(key, a < b ? [from, to] : [to, from]);
        continue;
      }
      const n = t, m = other[0] - (other[0] % 3);
      if (normals[n] * normals[m] + normals[n + 1] * normals[m + 1] + normals[n + 2] * normals[m + 2] < least) continue;
      join(parents, a < b ? from : to, other[0]);
      join(parents, a < b ? to : from, other[1]);
    }
  }
  return parents;
}

function find(parents, i) {
  while (parents[i] !== i) i = parents[i] = parents[parents[i]];
  return i;
}

function join(parents, i, j) {
  parents[find(parents, i)] = find(parents, j);
}

/** Of length one, of every triangle. */
function normalsOf(triangles, rest) {
  const normals = new Float64Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [u, v] = [0, 1].map((k) => [0, 1, 2].map((axis) => rest[(k ? c : b) + axis] - rest[a + axis]));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const length = Math.hypot(...n) || 1;
    for (let axis = 0; axis < 3; axis++) normals[t + axis] = n[axis] / length;
  }
  return normals;
}
