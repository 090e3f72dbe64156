import type { Browser, Page } from 'playwright-core';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBridge } from '../kit/bridge.ts';
import type { BridgeUnderTest } from '../kit/bridge.ts';
import { useDatabases } from '../kit/databases.ts';
import { freePort } from '../kit/free-port.ts';
import type { RunningProcess } from '../kit/process.ts';
import { startProxy } from '../kit/proxy.ts';
import type { Proxy } from '../kit/proxy.ts';
import { PAGES, handsOf, heldPage, newProfile, openBrowser, pageOfAnotherTime } from './console-browser.ts';
import type { Profile } from './console-browser.ts';
import { signInAtLast, wrongConfirmation, wrongFields, wrongFieldsOfASource } from './console-forms.ts';
import { flawsOfLayout } from './console-layout.ts';
import { ATTACKS, addOddNames, oddPlant } from './console-odd.ts';
import { eventually } from './daemon-rig.ts';
import { startPlant, thingsboard } from './plant-simulator.ts';
import type { Plant } from './plant-simulator.ts';

// The console in trouble, and with what no operator would write. The tests are one journey and build on each other.

const DAY_MS = 86_400_000;

const databases = useDatabases();
let proxy: Proxy;
let bridge: BridgeUnderTest;
let daemon: RunningProcess;
let client: Client;
let plant: Plant;
let browser: Browser;
let profile: Profile;
let page: Page;
let url: string;

beforeAll(async () => {
  const address = new URL(await databases.createMigrated());
  client = new Client({ connectionString: address.href });
  await client.connect();
  proxy = await startProxy({ host: address.hostname, port: Number(address.port) });
  address.port = String(proxy.port);
  const port = await freePort();
  bridge = await makeBridge({
    DATABASE_URL: address.href,
    DATABRIDGE_OPERATOR: 'on',
    DATABRIDGE_OPERATOR_PORT: String(port),
  });
  url = `http://127.0.0.1:${port}`;
  daemon = await bridge.up();
  browser = await openBrowser();
  profile = await newProfile(browser);
  page = await profile.context.newPage();
});

afterAll(async () => {
  await browser?.close();
  await client?.end();
  await daemon?.stop();
  await bridge?.remove();
  await proxy?.close();
  await plant?.stop();
});

const { at, button, field } = handsOf(() => ({ page, url }));

it('a sign-in and a first password say at their fields what is wrong, and keep what was written', async () => {
  await page.goto(url);
  await signInAtLast(page, /chooses a password:\n {2}(\S+)/.exec(daemon.output())?.[1] ?? '');
  await page.getByRole('heading', { name: 'No source yet' }).waitFor();
});

describe('an empty bridge', () => {
  it.each([
    ['/overview', 'Register a source'],
    ['/sources', 'Register a source'],
    ['/backfills', 'Register a source'],
    ['/refusals', 'Register a source'],
    ['/alerts', 'Register a source'],
    ['/data', 'Create a project'],
    ['/delivery', 'Create a project'],
    ['/projects', 'Create a project'],
    ['/applications', 'Create an application'],
  ])('says at %s what to do first, with the button that does it', async (hash, verb) => {
    await at(hash);
    const empty = page.locator('.empty').first();
    await empty
      .getByRole('link', { name: verb })
      .or(empty.getByRole('button', { name: verb }))
      .click();
    await page.getByRole('heading', { name: verb }).first().waitFor();
  });
});

