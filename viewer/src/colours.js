// Colours of runs, chosen so that people with any kind of colour blindness can tell them apart (test/colours.test.mjs measures it),
// with a dash as a second sign where they repeat; and maps of fields that grow evenly in lightness.
import { ClampToEdgeWrapping, DataTexture, LinearFilter, RGBAFormat } from "three";
import { number } from "./format.js";

/** On light and on dark ground. */
export const RUNS = [
  ["#0863c7", "#22abff"],
  ["#be1a25", "#dd5827"],
  ["#00aa66", "#047a58"],
  ["#c979ba", "#bea4b0"],
  ["#d97f03", "#f2b309"],
  ["#2600a1", "#7353f7"],
  ["#5e5e62", "#efffbb"],
];
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

export const colourOf = (run) => `var(--run-${run % RUNS.length})`;
export const dashOf = (run) => DASHES[Math.floor(run / RUNS.length) % DASHES.length];

/** The colour of a run's body, red, green and blue in 0..1: between the two, since light changes it anyway. */
export function bodyColour(run) {
  const [light, dark] = RUNS[run % RUNS.length].map(channels);
  return light.map((c, i) => (c + dark[i]) / 510);
}

/** Makes the colours of runs known to styles. */
export function defineColours(root) {
  RUNS.forEach(([light, dark], i) => root.style.setProperty(`--run-${i}`, `light-dark(${light}, ${dark})`));
}

// Viridis, plasma and cividis without their darkest parts, which on dark ground cannot be seen.
const MAPS = {
  speed: "414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725",
  strain: "6a00a8 8f0da4 b12a90 cc4778 e16462 f2844b fca636 fcce25 f0f921",
  energy: "2b4070 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
};

function stopsOf(field) {
  return (MAPS[field] ?? MAPS.speed).split(" ").map((hex) => `#${hex}`);
}

/** The map of a field as a strip of 256 colours. */
export function mapOf(field) {
  const stops = stopsOf(field).map(channels);
  const data = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; c++) data[4 * i + c] = stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c]);
    data[4 * i + 3] = 255;
  }
  const texture = new DataTexture(data, 256, 1, RGBAFormat);
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.wrapS = texture.wrapT = ClampToEdgeWrapping;
  texture.needsUpdate = true;
  return texture;
}

/** Fills the legend of a field: its map, numbers where they are on it, and the unit. */
export function drawLegend(element, field) {
  element.hidden = !field;
  if (!field) return;
  const bar = document.createElement("div");
  bar.className = "bar";
  bar.style.background = `linear-gradient(to right, ${stopsOf(field.name).join(", ")})`;
  const ticks = document.createElement("div");
  ticks.className = "ticks";
  // Colours go with the root of the value, as fields are stored: what is small is seen too.
  for (const place of [0, 0.5, 1]) {
    const value = Number((place * place * field.max).toPrecision(place === 1 ? 3 : 2));
    const tick = document.createElement("span");
    tick.textContent = number(value);
    tick.style.left = `${100 * (field.max > 0 ? Math.sqrt(value / field.max) : place)}%`;
    ticks.append(tick);
  }
  const name = document.createElement("span");
  name.className = "name";
  name.textContent = field.unit ? `${field.name} [${field.unit.replace("^3", "³").replace("^2", "²")}]` : field.name;
  element.replaceChildren(name, bar, ticks);
}

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}
