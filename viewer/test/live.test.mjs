// A scene in the page while it is computed, and a run while it is written: from the built command, in a browser.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { drawn, folders, launch, picture, visit } from "./browser.mjs";
import { colours, difference } from "./png.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const program = process.env.PLIANT ?? [here("../../target/quick/pliant"), here("../../target/release/pliant")].find(existsSync);
const scene = `${folders.reports}/live.toml`;
writeFileSync(
  scene,
  `title = "A bar that hangs"
[run]
duration = 1.0
[world]
gravity = [0.0, 0.0, -9.81]
[integrator]
method = "backward-euler"
step = 0.01
[[body]]
name = "bar"
shape = { generator = "bar", length = 1.0, thickness = 0.2, cells_along = 10, cells_across = 2 }
material = { model = "neo-hookean", young = 4e5, poisson = 0.4, density = 1000.0 }
[[fix]]
where = { group = "x-" }
`,
);

let browser, server, page;
const children = new Set();

/** Starts `pliant view`; `address` is where it is. */
async function view(what) {
  const child = spawn(program, ["view", what], { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  child.on("exit", () => children.delete(child));
  const address = await new Promise((found, lost) => {
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      const match = text.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//);
      if (match) found(match[0]);
    });
    child.on("exit", (code) => lost(new Error(`pliant view ended with ${code}`)));
  });
  return { child, address };
}

async function end({ child }) {
  const ended = new Promise((go) => child.on("exit", go));
  child.kill("SIGINT");
  return ended;
}

const visitOwn = ({ address }, how) => visit(browser, address, new RegExp(`^${address}|^(data|blob):`), how);
const state = () => page.evaluate(() => window.pliant.source[0].state);
const steps = async () => (await state()).steps;
const until = (what, ...facts) => page.waitForFunction(what, { timeout: 60_000 }, ...facts);
/** Positions of all points in the newest frame [m]. */
const newest = () =>
  page.evaluate(() => {
    const source = window.pliant.source[0];
    const f = source.available - 1;
    const { low, size } = source.box(f);
    const q = source.frame(f);
    return Array.from({ length: source.points }, (_, i) => [0, 1, 2].map((c) => low[c] + (q[4 * i + c] / 65535) * size[c]));
  });
const farthest = (a, b) => Math.max(...a.map((p, i) => Math.hypot(...p.map((x, c) => x - b[i][c]))));
async function pause() {
  await page.evaluate(() => window.pliant.clock.play(false));
  await until(() => window.pliant.source[0].state.running === false);
}
async function go() {
  await page.evaluate(() => window.pliant.clock.play(true));
  await until(() => window.pliant.source[0].state.running);
}

before(async () => {
  if (!program) throw new Error("there is no pliant: build it with `cargo build --release`, or name it in PLIANT");
  browser = await launch();
  server = await view(scene);
  page = await visitOwn(server);
  await until(() => window.pliant?.source[0].available > 3);
});
after(async () => {
  await browser?.close();
  try {
    if (server) assert.equal(await end(server), 0, "Ctrl-C ends it cleanly");
  } finally {
    // One left over by a test that failed would keep this process alive for ever.
    for (const child of children) child.kill("SIGKILL");
  }
});
afterEach(() => {
  assert.deepEqual(page.leaks, [], "no request goes to anybody else");
  assert.deepEqual(page.complaints.filter((text) => !/409/.test(text)), [], "the console is quiet");
});

test("the body is on the screen and moves", async () => {
  const first = await picture(page, 0);
  assert.ok(colours(first) > 60, `${colours(first)} colours`);
  const time = await page.evaluate(() => window.pliant.clock.time);
  await until((time) => window.pliant.clock.time > time + 0.2, time);
  assert.ok(difference(first, await picture(page, 0)) > 500);
});

test("energies grow with time", async () => {
  await until(() => window.pliant.meta.runs[0].series.t.length > 20);
  await until(() => document.querySelector(".figure path.line")?.getAttribute("d").split("L").length > 10);
});

test("a frame keeps its own bytes and no others", async () => {
  const [own, kept] = await page.evaluate(() => {
    const { frames, points, meta } = window.pliant.source[0];
    return [(8 + meta.fields.length) * points + 3, Math.max(...frames.map(({ positions }) => positions.buffer.byteLength))];
  });
  assert.ok(kept <= own, `${kept} bytes for ${own}`);
});

test("pause stops it, one step is one step, and it goes on", async () => {
  await page.click("#play");
  await until(() => window.pliant.source[0].state.running === false);
  const stopped = await steps();
  await new Promise((go) => setTimeout(go, 400));
  assert.equal(await steps(), stopped);
  const before = await newest();
  await page.click("#single");
  await until((n) => window.pliant.source[0].state.steps === n + 1, stopped);
  await new Promise((go) => setTimeout(go, 200));
  assert.equal(await steps(), stopped + 1);
  const moved = farthest(before, await newest());
  assert.ok(moved > 0 && moved < 0.1, `${moved} m`);
  await page.click("#play");
  await until((n) => window.pliant.source[0].state.steps > n + 5, stopped);
});

