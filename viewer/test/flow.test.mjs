// Swimmers: arrows of the flow on a plane, and trails, between frames too; nothing of them in other reports.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { folders, halt, launch, open, picture } from "./browser.mjs";
import { faults } from "./faults.mjs";
import { write } from "./fixture.mjs";
import { difference } from "./png.mjs";

let browser, swimmer;
before(async () => {
  browser = await launch();
  swimmer = write("swimmer", folders.reports);
});
after(() => browser?.close());

const near = (a, b, within) => assert.ok(Math.abs(a - b) <= within, `${a} for ${b}`);

test("arrows are where the plane is, and as long as the root of the speed", async () => {
  const page = await open(browser, swimmer);
  await page.waitForFunction(() => window.pliant.source[0].flows?.length === 31);
  // Between frames 6 and 7.
  await halt(page, 6.5 / 60);
  const arrows = await page.evaluate(() => {
    const [{ places, values }] = window.pliant.players[0].strokes.flow;
    return { places: [...places.array], values: [...values.array] };
  });
  // The second arrow of the first line: 0.9 m from the centre, which has gone up by 6.5 hundredths.
  const [x, z] = [-0.9, -0.6];
  const speed = Math.hypot(x, z) * (1 + 6.5 / 30);
  const length = 1.1 * 0.3 * Math.sqrt(speed / 4);
  const [dx, dz] = [(z / Math.hypot(x, z)) * length, (-x / Math.hypot(x, z)) * length];
  const from = arrows.places.slice(18, 21);
  const to = arrows.places.slice(21, 24);
  [1 + x - dx / 2, 0, 0.065 + z - dz / 2].forEach((c, axis) => near(from[axis], c, 1e-5));
  [1 + x + dx / 2, 0, 0.065 + z + dz / 2].forEach((c, axis) => near(to[axis], c, 1e-5));
  near(arrows.values[6], Math.sqrt(speed / 8), 1e-5);
  assert.deepEqual(page.complaints, []);
});

test("a trail ends where its points are", async () => {
  const page = await open(browser, swimmer);
  await halt(page, 12.25 / 60);
  const { end, count, expected } = await page.evaluate(() => {
    const { players, source, meta } = window.pliant;
    const [{ places, geometry }] = players[0].strokes.trails;
    const middle = (f) => [0, 1, 2].map((axis) => {
      const all = meta.trails[0].map((p) => source[0].frame(f)[4 * p + axis] / 65535);
      return meta.box[0][axis] + (meta.box[1][axis] - meta.box[0][axis]) * (all.reduce((a, b) => a + b) / all.length);
    });
    const [now, then] = [middle(12), middle(13)];
    const { count } = geometry.drawRange;
    return { end: [...places.array.slice(3 * count - 3, 3 * count)], count, expected: now.map((x, axis) => x + 0.25 * (then[axis] - x)) };
  });
  assert.equal(count, 14);
  expected.forEach((c, axis) => near(end[axis], c, 1e-5));
});

test("both can be switched off, and other reports have neither", async () => {
  const page = await open(browser, swimmer);
  await page.waitForFunction(() => window.pliant.source[0].flows?.length === 31);
  await halt(page, 0.3);
  let before = await picture(page, 0);
  for (const name of ["flow", "trails"]) {
    await page.click(`#${name}`);
    const now = await picture(page, 0);
    assert.ok(difference(before, now) > 0, `${name} is seen`);
    before = now;
  }
  assert.equal(await page.$eval("#colour", (select) => select.value), "speed");
  const other = await open(browser, write("rope", folders.reports));
  for (const name of ["flow", "trails"]) assert.equal(await other.$eval(`#${name}`, (box) => box.parentElement.hidden), true);
});

for (const [width, height] of [[360, 740], [1280, 800]]) {
  for (const dark of [false, true]) {
    test(`${width} x ${height}, ${dark ? "dark" : "light"}`, async () => {
      const page = await open(browser, swimmer, { width, height, dark });
      await halt(page, 0.4);
      assert.deepEqual(await page.evaluate(faults), []);
      await page.screenshot({ path: `${folders.screenshots}/swimmer-${width}-${dark ? "dark" : "light"}.png` });
    });
  }
}
