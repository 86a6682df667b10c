// Pulling at a body with the mouse: what is under it is taken, and goes to where the mouse is in the plane of the view.
import { Vector3 } from "three";

/** Distance at which the pointer picks a line [pixels]. */
const NEAR = 10;

/** A drag that begins on the body pulls it; every other is left to whoever turns the view. */
export function pullBy(element, { view, player, ask }) {
  let held = null;
  const rod = rodOver(element);
  element.addEventListener("pointerdown", (event) => {
    if (held || event.button !== 0 || event.shiftKey || !player.frames.available) return;
    const found = under(element, player, event);
    if (found === null) return;
    event.stopImmediatePropagation();
    element.setPointerCapture(event.pointerId);
    const at = placeOf(player, found);
    held = { pointer: event.pointerId, point: found, at, from: [event.clientX, event.clientY], to: at, sent: null, busy: false };
    element.classList.add("pulls");
    send();
  });
  element.addEventListener("pointermove", (event) => {
    if (!held || event.pointerId !== held.pointer) return;
    event.stopImmediatePropagation();
    held.to = target(event);
    held.end = [event.clientX, event.clientY];
    send();
    draw();
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    element.addEventListener(name, (event) => {
      if (!held || event.pointerId !== held.pointer) return;
      const { busy } = held;
      held = null;
      rod.hide();
      element.classList.remove("pulls");
      // Commands under way arrive first.
      Promise.resolve(busy).then(() => ask("release"));
    });
  }

  /** Position of the mouse in the plane of the view through the picked point [m]. */
  function target(event) {
    const { x, y, z } = view.axes();
    const depth = player.camera.position.clone().sub(held.at).dot(z);
    const metre = (2 * depth * view.slope) / element.clientHeight;
    const [right, down] = [event.clientX - held.from[0], event.clientY - held.from[1]];
    return held.at.clone().addScaledVector(x, right * metre).addScaledVector(y, -down * metre);
  }

  /** One command at a time, the newest place only: a slow step is not followed by a queue. */
  function send() {
    if (!held || held.busy || held.sent === held.to) return;
    const mine = held;
    mine.sent = mine.to;
    mine.busy = ask("pull", { point: mine.point, to: mine.to.toArray() }).then((taken) => {
      mine.busy = false;
      if (taken) send();
    });
  }

  function draw() {
    if (!held?.end) return;
    const box = element.getBoundingClientRect();
    const from = onScreen(placeOf(player, held.point), player, box);
    rod.show(from, [held.end[0] - box.left, held.end[1] - box.top]);
  }
  player.onshow = draw;
}

/** Position of a drawn point in the shown frame [m]. */
export function placeOf(player, point) {
  const f = Math.min(player.at, player.frames.available - 1);
  const q = player.frames.frame(f);
  const { low, size } = player.frames.box(f);
  return new Vector3(...[0, 1, 2].map((axis) => low[axis] + (q[4 * point + axis] / 65535) * size[axis]));
}

function onScreen(place, player, box) {
  const p = place.clone().project(player.camera);
  return [((p.x + 1) / 2) * box.width, ((1 - p.y) / 2) * box.height];
}

/** The point nearest to the mouse of what is in front under it, or null. */
function under(element, player, event) {
  const box = element.getBoundingClientRect();
  const mouse = [event.clientX - box.left, event.clientY - box.top];
  const n = player.body.shape.points;
  const flat = new Float64Array(3 * n);
  const p = new Vector3();
  for (let i = 0; i < n; i++) {
    p.copy(placeOf(player, i)).project(player.camera);
    flat[3 * i] = ((p.x + 1) / 2) * box.width - mouse[0];
    flat[3 * i + 1] = ((1 - p.y) / 2) * box.height - mouse[1];
    flat[3 * i + 2] = p.z;
  }
  let best = null;
  const offer = (depth, points) => {
    if (best && best.depth <= depth) return;
    const apart = (i) => Math.hypot(flat[3 * i], flat[3 * i + 1]);
    best = { depth, point: points.reduce((a, b) => (apart(b) < apart(a) ? b : a)) };
  };
  const { triangles, lines } = player.body.shape;
  for (let t = 0; t < triangles.length; t += 3) {
    const points = [triangles[t], triangles[t + 1], triangles[t + 2]];
    // Weights of the corners at the mouse, which is the origin here.
    const [u, v, w] = [0, 1, 2].map((k) => cross(flat, points[(k + 1) % 3], points[(k + 2) % 3]));
    if (!((u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)) || u + v + w === 0) continue;
    const depth = (u * flat[3 * points[0] + 2] + v * flat[3 * points[1] + 2] + w * flat[3 * points[2] + 2]) / (u + v + w);
    offer(depth, points);
  }
  for (let l = 0; l < lines.length; l += 2) {
    const [a, b] = [lines[l], lines[l + 1]];
    const [dx, dy] = [flat[3 * b] - flat[3 * a], flat[3 * b + 1] - flat[3 * a + 1]];
    const part = Math.min(Math.max(-(flat[3 * a] * dx + flat[3 * a + 1] * dy) / (dx * dx + dy * dy || 1), 0), 1);
    if (Math.hypot(flat[3 * a] + part * dx, flat[3 * a + 1] + part * dy) < NEAR) offer(flat[3 * a + 2], [a, b]);
  }
  return best && best.point;
}

function cross(flat, i, j) {
  return flat[3 * i] * flat[3 * j + 1] - flat[3 * i + 1] * flat[3 * j];
}

/** A line over the player from what is held to the mouse. */
function rodOver(element) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", "rod");
  svg.setAttribute("aria-hidden", "true");
  const line = svg.appendChild(document.createElementNS(space, "line"));
  const dot = svg.appendChild(document.createElementNS(space, "circle"));
  dot.setAttribute("r", 5);
  svg.style.display = "none";
  element.append(svg);
  return {
    show([x1, y1], [x2, y2]) {
      svg.style.display = "";
      for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) line.setAttribute(name, value.toFixed(1));
      dot.setAttribute("cx", x2);
      dot.setAttribute("cy", y2);
    },
    hide: () => (svg.style.display = "none"),
  };
}