test("another method goes on from the same state, and is named", async () => {
  await pause();
  const before = await newest();
  const time = (await state()).time;
  await page.select("#method", "implicit-midpoint");
  await until(() => window.pliant.source[0].state.method === "implicit-midpoint");
  assert.equal((await state()).time, time);
  assert.ok(farthest(before, await newest()) < 1e-9);
  await until(() => document.querySelector(".player .name").textContent.includes("implicit-midpoint"));
  await page.click("#single");
  await until((time) => window.pliant.source[0].state.time > time, time);
  assert.ok(farthest(before, await newest()) < 0.1, "it goes on from there");
});

test("a method that is refused is said in the scene's words, and nothing changes", async () => {
  const before = await state();
  await page.evaluate(() => {
    const method = document.getElementById("method");
    method.append(new Option("no-such", "no-such"));
    method.value = "no-such";
    method.dispatchEvent(new Event("change"));
  });
  await until(() => /no-such/.test(document.getElementById("refusal").textContent));
  assert.deepEqual(await state(), before);
  await page.select("#method", "backward-euler");
  await until(() => document.getElementById("refusal").textContent === "");
});

/** Where the tip of the bar is: its number and its place on the screen. */
const tip = () =>
  page.evaluate(() => {
    const { players, source } = window.pliant;
    const { camera } = players[0];
    const f = source[0].available - 1;
    const { low, size } = source[0].box(f);
    const q = source[0].frame(f);
    const place = (i) => [0, 1, 2].map((c) => low[c] + (q[4 * i + c] / 65535) * size[c]);
    const box = document.querySelector(".player").getBoundingClientRect();
    const cameraAt = camera.position.toArray();
    // Of the end of the bar the corner that is nearest to the eye, and a little inside of it.
    const ends = Array.from({ length: source[0].points }, (_, i) => i).filter((i) => window.pliant.rest[3 * i] > 0.99);
    const apart = (i) => Math.hypot(...place(i).map((x, c) => x - cameraAt[c]));
    const point = ends.reduce((a, b) => (apart(b) < apart(a) ? b : a));
    const middle = ends.map(place).reduce((sum, p) => sum.map((x, c) => x + p[c] / ends.length), [0, 0, 0]);
    const inside = place(point).map((x, c) => 0.7 * x + 0.3 * middle[c]);
    const p = camera.position.clone().set(...inside).project(camera);
    return { point, at: place(point), screen: [box.left + ((p.x + 1) / 2) * box.width, box.top + ((1 - p.y) / 2) * box.height] };
  });

test("a drag on the body pulls it to the mouse, and letting go lets it go", async () => {
  // Taken while it stands still: where it was seen is where it is.
  await pause();
  await page.evaluate(() => scrollTo(0, 0));
  await drawn(page);
  const turned = await page.evaluate(() => window.pliant.view.azimuth);
  const { screen } = await tip();
  await page.mouse.move(...screen);
  await page.mouse.down();
  await until(() => window.pliant.source[0].state.pulled !== null);
  const held = (await state()).pulled;
  const start = (await newest())[held];
  await go();
  await page.mouse.move(screen[0], screen[1] - 120, { steps: 6 });
  await until((held, z) => {
    const source = window.pliant.source[0];
    const f = source.available - 1;
    const { low, size } = source.box(f);
    return low[2] + (source.frame(f)[4 * held + 2] / 65535) * size[2] > z + 0.1;
  }, held, start[2]);
  assert.equal(await page.evaluate(() => window.pliant.view.azimuth), turned, "the view is not turned");
  assert.ok(await page.$eval(".rod", (rod) => rod.style.display !== "none"));
  await page.screenshot({ path: `${folders.screenshots}/live-pull.png` });
  await page.mouse.up();
  await until(() => window.pliant.source[0].state.pulled === null);
});

test("a drag beside the body turns the view", async () => {
  const box = await (await page.$(".player")).boundingBox();
  const turned = await page.evaluate(() => window.pliant.view.azimuth);
  await page.mouse.move(box.x + 20, box.y + box.height - 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 120, box.y + box.height - 40, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await page.evaluate(() => window.pliant.view.azimuth), turned);
  assert.equal((await state()).pulled, null);
});

test("colours and their legend follow the motion", async () => {
  await page.select("#colour", "speed");
  await until(() => Number(document.querySelector("#legend .ticks span:last-child")?.textContent) > 0);
  await page.select("#colour", "");
});

