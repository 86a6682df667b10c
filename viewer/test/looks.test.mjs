// How the page looks: nothing overlaps or is cut off at the width of a phone and of a desk, in light and in dark. Screenshots
// are kept in target/screenshots, to be looked at.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { drawn, folders, halt, launch, open } from "./browser.mjs";
import { write } from "./fixture.mjs";

let browser, demo;
before(async () => {
  browser = await launch();
  demo = write("demo", folders.reports);
});
after(() => browser?.close());

/** Elements whose content is wider than they are, and words over players that lie on each other. */
function faults() {
  const name = (element) => `${element.tagName}#${element.id}.${element.className}`;
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    if (!element.clientWidth || element.closest("svg")) continue;
    if (element.scrollWidth > element.clientWidth) found.push(`${name(element)}: ${element.scrollWidth} in ${element.clientWidth}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the screen");
  for (const player of document.querySelectorAll(".player")) {
    const words = [...player.querySelectorAll(".name, .facts, .state, .sign, .when, .cause")].filter((word) => word.offsetParent && word.innerText);
    const boxes = words.map((word) => word.getBoundingClientRect());
    const frame = player.getBoundingClientRect();
    boxes.forEach((a, i) => {
      if (a.left < frame.left || a.right > frame.right || a.top < frame.top || a.bottom > frame.bottom) found.push(`${words[i].innerText} leaves its player`);
      boxes.slice(0, i).forEach((b, j) => {
        const apart = a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
        if (!apart) found.push(`${words[i].innerText} lies on ${words[j].innerText}`);
      });
    });
  }
  const controls = document.getElementById("transport").clientHeight;
  if (controls > 100) found.push(`the controls take ${controls} pixels of the screen`);
  const texts = [...document.querySelectorAll(".figure text")];
  for (const [i, a] of texts.entries()) {
    const box = a.getBoundingClientRect();
    const frame = a.ownerSVGElement.getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1) found.push(`${a.textContent} leaves its plot`);
    for (const b of texts.slice(0, i)) {
      if (b.ownerSVGElement !== a.ownerSVGElement) continue;
      const other = b.getBoundingClientRect();
      if (box.left < other.right && other.left < box.right && box.top < other.bottom - 1 && other.top < box.bottom - 1) found.push(`${a.textContent} lies on ${b.textContent}`);
    }
  }
  return found;
}

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
