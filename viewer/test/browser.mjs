// A browser without a screen, and pages in it that may not ask anybody for anything.
import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { decode } from "./png.mjs";

const target = fileURLToPath(new URL("../../target/", import.meta.url));
/** Where reports for tests and what they looked like are kept. */
export const folders = { reports: `${target}viewer`, screenshots: `${target}screenshots` };
for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });

export async function launch() {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!executablePath) throw new Error("there is no Chromium: run viewer/test/run.sh, which installs it");
  const args = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
  return puppeteer.launch({ executablePath, args });
}

/** Opens a file; what leaves the page and what it complains of is collected in `leaks` and `complaints`. */
export async function open(browser, path, { ready = true, ...how } = {}) {
  const page = await visit(browser, `file://${path}`, /^(file|data|blob):/, how);
  if (ready) await page.waitForFunction(() => window.pliant?.source.every((frames, i) => frames.available === window.pliant.meta.runs[i].frames));
  return page;
}

/** Opens an address; requests that are not `allowed` are leaks. */
export async function visit(browser, address, allowed, { width = 1280, height = 800, dark = false } = {}) {
  const page = await browser.newPage();
  page.leaks = [];
  page.complaints = [];
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(error.message));
  await page.setRequestInterception(true);
  page.on("request", (request) => {
    if (allowed.test(request.url())) return request.continue();
    page.leaks.push(request.url());
    return request.abort();
  });
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  await page.goto(address);
  return page;
}

/** The least of what is measured in up to three pages, or the first below a bound: other programs only make it more. */
export async function least(bound, measure) {
  let best = Infinity;
  for (let page = 0; page < 3 && best >= bound; page++) best = Math.min(best, await measure());
  return best;
}

/** Stops the clock at a time and waits until this is on the screen. */
export async function halt(page, time) {
  await page.evaluate((time) => {
    window.pliant.clock.play(false);
    window.pliant.clock.seek(time);
  }, time);
  await drawn(page);
}

export async function drawn(page) {
  await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
}

/** Pixels of a player. */
export async function picture(page, player) {
  await drawn(page);
  const element = (await page.$$(".player"))[player];
  return decode(await element.screenshot());
}