describe('a bridge that is killed', () => {
  it('in the middle of an action comes back, and each page goes on where it was', async () => {
    const [other, reader] = [await profile.context.newPage(), await profile.context.newPage()];
    await at('/audit', other);
    await reader.setViewportSize({ width: 1280, height: 240 });
    await at('/audit', reader);
    await field('By whom', reader).fill('a');
    await reader.evaluate('scrollTo({ top: 120 })');
    const read = (): Promise<unknown> =>
      reader.evaluate('[scrollY, document.activeElement.ariaLabel, document.activeElement.value]');
    const before = await read();
    expect(before).toEqual([120, 'By whom', 'a']);
    await at('/projects');
    await button('Create a project').first().click();
    await field('Code').fill('hall');
    await field('Name').fill('Hall 3');
    daemon.pause();
    const asked = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('dialog').getByRole('button', { name: 'Create a project' }).click();
    await asked;
    await daemon.kill9();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The bridge did not answer.').waitFor();
    await page.getByText('No connection to the bridge.').waitFor();
    // A page whose code was not loaded yet.
    await other.evaluate(`location.hash = '#/delivery'`);
    await other.getByText('The bridge did not answer.').first().waitFor();
    await reader.getByText('No connection to the bridge.').waitFor();
    daemon = await bridge.up();
    for (const one of [page, reader])
      await one.getByText('No connection to the bridge.').waitFor({ state: 'detached' });
    expect(await read()).toEqual(before);
    await other.getByRole('heading', { name: 'Delivery' }).waitFor();
    await other.getByRole('heading', { name: 'No project yet' }).waitFor();
    expect([await field('Code').inputValue(), await field('Name').inputValue()]).toEqual(['hall', 'Hall 3']);
    await dialog.getByRole('button', { name: 'Create a project' }).click();
    await page.getByRole('link', { name: 'Hall 3' }).waitFor();
    const { rows } = await client.query(`select from audit where action = 'project.created'`);
    expect(rows).toHaveLength(1);
    for (const one of [other, reader]) await one.close();
  });
});

describe('an answer that never comes', () => {
  it('is said in the place of what it would show, and can be asked for again', async () => {
    const { held, release } = await heldPage(profile, 'GET', '/applications?*');
    await held.goto(`${url}/#/applications`);
    await held.locator('.skeleton').waitFor();
    await held.clock.fastForward(9_000);
    await held.getByRole('alert').getByText('The bridge has not answered yet.').waitFor();
    await button('Try again', held).click();
    await held.getByRole('heading', { name: 'No application yet' }).waitFor();
    release();
    await held.close();
  });

  it('is said at the button of a form, which can be pressed again, and does it once', async () => {
    const { held, release } = await heldPage(profile, 'POST', '/applications');
    await held.goto(`${url}/#/applications`);
    await button('Create an application', held).first().click();
    await field('Name', held).fill('SCADA');
    const dialog = held.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create an application' }).click();
    await held.clock.fastForward(9_000);
    await dialog.getByText('The bridge has not answered yet.').waitFor();
    await button('Stop waiting', held).click();
    await dialog.getByText('You have stopped waiting').waitFor();
    expect(await field('Name', held).inputValue()).toBe('SCADA');
    await dialog.getByRole('button', { name: 'Create an application' }).click();
    await button('I have kept it', held).click();
    await held.getByRole('table').getByText('SCADA').waitFor();
    // What was held reaches the bridge after all.
    const late = held.waitForResponse((response) => response.request().method() === 'POST');
    release();
    await late;
    expect((await client.query(`select from application where name = 'SCADA'`)).rows).toHaveLength(1);
    await held.close();
  });
});

it('a database that is away is said with its remedy, and all is well when it is back', async () => {
  await at('/projects');
  await proxy.set({ connections: 'reset' });
  proxy.reset();
  await button('Create a project').first().click();
  await field('Code').fill('away');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create a project' }).click();
  await dialog.getByText('The database does not answer in time.').waitFor();
  await dialog.getByText('Send the same request again.').waitFor();
  const other = await profile.context.newPage();
  await other.goto(`${url}/#/applications`);
  await other.getByText('The database does not answer in time.').first().waitFor();
  await proxy.set({});
  await other.getByRole('table', { name: 'Applications' }).waitFor();
  await dialog.getByRole('button', { name: 'Create a project' }).click();
  await page.getByRole('link', { name: 'away' }).waitFor();
  await other.close();
});

