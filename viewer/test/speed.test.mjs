// What our own code costs for the surface of 100 000 tets: 30 000 points, 60 000 triangles, 250 frames.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { folders, launch, least, open } from "./browser.mjs";
import { write } from "./fixture.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

test("less than 4 ms of own code a drawn frame", async () => {
  const ms = await least(4, ownCode);
  assert.ok(ms < 4, `${ms} ms`);
});

async function ownCode() {
  // A small window: the software renderer is not what is measured, and it takes cores from what is.
  const page = await open(browser, write("large", folders.reports), { width: 360, height: 400 });
  const { points, triangles } = await page.evaluate(() => window.pliant.meta.shape);
  assert.ok(points > 30_000 && triangles > 60_000);
  await page.evaluate(() => window.pliant.timing.reset());
  await page.waitForFunction(() => window.pliant.timing.drawn > 60);
  const { median, worst, decode } = await page.evaluate(() => {
    const { median, worst, decode } = window.pliant.timing;
    return { median, worst, decode };
  });
  console.log(`own code ${median.toFixed(2)} ms per drawn frame (worst ${worst.toFixed(2)}), decoding ${decode.toFixed(2)} ms per frame`);
  await page.close();
  return median + decode;
}
