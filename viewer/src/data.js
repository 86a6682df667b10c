// Contents of a report: facts as JSON, and blocks of numbers as base64 of zlib streams. Frames are kept as they were quantised
// (16 bits a coordinate), because a run of floats would be twice as large and the graphics card takes 16 bits as they are.
import { Pace, inflate } from "./inflate.js";
import { timing } from "./timing.js";

/** The facts of the report, or null in a page without data. */
export function readMeta() {
  const element = document.getElementById("pliant-report");
  return element ? JSON.parse(element.textContent) : null;
}

/** Triangles, lines, rest positions [m] and the points that are particles, with their radius [m], and the thickness of lines [m], 0 where it is unknown: what is drawn in every player. */
export async function readShape(meta) {
  const { points, triangles, lines, block, particles = 0, radius = 0, thickness = 0 } = meta.shape;
  const bytes = new Uint8Array(4 * (3 * triangles + 2 * lines + 3 * points));
  let end = 0;
  for await (const chunk of inflate(textOf(block))) {
    bytes.set(chunk.subarray(0, bytes.length - end), end);
    end += chunk.length;
  }
  if (end !== bytes.length) throw new Error(`the shape has ${end} bytes instead of ${bytes.length}`);
  return {
    points,
    triangles: new Uint32Array(bytes.buffer, 0, 3 * triangles),
    lines: new Uint32Array(bytes.buffer, 12 * triangles, 2 * lines),
    rest: new Float32Array(bytes.buffer, 12 * triangles + 8 * lines, 3 * points),
    particles: Uint32Array.from({ length: particles }, (_, i) => points - particles + i),
    radius,
    thickness,
  };
}

/**
 * Frames of one run that a report holds. This is all that players ask of a source of frames:
 * `available` (frames that can be drawn now), `frame(f)`: u16 x, y, z, packed normal of every point, `field(name, f)`: a byte
 * a point or null while it is not there, `want(name)`: the field will be needed, `failure`: why no more frames come.
 */
export class RecordedFrames {
  constructor(meta, run, pace) {
    this.points = meta.shape.points;
    this.run = run;
    this.pace = pace;
    this.available = 0;
    this.failure = null;
    this.frames = [];
    this.fields = {};
  }

  frame(f) {
    return this.frames[f];
  }

  field(name, f) {
    return this.fields[name]?.[f] ?? null;
  }

  /** The plane of the flow in a frame: its centre, then the velocity at each arrow. */
  flow(f) {
    return this.flows?.[f] ?? null;
  }

  /** Flows are decoded when they are first looked at, as fields are. */
  async wantFlow(plane, progress) {
    if (this.flows || !this.run.flow) return;
    this.flows = [];
    await this.decode(this.run.flow, 12 * (1 + plane.count[0] * plane.count[1]), (bytes) => {
      this.flows.push(new Float32Array(bytes.slice().buffer));
      progress();
    });
  }

  /** Decodes positions, a slice at a time; `progress` is called after each frame. */
  async read(progress) {
    const n = this.points;
    const still = new Uint16Array(4 * n);
    await this.decode(this.run.positions, 6 * n, (bytes) => {
      const next = new Uint16Array(4 * n);
      addPositions(bytes, this.frames.at(-1) ?? still, next, n);
      this.frames.push(next);
      this.available = this.frames.length;
      progress();
    });
  }

  /** Fields are decoded when they are first looked at: most are not. */
  async want(name, progress) {
    if (this.fields[name] || !this.run.fields?.[name]) return;
    const n = this.points;
    const frames = (this.fields[name] = []);
    await this.decode(this.run.fields[name], n, (bytes) => {
      const before = frames.at(-1);
      const next = bytes.slice();
      if (before) for (let i = 0; i < n; i++) next[i] += before[i];
      frames.push(next);
      progress();
    });
  }

  /** Cuts the inflated block into frames of `size` bytes and hands each to `take`. */
  async decode(block, size, take) {
    if (!this.run.frames) return;
    const buffer = new Uint8Array(size);
    let filled = 0;
    let count = 0;
    try {
      for await (const chunk of inflate(textOf(block))) {
        for (let at = 0; at < chunk.length && count < this.run.frames; ) {
          const part = chunk.subarray(at, at + size - filled);
          buffer.set(part, filled);
          at += part.length;
          filled += part.length;
          if (filled < size) continue;
          const start = performance.now();
          take(buffer);
          timing.decoded(performance.now() - start);
          filled = 0;
          count += 1;
          await this.pace.breathe();
        }
      }
      if (count < this.run.frames) throw new Error(`${count} of ${this.run.frames} frames are in the file`);
    } catch (error) {
      this.failure = `block ${block}: ${error.message}`;
    }
  }
}

/** The source of a report: frames of every run, all read at once so that the first second of all is there first. */
export function recordedSource(meta) {
  const pace = new Pace();
  return meta.runs.map((run) => new RecordedFrames(meta, run, pace));
}

/** next = before + d mod 65536, where d is stored for each axis as all low bytes, then all high bytes. */
function addPositions(bytes, before, next, n) {
  for (let axis = 0; axis < 3; axis++) {
    const low = bytes.subarray(2 * axis * n, (2 * axis + 1) * n);
    const high = bytes.subarray((2 * axis + 1) * n, (2 * axis + 2) * n);
    for (let i = 0, at = axis; i < n; i++, at += 4) next[at] = before[at] + (low[i] | (high[i] << 8));
  }
}

/** The text of a block; its element is let go, since a page should not hold its data twice. */
function textOf(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no block ${id}`);
  const text = element.textContent.trim();
  element.remove();
  return text;
}
