// What `pliant demo` writes, opened as its user would open it. The command is $PLIANT, or else the one that ./test builds.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { drawn, folders, halt, launch, least, open, picture } from "./browser.mjs";
import { faults } from "./faults.mjs";
import { colours, difference } from "./png.mjs";

const pliant = process.env.PLIANT ?? fileURLToPath(new URL("../../target/quick/pliant", import.meta.url));
const report = `${folders.reports}/demo/report.html`;
let browser, page;

before(async () => {
  assert.ok(existsSync(pliant), `there is no ${pliant}: cargo build --profile quick, or say in PLIANT where the command is`);
  execFileSync(pliant, ["demo", "--quiet", "--out", `${folders.reports}/demo`]);
  browser = await launch();
  page = await open(browser, report);
});
after(() => browser?.close());
afterEach(() => {
  assert.deepEqual(page.leaks, [], "no request leaves the page");
  assert.deepEqual(page.complaints, [], "the console is quiet");
});

test("the page is small", () => {
  const { size } = statSync(report);
  console.log(`${(size / 1e6).toFixed(2)} MB`);
  assert.ok(size < 3e6, `${size} bytes`);
});

test("motion starts within two seconds and costs us less than 4 ms per frame", async () => {
  const measured = async (name) => {
    const fresh = await open(browser, report);
    await fresh.waitForFunction(() => window.pliant.timing.drawn > 60 && window.pliant.timing.first_motion !== null);
    const ms = await fresh.evaluate((name) => window.pliant.timing[name], name);
    await fresh.close();
    return ms;
  };
  const first_motion = await least(2000, () => measured("first_motion"));
  const median = await least(4, () => measured("median"));
  console.log(`first motion after ${first_motion.toFixed(0)} ms, own code ${median.toFixed(2)} ms per drawn frame`);
  assert.ok(first_motion < 2000, `${first_motion} ms`);
  assert.ok(median < 4, `${median} ms`);
});

test("every player shows a body, which moves with the clock unless it diverged", async () => {
  const outcomes = await page.evaluate(() => window.pliant.meta.runs.map((run) => run.outcome));
  assert.equal(outcomes.length, 6);
  assert.deepEqual(outcomes.filter((outcome) => outcome !== "done"), ["diverged"]);
  await halt(page, 0.05);
  const early = [];
  for (const i of outcomes.keys()) early.push(await picture(page, i));
  await halt(page, 0.4);
  for (const [i, outcome] of outcomes.entries()) {
    assert.ok(colours(early[i]) > 40, `player ${i} has ${colours(early[i])} colours`);
    const moved = difference(early[i], await picture(page, i));
    assert.ok(outcome === "diverged" || moved > 500, `player ${i}: ${moved} pixels`);
  }
});

test("the numb one hardly moves at the end, the others do", async () => {
  const motion = async (label) => {
    const i = await page.evaluate((label) => window.pliant.meta.runs.findIndex((run) => run.label === label), label);
    let most = 0;
    await halt(page, 2.4);
    const first = await picture(page, i);
    for (const time of [2.5, 2.6, 2.7]) {
      await halt(page, time);
      most = Math.max(most, difference(first, await picture(page, i)));
    }
    return most;
  };
  const [numb, alive] = [await motion("backward-euler"), await motion("siere")];
  assert.ok(alive > 2 * numb, `${alive} pixels against ${numb}`);
});

test("every plot has its lines", async () => {
  const lines = await page.$$eval("#plots .panel", (panels) => panels.map((panel) => panel.querySelectorAll("path.line").length));
  assert.ok(lines.length >= 1 && lines[0] === 6 && lines.every((count) => count > 0), `${lines}`);
  const signs = await page.$$eval("#plots .panel:first-child g.sign", (all) => all.length);
  assert.equal(signs, 1, "the sign of the one that diverged");
});

test("the slider moves the clock", async () => {
  const slider = await (await page.$("#scrub")).boundingBox();
  await page.mouse.click(slider.x + slider.width / 3, slider.y + slider.height / 2);
  const [time, end] = await page.evaluate(() => [window.pliant.clock.time, window.pliant.clock.end]);
  assert.ok(Math.abs(time - end / 3) < 0.03 * end, `${time} of ${end}`);
});

test("turning one player turns all", async () => {
  await halt(page, 0.3);
  const before = await picture(page, 4);
  const box = await (await page.$(".player")).boundingBox();
  await page.mouse.move(box.x + 150, box.y + 150);
  await page.mouse.down();
  await page.mouse.move(box.x + 230, box.y + 180, { steps: 4 });
  await page.mouse.up();
  assert.ok(difference(before, await picture(page, 4)) > 1000);
  await page.click("#reset");
  assert.equal(difference(before, await picture(page, 4)), 0);
});

test("colours switch between what the report has", async () => {
  await halt(page, 0.3);
  const seen = [await picture(page, 5)];
  for (const name of await page.evaluate(() => window.pliant.meta.fields.map((field) => field.name))) {
    await page.select("#colour", name);
    await page.waitForFunction((name) => window.pliant.source.every((frames, i) => frames.field(name, window.pliant.meta.runs[i].frames - 1)), {}, name);
    const now = await picture(page, 5);
    for (const other of seen) assert.ok(difference(other, now) > 1000, name);
    seen.push(now);
  }
  assert.equal(seen.length, 4);
  await page.select("#colour", "");
});

for (const [width, height] of [[390, 844], [1280, 800]]) {
  for (const dark of [false, true]) {
    test(`${width} x ${height}, ${dark ? "dark" : "light"}: nothing overlaps or is cut off`, async () => {
      const own = await open(browser, report, { width, height, dark });
      await own.select("#colour", dark ? "speed" : "strain");
      await halt(own, 2.1);
      assert.deepEqual(await own.evaluate(faults), []);
      const name = `${folders.screenshots}/demo-${width}-${dark ? "dark" : "light"}`;
      await own.screenshot({ path: `${name}.png` });
      await own.addStyleTag({ content: "#transport { position: static !important }" });
      await own.setViewport({ width, height: await own.evaluate(() => document.documentElement.scrollHeight) });
      await drawn(own);
      await own.screenshot({ path: `${name}-whole.png` });
      assert.deepEqual([...own.leaks, ...own.complaints], []);
      await own.close();
    });
  }
}
