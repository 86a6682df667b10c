// Obstacles: balls, boxes, capsules and meshes as grey bodies, planes as ground that fades away from where the motion is.
import { BufferAttribute, BufferGeometry, CustomBlending, DoubleSide, GLSL3, Group, Mesh, OneFactor, OneMinusSrcAlphaFactor, Quaternion, RawShaderMaterial, SphereGeometry, Vector3 } from "three";
import { BALL_VERTEX, FRAGMENT, PLANE_FRAGMENT, PLANE_VERTEX, SOLID_VERTEX } from "./shaders.js";

const GREY = new Vector3(0.6, 0.62, 0.65);

/** Objects to be added to a scene; `low`, `size`: where the motion is [m]. */
export function obstaclesOf(list, low, size) {
  const of = (wanted, make) => list.filter(({ kind }) => kind === wanted).map((one) => onItsWay(make(one), one.way)).filter(Boolean);
  return [...of("plane", (plane) => groundOf(plane, low, size)), ...of("ball", ballOf), ...of("mesh", solidOf)];
}

/** An obstacle that goes along a way, places at equal times, is moved as a group by `placeAt`. */
function onItsWay(object, way) {
  if (!object || !way) return object;
  const group = new Group();
  object.frustumCulled = false;
  group.add(object);
  group.userData.way = way;
  return group;
}

const [there, turned] = [new Vector3(), new Quaternion()];

/** Puts an obstacle that moves where it is at a time [s]. */
export function placeAt(group, time) {
  const { rate, places } = group.userData.way;
  const at = Math.min(Math.max(time * rate, 0), places.length - 1);
  const [k, next] = [Math.floor(at), Math.min(Math.floor(at) + 1, places.length - 1)];
  const part = at - k;
  group.position.fromArray(places[k]).lerp(there.fromArray(places[next]), part);
  group.quaternion.fromArray(places[k], 3).slerp(turned.fromArray(places[next], 3), part);
}

/** The box of the motion with the balls in it that are not much larger: what meets should be seen. */
export function withBalls(list, low, size) {
  const across = Math.hypot(...size);
  const balls = list.filter(({ kind, radius }) => kind === "ball" && radius < across);
  const from = low.map((l, axis) => Math.min(l, ...balls.map(({ center, radius }) => center[axis] - radius)));
  const to = low.map((l, axis) => Math.max(l + size[axis], ...balls.map(({ center, radius }) => center[axis] + radius)));
  return [from, to.map((t, axis) => t - from[axis])];
}

/** Triangles with a normal each: obstacles are few, and their edges are seen. */
function solidOf({ points, triangles }) {
  const positions = new Float32Array(9 * triangles.length);
  const facing = new Float32Array(9 * triangles.length);
  const [a, b, c] = [new Vector3(), new Vector3(), new Vector3()];
  triangles.forEach((corners, i) => {
    corners.forEach((point, k) => positions.set(points[point], 9 * i + 3 * k));
    [a, b, c].forEach((corner, k) => corner.set(...points[corners[k]]));
    const normal = b.sub(a).cross(c.sub(a)).normalize().toArray();
    for (let k = 0; k < 3; k++) facing.set(normal, 9 * i + 3 * k);
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("facing", new BufferAttribute(facing, 3));
  const uniforms = { plain: { value: GREY }, coloured: { value: 0 }, map: { value: null }, lit: { value: 1 }, opacity: { value: 1 } };
  const material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: SOLID_VERTEX, fragmentShader: FRAGMENT, uniforms, side: DoubleSide });
  return new Mesh(geometry, material);
}

function ballOf({ center, radius }) {
  const uniforms = { plain: { value: GREY }, coloured: { value: 0 }, map: { value: null }, lit: { value: 1 }, opacity: { value: 1 } };
  const material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: BALL_VERTEX, fragmentShader: FRAGMENT, uniforms });
  // A little smaller than it is: between points that lie on it, faces cut into it.
  const mesh = new Mesh(new SphereGeometry(0.96 * radius, 48, 32), material);
  mesh.position.set(...center);
  return mesh;
}

function groundOf({ point, normal }, low, size) {
  const n = new Vector3(...normal).normalize();
  const centre = new Vector3(...low.map((l, axis) => l + size[axis] / 2));
  const height = centre.clone().sub(new Vector3(...point)).dot(n);
  const across = Math.hypot(...size);
  if (Math.abs(height) > 1.5 * across) return null;
  centre.addScaledVector(n, -height);
  const u = new Vector3(0, 0, 0).setComponent([0, 1, 2].reduce((a, b) => (Math.abs(normal[b]) < Math.abs(normal[a]) ? b : a)), 1).cross(n).normalize();
  const v = n.clone().cross(u);
  const corners = [[-1, -1], [1, -1], [-1, 1], [1, 1]];
  const positions = corners.flatMap(([a, b]) => centre.clone().addScaledVector(u, a * across).addScaledVector(v, b * across).toArray());
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setAttribute("place", new BufferAttribute(Float32Array.from(corners.flat()), 2));
  geometry.setIndex([0, 1, 2, 2, 1, 3]);
  const look = { side: DoubleSide, depthWrite: false, blending: CustomBlending, blendSrc: OneFactor, blendDst: OneMinusSrcAlphaFactor };
  const material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: PLANE_VERTEX, fragmentShader: PLANE_FRAGMENT, uniforms: {}, ...look });
  return new Mesh(geometry, material);
}
