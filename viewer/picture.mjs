// The moving comparison at the top of README.md, in light and in dark: six players and their energies, out of a report.
//
//     cargo run --release -- demo && node viewer/picture.mjs out/demo/report.html
//
// Needs img2webp (Debian: apt install webp) beside what test/run.sh installs.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { drawn, halt, launch, open } from "./test/browser.mjs";

const [report] = process.argv.slice(2);
if (!report) throw new Error("usage: node viewer/picture.mjs REPORT.html");
const root = fileURLToPath(new URL("..", import.meta.url));
const WIDTH = 900;
/** Pictures a second, and how long one round takes [s]. */
const [RATE, ROUND] = [25, 6.6];
/** Rest at the end before it starts again [s]. */
const PAUSE = 0.6;

/** Only what moves, and as much of it as is readable at the width of a README. */
const STYLE = `
  header, #looks, #transport, #runs, #repeat, footer, .cause, .head, .entries, #plots .panel:not(:first-child) { display: none !important }
  body { max-width: none; --side: 0px }
  #players { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 6px }
  .player { aspect-ratio: 2 / 1.1 }
  .player .cross .sign { font-size: 3rem }
  .player .state { font-size: 0.95rem; font-weight: 600; color: var(--ink) }
  #plots { display: block }
  .panel { margin-top: 6px; border-radius: 4px; padding: 6px 8px 4px }
  .figure { min-height: 0; max-height: 200px }`;

const browser = await launch();
for (const dark of [false, true]) {
  const frames = `${root}target/picture-${dark ? "dark" : "light"}`;
  rmSync(frames, { recursive: true, force: true });
  mkdirSync(frames, { recursive: true });
  const page = await open(browser, resolve(report), { width: WIDTH, height: 700, dark });
  await page.addStyleTag({ content: STYLE });
  await page.evaluate(() => {
    window.pliant.view.turn(-0.2, 0.08);
    window.pliant.look.ghost(true);
  });
  await page.select("#colour", "speed");
  await page.waitForFunction(() => window.pliant.source.every((frames, i) => frames.field("speed", window.pliant.meta.runs[i].frames - 1)));
  await drawn(page);
  const height = await page.evaluate(() => Math.ceil(document.getElementById("plots").getBoundingClientRect().bottom));
  await page.setViewport({ width: WIDTH, height });
  const end = await page.evaluate(() => window.pliant.clock.end);
  const moving = Math.round(RATE * (ROUND - PAUSE));
  const list = [];
  for (let i = 0; i <= moving; i++) {
    await halt(page, (end * i) / moving);
    await drawn(page);
    const path = `${frames}/${String(i).padStart(4, "0")}.png`;
    await page.screenshot({ path });
    list.push("-d", String(i < moving ? 1000 / RATE : 1000 * PAUSE), path);
  }
  await page.close();
  const picture = `docs/comparison-${dark ? "dark" : "light"}.webp`;
  execFileSync("img2webp", ["-loop", "0", "-min_size", "-lossy", "-q", "80", "-m", "4", ...list, "-o", `${root}${picture}`]);
  console.log(`${picture}: ${WIDTH} x ${height}, ${moving + 1} frames, ${(statSync(`${root}${picture}`).size / 1e6).toFixed(2)} MB`);
}
await browser.close();
