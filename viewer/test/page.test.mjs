// The page as people use it, in a browser, from the file system.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "../build.mjs";
import { drawn, folders, halt, launch, least, open, picture } from "./browser.mjs";
import { fill, report, write } from "./fixture.mjs";
import { colours, difference } from "./png.mjs";

const built = fileURLToPath(new URL("../dist/page.html", import.meta.url));
let browser, demo, page;

before(async () => {
  browser = await launch();
  demo = write("demo", folders.reports);
  page = await open(browser, demo);
});
after(() => browser?.close());
afterEach(() => {
  assert.deepEqual(page.leaks, [], "no request leaves the page");
  assert.deepEqual(page.complaints, [], "the console is quiet");
});

test("dist/page.html is what build.mjs makes, in one small file", async () => {
  const text = readFileSync(built, "utf8");
  assert.equal(text, await build(), "run `npm run build` in viewer/ and commit dist/page.html");
  assert.ok(text.length < 800_000, `${text.length} bytes`);
  for (const mark of ["<!--PLIANT-DATA-->", "connect-src 'none'"]) assert.equal(text.split(mark).length, 2, mark);
});

test("motion is on the screen within two seconds", async () => {
  const ms = await least(2000, async () => {
    const fresh = await open(browser, demo);
    await fresh.waitForFunction(() => window.pliant.timing.first_motion !== null);
    const ms = await fresh.evaluate(() => window.pliant.timing.first_motion);
    await fresh.close();
    return ms;
  });
  console.log(`first motion after ${ms.toFixed(0)} ms`);
  assert.ok(ms < 2000, `${ms} ms`);
});

test("frames are what was packed", async () => {
  const { meta, shape } = report("demo");
  const [low, high] = meta.box;
  const got = await page.evaluate(() => [0, 40, 120].map((f) => [...window.pliant.source[0].frame(f).slice(0, 4000)]));
  [0, 40, 120].forEach((f, k) => {
    for (let p = 0; p < 1000; p += 7) {
      const bend = 0.5 * Math.exp((-0.02 * f) / 60) * Math.sin((7 * f) / 60);
      const s = shape.points[3 * p] / 2;
      const x = low[0] + (got[k][4 * p] / 65535) * (high[0] - low[0]);
      assert.ok(Math.abs(x - shape.points[3 * p] * (1 - 0.3 * (bend * s) ** 2)) < 1e-4, `frame ${f}, point ${p}: ${x}`);
    }
  });
});

test("players are not blank and follow the clock, also between frames", async () => {
  await halt(page, 0.2);
  const first = await picture(page, 0);
  assert.ok(colours(first) > 60, `${colours(first)} colours`);
  await halt(page, 0.6);
  assert.ok(difference(first, await picture(page, 0)) > 2000);
  const { x, y } = await page.evaluate(async () => {
    const { clock, players } = window.pliant;
    const times = clock.times;
    const blend = (time) => (players[0].show(clock, time), players[0].uniforms.blend.value);
    return { x: blend(times[10] + 0.25 * (times[11] - times[10])), y: blend(times[11] + 0.25 * (times[12] - times[11])) };
  });
  assert.ok(Math.abs(x - 0.25) < 1e-6 && Math.abs(y - 0.75) < 1e-6, `${x} ${y}`);
});

test("a run that diverged is crossed out from its end on, and still there", async () => {
  const cross = () => page.$$eval(".player .cross", (all) => all.map((one) => (one.hidden ? null : one.innerText)));
  await halt(page, 0.5);
  assert.deepEqual(await cross(), Array(6).fill(null));
  await halt(page, 1.5);
  const shown = await cross();
  assert.equal(shown.filter(Boolean).length, 1);
  assert.match(shown[3], /⊗\s+diverged at 0\.883 s\s+an element is inside out/);
  assert.ok(colours(await picture(page, 3)) > 60);
});

test("plots have their lines, dots and signs", async () => {
  const counts = await page.$$eval("#plots .panel", (panels) =>
    panels.map((panel) => [panel.querySelectorAll("path.line").length, panel.querySelectorAll("circle.dot").length, panel.querySelectorAll("g.sign").length]),
  );
  assert.deepEqual(counts, [[6, 0, 1], [5, 20, 0], [2, 16, 0]]);
  const bent = await page.$eval("#plots path.line", (path) => path.getAttribute("d").split("L").length);
  assert.ok(bent > 100);
});

