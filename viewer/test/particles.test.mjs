// Particles of fluids: balls of their size, lit and coloured, as many as there are.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { folders, halt, launch, open, picture } from "./browser.mjs";
import { write } from "./fixture.mjs";
import { colours, difference } from "./png.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** Blobs of pixels that are not as the corner is: how many pixels each has, and the box around it. */
function blobs({ width, height, channels, data }) {
  const ground = data.subarray(channels * (width * 40 + 4), channels * (width * 40 + 7));
  // What is written over the player lies at its top and bottom.
  const painted = (x, y) => y > 40 && y < height - 40 && [0, 1, 2].some((c) => Math.abs(data[channels * (width * y + x) + c] - ground[c]) > 30);
  const seen = new Uint8Array(width * height);
  const found = [];
  for (let start = 0; start < width * height; start++) {
    if (seen[start] || !painted(start % width, Math.floor(start / width))) continue;
    const blob = { pixels: 0, left: width, right: 0, top: height, bottom: 0 };
    const stack = [start];
    seen[start] = 1;
    while (stack.length) {
      const at = stack.pop();
      const [x, y] = [at % width, Math.floor(at / width)];
      blob.pixels += 1;
      [blob.left, blob.right] = [Math.min(blob.left, x), Math.max(blob.right, x)];
      [blob.top, blob.bottom] = [Math.min(blob.top, y), Math.max(blob.bottom, y)];
      for (const [i, j] of [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]) {
        const next = j * width + i;
        if (i < 0 || j < 0 || i >= width || j >= height || seen[next] || !painted(i, j)) continue;
        seen[next] = 1;
        stack.push(next);
      }
    }
    if (blob.pixels > 20) found.push(blob);
  }
  return found;
}

test("drops are round, as large as they are, and shaded", async () => {
  const page = await open(browser, write("drops", folders.reports));
  await halt(page, 0.2);
  const drawn = await picture(page, 0);
  const drops = blobs(drawn);
  assert.equal(drops.length, 4);
  // Two radii over the distance of each, in pixels of the player.
  const expected = await page.evaluate(() => {
    const { players, source, clock, meta } = window.pliant;
    const { camera } = players[0];
    const height = document.querySelector(".player").clientHeight;
    const q = source[0].frame(clock.frame(clock.time));
    const [low, high] = meta.box;
    const m = camera.matrixWorldInverse.elements;
    return [0, 1, 2, 3].map((p) => {
      const x = [0, 1, 2].map((c) => low[c] + (q[4 * p + c] / 65535) * (high[c] - low[c]));
      const depth = -(m[2] * x[0] + m[6] * x[1] + m[10] * x[2] + m[14]);
      return (meta.shape.radius * camera.projectionMatrix.elements[5] * height) / depth;
    });
  });
  const across = drops.map(({ left, right }) => right - left + 1).sort((a, b) => a - b);
  expected.sort((a, b) => a - b).forEach((size, i) => assert.ok(Math.abs(size - across[i]) < 2.5, `${across} of ${expected}`));
  for (const { pixels, left, right, top, bottom } of drops) {
    const round = pixels / ((right - left + 1) * (bottom - top + 1));
    assert.ok(Math.abs(round - Math.PI / 4) < 0.05, `${round}`);
  }
  assert.ok(colours(drawn) > 100, `${colours(drawn)} colours`);
  assert.match(await page.$eval(".player .facts", (facts) => facts.textContent), /1 in 3 particles is drawn/);
  await page.screenshot({ path: `${folders.screenshots}/drops.png` });
  assert.deepEqual([...page.leaks, ...page.complaints], []);
  await page.close();
});

test("30,000 particles move, are coloured by speed and have a shape at rest", async () => {
  const page = await open(browser, write("fluid", folders.reports));
  await halt(page, 0.1);
  const first = await picture(page, 0);
  await halt(page, 0.3);
  const second = await picture(page, 0);
  assert.ok(difference(first, second) > 2000);
  await page.select("#colour", "speed");
  await page.waitForFunction(() => window.pliant.source[0].field("speed", 30));
  const coloured = await picture(page, 0);
  assert.ok(difference(second, coloured) > 1000);
  await page.click("#ghost");
  assert.ok(difference(coloured, await picture(page, 0)) > 500);
  assert.doesNotMatch(await page.$eval(".player .facts", (facts) => facts.textContent), /particles/);
  await page.screenshot({ path: `${folders.screenshots}/fluid.png` });
  assert.deepEqual([...page.leaks, ...page.complaints], []);
  await page.close();
});
