// Makes dist/page.html: styles and scripts in one file, so that a report opens without a network or a server.
import { readFile, writeFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The text of the page. */
export async function build() {
  const options = { bundle: true, minify: true, write: false, legalComments: "inline", target: ["es2022"], charset: "utf8" };
  const script = await esbuild.build({ ...options, entryPoints: [here("src/page.js")], format: "iife" });
  const style = await esbuild.build({ ...options, entryPoints: [here("src/style.css")], target: ["chrome123", "firefox120", "safari17.5"] });
  const page = await readFile(here("src/page.html"), "utf8");
  // Functions, since text of scripts may hold the signs that replace() gives a meaning to.
  return page
    .replace("/*STYLE*/", () => style.outputFiles[0].text.trim())
    .replace("/*SCRIPT*/", () => script.outputFiles[0].text.trim());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = await build();
  await mkdir(here("dist"), { recursive: true });
  await writeFile(here("dist/page.html"), page);
  console.log(`dist/page.html: ${(page.length / 1000).toFixed(0)} kB`);
}
