import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useDatabases } from '../kit/databases.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { PAGES, beginAnew, handsOf, newProfile, openBrowser, violationsOf } from './console-browser.ts';
import type { Profile } from './console-browser.ts';
import {
  bridgeAnOutage,
  findInAudit,
  registerOtherKinds,
  repairARefusal,
  seeTheAlertEnd,
  workWithAnApplication,
} from './console-day.ts';
import { theEditor } from './console-editor.ts';
import { alarmed, endAccess, findRefusals, renameOnWish, restoreBesideAnother } from './console-journeys.ts';
import type { Desk } from './console-journeys.ts';
import { whatIsTyped } from './console-typing.ts';
import { startRig } from './daemon-rig.ts';
import type { Rig } from './daemon-rig.ts';
import { ACCOUNT, device, livingPlant, startPlant } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// Operators at the console: Chromium, `up` and a simulated plant. The tests are one journey and build on each other.

const PASSWORD = 'four words and a hyphen';
/** Once charts and pictures have followed the window. */
const SCROLLS_SIDEWAYS = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() =>
  resolve(document.documentElement.scrollWidth > innerWidth))))`;

const databases = useDatabases();
let rig: Rig;
let plant: Plant;
let browser: Browser;
let profile: Profile;
let page: Page;
let url: string;
let v0: string;
let firstPassword: string;
let directory: TempDirectory;
let endOthers: (() => Promise<void>) | undefined;

beforeAll(async () => {
  plant = await startPlant({ truth: livingPlant([device(1), device(2), alarmed]) });
  browser = await openBrowser();
  directory = await makeTempDirectory('console');
  const alerts = join(directory.path, 'alerts.yaml');
  await writeFile(
    alerts,
    JSON.stringify({ rules: { failing: { for: '0s', away: '1m' }, backup: 'off' }, targets: [] }),
  );
  rig = await startRig(databases, ['hall'], {
    DATABRIDGE_OPERATOR: 'on',
    DATABRIDGE_OPERATOR_PORT: '0',
    DATABRIDGE_ALERTS: alerts,
  });
  const lineOf = (text: string) =>
    rig.daemon
      .output()
      .split('\n')
      .find((line) => line.includes(text)) ?? '{}';
  ({ url } = JSON.parse(lineOf('the operator API is up')) as { url: string });
  ({ url: v0 } = JSON.parse(lineOf('"the API is up"')) as { url: string });
  firstPassword = /chooses a password:\n {2}(\S+)/.exec(rig.daemon.output())?.[1] ?? '';
  profile = await newProfile(browser);
  page = await profile.context.newPage();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') page = await beginAnew(page, url, PASSWORD);
});

afterAll(async () => {
  await browser?.close();
  await rig?.close();
  await endOthers?.();
  await plant?.stop();
  await directory?.remove();
});

const desk = (): Desk => ({ rig, plant, browser, page, url });
const { at, button, field } = handsOf(desk);

describe('the page', () => {
  it('is kept nowhere, its files for ever, and neither may run foreign text', async () => {
    const answer = await fetch(url);
    const { headers } = answer;
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toContain(`default-src 'none'; script-src 'self'`);
    expect(headers.get('content-security-policy')).toContain(
      `require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    const [, script = ''] = /src="(\/assets\/[^"]+\.js)"/.exec(await answer.text()) ?? [];
    const file = await fetch(`${url}${script}`);
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect((await fetch(`${url}/assets/..%2Findex.html`)).status).toBe(404);
  });
});

