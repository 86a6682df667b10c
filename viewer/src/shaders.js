// Two neighbouring frames are on the graphics card, even ones in one buffer and odd ones in the other, so that a step forward
// uploads one frame; what lies between them is mixed here and costs our own code nothing.

export const VERTEX = `
in vec4 even;
in vec4 odd;
in float evenValue;
in float oddValue;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform vec3 low[2];
uniform vec3 size[2];
uniform float blend;
uniform vec2 spread;
uniform float radius;
uniform float thickness;
uniform float height;
out vec3 normal;
out vec3 eye;
out float value;

vec3 unfold(float packed) {
  float bits = floor(packed * 65535.0 + 0.5);
  vec2 e = (vec2(floor(bits / 256.0), mod(bits, 256.0)) - 127.0) / 127.0;
  vec3 n = vec3(e, 1.0 - abs(e.x) - abs(e.y));
  if (n.z < 0.0) n.xy = (1.0 - abs(n.yx)) * vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
  return normalize(n);
}

void main() {
  vec4 at = modelViewMatrix * vec4(mix(low[0] + size[0] * even.xyz, low[1] + size[1] * odd.xyz, blend), 1.0);
  normal = mat3(modelViewMatrix) * mix(unfold(even.w), unfold(odd.w), blend);
  eye = -at.xyz;
  value = mix(evenValue, oddValue, blend);
  gl_Position = projectionMatrix * at;
  // Lines of one pixel are too thin for ropes: several copies, spread over a disc, make a thick one with round ends.
  float turn = 2.39996 * float(gl_InstanceID);
  // Fibres are as thick as they are, but never thinner than half a pixel or so.
  vec2 real = 0.5 * thickness * vec2(projectionMatrix[0][0], projectionMatrix[1][1]) / gl_Position.w;
  vec2 wide = thickness > 0.0 ? max(0.35 * spread, real) : spread;
  gl_Position.xy += wide * sqrt(float(gl_InstanceID) / 12.0) * vec2(cos(turn), sin(turn)) * gl_Position.w;
#ifdef ROUND
  gl_PointSize = max(radius * projectionMatrix[1][1] * height / gl_Position.w, 1.0);
#endif
}`;

export const FRAGMENT = `
precision highp float;
in vec3 normal;
in vec3 eye;
in float value;
uniform sampler2D map;
uniform vec3 plain;
uniform float coloured;
uniform float lit;
uniform float opacity;
out vec4 colour;

void main() {
  vec3 paint = mix(plain, texture(map, vec2(value * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb, coloured);
#ifdef ROUND
  // A square that faces the eye is cut and lit like the ball it stands for.
  vec2 across = 2.0 * gl_PointCoord - 1.0;
  float inside = 1.0 - dot(across, across);
  if (inside < 0.0) discard;
  vec3 n = vec3(across.x, -across.y, sqrt(inside));
#else
  vec3 n = normalize(gl_FrontFacing ? normal : -normal);
#endif
  float key = max(dot(n, normalize(vec3(-0.35, 0.65, 0.7))), 0.0);
  float fill = max(dot(n, normalize(vec3(0.8, -0.2, 0.45))), 0.0);
  float shine = pow(max(dot(reflect(-normalize(eye), n), normalize(vec3(-0.35, 0.65, 0.7))), 0.0), 24.0);
  vec3 shaded = paint * (0.42 + 0.58 * key + 0.24 * fill) + 0.1 * shine;
  colour = vec4(mix(paint, shaded, lit) * opacity, opacity);
}`;

export const STROKE_VERTEX = `
in vec3 position;
in float paint;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform vec2 spread;
out vec3 normal;
out vec3 eye;
out float value;

void main() {
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  normal = vec3(0.0, 0.0, 1.0);
  eye = -at.xyz;
  value = paint;
  gl_Position = projectionMatrix * at;
  float turn = 2.39996 * float(gl_InstanceID);
  gl_Position.xy += 0.4 * spread * sqrt(float(gl_InstanceID) / 6.0) * vec2(cos(turn), sin(turn)) * gl_Position.w;
}`;

export const SOLID_VERTEX = `
in vec3 position;
in vec3 facing;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
out vec3 normal;
out vec3 eye;
out float value;

void main() {
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  normal = mat3(modelViewMatrix) * facing;
  eye = -at.xyz;
  value = 0.0;
  gl_Position = projectionMatrix * at;
}`;

export const BALL_VERTEX = `
in vec3 position;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
out vec3 normal;
out vec3 eye;
out float value;

void main() {
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  normal = mat3(modelViewMatrix) * position;
  eye = -at.xyz;
  value = 0.0;
  gl_Position = projectionMatrix * at;
}`;

export const PLANE_VERTEX = `
in vec3 position;
in vec2 place;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
out vec2 at;

void main() {
  at = place;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

// Ground without an end would hide where it ends: it fades, and squares on it show how it lies.
export const PLANE_FRAGMENT = `
precision highp float;
in vec2 at;
out vec4 colour;

void main() {
  vec2 squares = at * 8.0;
  vec2 near = abs(fract(squares - 0.5) - 0.5) / fwidth(squares);
  float line = 1.0 - min(min(near.x, near.y), 1.0);
  float opacity = (0.16 + 0.3 * line) * (1.0 - smoothstep(0.25, 1.0, length(at)));
  colour = vec4(vec3(0.5, 0.53, 0.57) * opacity, opacity);
}`;