test("what diverges is shown with the sign, and another method goes on", async () => {
  await page.select("#method", "rk4");
  await until(() => window.pliant.source[0].state.diverged);
  await until(() => !document.querySelector(".cross").hidden);
  assert.match(await page.$eval(".cross", (cross) => cross.textContent), /⊗diverged at .+ s.+/);
  await page.screenshot({ path: `${folders.screenshots}/live-diverged.png` });
  const { time } = await state();
  await page.select("#method", "backward-euler");
  await until((time) => !window.pliant.source[0].state.diverged && window.pliant.source[0].state.time > time, time);
  await until(() => document.querySelector(".cross").hidden);
});

test("starting again goes back to the first state and the scene's method", async () => {
  await page.select("#method", "siere");
  await pause();
  await page.click("#again");
  await until(() => window.pliant.source[0].state.time === 0 && window.pliant.source[0].state.method === "backward-euler");
  await until(() => window.pliant.source[0].available === 1 && window.pliant.clock.time === 0);
  assert.ok(Math.max(...(await newest()).map(([, , z]) => Math.abs(z))) < 0.11, "it is straight again");
  await go();
  await until(() => window.pliant.clock.time > 0.1);
});

test("a page that is closed and opened again goes on where it was", async () => {
  const before = await steps();
  const other = await visitOwn(server);
  await other.waitForFunction((n) => window.pliant?.source[0].state.steps >= n, { timeout: 60_000 }, before);
  assert.deepEqual(other.leaks, []);
  await other.close();
});

test("it looks right on a phone and on a desk, in light and in dark", async () => {
  for (const [name, how] of Object.entries({
    phone: { width: 390, height: 844 },
    desk: { width: 1280, height: 900 },
    dark: { width: 1280, height: 900, dark: true },
  })) {
    const other = await visitOwn(server, how);
    await other.waitForFunction(() => window.pliant?.meta.runs[0].series.t.length > 30, { timeout: 60_000 });
    await drawn(other);
    const wide = await other.evaluate(() => {
      const out = [];
      if (document.documentElement.scrollWidth > innerWidth) out.push("the page is wider than the screen");
      for (const element of document.querySelectorAll("body *")) {
        if (element.clientWidth && !element.closest("svg") && element.scrollWidth > element.clientWidth) out.push(`${element.tagName}#${element.id}`);
      }
      return out;
    });
    await other.screenshot({ path: `${folders.screenshots}/live-${name}.png`, fullPage: true });
    assert.deepEqual(wide, [], name);
    await other.close();
  }
});

test("the run of a directory is shown while it is written", async () => {
  const out = `${folders.reports}/live-run`;
  rmSync(out, { recursive: true, force: true });
  const run = (duration) => spawnSync(program, [duration === 0.2 ? "run" : "resume", ...(duration === 0.2 ? [scene, "-o", out] : [out]), "--duration", `${duration}`, "-q"], { encoding: "utf8" });
  const first = run(0.2);
  assert.equal(first.status, 0, first.stderr);
  const other = await view(out);
  const shown = await visitOwn(other);
  const frames = () => shown.evaluate(() => window.pliant.source[0].available);
  await shown.waitForFunction(() => window.pliant?.source[0].available === 13, { timeout: 60_000 });
  assert.ok(await shown.$eval("#live", (bar) => bar.hidden), "there is nothing to interfere with");
  await shown.waitForFunction(() => document.querySelector(".state").textContent === "done", { timeout: 60_000 });
  assert.ok(colours(await picture(shown, 0)) > 60);
  const second = run(0.4);
  assert.equal(second.status, 0, second.stderr);
  await shown.waitForFunction(() => window.pliant.meta.times.at(-1) === 0.4, { timeout: 60_000 });
  assert.equal(await frames(), 25);
  await shown.evaluate(() => {
    window.pliant.clock.play(false);
    window.pliant.clock.seek(0.1);
  });
  await drawn(shown);
  assert.equal(await shown.evaluate(() => window.pliant.players[0].at), 6);
  // Another run in its place is shown from its beginning, and nothing of the first is left.
  const third = spawnSync(program, ["run", scene, "-o", out, "--method", "siere", "--duration", "0.3", "--force", "-q"], { encoding: "utf8" });
  assert.equal(third.status, 0, third.stderr);
  await shown.waitForFunction(() => window.pliant.meta.times.at(-1) === 0.3 && window.pliant.source[0].epoch === 1, { timeout: 60_000 });
  assert.equal(await frames(), 19);
  await shown.waitForFunction(() => document.querySelector(".player .name").textContent.includes("siere"), { timeout: 60_000 });
  assert.deepEqual([shown.leaks, shown.complaints], [[], []]);
  await shown.close();
  assert.equal(await end(other), 0);
});
