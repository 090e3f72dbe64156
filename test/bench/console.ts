import { setTimeout as sleep } from 'node:timers/promises';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { setOperatorPassword } from '../../src/access/operator-passwords.ts';
import { createOperator } from '../../src/access/operators.ts';
import { SECOND } from '../../src/core/instant.ts';
import { openBrowser } from '../integration/console-browser.ts';
import { median } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { registerMany } from './many-sources.ts';
import { openRig, startPlant } from './rig.ts';
import { usageOf } from './usage.ts';
import { LARGE, makeLarge } from './viewers.ts';

const SOURCES = 1_000;
const TIMES = 5;
const PASSWORD = 'four words and a hyphen';

/** The console with 1,000 sources, and with a year of 1,000 streams, in Chromium. */
export async function consoleBench({ profile, say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig({ profile });
  stack.defer(() => rig.close());
  const plant = await startPlant('small-plant.ts');
  stack.defer(() => plant.stop());
  const room = await rig.room();
  stack.defer(() => room.close());
  const { database, clock } = room.context;
  await registerMany(room, plant.url, { sources: SOURCES, every: 3_600 * SECOND }, 'well');
  await makeLarge(database, clock.now());
  await createOperator(database, { name: 'bench', role: 'admin' }, 'bench');
  await setOperatorPassword(database, 'bench', { password: PASSWORD, temporary: false }, 'bench');
  const up = await room.worker('up');
  const url = room.metricsUrl.replace('/metrics', '');
  // The first request builds the console.
  await fetch(url);
  const before = usageOf(up.pid);
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(120_000);
  await page.goto(url);
  await page.getByLabel('Name').fill('bench');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('.frame').waitFor();
  say('signed in');

  const figures: Record<'paint' | 'rows' | 'search' | 'drawn', number[]> = {
    paint: [],
    rows: [],
    search: [],
    drawn: [],
  };
  for (let time = 0; time < TIMES; time += 1) {
    await page.goto('about:blank');
    await page.goto(`${url}/#/sources`);
    await page.locator('tbody tr').nth(20).waitFor();
    figures.paint.push(await numberIn(page, `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`));
    figures.rows.push(await numberIn(page, `performance.now()`));
  }
  const elements = await numberIn(page, `document.querySelectorAll('*').length`);
  for (let time = 0; time < TIMES; time += 1) figures.search.push(await searched(page, String(time + 1)));
  await page.goto(`${url}/#/sources/default/${LARGE}?span=365d`);
  await page.locator('canvas').waitFor();
  await sleep(1_000);
  for (let time = 0; time < TIMES; time += 1) figures.drawn.push(await numberIn(page, REDRAW));
  const after = usageOf(up.pid);
  const growth = ((after?.peakRssBytes ?? Number.NaN) - (before?.peakRssBytes ?? 0)) / 1e6;
  const packed = packedBytes();
  return [
    { what: 'first paint', value: median(figures.paint), unit: 'ms', aim: { atMost: 300 } },
    { what: 'first rows of 1,000 sources', value: median(figures.rows), unit: 'ms', aim: { atMost: 700 } },
    { what: 'answer of a search to its rows', value: median(figures.search), unit: 'ms', aim: { atMost: 50 } },
    { what: 'a year of streams drawn', value: median(figures.drawn), unit: 'ms', aim: { atMost: 100 } },
    { what: 'elements of the list', value: elements, unit: 'elements' },
    { what: 'script, packed, without the editor', value: packed / 1e3, unit: 'kB', aim: { atMost: 80 } },
    { what: 'memory of up for one viewer', value: growth, unit: 'MB', aim: { atMost: 50 } },
  ];
}

const numberIn = async (page: Page, expression: string): Promise<number> => Number(await page.evaluate(expression));

/** From the answer of a search to the rows that it found, ms: what the bridge takes is its own figure. */
async function searched(page: Page, text: string): Promise<number> {
  const answered = page.waitForResponse((response) => response.url().includes(`text=${text}`));
  await page.getByLabel('Search sources').fill(text);
  await (await answered).finished();
  const began = performance.now();
  await page.waitForFunction(
    `[...document.querySelectorAll('td.name a')].every((one) => one.textContent.includes('${text}'))`,
    undefined,
    { polling: 'raf' },
  );
  return performance.now() - began;
}

/** Has the picture drawn again, by a step of the cursor, and waits for the frame that shows it. */
const REDRAW = `new Promise((resolve) => {
  const began = performance.now();
  document.querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true }));
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
})`;

/** The packed scripts of all pages, without CodeMirror and the parser of YAML, which a page loads when it shows an editor. */
function packedBytes(): number {
  const assets = join(import.meta.dirname, '../../dist/console/assets');
  return readdirSync(assets)
    .filter((name) => name.endsWith('.js.br') && !name.startsWith('yaml-'))
    .reduce((sum, name) => sum + statSync(join(assets, name)).size, 0);
}
