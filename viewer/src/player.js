// One run in one scene: its two nearest frames on the graphics card, and materials that mix them.
import { gaveUp } from "./format.js";
import {
  BufferAttribute, BufferGeometry, CustomBlending, DoubleSide, DynamicDrawUsage, GLSL3, InstancedBufferGeometry, LineSegments, Mesh,
  OneFactor, OneMinusSrcAlphaFactor, PerspectiveCamera, Points, RawShaderMaterial, Scene, Vector2, Vector3,
} from "three";
import { VERTEX, FRAGMENT } from "./shaders.js";
import { placeAt } from "./obstacles.js";
import { splitCreases } from "./creases.js";
import { Arrows, Trail } from "./strokes.js";
import { quantise, boundsOf, edgesOf, Normals } from "./normals.js";

/** Points that are drawn as balls. */
const ROUND = { defines: { ROUND: 1 } };

/** Data that all players share: the shape, its box, and what is derived from it when first needed. */
export class Body {
  constructor(meta, shape) {
    this.shape = shape;
    this.low = meta.box[0];
    this.size = meta.box[1].map((high, axis) => high - meta.box[0][axis]);
    const { triangles, origin } = splitCreases(shape);
    this.origin = origin;
    this.normals = new Normals(triangles, origin.length, this.size);
    this.triangles = new BufferAttribute(triangles, 1);
    this.lines = new BufferAttribute(shape.lines, 1);
    this.particles = new BufferAttribute(shape.particles, 1);
  }

  /** A frame of a source as it is drawn: points on sharp edges once per side, and normals; `size`: the edges of its box [m]. */
  draw(frame, drawn, normals = this.normals, size = normals.size) {
    const { origin } = this;
    for (let i = 0, at = 0; i < origin.length; i++, at += 4) {
      const from = 4 * origin[i];
      drawn[at] = frame[from];
      drawn[at + 1] = frame[from + 1];
      drawn[at + 2] = frame[from + 2];
    }
    normals.fill(drawn, size);
  }

  /** Values of a field as they are drawn. */
  paint(values, drawn) {
    const { origin } = this;
    for (let i = 0; i < origin.length; i++) drawn[i] = values[origin[i]];
  }

  get edges() {
    return (this.edgeIndex ??= new BufferAttribute(edgesOf(this.shape.triangles), 1));
  }

  /** The shape at rest as a frame in a box of its own: motion need not pass through it. */
  get rest() {
    if (!this.restFrame) {
      const { low, size } = boundsOf(this.shape.rest);
      const frame = new Uint16Array(4 * this.origin.length);
      this.draw(quantise(this.shape.rest, low, size), frame, new Normals(this.triangles.array, this.origin.length, size));
      this.restFrame = { low, size, frame };
    }
    return this.restFrame;
  }
}

