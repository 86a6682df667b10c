// Normals of a quantised frame, packed into the 16 bits beside each point: two bytes of an octahedron unfolded to a square.

export class Normals {
  /** `size`: edges of the box that positions are quantised in [m]. */
  constructor(triangles, points, size) {
    this.triangles = triangles;
    this.sums = new Float64Array(3 * points);
    this.size = size;
  }

  /** Writes the normals of a frame beside its points; `size`: the edges of its box, if it has one of its own [m]. */
  fill(frame, size = this.size) {
    this.add(frame);
    this.pack(frame, size);
  }

  add(q) {
    const { triangles, sums } = this;
    sums.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const i = triangles[t], j = triangles[t + 1], k = triangles[t + 2];
      const a = 4 * i, b = 4 * j, c = 4 * k;
      const ax = q[a], ay = q[a + 1], az = q[a + 2];
      const ux = q[b] - ax, uy = q[b + 1] - ay, uz = q[b + 2] - az;
      const vx = q[c] - ax, vy = q[c + 1] - ay, vz = q[c + 2] - az;
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      const I = 3 * i, J = 3 * j, K = 3 * k;
      sums[I] += nx; sums[I + 1] += ny; sums[I + 2] += nz;
      sums[J] += nx; sums[J + 1] += ny; sums[J + 2] += nz;
      sums[K] += nx; sums[K + 1] += ny; sums[K + 2] += nz;
    }
  }

  pack(q, size) {
    const { sums } = this;
    // Cross products were taken of integers; cofactors of the scaling make them normals in space.
    const [sx, sy, sz] = [size[1] * size[2], size[2] * size[0], size[0] * size[1]];
    for (let i = 0, at = 3; i < sums.length; i += 3, at += 4) {
      const x = sums[i] * sx, y = sums[i + 1] * sy, z = sums[i + 2] * sz;
      const length = Math.abs(x) + Math.abs(y) + Math.abs(z) || 1;
      let u = x / length, v = y / length;
      if (z < 0) {
        const w = (1 - Math.abs(v)) * (u < 0 ? -1 : 1);
        v = (1 - Math.abs(u)) * (v < 0 ? -1 : 1);
        u = w;
      }
      q[at] = (((u * 127 + 127.5) | 0) << 8) | ((v * 127 + 127.5) | 0);
    }
  }
}

/** Positions in space, in a box, as a frame: for shapes that are given as numbers. */
export function quantise(positions, low, size) {
  const n = positions.length / 3;
  const frame = new Uint16Array(4 * n);
  for (let i = 0; i < n; i++) {
    for (let axis = 0; axis < 3; axis++) {
      const part = size[axis] > 0 ? (positions[3 * i + axis] - low[axis]) / size[axis] : 0;
      frame[4 * i + axis] = Math.round(65535 * Math.min(Math.max(part, 0), 1));
    }
  }
  return frame;
}

/** Low corner and edges of what holds all positions. */
export function boundsOf(positions) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; i++) {
    low[i % 3] = Math.min(low[i % 3], positions[i]);
    high[i % 3] = Math.max(high[i % 3], positions[i]);
  }
  return { low, size: high.map((h, axis) => h - low[axis]) };
}

/** Both ends of every edge of the triangles, each edge once: what a wireframe draws. */
export function edgesOf(triangles) {
  const keys = new Float64Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    for (let e = 0; e < 3; e++) {
      const a = triangles[t + e], b = triangles[t + ((e + 1) % 3)];
      keys[t + e] = Math.min(a, b) * 4294967296 + Math.max(a, b);
    }
  }
  keys.sort();
  const edges = [];
  for (let i = 0; i < keys.length; i++) {
    if (i && keys[i] === keys[i - 1]) continue;
    edges.push(Math.floor(keys[i] / 4294967296), keys[i] % 4294967296);
  }
  return new Uint32Array(edges);
}
