// One view for all players: whoever is turned, all turn.
import { Vector3 } from "three";

export class View {
  /** `low`, `size`: what has to be seen [m]; `up`: against gravity. */
  constructor(low, size, up) {
    this.corners = [0, 1, 2, 3, 4, 5, 6, 7].map(
      (i) => new Vector3(...low.map((l, axis) => l + ((i >> axis) & 1) * size[axis])),
    );
    this.centre = this.corners[0].clone().add(this.corners[7]).multiplyScalar(0.5);
    this.up = new Vector3(...up).normalize();
    // Look across the longer of the two horizontal edges, so that a bar is seen from its side.
    const [vertical] = [0, 1, 2].sort((a, b) => Math.abs(up[b]) - Math.abs(up[a]));
    const level = [0, 1, 2].filter((axis) => axis !== vertical);
    const along = size[level[0]] >= size[level[1]] ? level[0] : level[1];
    const east = new Vector3().setComponent(along, 1);
    this.north = new Vector3().crossVectors(this.up, east).normalize();
    this.east = new Vector3().crossVectors(this.north, this.up);
    this.listeners = [];
    this.reset();
  }

  onchange(listener) {
    this.listeners.push(listener);
  }

  changed() {
    for (const listener of this.listeners) listener(this);
  }

  reset() {
    this.azimuth = 0.5;
    this.elevation = 0.3;
    this.zoom = 1;
    this.target = this.centre.clone();
    this.changed();
  }

  turn(azimuth, elevation) {
    this.azimuth += azimuth;
    this.elevation = Math.min(Math.max(this.elevation + elevation, -1.55), 1.55);
    this.changed();
  }

  scale(factor) {
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.1), 60);
    this.changed();
  }

  /** By parts of the height of a player. */
  pan(right, up) {
    const { x, y } = this.axes();
    const height = 2 * this.distance * this.slope;
    this.target.addScaledVector(x, -right * height).addScaledVector(y, up * height);
    this.changed();
  }

  /** Right, up and towards the eye. */
  axes() {
    const level = this.east.clone().multiplyScalar(Math.sin(this.azimuth)).addScaledVector(this.north, -Math.cos(this.azimuth));
    const z = level.multiplyScalar(Math.cos(this.elevation)).addScaledVector(this.up, Math.sin(this.elevation));
    const x = new Vector3().crossVectors(this.up, z).normalize();
    return { x, y: new Vector3().crossVectors(z, x), z };
  }

  /** Puts a camera where this view is: at zoom 1 the whole of the motion fits into a player of this aspect. */
  place(camera, aspect) {
    const { x, y, z } = this.axes();
    this.slope = Math.tan((camera.fov * Math.PI) / 360);
    let whole = 0;
    for (const corner of this.corners) {
      const p = corner.clone().sub(this.centre);
      const wide = Math.max(Math.abs(p.dot(x)) / (this.slope * aspect), Math.abs(p.dot(y)) / this.slope);
      whole = Math.max(whole, wide + p.dot(z));
    }
    this.distance = (whole || 1) / this.zoom;
    camera.aspect = aspect;
    camera.near = this.distance * 0.01;
    camera.far = this.distance + whole * 8;
    camera.up.copy(y);
    camera.position.copy(this.target).addScaledVector(z, this.distance);
    camera.lookAt(this.target);
    camera.updateProjectionMatrix();
  }
}

/** Mouse and touch on a player: drag turns, right or shift drag pans, wheel zooms, two fingers pan and zoom. */
export function orbitBy(element, view) {
  const touches = new Map();
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  element.addEventListener("pointerdown", (event) => {
    touches.set(event.pointerId, [event.clientX, event.clientY]);
    element.setPointerCapture(event.pointerId);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    element.addEventListener(name, (event) => touches.delete(event.pointerId));
  }
  element.addEventListener("pointermove", (event) => {
    const before = touches.get(event.pointerId);
    if (!before) return;
    const height = element.clientHeight;
    const [right, down] = [(event.clientX - before[0]) / height, (event.clientY - before[1]) / height];
    const other = [...touches.entries()].find(([id]) => id !== event.pointerId)?.[1];
    touches.set(event.pointerId, [event.clientX, event.clientY]);
    if (other) {
      const apart = ([x, y]) => Math.hypot(x - other[0], y - other[1]) || 1;
      view.scale(apart([event.clientX, event.clientY]) / apart(before));
      view.pan(right / 2, down / 2);
    } else if (event.shiftKey || event.buttons & 6) view.pan(right, down);
    else view.turn(-3 * right, 3 * down);
  });
  element.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      view.scale(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : event.ctrlKey ? 0.01 : 0.0015)));
    },
    { passive: false },
  );
  element.addEventListener("keydown", (event) => {
    const turns = { a: [-0.1, 0], d: [0.1, 0], w: [0, 0.1], s: [0, -0.1] };
    if (turns[event.key]) view.turn(...turns[event.key]);
    else if (event.key === "+" || event.key === "=") view.scale(1.15);
    else if (event.key === "-") view.scale(1 / 1.15);
  });
}
