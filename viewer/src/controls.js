// Buttons, sliders and keys, tied to the clock, the view and the look of players.
import { moment } from "./format.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const byId = (id) => document.getElementById(id);

export function connect({ meta, clock, view, look }) {
  tieClock(clock);
  tieLook(meta, look);
  tieKeys(clock, view);
  byId("reset").addEventListener("click", () => view.reset());
  byId("theme").addEventListener("click", turnTheme);
  for (const button of document.querySelectorAll("[data-copies]")) button.addEventListener("click", () => copy(button));
}

function tieClock(clock) {
  const [play, scrub, time, speed, loop] = ["play", "scrub", "time", "speed", "loop"].map(byId);
  scrub.min = clock.start;
  scrub.max = clock.end;
  scrub.addEventListener("input", () => clock.seek(Number(scrub.value)));
  // Whoever holds the slider holds the clock.
  let held = false;
  scrub.addEventListener("pointerdown", () => {
    held = clock.playing;
    clock.playing = false;
  });
  for (const name of ["pointerup", "pointercancel"]) {
    scrub.addEventListener(name, () => {
      if (held) clock.play(true);
      held = false;
    });
  }
  play.addEventListener("click", () => clock.play());
  for (const s of SPEEDS) speed.append(new Option(`${s}×`, s, s === 1, s === 1));
  speed.addEventListener("change", () => (clock.speed = Number(speed.value)));
  loop.addEventListener("change", () => (clock.loop = loop.checked));
  const show = () => {
    // Of a run that goes on the end moves.
    if (Number(scrub.max) !== clock.end) scrub.max = clock.end;
    if (Number(scrub.min) !== clock.start) scrub.min = clock.start;
    scrub.value = clock.time;
    const [sign, label] = clock.playing ? ["❚❚", "Pause"] : ["▶", "Play"];
    if (play.textContent !== sign) {
      play.textContent = sign;
      play.setAttribute("aria-label", label);
    }
    time.textContent = `${moment(clock.time, clock.end)} / ${moment(clock.end, clock.end)} s`;
  };
  clock.onchange(show);
  show();
}

function tieLook(meta, look) {
  const colour = byId("colour");
  colour.append(new Option("plain", ""));
  for (const { name } of meta.fields ?? []) colour.append(new Option(name, name));
  colour.addEventListener("change", () => look.colour(colour.value));
  // A swimmer is shown with its flow, its trail and its speed from the beginning.
  for (const [name, shown] of [["flow", Boolean(meta.flow)], ["trails", Boolean(meta.trails?.length)]]) {
    const box = byId(name);
    box.parentElement.hidden = !shown;
    box.addEventListener("change", () => look[name](box.checked));
    if (shown) look[name](box.checked);
  }
  if (meta.flow && meta.fields?.some(({ name }) => name === "speed")) {
    colour.value = "speed";
    look.colour("speed");
  }
  byId("wireframe").parentElement.hidden = !meta.shape.triangles;
  byId("wireframe").addEventListener("change", (event) => look.wireframe(event.target.checked));
  byId("ghost").addEventListener("change", (event) => look.ghost(event.target.checked));
}

function tieKeys(clock, view) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, textarea, summary")) return;
    const presses = event.target.matches("button, input[type=checkbox]");
    if (event.key === " " && !presses) clock.play();
    else if (event.key === "ArrowLeft") clock.step(event.shiftKey ? -10 : -1);
    else if (event.key === "ArrowRight") clock.step(event.shiftKey ? 10 : 1);
    else if (event.key === "Home") clock.seek(clock.start);
    else if (event.key === "End") clock.seek(clock.end);
    else if (event.key === "0") view.reset();
    else return;
    event.preventDefault();
  });
}

function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

async function copy(button) {
  const source = byId(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    // Pages from the file system are refused by some browsers: the old way still works there.
    getSelection().selectAllChildren(source);
    document.execCommand("copy");
    getSelection().removeAllRanges();
  }
  button.textContent = "copied";
  setTimeout(() => (button.textContent = "copy"), 1500);
}