export class Player {
  /** `frames`: a source of frames; `run`: its facts; `colour`: of the run, red, green and blue in 0..1; `obstacles`: to be drawn too. */
  constructor(body, frames, run, colour, obstacles = []) {
    this.body = body;
    this.frames = frames;
    this.run = run;
    this.camera = new PerspectiveCamera(32);
    this.scene = new Scene();
    this.at = 0;
    this.held = [-1, -1];
    this.heldValues = [null, null];
    this.field = null;
    this.ended = false;
    // Lines beside the body, by what they show.
    this.strokes = { flow: [], trails: [] };

    this.attributes = [0, 1].map(() => dynamic(new Uint16Array(4 * body.origin.length), 4));
    this.values = [0, 1].map(() => dynamic(new Uint8Array(body.origin.length), 1));
    this.uniforms = {
      // Of the even and of the odd frame: frames that come live have boxes of their own.
      low: { value: [new Vector3(...body.low), new Vector3(...body.low)] },
      size: { value: [new Vector3(...body.size), new Vector3(...body.size)] },
      blend: { value: 0 },
      map: { value: null },
      plain: { value: new Vector3(...colour) },
      coloured: { value: 0 },
      opacity: { value: 1 },
      // Of particles [m], and of the canvas they are drawn on [pixels].
      radius: { value: body.shape.radius },
      // Of fibres [m]; 0 for lines whose thickness is unknown.
      thickness: { value: body.shape.thickness },
      height: { value: 1 },
    };
    for (const obstacle of obstacles) this.add(obstacle);
    this.moving = obstacles.filter((obstacle) => obstacle.userData.way);
    if (body.shape.triangles.length) {
      const material = this.material({ lit: 1 }, { side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
      this.add(new Mesh(this.geometry(new BufferGeometry(), body.triangles), material));
    }
    if (body.shape.lines.length) {
      const geometry = this.geometry(new InstancedBufferGeometry(), body.lines);
      geometry.instanceCount = 13;
      this.thick = this.material({ lit: 0, spread: new Vector2() });
      this.add(new LineSegments(geometry, this.thick));
    }
    if (body.shape.particles.length) {
      this.add(new Points(this.geometry(new BufferGeometry(), body.particles), this.material({ lit: 1 }, ROUND)));
    }
  }

  /** Shows time `time` [s]; true if the picture is another one than before. */
  show(clock, time) {
    const last = this.frames.available - 1;
    if (last < 0) {
      this.ended = gaveUp(this.run) && this.run.frames === 0;
      return false;
    }
    const at = Math.min(clock.frame(time), last);
    const next = Math.min(at + 1, last);
    const span = clock.times[next] - clock.times[at];
    // A device too slow to draw every frame is spared the one between: nobody would see the mixture.
    const hasty = clock.playing && Math.abs(at - this.at) > 1;
    const part = span > 0 && !hasty ? Math.min(Math.max((time - clock.times[at]) / span, 0), 1) : 0;
    this.at = at;
    let changed = this.hold(at) | (part > 0 && this.hold(next));
    // Odd frames are in the second buffer: there the mixture runs backwards.
    const blend = at % 2 ? 1 - part : part;
    const ended = gaveUp(this.run) && at >= this.run.frames - 1;
    if (blend !== this.uniforms.blend.value || ended !== this.ended) changed = true;
    // Not beyond the last frame there is.
    const shown = Math.min(time, clock.times[last] ?? time);
    if (this.moving.length && shown !== this.shown) changed = true;
    this.shown = shown;
    for (const obstacle of this.moving) placeAt(obstacle, shown);
    for (const stroke of this.allStrokes) {
      if (stroke.object.visible && stroke.show(this.frames, at, next, part)) changed = true;
    }
    this.uniforms.blend.value = blend;
    this.uniforms.opacity.value = ended ? 0.4 : 1;
    this.ended = ended;
    return Boolean(changed);
  }

  /** Frames have other numbers than before. */
  forget() {
    this.held = [-1, -1];
    this.heldValues = [null, null];
    for (const stroke of this.allStrokes) stroke.forget();
  }

  /** Puts a frame into its buffer. */
  hold(f) {
    const slot = f % 2;
    let changed = false;
    if (this.held[slot] !== f) {
      const box = this.frames.box?.(f) ?? this.body;
      this.body.draw(this.frames.frame(f), this.attributes[slot].array, this.body.normals, box.size);
      this.attributes[slot].needsUpdate = true;
      this.uniforms.low.value[slot].set(...box.low);
      this.uniforms.size.value[slot].set(...box.size);
      this.held[slot] = f;
      changed = true;
    }
    const values = this.field ? this.frames.field(this.field, f) : null;
    if (values && this.heldValues[slot] !== values) {
      this.body.paint(values, this.values[slot].array);
      this.values[slot].needsUpdate = true;
      this.heldValues[slot] = values;
      changed = true;
    }
    this.uniforms.coloured.value = values ? 1 : 0;
    return changed;
  }

  get allStrokes() {
    return [...this.strokes.flow, ...this.strokes.trails];
  }

  /** Arrows of the flow. */
  flow(on, meta) {
    if (on && !this.strokes.flow.length) this.strokes.flow.push(new Arrows(meta.flow, speedOf(meta)));
    this.reveal("flow", on);
  }

  /** Trails of bodies, up to the time shown. */
  trails(on, meta) {
    if (on && !this.strokes.trails.length) {
      this.strokes.trails = meta.trails.map((points) => new Trail(points, this.body, meta.times, speedOf(meta)));
    }
    this.reveal("trails", on);
  }

  reveal(kind, on) {
    for (const stroke of this.strokes[kind]) {
      if (!stroke.object.parent) this.add(stroke.object);
      stroke.object.visible = on;
      stroke.colour(this.field === "speed" ? this.uniforms.map.value : null);
    }
  }

  /** Colours by a field of the report, or by the run's own colour. */
  colour(field, map) {
    this.field = field;
    for (const stroke of this.allStrokes) stroke.colour(field === "speed" ? map : null);
    this.uniforms.map.value = map;
    this.uniforms.coloured.value = 0;
  }

  set wireframe(on) {
    if (on && !this.wires && this.body.shape.triangles.length) {
      const ink = new Vector3(0.04, 0.05, 0.07);
      const own = { lit: 0, plain: ink, coloured: 0, opacity: 0.32 };
      const material = this.material(own, { transparent: true, premultipliedAlpha: true, depthWrite: false });
      this.wires = this.add(new LineSegments(this.geometry(new BufferGeometry(), this.body.edges), material));
    }
    if (this.wires) this.wires.visible = on;
  }

  get wireframe() {
    return Boolean(this.wires?.visible);
  }

  /** The shape at rest, faint, and behind the body wherever it is: a veil over the body would change its colours. */
  set ghost(on) {
    if (on && !this.ghosts) {
      const { low, size, frame } = this.body.rest;
      const twice = (v) => [new Vector3(...v), new Vector3(...v)];
      const own = { low: twice(low), size: twice(size), blend: 0, plain: new Vector3(0.55, 0.57, 0.6), coloured: 0 };
      const look = { blending: CustomBlending, blendSrc: OneFactor, blendDst: OneMinusSrcAlphaFactor, depthWrite: false };
      const still = new BufferAttribute(frame, 4, true);
      const faint = (geometry, index) => {
        geometry.setIndex(index);
        for (const name of ["even", "odd"]) geometry.setAttribute(name, still);
        for (const name of ["evenValue", "oddValue"]) geometry.setAttribute(name, this.values[0]);
        return geometry;
      };
      this.ghosts = [];
      if (this.body.shape.triangles.length) {
        const material = this.material({ ...own, lit: 1, opacity: 0.28 }, look);
        this.ghosts.push(this.addBehind(new Mesh(faint(new BufferGeometry(), this.body.triangles), material)));
      }
      if (this.body.shape.lines.length) {
        const material = this.material({ ...own, lit: 0, opacity: 0.6 }, look);
        this.ghosts.push(this.addBehind(new LineSegments(faint(new BufferGeometry(), this.body.lines), material)));
      }
      if (this.body.shape.particles.length) {
        const material = this.material({ ...own, lit: 1, opacity: 0.28 }, { ...look, ...ROUND, depthTest: false });
        this.ghosts.push(this.addBehind(new Points(faint(new BufferGeometry(), this.body.particles), material)));
      }
    }
    for (const ghost of this.ghosts ?? []) ghost.visible = on;
  }

  /** Adds what is drawn before all else. */
  addBehind(object) {
    this.add(object);
    this.scene.children.unshift(this.scene.children.pop());
    return object;
  }

  geometry(geometry, index) {
    geometry.setIndex(index);
    geometry.setAttribute("even", this.attributes[0]);
    geometry.setAttribute("odd", this.attributes[1]);
    geometry.setAttribute("evenValue", this.values[0]);
    geometry.setAttribute("oddValue", this.values[1]);
    return geometry;
  }

  /** Uniforms are shared with the player, except the `own` ones. */
  material(own, look = {}) {
    const uniforms = { ...this.uniforms, spread: { value: new Vector2() } };
    for (const [name, value] of Object.entries(own)) uniforms[name] = { value };
    return new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, ...look });
  }

  add(object) {
    // There are no positions that three could bound; the view is chosen so that the body is in it.
    object.frustumCulled = false;
    this.scene.add(object);
    return object;
  }
}

const speedOf = (meta) => meta.fields?.find(({ name }) => name === "speed");

function dynamic(array, items) {
  return new BufferAttribute(array, items, true).setUsage(DynamicDrawUsage);
}