describe('odd content', () => {
  beforeAll(async () => {
    plant = await startPlant({ truth: oddPlant() });
    const source = (every: string, labels: readonly string[]) =>
      thingsboard('hall-3', plant.url, {
        schedule: { every, start: '2h', settle: '1s', overlap: '0s' },
        mapping: { labels },
      });
    await bridge.apply(source('1h', []));
    await bridge.apply(source('2h', ATTACKS));
    await eventually('hall-3 is covered', async () => (await client.query('select from series')).rows.length > 1);
    await client.query(
      `insert into alert (kind, organisation, subject, severity, what, remedy, since, opened_at)
       values ('failing', 'default', 'hall-3', 'warning', 'It fails.', 'Mend it.', now() - interval '5 minutes', now())`,
    );
  });

  it('in any field of any form is refused at the field, and stays there', async () => {
    await page.close();
    page = await profile.context.newPage();
    await page.goto(url);
    expect(await wrongFields(page)).toEqual([]);
    expect(await wrongFieldsOfASource(page, plant.url)).toEqual([]);
    await client.query(`update operator_session set proved_at = now() - interval '1 hour'`);
    await wrongConfirmation(page);
  });

  it('a clock of the browser that is wrong by a day makes nothing older or younger', async () => {
    for (const days of [-1, 1]) {
      const other = await pageOfAnotherTime(profile, days);
      await at('/alerts', other);
      await other
        .getByRole('row', { name: /hall-3/ })
        .getByText(/^\d+ min( \d+ s)? ago$/)
        .waitFor();
      await at('/account', other);
      await other
        .getByText(/^(\d+ min( \d+ s)?|\d+ s|< 1 s) ago$/)
        .first()
        .waitFor();
      await at('/sources/default/hall-3', other);
      await other.getByText(/^in (1 h|\d+ min)/).waitFor();
      const asked = other.waitForRequest(/\/bins\?/);
      await at('/data?project=hall', other);
      await other.locator('nav.series a').first().click();
      const to = Date.parse(new URL((await asked).url()).searchParams.get('to') ?? '');
      expect(Math.abs(to - Date.now())).toBeLessThan(DAY_MS / 2);
      await other.close();
    }
  });

  it('in names, labels, faults and YAML is text, in its own order, on pages that fit at any zoom', async () => {
    await addOddNames(client);
    const flaws: Record<string, string[]> = {};
    const seen = new Set<string>();
    const content = [
      ...PAGES,
      '/data?project=hall&sensor=script',
      `/sources/default/hall-3?tab=refusals&sensor=${'x'.repeat(300)}`,
      '/alerts?state=all',
    ];
    for (const hash of content) {
      await at(hash);
      const text = await page.locator('body').innerText();
      for (const attack of ATTACKS) if (text.includes(attack)) seen.add(attack);
      // 80, 100 and 200 % of a window of 1280 px, and a phone.
      for (const width of [1600, 1280, 640, 390]) {
        await page.setViewportSize({ width, height: Math.round(width * 0.625) });
        const found = await flawsOfLayout(page);
        if (found.length > 0) flaws[`${hash} ${width}`] = found;
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await at('/sources/default/hall-3?tab=configuration');
    expect(await page.getByRole('textbox', { name: 'Configuration' }).innerText()).toContain('<script>');
    expect(flaws).toEqual({});
    expect([...seen].toSorted()).toEqual(ATTACKS.toSorted());
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
    expect(profile.faults).toEqual([]);
  });

  it('a project of 200,000 sensors is shown page by page, and searched', async () => {
    await client.query(
      `insert into series (project_id, sensor_id, value_name, owner)
       select id, 'sensor-' || n, 'value', '' from ml_project, generate_series(1, 200000) as n where code = 'away'`,
    );
    await client.query(
      `with project as (update ml_project set series_made = 200000, series_quota = 250000 where code = 'away' returning id)
       insert into held_name (project_id, sensor_id, value_name) select id, 'new-' || n, 'value' from project, generate_series(1, 1000) as n`,
    );
    await at('/data?project=away');
    const series = page.locator('nav.series a');
    await expect.poll(() => series.count()).toBe(100);
    await button('Show more').click();
    await expect.poll(() => series.count()).toBe(200);
    await field('Search series').fill('SENSOR-19999');
    await expect.poll(() => series.count()).toBe(11);
    await at('/projects/default/away');
    await page.getByText('200,000 of 250,000').waitFor();
    const names = page.getByRole('table', { name: 'Held names' }).getByRole('row');
    await expect.poll(() => names.count()).toBe(51);
    await button('Show more').click();
    await expect.poll(() => names.count()).toBeGreaterThan(100);
  });
});
