// Thick lines beside the body: arrows of the flow on a plane, and the trails of bodies.
import { BufferAttribute, DynamicDrawUsage, GLSL3, InstancedBufferGeometry, Line, LineSegments, RawShaderMaterial, Vector2, Vector3 } from "three";
import { FRAGMENT, STROKE_VERTEX } from "./shaders.js";

/** Copies of a line, spread over a disc, that make it thick. */
const COPIES = 7;
/** Numbers per arrow: shaft and two barbs, each with two ends. */
const ENDS = 6;

/** Lines whose ends change; `Kind`: LineSegments or Line. */
class Strokes {
  constructor(Kind, ends, look) {
    this.geometry = new InstancedBufferGeometry();
    this.geometry.instanceCount = COPIES;
    this.grow(ends);
    const own = { spread: { value: new Vector2() }, plain: { value: new Vector3(0.5, 0.53, 0.57) }, coloured: { value: 0 }, map: { value: null } };
    this.uniforms = { ...own, lit: { value: 0 }, opacity: { value: 1 } };
    const material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: STROKE_VERTEX, fragmentShader: FRAGMENT, uniforms: this.uniforms, ...look });
    this.object = new Kind(this.geometry, material);
    this.object.frustumCulled = false;
    this.forget();
  }

  /** Makes room for so many ends. */
  grow(ends) {
    this.places = new BufferAttribute(new Float32Array(3 * ends), 3).setUsage(DynamicDrawUsage);
    this.values = new BufferAttribute(new Float32Array(ends), 1).setUsage(DynamicDrawUsage);
    this.geometry.setAttribute("position", this.places);
    this.geometry.setAttribute("paint", this.values);
  }

  /** Frames have other numbers than before. */
  forget() {
    this.drawn = "";
  }

  /** Colours by speed, or not. */
  colour(map) {
    this.uniforms.map.value = map;
    this.uniforms.coloured.value = map ? 1 : 0;
  }

  changed() {
    this.places.needsUpdate = true;
    this.values.needsUpdate = true;
  }
}

/** Share of a scale that goes with the root, as colours do: what is slow is seen too. */
const share = (value, most) => (most > 0 ? Math.sqrt(Math.min(value / most, 1)) : 0);

/** Arrows of the flow on the plane that goes along with the bodies; their length and colour go with the root of the speed. */
export class Arrows extends Strokes {
  /** `plane`: its facts in the report; `speed`: the field that colours. */
  constructor(plane, speed) {
    super(LineSegments, ENDS * plane.count[0] * plane.count[1], {});
    this.plane = plane;
    this.speed = speed;
    const [u, v] = plane.steps.map((step) => new Vector3(...step));
    this.across = u.clone().cross(v).normalize();
    this.reach = 1.1 * Math.min(u.length(), v.length());
  }

  /** Between two frames; true if they are others than before. */
  show(frames, at, next, part) {
    const { plane, speed } = this;
    const [now, then] = [frames.flow(at), frames.flow(next) ?? frames.flow(at)];
    const top = speed?.max || plane.max;
    const key = now ? `${at} ${part} ${top} ${plane.max}` : "";
    if (key === this.drawn) return false;
    this.drawn = key;
    this.geometry.setDrawRange(0, now ? Infinity : 0);
    if (!now) return true;
    const mixed = (k) => now[k] + part * (then[k] - now[k]);
    const [columns, rows] = plane.count;
    const [u, v] = plane.steps;
    const [middle, flow, side, tip] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
    for (let j = 0, k = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++, k++) {
        const [a, b] = [i - (columns - 1) / 2, j - (rows - 1) / 2];
        middle.set(...[0, 1, 2].map((axis) => mixed(axis) + a * u[axis] + b * v[axis]));
        flow.set(mixed(3 + 3 * k), mixed(4 + 3 * k), mixed(5 + 3 * k));
        const size = flow.length();
        const length = this.reach * share(size, plane.max);
        if (size > 0) flow.multiplyScalar(length / size);
        side.crossVectors(this.across, flow).setLength(0.22 * length);
        tip.copy(middle).addScaledVector(flow, 0.5);
        const { array } = this.places;
        const put = (end, point) => point.toArray(array, 3 * (ENDS * k + end));
        put(1, tip);
        put(2, tip);
        put(4, tip);
        put(3, tip.addScaledVector(flow, -0.36).add(side));
        put(5, tip.addScaledVector(side, -2));
        put(0, middle.addScaledVector(flow, -0.5));
        this.values.array.fill(share(size, top), ENDS * k, ENDS * (k + 1));
      }
    }
    this.changed();
    return true;
  }
}

/** The way of the middle of some points, up to the time shown, coloured by its speed. */
export class Trail extends Strokes {
  constructor(points, body, times, speed) {
    super(Line, 64, {});
    Object.assign(this, { points, body, times, speed });
  }

  forget() {
    super.forget();
    this.way = [];
  }

  /** The middle of the points in a frame. */
  middle(frames, f) {
    const box = frames.box?.(f) ?? this.body;
    const frame = frames.frame(f);
    return [0, 1, 2].map((axis) => {
      const sum = this.points.reduce((sum, point) => sum + frame[4 * point + axis], 0);
      return box.low[axis] + (sum / this.points.length / 65535) * box.size[axis];
    });
  }

  show(frames, at, next, part) {
    const top = this.speed?.max ?? 0;
    const key = `${at} ${part} ${top}`;
    if (key === this.drawn) return false;
    this.drawn = key;
    const { way, times } = this;
    while (way.length <= next) way.push(this.middle(frames, way.length));
    const count = at + 2;
    if (count > this.values.array.length) this.grow(2 * count);
    const speed = (k) => (k > 0 ? Math.hypot(...way[k].map((x, axis) => x - way[k - 1][axis])) / (times[k] - times[k - 1]) : 0);
    for (let k = 0; k <= at; k++) {
      this.places.array.set(way[k], 3 * k);
      this.values.array[k] = share(speed(Math.max(k, Math.min(1, way.length - 1))), top);
    }
    this.places.array.set(way[at].map((x, axis) => x + part * (way[next][axis] - x)), 3 * (at + 1));
    this.values.array[at + 1] = this.values.array[at];
    this.geometry.setDrawRange(0, count);
    this.changed();
    return true;
  }
}
