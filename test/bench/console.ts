import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { setOperatorPassword } from '../../src/access/operator-passwords.ts';
import { createOperator } from '../../src/access/operators.ts';
import { SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { openBrowser } from '../integration/console-browser.ts';
import { median } from './bench.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { costOfViewers } from './console-viewers.ts';
import { registerMany } from './many-sources.ts';
import { openRig, startPlant } from './rig.ts';
import { LARGE, makeLarge } from './viewers.ts';

const SOURCES = 1_000;
const TIMES = 5;
const PASSWORD = 'four words and a hyphen';

/** The console with 1,000 sources, and with a year of 1,000 streams, in Chromium. */
export async function consoleBench({ profile, seconds, say }: BenchOptions): Promise<Measure[]> {
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
  const watching = await costOfViewers({ database, api: `${url}/api/v1`, up }, seconds);
  say('watched by 50');
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(120_000);
  await page.goto(url);
  await page.getByLabel('Name').fill('bench');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('nav').first().waitFor();
  say('signed in');

  const figures = { empty: [], paint: [], rows: [], list: [], search: [], live: [], drawn: [] } as Record<
    'empty' | 'paint' | 'rows' | 'list' | 'search' | 'live' | 'drawn',
    number[]
  >;
  const blank = await blankPage();
  stack.defer(() => blank.close());
  for (let time = 0; time < TIMES; time += 1) {
    await page.goto(blank.url);
    figures.empty.push(await numberIn(page, PAINT));
    await page.goto('about:blank');
    await page.goto(`${url}/#/sources`, { waitUntil: 'commit' });
    figures.rows.push(await numberIn(page, ROWS));
    figures.paint.push(await numberIn(page, PAINT));
    figures.list.push(await numberIn(page, LIST));
  }
  const elements = await numberIn(page, `document.querySelectorAll('*').length`);
  for (let time = 0; time < TIMES; time += 1) figures.search.push(await searched(page, String(time + 1)));
  await page.getByLabel('Search sources').fill('');
  await page.goto(`${url}/#/sources?sort=name`);
  await page.locator('th[aria-sort]', { hasText: 'Name' }).waitFor();
  await sleep(1_000);
  for (let time = 0; time < TIMES; time += 1) figures.live.push(await paused(page, database, time));
  await page.goto(`${url}/#/sources/default/${LARGE}?span=365d`);
  await page.locator('canvas').waitFor();
  await sleep(1_000);
  for (let time = 0; time < TIMES; time += 1) figures.drawn.push(await numberIn(page, REDRAW));
  const of = (key: keyof typeof figures): number => median(figures[key]);
  return [
    { what: 'first paint of an empty page', value: of('empty'), unit: 'ms' },
    { what: 'first paint', value: of('paint'), unit: 'ms', aim: { atMost: 300 } },
    {
      what: 'first rows of 1,000 sources',
      value: of('rows'),
      unit: 'ms',
      aim: { atMost: 700 },
      note: `${of('list').toFixed(0)} ms of them the answer of the list`,
    },
    { what: 'answer of a search to its rows', value: of('search'), unit: 'ms', aim: { atMost: 50 } },
    { what: 'a change at the bridge to the page', value: of('live'), unit: 'ms', aim: { atMost: 1_000 } },
    { what: 'a year of streams drawn', value: of('drawn'), unit: 'ms', aim: { atMost: 100 } },
    { what: 'elements of the list', value: elements, unit: 'elements' },
    { what: 'script, packed, without the editor', value: packedBytes() / 1e3, unit: 'kB', aim: { atMost: 80 } },
    ...watching,
  ];
}

const numberIn = async (page: Page, expression: string): Promise<number> => Number(await page.evaluate(expression));

/** A page that has nothing but a word, to tell what the machine itself takes. */
async function blankPage(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>empty</p>'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => void server.close() };
}

/** The first paint, ms after the page was asked for. */
const PAINT = `new Promise((resolve) => {
  new PerformanceObserver((list) => list.getEntriesByName('first-contentful-paint').forEach((one) => resolve(one.startTime)))
    .observe({ type: 'paint', buffered: true });
})`;

/** Evaluates `then` in the page once `condition` holds and was painted. */
const when = (condition: string, then: string): string => `new Promise((resolve) => {
  const timer = setInterval(() => {
    if (!(${condition})) return;
    clearInterval(timer);
    requestAnimationFrame(() => setTimeout(() => resolve(${then})));
  }, 4);
})`;

/** When the page of sources shows rows, ms after it was asked for. */
const ROWS = when(`document.querySelectorAll('tbody tr').length > 15`, 'performance.now()');

/** How long the newest answer of a list of sources took, ms. */
const LIST = `performance.getEntriesByType('resource').findLast(({ name }) => name.includes('/sources?')).duration`;

/** From the answer of a search to the rows that it found, ms: what the bridge takes is its own figure. */
async function searched(page: Page, text: string): Promise<number> {
  const answer = `performance.getEntriesByType('resource').findLast(({ name }) => name.includes('text=${text}'))`;
  const rows = numberIn(
    page,
    when(
      `${answer} && [...document.querySelectorAll('td.name a')].every((one) => one.textContent.includes('${text}'))`,
      `performance.now() - ${answer}.responseEnd`,
    ),
  );
  await page.getByLabel('Search sources').fill(text);
  return await rows;
}

/** From the commit of a change of a source in sight to the page that shows it, ms. Both read the clock of this machine. */
async function paused(page: Page, database: Database, nth: number): Promise<number> {
  const row = `document.querySelectorAll('tbody tr')[${nth}]`;
  const name = await page.evaluate(`${row}.querySelector('td.name a').textContent`);
  const shown = numberIn(page, when(`${row}.textContent.includes('paused')`, 'Date.now()'));
  await database.run(`update source set state = 'paused' where name = $1`, [name]);
  const changedAt = Date.now();
  return (await shown) - changedAt;
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
