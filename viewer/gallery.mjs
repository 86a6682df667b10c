// Pictures of scenes for README.md: each scene is run as its file says, and its page is drawn at a telling moment.
//
//     cargo build --release && node viewer/gallery.mjs target/release/pliant [NAME ...]
//
// A few minutes, most of them for the large scenes. Needs what test/run.sh installs.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { drawn, halt, launch, open } from "./test/browser.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Scene, time [s], and the look: turned by (azimuth, elevation) [radians], how near, coloured by what. */
const SCENES = JSON.parse(readFileSync(new URL("gallery.json", import.meta.url), "utf8"));
const [WIDTH, HEIGHT] = [560, 420];

const STYLE = `
  header, #looks, #transport, #plots, #runs, #repeat, footer, .player > * { display: none !important }
  body { --side: 0px; max-width: none } #players { gap: 0 }
  .player.alone { width: ${WIDTH}px; height: ${HEIGHT}px; border: 0; border-radius: 0 }`;

const [pliant, ...wanted] = process.argv.slice(2);
if (!pliant) throw new Error("usage: node viewer/gallery.mjs PLIANT [NAME ...]");
mkdirSync(`${root}docs/gallery`, { recursive: true });
const browser = await launch();
for (const { scene, time, turn = [0, 0], zoom = 1, pan = [0, 0], colour = "" } of SCENES) {
  const name = basename(scene, ".toml");
  if (wanted.length && !wanted.includes(name)) continue;
  const method = /^method *= *"([^"]+)"/m.exec(readFileSync(`${root}${scene}`, "utf8"))[1];
  const out = `${root}target/gallery/${name}`;
  execFileSync(resolve(pliant), ["compare", scene, "--methods", method, "--quiet", "--out", out], { cwd: root });
  const page = await open(browser, `${out}/report.html`, { width: WIDTH, height: HEIGHT });
  await page.addStyleTag({ content: STYLE });
  await page.evaluate(({ turn, zoom, pan }) => {
    const { view } = window.pliant;
    view.turn(...turn);
    view.scale(zoom);
    view.pan(...pan);
  }, { turn, zoom, pan });
  await page.select("#colour", colour);
  await page.waitForFunction((colour) => !colour || window.pliant.source[0].field(colour, window.pliant.meta.runs[0].frames - 1), {}, colour);
  await halt(page, time);
  await drawn(page);
  const path = `${root}docs/gallery/${name}.webp`;
  await page.screenshot({ path, type: "webp", quality: 85 });
  console.log(`docs/gallery/${name}.webp: ${(statSync(path).size / 1000).toFixed(0)} kB`);
  await page.close();
}
await browser.close();