test("the cursor of the energies follows the clock, and the clock the cursor", async () => {
  const place = () => page.$eval("#plots line.cursor", (line) => Number(line.getAttribute("x1")));
  await halt(page, 0.5);
  const early = await place();
  await halt(page, 1.5);
  assert.ok((await place()) > early + 20);
  const box = await (await page.$("#plots .figure")).evaluate((figure) => {
    figure.scrollIntoView({ block: "center" });
    const { x, y, width, height } = figure.getBoundingClientRect();
    return { x, y, width, height };
  });
  await page.mouse.move(box.x + early, box.y + box.height / 2);
  assert.match(await page.$eval("#plots .tip", (tip) => (tip.hidden ? "" : tip.innerText)), /t = 0\.50 s[^]*siere[^]*backward-euler/);
  await page.mouse.down();
  await page.mouse.up();
  assert.ok(Math.abs((await page.evaluate(() => window.pliant.clock.time)) - 0.5) < 0.02);
  await page.click('[data-energy="kinetic"]');
  assert.equal(await page.$eval("#plots text.axis:last-of-type", (text) => text.textContent), "kinetic energy [J]");
  await page.click('[data-energy="total"]');
  await page.evaluate(() => scrollTo(0, 0));
});

test("the slider, the keys and the speed move the clock", async () => {
  const time = () => page.evaluate(() => window.pliant.clock.time);
  await halt(page, 0);
  const slider = await (await page.$("#scrub")).boundingBox();
  await page.mouse.click(slider.x + slider.width / 2, slider.y + slider.height / 2);
  assert.ok(Math.abs((await time()) - 1) < 0.05, `${await time()}`);
  await page.evaluate(() => document.activeElement.blur());
  await halt(page, 1);
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await time()) - 61 / 60) < 1e-6);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.ok(Math.abs((await time()) - 59 / 60) < 1e-6);
  await page.keyboard.press("Space");
  await page.waitForFunction((from) => window.pliant.clock.playing && window.pliant.clock.time !== from, {}, await time());
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.pliant.clock.playing), false);
  await page.select("#speed", "0.1");
  assert.equal(await page.evaluate(() => window.pliant.clock.speed), 0.1);
  await page.select("#speed", "1");
});

test("a clock that does not loop stops at the end", async () => {
  const end = await page.evaluate(() => {
    const { clock } = window.pliant;
    clock.loop = false;
    clock.seek(clock.end - 0.01);
    clock.play(true);
    clock.tick(performance.now());
    clock.tick(performance.now() + 200);
    const state = [clock.time, clock.playing];
    clock.loop = true;
    return state;
  });
  assert.deepEqual(end, [2, false]);
});

test("turning one player turns all", async () => {
  await halt(page, 0.3);
  const cameras = () => page.evaluate(() => window.pliant.players.map(({ camera }) => camera.position.toArray()));
  const [then, second] = [await cameras(), await picture(page, 1)];
  const box = await (await page.$(".player")).boundingBox();
  await page.mouse.move(box.x + 150, box.y + 150);
  await page.mouse.down();
  await page.mouse.move(box.x + 230, box.y + 180, { steps: 4 });
  await page.mouse.up();
  await drawn(page);
  const now = await cameras();
  assert.notDeepEqual(now[1], then[1]);
  for (const camera of now) assert.deepEqual(camera, now[0]);
  assert.ok(difference(second, await picture(page, 1)) > 1000);
  await page.mouse.wheel({ deltaY: -300 });
  assert.ok((await page.evaluate(() => window.pliant.view.zoom)) > 1.2);
  await page.click("#reset");
  await drawn(page);
  assert.deepEqual(await cameras(), then);
});

test("colours have a legend; wireframe and rest shape are drawn", async () => {
  await halt(page, 0.3);
  const plain = await picture(page, 0);
  await page.select("#colour", "speed");
  await page.waitForFunction(() => window.pliant.source.every((frames) => frames.field("speed", 50)));
  const coloured = await picture(page, 0);
  assert.ok(difference(plain, coloured) > 1000);
  assert.equal(await page.$eval("#legend .name", (name) => name.textContent), "speed [m/s]");
  assert.deepEqual(await page.$$eval("#legend .ticks span", (all) => all.map((one) => one.textContent)), ["0", "2", "8"]);
  await page.click("#wireframe");
  const wires = await picture(page, 0);
  assert.ok(difference(coloured, wires) > 500);
  await page.click("#ghost");
  assert.ok(difference(wires, await picture(page, 0)) > 500);
  await page.click("#ghost");
  await page.click("#wireframe");
  await page.select("#colour", "");
  assert.equal(difference(plain, await picture(page, 0)), 0, "all of it can be taken back");
});

