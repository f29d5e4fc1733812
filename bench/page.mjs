// The size of the page, and the time until its first tab is drawn, in the Chromium of the browser tests: npm run bench:page.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { startChromium } from '../test/browser/chromium.ts';

const RUNS = 10;
/** Largest size of the page compressed, in kB. */
const GOAL = 1500;

const folder = fileURLToPath(new URL('../build/page', import.meta.url));
const address = pathToFileURL(path.join(folder, 'index.html')).href;

const kilobytes = (bytes) => (bytes / 1000).toFixed(0);

/** Times from the start of the navigation to the first paint, which has the first tab, in milliseconds, in order. */
async function firstRenders() {
  const browser = await startChromium();
  try {
    const times = [];
    for (let round = -1; round < RUNS; round++) {
      const page = await browser.newPage();
      await page.goto(address);
      await page.waitForSelector('[role=tablist]');
      const paint = await page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()",
      );
      // the first one warms up
      if (round >= 0) times.push(Number(paint));
      await page.close();
    }
    return times.sort((a, b) => a - b);
  } finally {
    await browser.close();
  }
}

const files = readdirSync(folder).map((name) => readFileSync(path.join(folder, name)));
const size = files.reduce((sum, file) => sum + file.length, 0);
const compressed = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
const times = await firstRenders();
console.log('| | goal | measured |\n|---|---|---|');
console.log(`| size in kB | | ${kilobytes(size)} |`);
console.log(`| compressed with gzip, in kB | ${String(GOAL)} | ${kilobytes(compressed)} |`);
console.log(`| first paint in ms, median of ${String(RUNS)} | | ${(times[RUNS / 2] ?? NaN).toFixed(0)} |`);
