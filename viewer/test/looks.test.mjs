// How the page looks: nothing overlaps or is cut off at the width of a phone and of a desk, in light and in dark. Screenshots
// are kept in target/screenshots, to be looked at.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawn, folders, halt, launch, open } from "./browser.mjs";
import { faults } from "./faults.mjs";
import { write } from "./fixture.mjs";

let browser, demo;
before(async () => {
  browser = await launch();
  demo = write("demo", folders.reports);
});
after(() => browser?.close());

for (const [width, height] of [[360, 740], [1280, 800]]) {
  for (const dark of [false, true]) {
    test(`${width} x ${height}, ${dark ? "dark" : "light"}`, async () => {
      const page = await open(browser, demo, { width, height, dark });
      await halt(page, 1.2);
      await page.select("#colour", dark ? "strain" : "");
      await page.evaluate(() => (document.querySelector("details").open = true));
      await drawn(page);
      assert.deepEqual(await page.evaluate(faults), []);
      const name = `${folders.screenshots}/report-${width}-${dark ? "dark" : "light"}`;
      await page.screenshot({ path: `${name}.png` });
      // Without the bar that stays on the screen, so that the whole can be seen at once.
      await page.addStyleTag({ content: "#transport { position: static !important }" });
      await page.setViewport({ width, height: await page.evaluate(() => document.documentElement.scrollHeight) });
      await drawn(page);
      await page.screenshot({ path: `${name}-whole.png` });
      assert.deepEqual([...page.leaks, ...page.complaints], []);
      await page.close();
    });
  }
}

test("many runs, at both widths", async () => {
  const path = write("many", folders.reports);
  for (const [width, height] of [[360, 740], [1280, 800]]) {
    const page = await open(browser, path, { width, height });
    await halt(page, 0.3);
    assert.deepEqual(await page.evaluate(faults), []);
    assert.deepEqual(await page.$$eval(".player .cross", (all) => all.flatMap((one, i) => (one.hidden ? [] : [i]))), [3, 9]);
    await page.screenshot({ path: `${folders.screenshots}/many-${width}.png` });
    assert.deepEqual([...page.leaks, ...page.complaints], []);
    await page.close();
  }
});

test("the theme can be turned by hand", async () => {
  const page = await open(browser, demo);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.click("#theme");
  assert.notEqual(await ground(), light);
  await page.click("#theme");
  assert.equal(await ground(), light);
  await page.close();
});