test("the table, the scene and the version are there, and nothing in them is code", async () => {
  const rows = await page.$$eval("#runs tbody tr", (all) => all.map((row) => row.innerText.replace(/\s+/g, " ")));
  assert.equal(rows.length, 6);
  assert.match(rows[0], /siere 10 ms 1\.9 200 92\.3 % 0\.0042 – 10 factorisations, 120 solves/);
  assert.match(rows[3], /⊗ 0\.883 s/);
  assert.match(await page.$eval("#scene", (scene) => scene.textContent), /<\/script> and <!-- are text here/);
  assert.match(await page.$eval("#command", (command) => command.textContent), /^pliant compare scenes/);
  assert.equal(await page.$eval("#version", (version) => version.textContent), "pliant 0.1.0");
});

test("every control has a name", async () => {
  const nameless = await page.$$eval("button, select, input, [tabindex]", (all) =>
    all.filter((one) => !(one.getAttribute("aria-label") || one.closest("label")?.innerText || one.innerText.trim())).map((one) => one.outerHTML),
  );
  assert.deepEqual(nameless, []);
});

test("a rope is drawn as lines", async () => {
  const own = await open(browser, write("rope", folders.reports));
  await halt(own, 0.3);
  const first = await picture(own, 0);
  await halt(own, 0.1);
  assert.ok(difference(first, await picture(own, 0)) > 300);
  assert.deepEqual([...own.leaks, ...own.complaints], []);
  await own.close();
});

test("ground and balls that bodies meet are drawn", async () => {
  const bare = report("rope");
  delete bare.meta.obstacles;
  const path = `${folders.reports}/bare.html`;
  writeFileSync(path, fill(readFileSync(built, "utf8"), bare));
  const pictures = [];
  for (const file of [path, write("rope", folders.reports)]) {
    const own = await open(browser, file);
    await halt(own, 0.3);
    pictures.push(await picture(own, 0));
    assert.deepEqual([...own.leaks, ...own.complaints], []);
    await own.close();
  }
  assert.ok(difference(...pictures) > 3000);
});

test("fingers turn and zoom", async () => {
  const own = await open(browser, write("rope", folders.reports), { width: 360, height: 740 });
  const box = await (await own.$(".player")).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const state = () => own.evaluate(() => [window.pliant.view.azimuth, window.pliant.view.zoom]);
  const [azimuth, zoom] = await state();
  const finger = await own.touchscreen.touchStart(x, y);
  await finger.move(x + 30, y);
  await finger.move(x + 60, y);
  await finger.end();
  assert.ok((await state())[0] < azimuth - 0.1);
  const first = await own.touchscreen.touchStart(x - 20, y);
  const second = await own.touchscreen.touchStart(x + 20, y);
  await second.move(x + 60, y);
  await second.move(x + 80, y);
  await first.end();
  await second.end();
  assert.ok((await state())[1] > 1.5 * zoom, `${await state()}`);
  await own.close();
});

test("without WebGL there are still the plots and the table", async () => {
  const blind = await browser.newPage();
  await blind.evaluateOnNewDocument(() => (HTMLCanvasElement.prototype.getContext = () => null));
  await blind.goto(`file://${demo}`);
  await blind.waitForFunction(() => window.pliant?.clock.time > 0);
  assert.match(await blind.$eval("#notice", (notice) => notice.innerText), /WebGL 2/);
  assert.equal((await blind.$$("#plots path.line")).length, 13);
  assert.equal((await blind.$$("#runs tbody tr")).length, 6);
  await blind.close();
});

test("a page without data, and one whose data is broken, say so", async () => {
  const empty = await open(browser, built, { ready: false });
  assert.match(await empty.$eval("#notice", (notice) => notice.innerText), /no data/);
  await empty.close();
  const broken = report("rope");
  broken.blocks["run-1-positions"] = broken.blocks["run-1-positions"].subarray(0, 20 * 6 * 121 + 5);
  const path = `${folders.reports}/broken.html`;
  writeFileSync(path, fill(readFileSync(built, "utf8"), broken));
  const half = await open(browser, path, { ready: false });
  await half.waitForFunction(() => window.pliant?.source[1].failure);
  await drawn(half);
  assert.match(await half.$$eval(".player .state", (all) => all[1].innerText), /20 of 121 frames are in the file/);
  await half.waitForFunction(() => window.pliant.clock.time > 0);
  assert.deepEqual(half.complaints, []);
  await half.close();
});