describe('a first operator', () => {
  it('reads at the form why it was not let in, and chooses a password of its own', async () => {
    await page.goto(url);
    expect(await violationsOf(page)).toEqual([]);
    await field('Name').fill('admin');
    await field('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Name and password do not belong together.').waitFor();
    await field('Password').fill(firstPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Choose a password' }).waitFor();
    await field('Present password').fill(firstPassword);
    await field('New password').fill(PASSWORD);
    await field('New password again').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No source yet' }).waitFor();
  });

  it('registers a source step by step, and sees its coverage', async () => {
    await page.getByRole('link', { name: 'Register a source' }).first().click();
    await page.getByLabel('ThingsBoard').check();
    await page.getByRole('heading', { name: 'What to ask the customer for' }).waitFor();
    await button('Continue').click();
    await field('Name').fill('NOT A NAME');
    await button('Continue').click();
    await page.locator('.wrong').first().waitFor();
    expect(await field('Name').inputValue()).toBe('NOT A NAME');
    await page
      .getByRole('textbox', { name: 'The same as YAML' })
      .fill(
        [
          'name: hall-3',
          'project: hall',
          'kind: user-credentials',
          'platform: thingsboard',
          'connection:',
          `  url: ${plant.url}`,
          `  username: ${ACCOUNT.username}`,
          `  password: ${ACCOUNT.password}`,
          'schedule: { every: 1s, start: 2h, settle: 1s, overlap: 0s }',
          'pace: { requestsPerSecond: 50, burst: 10, concurrency: 2 }',
        ].join('\n'),
      );
    // The form follows the text.
    await expect.poll(() => field('url').inputValue()).toBe(plant.url);
    expect(await field('password').getAttribute('type')).toBe('password');
    await button('Continue').click();
    await page.getByText(/\d+ requests? in/).waitFor();
    expect(await page.locator('.steps li.good').count()).toBeGreaterThan(4);
    await button('Continue').click();
    await page.getByRole('table', { name: 'Sensors' }).getByRole('row').nth(2).waitFor();
    await button('Continue').click();
    await button('Read a stretch').click();
    await page.getByRole('table', { name: 'Readings' }).waitFor();
    await button('Continue').click();
    await page.getByText('A new source.').waitFor();
    await button('Create the source').click();
    await page.getByRole('heading', { name: 'hall-3' }).waitFor();
    await page.locator('canvas').waitFor();
    await rig.covered('hall-3', Date.now() - 60_000);
  });
});

it('sources of the other kinds are registered by the same wizard', async () => {
  endOthers = await registerOtherKinds(desk());
});

describe('coverage', () => {
  it('is selected with the keyboard, is the same as text, becomes a backfill, and is a table, too', async () => {
    await at('/sources/default/hall-3');
    await page.locator('canvas').focus();
    for (const key of ['Home', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown'])
      await page.keyboard.press(key);
    const text = field('Ranges');
    // Bins begin at whole hours of a zone that is half an hour off.
    expect(await text.inputValue()).toMatch(/^\d{4}-\d\d-\d\d \d\d:00 – \d{4}-\d\d-\d\d \d\d:00/);
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    await text.fill(`${day(3)} 10:00 – ${day(3)} 1x:00`);
    await page.getByText('Line 1 is no range').waitFor();
    await text.fill(`${day(3)} 10:00 – ${day(3)} 12:30`);
    await button(/^Start the backfill: [1-9]/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await button(/^Start the backfill/).click();
    await page.getByText('The backfill has begun.').waitFor();
    await at('/backfills');
    await page
      .getByRole('row', { name: /hall-3/ })
      .first()
      .waitFor();
    const { rows } = await rig.client.query<{ from: string; to: string }>(
      `select to_char(from_at at time zone 'Asia/Kolkata', 'HH24:MI') as "from", to_char(to_at at time zone 'Asia/Kolkata', 'HH24:MI') as "to" from backfill`,
    );
    expect(rows).toEqual([{ from: '10:00', to: '12:30' }]);
    await at('/sources/default/hall-3?as=table');
    await page.getByRole('table', { name: 'Coverage' }).getByRole('cell', { name: 'data' }).first().waitFor();
  });
});

it('refused points of all sources are found by reason and source, and lead to those of their source', () =>
  findRefusals(desk()));

it('refused points are repaired by a mapping, and by asking for their range again', () => repairARefusal(desk()));

it('an application pushes while its new name is held and released, is rotated, and is revoked', () =>
  workWithAnApplication({ ...desk(), v0 }));

it('an outage raises an alert that is taken, and leaves a hole that is backfilled and closes', () =>
  bridgeAnOutage(desk()));

it('another operator has tokens and sessions that an admin sees and ends', () => endAccess(desk()));

describe('what another tab changes', () => {
  it('shows without a reload, and the tabs share one stream of events', async () => {
    const other = await profile.context.newPage();
    let streams = 0;
    profile.context.on('request', (request) => void (streams += request.url().endsWith('/events') ? 1 : 0));
    await at('/sources', other);
    await at('/sources/default/hall-3');
    await button('Pause').click();
    await other
      .getByRole('row', { name: /hall-3/ })
      .getByText('paused', { exact: true })
      .waitFor();
    await button('Resume').click();
    await other
      .getByRole('row', { name: /hall-3/ })
      .getByText('paused', { exact: true })
      .waitFor({ state: 'detached' });
    expect(streams).toBeLessThan(2);
    await other.close();
  });

  it('is told to an operator who edits the same, and the text stays', async () => {
    await at('/sources/default/hall-3?tab=configuration');
    await button('Edit').click();
    const editor = page.getByRole('textbox', { name: 'Configuration' });
    await editor.fill((await editor.innerText()).replace('concurrency: 2', 'concurrency: 3'));
    await rig.client.query(`update source set revision = revision + 1 where name = 'hall-3'`);
    await page.getByText('Another operator changed this source while you edited it.').waitFor();
    expect(await editor.innerText()).toContain('concurrency: 3');
  });
});

describe('the editor', () => theEditor(() => ({ ...desk(), profile })));

it('a former configuration is restored where nobody changed the source meanwhile; else the difference is shown', () =>
  restoreBesideAnother(desk()));

it('a configuration that renames series, or reads another place, is applied once the operator says so', () =>
  renameOnWish(desk()));

describe('what is typed', () => whatIsTyped(() => ({ ...desk(), profile }), PASSWORD));

it('a session of a viewer shows nothing that it may not do', async () => {
  await at('/operators');
  await button('Actions on otto').waitFor();
  await rig.client.query(`update operator_account set role = 'viewer' where name = 'admin'`);
  await page.reload();
  await at('/sources/default/hall-3');
  await button('Next gap').waitFor();
  expect(await button('Pause').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0);
  await rig.client.query(`update operator_account set role = 'admin' where name = 'admin'`);
  await page.reload();
});

it('everything is found again in the audit', () => findInAudit(desk()));
it('every page is for everybody, light and dark, fits on a phone, and breaks no rule of its own policy', async () => {
  const found: Record<string, string[]> = {};
  for (const hash of PAGES) {
    await at(hash);
    const flaws = await violationsOf(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    flaws.push(...(await violationsOf(page, 'theme')));
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 390, height: 844 });
    if (await page.evaluate(SCROLLS_SIDEWAYS)) flaws.push('scrolls sideways');
    await page.setViewportSize({ width: 1280, height: 800 });
    if (flaws.length > 0) found[hash] = flaws;
  }
  expect(found).toEqual({});
  expect(profile.faults).toEqual([]);
});

it('the alert of the outage has ended by itself', () => seeTheAlertEnd(desk()));
